package io.poolkeeper.testbed.load.measure;

/**
 * Hears what happens in a run, from the one thread that puts it together: first of a warm-up, if
 * there is one, then of what is measured.
 */
public interface RunListener {

  /**
   * The warm-up begins now.
   *
   * @param start the time of {@link System#nanoTime}
   * @param wall the same in milliseconds since the epoch
   */
  void warmsUp(long start, long wall);

  /** An interval of the warm-up has ended; the last one is told after measuring has begun. */
  void warmedUp(Interval interval);

  /**
   * Measuring begins now or in some milliseconds.
   *
   * @param start the time of {@link System#nanoTime}
   * @param wall the same in milliseconds since the epoch
   */
  void begins(long start, long wall);

  /** An interval has ended that is measured. */
  void ended(Interval interval);
}
