package io.poolkeeper.testbed.load.measure;

/**
 * The border between warm-up and measuring: a time of {@link System#nanoTime}, set once. One thread
 * sets it, all load threads look at it with every request.
 *
 * <p>A thread that has read the clock and does not find it set lies before it, since it is set to a
 * time to come. So each request falls on one side, though no thread waits for another.
 *
 * <p>Whoever has passed it goes on with {@link #NEVER}, which costs what this does: code that the
 * compiler had made for the warm-up alone would be thrown away just when measuring begins.
 */
public final class MeasurementStart {

  /** One that never comes. */
  public static final MeasurementStart NEVER = new MeasurementStart();

  private static final long NOT_YET = Long.MAX_VALUE;

  private volatile long time = NOT_YET;

  /** Measuring begins at {@code time}, now or soon. */
  public void set(long time) {
    this.time = time;
  }

  /** When measuring begins; {@link Long#MAX_VALUE} while nobody knows. */
  public long time() {
    return time;
  }

  /** Whether it has begun at {@code now}. */
  public boolean isBy(long now) {
    return time <= now;
  }
}
