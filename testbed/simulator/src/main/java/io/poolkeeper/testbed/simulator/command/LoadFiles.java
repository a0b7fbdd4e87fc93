package io.poolkeeper.testbed.simulator.command;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.poolkeeper.testbed.clients.Timeline;
import io.poolkeeper.testbed.clients.file.ClientDescription;
import io.poolkeeper.testbed.clients.record.ResponseTimes;
import io.poolkeeper.testbed.simulator.engine.measure.ResponseListener;
import java.io.BufferedWriter;
import java.io.Closeable;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramLogWriter;

/**
 * Files that a load generator leaves in a run record, by virtual time: {@code load.csv}, {@code
 * latency.hlog} and {@code load.json}. Simulated users need no processor, so its column is 0, and
 * are never late, so that how they kept to their times was not measured.
 *
 * <p>An interval is a second, or so much longer that a run has at most {@value #MOST_INTERVALS}.
 */
final class LoadFiles implements ResponseListener, Closeable {

  static final int MOST_INTERVALS = 3600;

  private static final double SECOND = 1e9;
  private static final int DIGITS = 3;

  private final Path folder;
  private final List<Timeline> timelines;
  private final long from;
  private final long interval;
  private final BufferedWriter table;
  private final PrintStream logFile;
  private final HistogramLogWriter log;
  private final Map<String, Histogram> byRequest = new LinkedHashMap<>();
  private final Histogram now = new Histogram(DIGITS);
  private final Histogram all = new Histogram(DIGITS);
  private long start;
  private long requests;
  private long errors;
  private long allErrors;

  /**
   * @param from virtual nanoseconds at which the warm-up ends
   * @param to virtual nanoseconds at which the run ends
   * @param wall milliseconds since the epoch at which the log is said to begin
   */
  LoadFiles(Path folder, List<ClientDescription> clients, long from, long to, long wall)
      throws IOException {
    this.folder = folder;
    timelines = clients.stream().map(each -> new Timeline(each.clients())).toList();
    this.from = from;
    start = from;
    long seconds =
        (to - from + MOST_INTERVALS * (long) SECOND - 1) / (MOST_INTERVALS * (long) SECOND);
    interval = Math.max(1, seconds) * (long) SECOND;
    table = Files.newBufferedWriter(folder.resolve("load.csv"));
    table.write(ResponseTimes.TABLE_HEADER + "\n");
    logFile =
        new PrintStream(
            Files.newOutputStream(folder.resolve("latency.hlog")), false, StandardCharsets.UTF_8);
    log = new HistogramLogWriter(logFile);
    ResponseTimes.beginLog(log, logFile, wall, "nanoseconds of virtual time");
    for (ClientDescription each : clients) {
      for (String request : each.clients().names()) {
        byRequest.computeIfAbsent(request, any -> new Histogram(DIGITS));
      }
    }
  }

  @Override
  public void answered(String sender, String request, long sent, long ended, boolean failed) {
    if (ended <= from) {
      return;
    }
    while (ended > start + interval) {
      endInterval(start + interval);
    }
    requests++;
    if (failed) {
      errors++;
    } else {
      byRequest.computeIfAbsent(request, any -> new Histogram(DIGITS)).recordValue(ended - sent);
    }
  }

  private void endInterval(long end) {
    now.reset();
    for (Map.Entry<String, Histogram> request : byRequest.entrySet()) {
      Histogram each = request.getValue();
      now.add(each);
      ResponseTimes.log(
          log, request.getKey(), (start - from) / SECOND, (end - from) / SECOND, each);
      each.reset();
    }
    all.add(now);
    allErrors += errors;
    try {
      table.write(
          "%d,%d,%d,%d,%d,%d,%s,0,,,\n"
              .formatted(
                  start, end, phase(end), users(end), requests, errors, ResponseTimes.cells(now)));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    requests = 0;
    errors = 0;
    start = end;
  }

  /** The phase of the first clients shortly before {@code end}. */
  private int phase(long end) {
    return timelines.get(0).phase(end - 1);
  }

  /** Closed users that should be there; a load by rate has none. */
  private long users(long end) {
    return timelines.stream().mapToLong(timeline -> timeline.users(end - 1)).sum();
  }

  /** Writes the rest of the last interval and the summary; {@code end} in virtual nanoseconds. */
  void finish(long end, List<String> warnings) throws IOException {
    while (end > start) {
      endInterval(Math.min(end, start + interval));
    }
    table.flush();
    logFile.flush();
    Map<String, Object> summary = new LinkedHashMap<>();
    summary.put("start_ns", from);
    summary.put("end_ns", end);
    summary.put("requests", all.getTotalCount() + allErrors);
    summary.put("errors", allErrors);
    summary.put("errors_by_kind", allErrors == 0 ? Map.of() : Map.of("refused", allErrors));
    summary.put("throughput", end == from ? 0.0 : all.getTotalCount() / ((end - from) / SECOND));
    summary.put("response", ResponseTimes.summary(all));
    summary.put("cpu_ns", 0);
    summary.put("bottleneck", false);
    summary.put("warnings", warnings);
    new ObjectMapper()
        .writerWithDefaultPrettyPrinter()
        .writeValue(folder.resolve("load.json").toFile(), summary);
  }

  @Override
  public void close() throws IOException {
    table.close();
    logFile.close();
  }
}
