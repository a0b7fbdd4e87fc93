package io.poolkeeper.testbed.load.traffic;

/**
 * The users of one of the load threads: every {@code threads}-th, so that the threads have equally
 * many of them, give or take one, however many are active.
 *
 * @param thread index of the thread, from 0
 * @param threads how many there are
 */
public record Share(int thread, int threads) {

  /** Returns how many of the first {@code users} users of the whole load belong to this thread. */
  public int of(int users) {
    return (users - thread + threads - 1) / threads;
  }

  /** Whether user number {@code user} of the whole load belongs to this thread. */
  public boolean has(int user) {
    return user % threads == thread;
  }

  /** The number in the whole load of the {@code index}-th user of this thread, both from 0. */
  public int number(int index) {
    return index * threads + thread;
  }
}
