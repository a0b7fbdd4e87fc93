package io.poolkeeper.testbed.load.record;

import io.poolkeeper.testbed.clients.record.ResponseTimes;
import io.poolkeeper.testbed.load.description.LoadDescription;
import io.poolkeeper.testbed.load.description.Request;
import io.poolkeeper.testbed.load.measure.Interval;
import io.poolkeeper.testbed.load.measure.Tally;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramLogWriter;

/**
 * Writes {@code load.csv} and {@code latency.hlog} of a run record. What is known of an interval is
 * on its way to the disk when the call returns.
 */
final class LoadRecord implements AutoCloseable {

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
    table.print(ResponseTimes.TABLE_HEADER + "\n");
    table.flush();
    ResponseTimes.beginLog(log, logFile, wallStart, "nanoseconds");
  }

  /** Writes an interval. */
  void write(Interval interval) {
    table.print(row(interval));
    table.flush();
    for (Request request : requests) {
      ResponseTimes.log(
          log,
          request.name(),
          (interval.start() - runStart) / NANOS_PER_SECOND,
          (interval.end() - runStart) / NANOS_PER_SECOND,
          interval.tally().responses(request));
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
            ResponseTimes.cells(tally.responses()),
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

  /** Closes the files. */
  @Override
  public void close() {
    table.close();
    logFile.close();
  }
}
