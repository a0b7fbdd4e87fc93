package io.poolkeeper.testbed.tunnel.course;

/** Demand on a pool during a stage. */
public sealed interface Demand {

  /**
   * Users who send, wait for the answer, think, and send again.
   *
   * @param users 0 or more
   * @param thinkSeconds mean of an exponential time to think; 0 for none
   */
  record Closed(int users, double thinkSeconds) implements Demand {}

  /**
   * Arrivals that nobody holds back.
   *
   * @param perSecond mean rate
   * @param burst by what factor the rate is higher during bursts and, as much, lower between them:
   *     0 for a Poisson process, up to 1. Bursts and pauses are exponential with a mean of {@link
   *     #BURST_SECONDS}
   */
  record Open(double perSecond, double burst) implements Demand {

    /** Mean length of a burst, and of the time between two. */
    public static final double BURST_SECONDS = 5;
  }
}
