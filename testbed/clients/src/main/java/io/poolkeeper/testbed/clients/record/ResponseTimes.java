package io.poolkeeper.testbed.clients.record;

import java.io.PrintStream;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramLogWriter;

/**
 * Response times, nanoseconds of successful requests, in {@code load.csv}, {@code latency.hlog} and
 * {@code load.json} of a run record ({@code contract/}).
 */
public final class ResponseTimes {

  /** The columns of {@code load.csv}, without a line end. */
  public static final String TABLE_HEADER =
      "start_ns,end_ns,phase,users,requests,errors,mean_ns,p50_ns,p90_ns,p99_ns,max_ns,cpu_ns,"
          + "offered,sent,lag_p99_ns";

  /** The log's column of maxima is in milliseconds. */
  private static final double NANOS_PER_MILLI = 1e6;

  private static final String NONE = ",,,,";

  private ResponseTimes() {}

  /** The cells {@code mean_ns} to {@code max_ns} of an interval; empty without an answer. */
  public static String cells(Histogram times) {
    return times.getTotalCount() == 0
        ? NONE
        : String.format(
            Locale.ROOT,
            "%.1f,%d,%d,%d,%d",
            times.getMean(),
            times.getValueAtPercentile(50),
            times.getValueAtPercentile(90),
            times.getValueAtPercentile(99),
            times.getMaxValue());
  }

  /** Returns the part of {@code load.json} about the whole load under {@code response}. */
  public static Map<String, Object> summary(Histogram times) {
    Map<String, Object> summary = new LinkedHashMap<>();
    if (times.getTotalCount() > 0) {
      summary.put("mean_ns", times.getMean());
      summary.put("p50_ns", times.getValueAtPercentile(50));
      summary.put("p90_ns", times.getValueAtPercentile(90));
      summary.put("p95_ns", times.getValueAtPercentile(95));
      summary.put("p99_ns", times.getValueAtPercentile(99));
      summary.put("p999_ns", times.getValueAtPercentile(99.9));
      summary.put("max_ns", times.getMaxValue());
    }
    return summary;
  }

  /**
   * Writes what stands at the beginning of {@code latency.hlog}.
   *
   * @param wall milliseconds since the epoch at which the load begins
   * @param unit which nanoseconds they are, such as {@code nanoseconds}
   */
  public static void beginLog(HistogramLogWriter log, PrintStream file, long wall, String unit) {
    log.outputComment("[response times of successful requests in " + unit + "]");
    log.outputLogFormatVersion();
    log.outputBaseTime(wall);
    log.outputStartTime(wall);
    log.outputLegend();
    file.flush();
  }

  /**
   * Writes the response times of one kind of request in an interval.
   *
   * @param name of the request; what a tag may not hold, commas and white space, becomes {@code _}
   * @param start seconds since the load began
   * @param end seconds since the load began
   */
  public static void log(
      HistogramLogWriter log, String name, double start, double end, Histogram times) {
    times.setTag(name.replaceAll("[,\\s]", "_"));
    log.outputIntervalHistogram(start, end, times, NANOS_PER_MILLI);
  }
}
