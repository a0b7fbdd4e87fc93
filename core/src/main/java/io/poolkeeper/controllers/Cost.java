package io.poolkeeper.controllers;

import io.poolkeeper.Window;

/**
 * Processor time that a task costs, in nanoseconds; NaN where it is not known. It is a fingerprint
 * of the kind of work that needs no experiment. At one size it hardly changes while the work stays
 * what it is. With more workers it may rise, as they are in each other's way, but it does not fall.
 *
 * @param own of the pool's workers alone
 * @param process of the whole process, garbage collection and other pools included
 */
public record Cost(double own, double process) {

  /** Nothing is known. */
  public static final Cost UNKNOWN = new Cost(Double.NaN, Double.NaN);

  /** Another cost, as a difference of logarithms: two and a half times as much, or as little. */
  private static final double OTHER = StrictMath.log(2.5);

  /** As much more as a program that is not compiled yet needs at least. */
  private static final double COLD = StrictMath.log(1.8);

  /** Places of the grid that are alike: a quarter more, or less. */
  private static final double ALIKE = StrictMath.log(1.25) / StrictMath.log(2);

  /** Doublings of the workers that count as a few more. */
  private static final double FEW_MORE = 1;

  /** Windows of fewer tasks say little. */
  private static final double FEWEST = 10;

  /** Part by which a mean follows a window at least. */
  private static final double FOLLOW = 0.125;

  /** The cost of the tasks of a window. */
  static Cost of(Window window) {
    double tasks = (double) window.completions() + window.failures();
    return tasks < FEWEST
        ? UNKNOWN
        : new Cost(each(window.workerCpu(), tasks), each(window.processCpu(), tasks));
  }

  private static double each(long nanos, double tasks) {
    return nanos > 0 ? nanos / tasks : Double.NaN;
  }

  /** The mean with a later cost that counts by so much. */
  Cost and(Cost later, double share) {
    double part = Math.max(FOLLOW, share);
    return new Cost(mean(own, later.own, part), mean(process, later.process, part));
  }

  private static double mean(double before, double later, double part) {
    if (Double.isNaN(before) || Double.isNaN(later)) {
      return Double.isNaN(before) ? later : before;
    }
    return before * StrictMath.pow(later / before, part);
  }

  /**
   * Whether a cost seen now rules out that one seen before is of the same work.
   *
   * @param before cost at place {@code there} of the grid; unknown ones rule out nothing
   * @param now cost at place {@code here}
   */
  static boolean rulesOut(double before, int there, double now, int here) {
    double more = StrictMath.log(now / before);
    double doublings = SizeGrid.doublings(here) - SizeGrid.doublings(there);
    return (more > OTHER && doublings < ALIKE) || (more < -OTHER && doublings > -ALIKE);
  }

  /**
   * Whether the tasks seen before were much dearer than those now, and more than a few more workers
   * explain: of a program that was still being compiled, or of a cache that was still empty. The
   * cost for the whole process counts where the tasks' own is not known.
   */
  boolean coldBeside(int there, Cost now, int here) {
    double dearer = StrictMath.log(own / now.own);
    if (Double.isNaN(dearer)) {
      dearer = StrictMath.log(process / now.process);
    }
    double more = Math.max(0, SizeGrid.doublings(there) - SizeGrid.doublings(here));
    return more < FEW_MORE && dearer > COLD + more * StrictMath.log(2);
  }
}
