package io.poolkeeper.testbed.simulator.engine.event;

/** Virtual time: whole nanoseconds since the start of the run. Descriptions have seconds. */
public final class Time {

  /** Later than everything; 146 years, so that sums of two do not overflow. */
  public static final long NEVER = Long.MAX_VALUE / 2;

  private static final double SECOND = 1e9;

  private Time() {}

  /** Nearest nanosecond; {@link #NEVER} for what is longer. */
  public static long nanos(double seconds) {
    double nanos = seconds * SECOND;
    return nanos < NEVER ? Math.round(nanos) : NEVER;
  }

  /** First nanosecond that is not before. */
  public static long nanosUp(double seconds) {
    double nanos = Math.ceil(seconds * SECOND);
    return nanos < NEVER ? (long) nanos : NEVER;
  }

  public static double seconds(long nanos) {
    return nanos / SECOND;
  }

  public static double seconds(double nanos) {
    return nanos / SECOND;
  }
}
