package io.poolkeeper.internal.executor;

/** The longest of the last one or two thousand tasks of a pool. */
final class LongestTask {

  private static final int LATELY = 1000;

  private long ended;
  private long longest;
  private long longestBefore;
  private boolean measured;

  /**
   * Adds the tasks that ended in a window.
   *
   * @param ended number of tasks
   * @param longest run time of the longest, nanoseconds
   */
  void add(long ended, long longest) {
    measured |= ended > 0;
    if (this.ended >= LATELY) {
      longestBefore = this.longest;
      this.longest = 0;
      this.ended = 0;
    }
    this.ended += ended;
    this.longest = Math.max(this.longest, longest);
  }

  /** Returns whether any task has ended. */
  boolean measured() {
    return measured;
  }

  /** Returns the run time of the longest task, nanoseconds. */
  long nanos() {
    return Math.max(longest, longestBefore);
  }
}
