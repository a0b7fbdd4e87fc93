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
 * <p>The same ratio is that of the mean number of connections in use to that of threads which do
 * not wait for one. It is measured this way: after a change of the threads, times are for long
 * those of requests that began before it. At another number of busy threads the ratio is another,
 * as soon as they queue for processors. So numbers from before such a change are forgotten. How
 * much is enough and how fast the past fades are judgement.
 *
 * <p>[1] Denning and Buzen, The operational analysis of queueing network models, Computing Surveys
 * 10, 1978.
 */
final class Residences {

  /** Requests and uses below which nothing is concluded. */
  private static final double ENOUGH = 50;

  /** Factor between numbers of busy threads from which on the ratio is measured anew. */
  private static final double OTHER_LEVEL = 1.5;

  private final Sums requests = new Sums();
  private final Sums uses = new Sums();
  private double inUse = Double.NaN;
  private double inFront = Double.NaN;

  void addRequests(Window window) {
    double usual = requests.busy();
    if (!requests.add(window) || window.idle()) {
      return;
    }
    if (window.busy() > OTHER_LEVEL * usual || OTHER_LEVEL * window.busy() < usual) {
      requests.forgetNumbers(window);
      uses.forgetNumbers();
    }
  }

  /** Adds a window of the connections; false if it is not valid. */
  boolean addUses(Window window) {
    boolean valid = uses.add(window);
    if (valid) {
      inUse = uses.busy();
      inFront = requests.busy() - uses.waiting() - inUse;
    }
    return valid;
  }

  /** Returns whether requests, uses and times suffice for a ratio. */
  boolean measurable() {
    return requests.count >= ENOUGH
        && uses.count >= ENOUGH
        && service() > 0
        && residence() > 0
        && connectionsPerThread() > 0
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
    return inUse / (inUse + inFront);
  }

  /** Returns the mean number of connections in use from which the ratio was measured. */
  double inUse() {
    return inUse;
  }

  /** Returns the mean number of threads that neither used a connection nor waited for one then. */
  double inFront() {
    return Math.max(0, inFront);
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

    /** Seconds, and over them the integrals of the busy workers and of the waiting tasks. */
    private double seconds;

    private double busySeconds;
    private double waitingSeconds;

    /** Adds a window; false if it is not valid, as from a damaged recording. */
    boolean add(Window window) {
      double length = window.seconds();
      long ended = window.serviceTime().count();
      double served = ended * window.serviceTime().mean();
      double waited = window.queueWait().count() * window.queueWait().mean();
      double levels = window.busy() + window.queueMean();
      if (!(length > 0 && ended >= 0 && served >= 0 && waited >= 0 && levels >= 0)
          || !Double.isFinite(length + served + waited + levels)) {
        return false;
      }
      double memory = count < 2 * ENOUGH ? LONG_MEMORY_SECONDS : MEMORY_SECONDS;
      double kept = StrictMath.exp(-length / memory);
      count = kept * count + ended;
      service = kept * service + served;
      wait = kept * wait + waited;
      if (window.idle()) {
        return true; // In a hang or a deadlock those that are busy do no work.
      }
      seconds = kept * seconds + length;
      busySeconds = kept * busySeconds + length * window.busy();
      waitingSeconds = kept * waitingSeconds + length * window.queueMean();
      return true;
    }

    void forgetNumbers() {
      seconds = 0;
      busySeconds = 0;
      waitingSeconds = 0;
    }

    /** Forgets all numbers but those of a window. */
    void forgetNumbers(Window last) {
      seconds = last.seconds();
      busySeconds = seconds * last.busy();
      waitingSeconds = seconds * last.queueMean();
    }

    /** Returns the mean number of busy workers; NaN before the first window. */
    double busy() {
      return busySeconds / seconds;
    }

    /** Returns the mean number of waiting tasks; NaN before the first window. */
    double waiting() {
      return waitingSeconds / seconds;
    }
  }
}
