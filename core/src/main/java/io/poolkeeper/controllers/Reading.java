package io.poolkeeper.controllers;

import io.poolkeeper.Objective;
import io.poolkeeper.Window;
import java.util.Optional;

/**
 * What a sound window says, and how well it can be relied on.
 *
 * @param seconds length
 * @param size size in force
 * @param busy mean number of busy workers
 * @param waiting mean number of waiting tasks
 * @param mostWaiting largest number of waiting tasks
 * @param arrivals tasks offered
 * @param rejected tasks refused: demand that found no room, as waiting tasks are
 * @param ended tasks that ended, well or not
 * @param completions tasks that ended well
 * @param rate the reward per second: completions; for a tail, completions times the ratio of mean
 *     to percentile; for goodput, completions within the bound and a little for the others
 */
record Reading(
    double seconds,
    int size,
    double busy,
    double waiting,
    double mostWaiting,
    double arrivals,
    double rejected,
    double ended,
    double completions,
    double rate) {

  /** Busy workers above the size by so much: the pool is still shrinking. */
  private static final double EXCESS = 0.04;

  /** Tasks that wait beside idle workers, against those that chance makes wait. */
  private static final double BEYOND_CHANCE = 3;

  /** The same, against those that run. */
  private static final double STARVED = 0.1;

  /** Standard deviation of the rate of a pool that is starved to a half or more. */
  private static final double STARVED_BLUR = 0.15;

  /** From this utilisation on all workers count as busy. */
  private static final double FULL = 0.95;

  /** With more tasks waiting than there are workers, from this one on. */
  private static final double MOSTLY_FULL = 0.5;

  /** Up to this utilisation a pool idles for most of the window. */
  private static final double IDLING = 0.25;

  /** Workers that are busy for less than this are not measured well. */
  private static final double LEAST_BUSY = 0.01;

  /**
   * What a completion outside the bound is worth, so that a pool far from its bound sees a slope.
   */
  private static final double BADPUT = 0.02;

  /** Of a resize by a factor e, where a task takes as long as the window. */
  private static final double TRANSIENT = 0.5;

  private static final double LARGEST_TRANSIENT = 0.3;

  /** Fraction of tasks that are refused by chance now and then. */
  private static final double REFUSED = 0.01;

  /** More than this is not a count of tasks. */
  private static final double MOST = 1e15;

  /** The reading of a window, empty if its values make no sense. */
  static Optional<Reading> of(Window window, Objective objective) {
    double seconds = window.seconds();
    int size = window.size();
    boolean sound =
        seconds > 0
            && size > 0
            && size < Integer.MAX_VALUE / 8
            && within(window.busy(), 8.0 * size + 1e6)
            && within(window.queueMean(), Integer.MAX_VALUE)
            && within((double) window.arrivals(), MOST)
            && within((double) window.completions(), MOST)
            && within((double) window.failures(), MOST)
            && within((double) window.rejections(), MOST);
    if (!sound) {
      return Optional.empty();
    }
    double rate = rate(window, objective);
    // Of completions that took no time at all a percentile makes a rate of 0, of which there is no
    // logarithm.
    return Double.isFinite(rate) && (rate > 0 || (rate == 0 && window.completions() == 0))
        ? Optional.of(
            new Reading(
                seconds,
                size,
                window.busy(),
                window.queueMean(),
                window.queueMax(),
                window.arrivals(),
                window.rejections(),
                (double) window.completions() + window.failures(),
                window.completions(),
                rate))
        : Optional.empty();
  }

  private static boolean within(double value, double largest) {
    return value >= 0 && value <= largest; // False for NaN.
  }

  /**
   * Little's law makes a rate of every objective. In a system with P tasks the mean response time
   * is P / X, so the smallest mean is the largest X; a percentile is P / X times its ratio to the
   * mean, so the smallest percentile is the largest X divided by that ratio. How many tasks there
   * are is thereby left out: it is the load's affair, and not the size's.
   */
  private static double rate(Window window, Objective objective) {
    double throughput = window.throughput();
    if (objective.bound().isPresent()) {
      return window.goodput() + BADPUT * throughput;
    }
    if (objective.higherIsBetter() || window.completions() == 0) {
      return throughput;
    }
    return throughput * window.responseTime().mean() / objective.value(window);
  }

  /** Tasks in the system, and those that would be if none were refused. */
  double present() {
    return busy + waiting + (completions > 0 ? rejected / seconds * service() : rejected);
  }

  /** Busy workers as a fraction of the size. */
  double utilisation() {
    return busy / size;
  }

  /** Whether more are busy than the size allows: the tasks of a larger pool have not ended yet. */
  boolean shrinking() {
    return utilisation() > 1 + EXCESS + 0.5 / size;
  }

  /**
   * Whether more workers would have had something to do. On a machine whose processors are taken a
   * worker that is started or woken comes late, so with a long queue not all need have been busy.
   */
  boolean binding() {
    return refusing() || waits();
  }

  /** Whether tasks were refused, beyond a chance few: with a limit that refuses, none ever wait. */
  boolean refusing() {
    return rejected > 1 && rejected > REFUSED * arrivals;
  }

  private boolean waits() {
    return waiting > 0.5
        && (utilisation() > FULL || (utilisation() > MOSTLY_FULL && waiting > size));
  }

  /**
   * Whether tasks waited beside idle workers, more of them than chance explains (Sakasegawa's
   * approximation of the queue): the machine does not bring its workers to run, and more of them
   * would not help.
   */
  boolean starved() {
    double load = Math.min(utilisation(), FULL);
    double byChance = StrictMath.pow(load, Math.sqrt(2.0 * (size + 1))) / (1 - load);
    return utilisation() <= FULL
        && (!idling() || waitedBesideIdle())
        && waiting > 1 + BEYOND_CHANCE * byChance
        && waiting > STARVED * busy;
  }

  /** Whether most workers had nothing to do for most of the time. */
  private boolean idling() {
    return utilisation() <= IDLING;
  }

  /** Whether more workers would have had nothing to do. */
  boolean ample() {
    return idling() || (starved() && waitedBesideIdle());
  }

  /**
   * Whether tasks waited for longer than all workers can have been busy, as in no burst: these are
   * busy for a fraction of the time that is the utilisation at most, and no more than the largest
   * number waits in it.
   */
  private boolean waitedBesideIdle() {
    return waiting > utilisation() * mostWaiting;
  }

  /** Whether the rate is what a pool of this size achieves: it binds, or more would not help. */
  boolean telling() {
    return binding() || starved();
  }

  /** Mean time for which a task keeps a worker, by Little's law; seconds. */
  double service() {
    return busy * seconds / completions;
  }

  /**
   * Workers at which the rate was observed: Little's law for the part that serves. A single worker
   * that is busy for a part of the time could do more, though not all that the law allows where
   * tasks come at random: the root of it.
   */
  double concurrency() {
    return telling() ? size : busy < 1 ? Math.sqrt(Math.max(LEAST_BUSY, busy)) : busy;
  }

  /**
   * Standard deviation, as a fraction, of the rate around the one of a constant concurrency. Where
   * the size does not bind, the number of busy workers goes up and down, and the curve is bent.
   * After a resize the short ones among the tasks end first, or the long ones are left over, for as
   * long as a task takes.
   *
   * @param before size of the window before, 0 if there was none
   */
  double blur(int before) {
    double idle = Math.max(0, 1 - utilisation());
    double free =
        starved() ? STARVED_BLUR * Math.min(1, 2 * idle) : binding() ? 0 : Math.max(0.05, idle);
    if (before <= 0 || before == size || completions == 0) {
      return free;
    }
    double service = service();
    double moved = Math.abs(StrictMath.log((double) size / before));
    return free + Math.min(LARGEST_TRANSIENT, TRANSIENT * moved * service / seconds);
  }
}
