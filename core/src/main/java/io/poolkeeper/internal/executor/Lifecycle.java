package io.poolkeeper.internal.executor;

import java.util.concurrent.TimeUnit;

/**
 * The way of a pool from its start to its termination. It changes with the lock of the {@link
 * Workers} held, and is read without it.
 */
final class Lifecycle {

  /** States in their order. */
  enum State {
    RUNNING("Running"),
    /** Runs the waiting tasks, accepts no others. */
    SHUTDOWN("Shutting down"),
    /** Runs no more tasks. */
    STOPPED("Shutting down"),
    TERMINATED("Terminated");

    private final String text;

    State(String text) {
      this.text = text;
    }
  }

  private final Object lock;
  private volatile State state = State.RUNNING;

  /**
   * @param lock that of the workers
   */
  Lifecycle(Object lock) {
    this.lock = lock;
  }

  State state() {
    return state;
  }

  /** Moves on to a state unless it has passed it. */
  void advance(State next) {
    if (state.compareTo(next) < 0) {
      state = next;
    }
  }

  /** Ends the wait for the termination. */
  void terminate() {
    state = State.TERMINATED;
    lock.notifyAll();
  }

  /** Waits for the termination; false if that takes longer than {@code nanos}. */
  boolean awaitTermination(long nanos) throws InterruptedException {
    long began = System.nanoTime();
    synchronized (lock) {
      long left = nanos;
      while (state != State.TERMINATED && left > 0) {
        TimeUnit.NANOSECONDS.timedWait(lock, left);
        left = nanos - (System.nanoTime() - began);
      }
      return state == State.TERMINATED;
    }
  }

  /** Sets the interrupt flag for the next task of the thread: set only after a stop. */
  void setInterrupt() {
    boolean stopped = state.compareTo(State.STOPPED) >= 0;
    // A stop between the two readings interrupts afterwards.
    if (!stopped && Thread.interrupted()) {
      stopped = state.compareTo(State.STOPPED) >= 0;
    }
    if (stopped) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public String toString() {
    return state.text;
  }
}
