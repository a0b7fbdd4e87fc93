package io.poolkeeper.controllers;

import io.poolkeeper.Objective;
import io.poolkeeper.Window;
import io.poolkeeper.controllers.curves.Tuning;
import java.util.Optional;

/**
 * The values of a valid window, and their reliability.
 *
 * @param seconds length
 * @param size size in force
 * @param busy mean number of busy workers
 * @param waiting mean number of waiting tasks
 * @param mostWaiting largest number of waiting tasks
 * @param arrivals tasks offered
 * @param rejected tasks rejected: demand without room, as waiting tasks are
 * @param ended tasks that succeeded or failed
 * @param completions tasks that succeeded
 * @param rate the reward per second: completions; for a tail, completions times the ratio of mean
 *     to percentile; for goodput, completions within the bound and a little for the others; for
 *     disk throughput, bytes
 * @param worked seconds that workers spent on the tasks that ended, also before; 0 if unknown
 */
record Observation(
    double seconds,
    int size,
    double busy,
    double waiting,
    double mostWaiting,
    double arrivals,
    double rejected,
    double ended,
    double completions,
    double rate,
    double worked) {

  /** More than this is not a count of tasks. */
  private static final double MOST = 1e15;

  /** Returns the observation of a window, empty if its values are not valid. */
  static Optional<Observation> of(Window window, Objective objective) {
    double seconds = window.seconds();
    int size = window.size();
    boolean valid =
        seconds > 0
            && size > 0
            && size < Integer.MAX_VALUE / 8
            && within(window.busy(), 8.0 * size + 1e6)
            && within(window.queueMean(), Integer.MAX_VALUE)
            && within((double) window.arrivals(), MOST)
            && within((double) window.completions(), MOST)
            && within((double) window.failures(), MOST)
            && within((double) window.rejections(), MOST);
    if (!valid) {
      return Optional.empty();
    }
    double rate = rate(window, objective);
    // A percentile makes a rate of 0 of completions that took no time; it has no logarithm.
    return Double.isFinite(rate) && (rate > 0 || (rate == 0 && window.completions() == 0))
        ? Optional.of(
            new Observation(
                seconds,
                size,
                window.busy(),
                window.queueMean(),
                window.queueMax(),
                window.arrivals(),
                window.rejections(),
                (double) window.completions() + window.failures(),
                window.completions(),
                rate,
                worked(window)))
        : Optional.empty();
  }

  private static double worked(Window window) {
    double tasks = (double) window.completions() + window.failures();
    double seconds = tasks * window.serviceTime().mean() / 1e9;
    return seconds > 0 && seconds < MOST ? seconds : 0; // False for NaN.
  }

  private static boolean within(double value, double largest) {
    return value >= 0 && value <= largest; // False for NaN.
  }

  /**
   * Converts the objective into a rate by Little's law. In a system with P tasks and throughput X
   * the mean response time is P / X, so the smallest mean is the largest X. A percentile is P / X
   * times its ratio to the mean, so the smallest percentile is the largest X divided by that ratio.
   * P is left out: the load sets it, and not the size.
   */
  private static double rate(Window window, Objective objective) {
    double throughput = window.throughput();
    if (objective.equals(Objective.diskThroughput())) {
      return objective.value(window);
    }
    if (objective.bound().isPresent()) {
      return window.goodput() + Tuning.BADPUT * throughput;
    }
    if (objective.higherIsBetter() || window.completions() == 0) {
      return throughput;
    }
    return throughput * window.responseTime().mean() / objective.value(window);
  }

  /** Returns whether the reward is the number of completions. */
  boolean countsCompletions() {
    return Math.abs(rate * seconds - completions) <= 1e-6 * completions;
  }

  /** Returns the tasks in the system, and those that were rejected. */
  double inSystem() {
    return busy + waiting + (completions > 0 ? rejected / seconds * serviceSeconds() : rejected);
  }

  /** Returns the tasks that came and did not end: at the end there were at least as many. */
  double left() {
    return arrivals - rejected - ended;
  }

  /**
   * Returns whether most workers had nothing to do, and yet more tasks are left than they can take
   * at once: those have just come, and the means show neither the demand nor the capacity.
   */
  boolean filling() {
    return idling() && left() > Math.max(size, busy + waiting);
  }

  /** Returns the observation with those tasks in the system all the time, as at the end. */
  Observation atEnd() {
    double working = Math.min(size, left());
    return new Observation(
        seconds,
        size,
        working,
        left() - working,
        mostWaiting,
        arrivals,
        rejected,
        ended,
        completions,
        rate,
        worked);
  }

  /**
   * Returns whether most of the work on the tasks that ended was done before the window: their rate
   * is not that of the workers who are busy now.
   */
  boolean ofEarlierWork() {
    // A host may measure next to nothing as busy where tasks are short.
    return worked > Tuning.EARLIER_WORK * Math.max(1, busy) * seconds;
  }

  /** Returns the busy workers as a fraction of the size. */
  double utilisation() {
    return busy / size;
  }

  /** Returns whether more workers are busy than the size: tasks of a larger pool still run. */
  boolean shrinking() {
    return utilisation() > 1 + Tuning.SHRINKING_EXCESS + 0.5 / size;
  }

  /**
   * Returns whether more workers would have had something to do. On busy processors a worker starts
   * late, so with a long queue not all workers need have been busy.
   */
  boolean sizeLimited() {
    return rejecting() || queueing();
  }

  /** Returns whether a limit rejected tasks, beyond a few by chance: there no task ever waits. */
  boolean rejecting() {
    return rejected > 1 && rejected > Tuning.REJECTED * arrivals;
  }

  private boolean queueing() {
    return waiting > 0.5
        && (utilisation() > Tuning.FULL || (utilisation() > Tuning.MOSTLY_FULL && waiting > size));
  }

  /**
   * Returns whether tasks waited while workers idled, more of them than chance explains
   * (Sakasegawa's approximation of the queue): the machine does not run its workers, and more
   * workers would not help.
   */
  boolean starved() {
    double load = Math.min(utilisation(), Tuning.FULL);
    double byChance = StrictMath.pow(load, Math.sqrt(2.0 * (size + 1))) / (1 - load);
    return utilisation() <= Tuning.FULL
        && (!idling() || waitedDespiteIdleWorkers())
        && waiting > 1 + Tuning.STARVED_BEYOND_CHANCE * byChance
        && waiting > Tuning.STARVED_WAITING * busy;
  }

  /** Returns whether most workers had nothing to do for most of the time. */
  private boolean idling() {
    return utilisation() <= Tuning.IDLING;
  }

  /** Returns whether more workers would have had nothing to do. */
  boolean oversized() {
    return idling() || (starved() && waitedDespiteIdleWorkers());
  }

  /**
   * Returns whether tasks waited for longer than all workers can have been busy, which excludes a
   * burst: in a burst all workers are busy for at most the utilisation as a fraction of the time,
   * and at most the largest number of tasks waits in it.
   */
  private boolean waitedDespiteIdleWorkers() {
    return waiting > utilisation() * mostWaiting;
  }

  /** Returns whether the rate is the capacity of the size: it binds, or more would not help. */
  boolean atCapacity() {
    return sizeLimited() || starved();
  }

  /** Returns the mean service time of a task in seconds, by Little's law. */
  double serviceSeconds() {
    return busy * seconds / completions;
  }

  /**
   * Returns the number of workers at which the rate was observed, by Little's law. A single worker
   * that is busy for a part of the time could do more, though less than in proportion where tasks
   * arrive at random: the square root of it.
   */
  double concurrency() {
    return atCapacity() ? size : busy < 1 ? Math.sqrt(Math.max(Tuning.LEAST_BUSY, busy)) : busy;
  }

  /**
   * Returns the standard deviation, as a fraction, of the rate around that of a constant
   * concurrency. Where the size does not bind, the number of busy workers varies, and the curve is
   * bent. For the duration of a task after a resize, short tasks end first, or long tasks are left
   * over.
   *
   * @param before size of the window before, 0 if there was none
   */
  double blur(int before) {
    double idle = Math.max(0, 1 - utilisation());
    double free =
        starved()
            ? Tuning.STARVED_BLUR * Math.min(1, 2 * idle)
            : sizeLimited() ? 0 : Math.max(Tuning.FREE_BLUR, idle);
    if (before <= 0 || before == size || completions == 0) {
      return free;
    }
    double service = serviceSeconds();
    double moved = Math.abs(StrictMath.log((double) size / before));
    return free + Math.min(Tuning.LARGEST_TRANSIENT, Tuning.TRANSIENT * moved * service / seconds);
  }
}
