package io.poolkeeper.internal.executor;

import java.util.concurrent.TimeUnit;

/**
 * State that decides whether the task of a worker is resident: one that runs as long as its pool,
 * such as a loop that reads from a socket. It occupies its worker for good, and if all workers had
 * one, nothing else would ever run.
 *
 * <p>A task becomes resident after a minute in which a hundred others ended, or after an hour; in
 * both cases only if it has run ten times as long as the longest task that ended meanwhile. So a
 * pool of long tasks has no residents. In a pool that hangs, tasks may become resident earlier, see
 * {@link Workers#review}. The check happens once a window, from the first window that sees the
 * task. A resident task stays resident.
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
   * Checks the task at the end of a window.
   *
   * @param running unique number of the worker's task; 0 for none
   * @param ended tasks of the pool that ended in the window
   * @param longest run time of the longest, nanoseconds
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

  /** Returns the run time of the task so far, nanoseconds; 0 if it is resident. */
  long hangingFor() {
    return resident ? 0 : age;
  }

  /** Declares the running task resident. */
  void declare() {
    resident = true;
  }
}
