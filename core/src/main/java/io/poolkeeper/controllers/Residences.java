package io.poolkeeper.controllers;

import io.poolkeeper.Window;

/**
 * Visit ratio and residence times of requests that use connections, measured over the last windows
 * of both pools; older ones fade.
 *
 * <p>By Little's law and the forced flow law [1] a thread that does not wait for a connection holds
 * {@code V c / s} of one: {@code V} uses a request, {@code c} the time from taking a connection to
 * giving it back, and {@code s} the time of a request in its thread without its waits for
 * connections. So {@code n} threads need {@code n V c / s} connections, and the other way round.
 * Uses by others count as if requests made them.
 *
 * <p>[1] Denning and Buzen, The operational analysis of queueing network models, Computing Surveys
 * 10, 1978.
 */
final class Residences {

  /** Requests and uses below which nothing is concluded. */
  private static final double ENOUGH = 50;

  private final Sums requests = new Sums();
  private final Sums uses = new Sums();

  void addRequests(Window window) {
    requests.add(window);
  }

  void addUses(Window window) {
    uses.add(window);
  }

  /** Returns whether requests, uses and times suffice for a ratio. */
  boolean measurable() {
    return requests.count >= ENOUGH
        && uses.count >= ENOUGH
        && service() > 0
        && residence() > 0
        && Double.isFinite(connectionsPerThread());
  }

  /** Returns the uses of a connection a request. */
  double visits() {
    return uses.count / requests.count;
  }

  /** Returns the mean time from taking a connection to giving it back, nanoseconds. */
  double residence() {
    return uses.service / uses.count;
  }

  /**
   * Returns the mean time of a request in its thread without waits for connections, nanoseconds.
   */
  double service() {
    return requests.service / requests.count - visits() * uses.wait / uses.count;
  }

  /** Returns the connections that a thread holds in the mean while it does not wait for one. */
  double connectionsPerThread() {
    return visits() * residence() / service();
  }

  /** Sums of the last windows. */
  private static final class Sums {

    /** Seconds in which the weight of a window falls to 1/e. */
    private static final double MEMORY_SECONDS = 5;

    /** The same while there are few tasks. */
    private static final double LONG_MEMORY_SECONDS = 30;

    private double count;
    private double service;
    private double wait;

    void add(Window window) {
      double seconds = window.seconds();
      long ended = window.serviceTime().count();
      double served = ended * window.serviceTime().mean();
      double waited = window.queueWait().count() * window.queueWait().mean();
      if (!(seconds > 0 && ended >= 0 && served >= 0 && waited >= 0)
          || !Double.isFinite(seconds + served + waited)) {
        return; // A window that is not valid, as from a damaged recording.
      }
      double memory = count < 2 * ENOUGH ? LONG_MEMORY_SECONDS : MEMORY_SECONDS;
      double kept = StrictMath.exp(-seconds / memory);
      count = kept * count + ended;
      service = kept * service + served;
      wait = kept * wait + waited;
    }
  }
}
