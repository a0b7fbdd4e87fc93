package io.poolkeeper.testbed.load.measure;

import java.util.concurrent.TimeUnit;

/**
 * Into which intervals a run is cut: whole seconds from its start. The interval in which the last
 * phase ends also takes the answers that come within a second of that end, so that no sliver of an
 * interval remains; while answers are still awaited after that, whole seconds follow. The very last
 * interval ends when the run does.
 */
public final class Intervals {

  public static final long LENGTH = TimeUnit.SECONDS.toNanos(1);

  /** Those of a run that nobody has set an end. */
  static final Intervals ENDLESS = new Intervals(Long.MAX_VALUE);

  private final long total;

  /**
   * @param total when the last phase ends, in nanoseconds since the start
   */
  public Intervals(long total) {
    this.total = total;
  }

  /** The end of the interval that begins at {@code start}, both in nanoseconds since the start. */
  public long end(long start) {
    long end = start + LENGTH;
    return start < total && end >= total ? total + LENGTH : end;
  }
}
