package io.tidepool.testbed.load.measure;

/** Hears what happens in a run, from the one thread that puts it together. */
public interface RunListener {

  /**
   * The load begins now.
   *
   * @param start the time of {@link System#nanoTime}
   * @param wall the same in milliseconds since the epoch
   */
  void begins(long start, long wall);

  /** An interval has ended. */
  void ended(Interval interval);
}
