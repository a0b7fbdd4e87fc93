package io.poolkeeper.internal.executor;

import java.util.concurrent.TimeUnit;

/**
 * A judgement whether the task of a worker is resident: one that goes on for as long as its pool,
 * such as a loop that reads from a socket. It occupies its worker for good, and with as many of
 * them as the size allows nothing else would ever run.
 *
 * <p>Resident is a task that has run for a minute while a hundred others ended, or else for an
 * hour, and in either case ten times as long as the longest that ended meanwhile. So a pool of long
 * tasks has none. In a pool that hangs some are declared resident earlier, see {@link
 * Workers#review}. A task is judged once a window, from the first one that sees it, and stays
 * resident.
 */
final class Residence {

  static final long LONG_AMONG_MANY = TimeUnit.MINUTES.toNanos(1);
  private static final long LONG_AMONG_FEW = TimeUnit.HOURS.toNanos(1);
  private static final int MANY = 100;
  static final int TIMES_LONGER = 10;

  private long task;
  private long since;
  private long endedMeanwhile;
  private long longestMeanwhile;
  private long age;
  private boolean resident;

  /**
   * Judges at the end of a window.
   *
   * @param running number of the worker's task, another for each; 0 for none
   * @param ended tasks of the pool that ended in the window
   * @param longest time that the longest of them took, nanoseconds
   */
  boolean judge(long running, long now, long ended, long longest) {
    if (running == 0 || running != task) {
      task = running;
      since = now;
      endedMeanwhile = 0;
      longestMeanwhile = 0;
      age = 0;
      resident = false;
      return false;
    }
    endedMeanwhile += ended;
    longestMeanwhile = Math.max(longestMeanwhile, longest);
    age = now - since;
    resident |=
        age >= (endedMeanwhile >= MANY ? LONG_AMONG_MANY : LONG_AMONG_FEW)
            && age / TIMES_LONGER >= longestMeanwhile;
    return resident;
  }

  /** Nanoseconds for which the task has run; 0 if it is resident. */
  long hangingFor() {
    return resident ? 0 : age;
  }

  /** Declares the running task resident. */
  void declare() {
    resident = true;
  }
}
