package io.poolkeeper.controllers;

import io.poolkeeper.Window;
import io.poolkeeper.controllers.curves.SizeGrid;
import io.poolkeeper.controllers.curves.Tuning;

/**
 * Processor time of a task in nanoseconds; NaN if it is unknown. It is a fingerprint of the kind of
 * work that needs no experiment. At a fixed size it hardly changes while the work is the same. With
 * more workers it may rise by contention, but it does not fall.
 *
 * @param own of the pool's workers alone
 * @param process of the whole process, garbage collection and other pools included
 */
record TaskCost(double own, double process) {

  static final TaskCost UNKNOWN = new TaskCost(Double.NaN, Double.NaN);

  /** Difference of logarithms from which tasks are of other work. */
  private static final double OTHER = StrictMath.log(Tuning.OTHER_COST);

  /** Difference of logarithms of a program that is not compiled yet, at least. */
  private static final double COLD = StrictMath.log(Tuning.COLD_COST);

  /** Difference of logarithms that twice as many workers explain. */
  private static final double GROWTH = StrictMath.log(Tuning.COST_GROWTH);

  /** Returns the cost of the tasks of a window. */
  static TaskCost of(Window window) {
    double tasks = (double) window.completions() + window.failures();
    return tasks < Tuning.COST_TASKS
        ? UNKNOWN
        : new TaskCost(each(window.workerCpu(), tasks), each(window.processCpu(), tasks));
  }

  private static double each(long nanos, double tasks) {
    return nanos > 0 ? nanos / tasks : Double.NaN;
  }

  /** Returns a mean that follows a later cost by a share. */
  TaskCost follow(TaskCost later, double share) {
    double part = Math.max(Tuning.COST_FOLLOW, share);
    return new TaskCost(mean(own, later.own, part), mean(process, later.process, part));
  }

  private static double mean(double before, double later, double part) {
    if (Double.isNaN(before) || Double.isNaN(later)) {
      return Double.isNaN(before) ? later : before;
    }
    return before * StrictMath.pow(later / before, part);
  }

  /**
   * Returns whether a cost measured now and an earlier cost cannot be of the same work, beyond the
   * effect of more workers.
   *
   * @param before cost at place {@code there} of the grid; unknown costs rule out nothing
   * @param now cost at place {@code here}
   */
  static boolean rulesOut(double before, int there, double now, int here) {
    double more = StrictMath.log(now / before);
    double doublings = SizeGrid.doublings(here) - SizeGrid.doublings(there);
    double explained = Math.max(0, Math.signum(more) * doublings) * GROWTH;
    return Math.abs(more) > OTHER + explained;
  }

  /**
   * Returns whether earlier tasks were much dearer than those now, beyond the effect of a few more
   * workers: the program was still being compiled, or a cache was still empty. The cost of the
   * process counts where that of the tasks is unknown.
   */
  boolean coldComparedWith(int there, TaskCost now, int here) {
    double dearer = StrictMath.log(own / now.own);
    if (Double.isNaN(dearer)) {
      dearer = StrictMath.log(process / now.process);
    }
    double more = Math.max(0, SizeGrid.doublings(there) - SizeGrid.doublings(here));
    return more < Tuning.COST_DOUBLINGS && dearer > COLD + more * StrictMath.log(2);
  }
}
