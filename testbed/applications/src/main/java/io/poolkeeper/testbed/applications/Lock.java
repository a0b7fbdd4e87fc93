package io.poolkeeper.testbed.applications;

/**
 * CPU work with a share of it inside one critical section, which all requests enter. By Amdahl's
 * law more workers than the inverse of the share add nothing.
 */
final class Lock implements Application {

  private static final double MILLIS = 2;

  private final Object monitor = new Object();
  private final double outside;
  private final double inside;
  private long last;

  /**
   * Computes about {@value #MILLIS} ms for each request.
   *
   * @param share share of the work in the critical section, from 0 to 1
   */
  Lock(double share) {
    inside = MILLIS * share;
    outside = MILLIS - inside;
  }

  @Override
  public String answer() {
    long seed = Computation.run(outside, 1);
    synchronized (monitor) {
      last = Computation.run(inside, last + seed);
      return Long.toString(last);
    }
  }
}
