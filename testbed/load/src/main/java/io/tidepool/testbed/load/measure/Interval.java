package io.tidepool.testbed.load.measure;

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
 * @param held nanoseconds for which load threads waited for the sample log
 */
public record Interval(
    long start, long end, int phase, int users, Tally tally, long cpu, double busiest, long held) {

  public double seconds() {
    return (end - start) / 1e9;
  }
}
