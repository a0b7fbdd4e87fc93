package io.poolkeeper.testbed.load.measure;

/**
 * One interval of the whole load.
 *
 * @param start its first nanosecond, of {@link System#nanoTime}
 * @param end the first nanosecond after it
 * @param phase index of the phase at its end
 * @param users users that should be active at its end
 * @param tally what was counted in it
 * @param cpu CPU time of the process, nanoseconds
 * @param busiest largest share of the interval, 0..1, for which a load thread had a CPU
 * @param offered clients who arrived and requests of those who had, whether they could be sent or
 *     not; {@link #CLOSED} for closed users, who offer what they get answered
 * @param held nanoseconds for which load threads waited for the sample log
 */
public record Interval(
    long start,
    long end,
    int phase,
    int users,
    Tally tally,
    long cpu,
    double busiest,
    long offered,
    long held) {

  /** A load that does not offer requests by itself. */
  public static final long CLOSED = -1;

  public double seconds() {
    return (end - start) / 1e9;
  }
}
