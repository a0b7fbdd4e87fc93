package io.poolkeeper.controllers;

import io.poolkeeper.Window;

/**
 * Bound on connections that lead, by the time of a use: while uses take more than three times the
 * least time that was seen lately, there are at most a quarter and one more connections than were
 * in use before. While it lasts the bound falls, to half of that.
 *
 * <p>Servers that share a database which is their limit play a game. Each gains a larger share from
 * more connections of its own, though all lose: a tragedy of the commons [1]. The curve of a server
 * rises where the throughput of all falls, and with three servers behind the universal scalability
 * law it always rises. No server can tell that from its own curve. But the time of a use depends on
 * the connections of all servers together, and all of them see it. So servers that stop at a
 * multiple of the least time stop near the same total, however many they are, as flows do that
 * watch the delay of a shared link [2]. A single server has most throughput where uses take about
 * twice the least time; somewhat more where they also wait for locks.
 *
 * <p>A database that becomes slower for another reason has its best throughput with about as many
 * connections as before, so growth has little to gain there. Where uses take longer and do not
 * disturb each other, as on a longer way to the database, growth would gain: it waits until the
 * least time is forgotten, after five to ten minutes.
 *
 * <p>The multiple and the length of the memory were chosen on ten draws of servers that share a
 * database (docs/graveyard.md); the other constants are judgement.
 *
 * <p>[1] Hardin, The tragedy of the commons, Science 162, 1968. [2] Brakmo and Peterson, TCP Vegas,
 * IEEE Journal on Selected Areas in Communications 13, 1995.
 */
final class ResidenceBound {

  /** Multiple of the least time of a use above which connections do not grow. */
  private static final double MOST = 3;

  /** Part of it below which it is forgotten that they did not grow. */
  private static final double RELAXED = 0.5;

  /** Connections as a multiple of those in use before. */
  private static final double ROOM = 1.25;

  /** Seconds in which the weight of a window falls to 1/e. */
  private static final double MEMORY_SECONDS = 2;

  /** Part of those in use before that counts at least, however long uses take. */
  private static final double KEPT = 0.5;

  /** Seconds in which the number in use falls to 1/e, unless as many are in use again. */
  private static final double IN_USE_SECONDS = 30;

  /** The least time is that of the last one or two of these, seconds. */
  private static final double LEAST_SECONDS = 300;

  /** Seconds over which the usual slowdown is a mean. */
  private static final double USUAL_SECONDS = 20;

  /** Slowdown that stands for any larger one, as where nothing ends. */
  private static final double LARGEST = 1000;

  /** Least time of a use, seconds: in this period, and in the one before it. */
  private double least = Double.POSITIVE_INFINITY;

  private double leastBefore = Double.POSITIVE_INFINITY;
  private double periodSeconds;

  /** Integral of the connections in use over the last windows, seconds, and uses that ended. */
  private double busySeconds;

  private double uses;

  /** Largest number in use lately while uses did not take too long. */
  private double inUse;

  /** Least that counts as in use while uses take too long. */
  private double floor;

  private double usual;

  /**
   * Adds a valid window.
   *
   * @param residence mean time of a use lately, nanoseconds; 0 if there were too few to tell
   */
  void add(Window window, double residence) {
    double length = window.seconds();
    periodSeconds += length;
    if (periodSeconds > LEAST_SECONDS) {
      leastBefore = least;
      least = Double.POSITIVE_INFINITY;
      periodSeconds = 0;
    }
    if (residence > 0) {
      least = Math.min(least, residence / 1e9);
    }
    double kept = StrictMath.exp(-length / MEMORY_SECONDS);
    double busy = window.busy() * length;
    long ended = window.serviceTime().count();
    busySeconds = kept * busySeconds + busy;
    uses = kept * uses + ended;
    inUse = Math.max(floor, inUse * StrictMath.exp(-length / IN_USE_SECONDS));
    if (!exceeded()) {
      // A window of a larger size shows that uses take too long before their mean does.
      if (busy <= MOST * leastTime() * ended) {
        inUse = Math.max(inUse, window.busy());
      }
      floor = KEPT * inUse;
    }
    usual += (slowdown() - usual) * Math.min(1, length / USUAL_SECONDS);
  }

  private double leastTime() {
    return Math.min(least, leastBefore);
  }

  /** Returns the time of a use lately as a multiple of the least, by Little's law. */
  double slowdown() {
    return busySeconds > LARGEST * leastTime() * uses
        ? LARGEST
        : uses == 0 ? 0 : busySeconds / uses / leastTime();
  }

  /** Returns whether uses take so long that connections do not grow. */
  boolean exceeded() {
    return busySeconds > MOST * leastTime() * uses;
  }

  /** Returns whether uses take so little longer than the least that growth may be tried again. */
  boolean relaxed() {
    return slowdown() < RELAXED * MOST;
  }

  /** Returns the largest number of connections while {@link #exceeded}. */
  int connections() {
    return Math.max(1, (int) (ROOM * inUse + 1));
  }

  /** Keeps the slowdown where requests are of another mix, whose uses take another time. */
  void keepSlowdown() {
    double factor = Math.max(1, slowdown() / Math.max(1, usual));
    least *= factor;
    leastBefore *= factor;
  }
}
