package io.tidepool.testbed.load.record;

import io.tidepool.testbed.load.description.LoadDescription;
import io.tidepool.testbed.load.description.Request;
import io.tidepool.testbed.load.measure.Interval;
import io.tidepool.testbed.load.measure.Tally;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramLogWriter;

/**
 * Writes {@code load.csv} and {@code latency.hlog} of a run record. What is known of an interval is
 * on its way to the disk when the call returns.
 */
final class LoadRecord implements AutoCloseable {

  private static final String HEADER =
      "start_ns,end_ns,phase,users,requests,errors,mean_ns,p50_ns,p90_ns,p99_ns,max_ns,cpu_ns,"
          + "offered,sent,lag_p99_ns\n";

  private static final double NANOS_PER_MILLI = 1e6;
  private static final double NANOS_PER_SECOND = 1e9;

  private final List<Request> requests;
  private final PrintStream table;
  private final PrintStream logFile;
  private final HistogramLogWriter log;
  private long runStart;

  /**
   * @param table where {@code load.csv} goes
   * @param latencies where {@code latency.hlog} goes
   */
  LoadRecord(LoadDescription load, OutputStream table, OutputStream latencies) {
    requests = load.requests();
    this.table = new PrintStream(table, false, StandardCharsets.US_ASCII);
    logFile = new PrintStream(latencies, false, StandardCharsets.UTF_8);
    log = new HistogramLogWriter(logFile);
  }

  /**
   * Writes what stands at the beginning of the files.
   *
   * @param runStart when the load begins, of {@link System#nanoTime}
   * @param wallStart the same in milliseconds since the epoch
   */
  void begin(long runStart, long wallStart) {
    this.runStart = runStart;
    table.print(HEADER);
    table.flush();
    log.outputComment("[response times of successful requests in nanoseconds]");
    log.outputLogFormatVersion();
    log.outputBaseTime(wallStart);
    log.outputStartTime(wallStart);
    log.outputLegend();
    logFile.flush();
  }

  /** Writes an interval. */
  void write(Interval interval) {
    table.print(row(interval));
    table.flush();
    for (Request request : requests) {
      Histogram times = interval.tally().responses(request);
      times.setTag(request.name());
      log.outputIntervalHistogram(
          (interval.start() - runStart) / NANOS_PER_SECOND,
          (interval.end() - runStart) / NANOS_PER_SECOND,
          times,
          NANOS_PER_MILLI);
    }
    logFile.flush();
  }

  private static String row(Interval interval) {
    Tally tally = interval.tally();
    return "%d,%d,%d,%d,%d,%d,%s,%d,%s\n"
        .formatted(
            interval.start(),
            interval.end(),
            interval.phase(),
            interval.users(),
            tally.requests(),
            tally.errors(),
            times(tally.responses()),
            interval.cpu(),
            schedule(interval));
  }

  private static String schedule(Interval interval) {
    Histogram lags = interval.tally().lags();
    if (interval.offered() == Interval.CLOSED) {
      return ",,";
    }
    String lag = lags.getTotalCount() == 0 ? "" : "" + lags.getValueAtPercentile(99);
    return interval.offered() + "," + lags.getTotalCount() + "," + lag;
  }

  private static String times(Histogram times) {
    return times.getTotalCount() == 0
        ? ",,,,"
        : String.format(
            Locale.ROOT,
            "%.1f,%d,%d,%d,%d",
            times.getMean(),
            times.getValueAtPercentile(50),
            times.getValueAtPercentile(90),
            times.getValueAtPercentile(99),
            times.getMaxValue());
  }

  /** Closes the files. */
  @Override
  public void close() {
    table.close();
    logFile.close();
  }
}
