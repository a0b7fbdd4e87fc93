package io.poolkeeper.record;

import io.poolkeeper.DiskStats;
import io.poolkeeper.TimeStats;
import io.poolkeeper.Window;
import java.math.BigDecimal;
import java.util.List;
import java.util.StringJoiner;
import java.util.function.Function;
import java.util.stream.Stream;

/** The columns of {@code windows.csv}, version 1. */
final class WindowColumns {

  /**
   * One column.
   *
   * @param name its name
   * @param optional whether a record may lack it
   * @param text its text for a window, empty where nothing was measured
   */
  private record Column(String name, boolean optional, Function<Window, String> text) {}

  private static final List<Column> COLUMNS =
      Stream.of(
              Stream.of(
                  whole("start_ns", Window::start),
                  whole("end_ns", Window::end),
                  whole("size", window -> (long) window.size()),
                  decimal("busy", Window::busy),
                  decimal("queue_mean", Window::queueMean),
                  whole("queue_max", window -> (long) window.queueMax()),
                  whole("arrivals", Window::arrivals),
                  whole("completions", Window::completions),
                  whole("failures", Window::failures),
                  whole("rejections", Window::rejections),
                  whole("within_bound", Window::withinBound)),
              times("wait", Window::queueWait),
              times("service", Window::serviceTime),
              times("response", Window::responseTime),
              Stream.of(
                  measured("worker_cpu_ns", Window::workerCpu),
                  measured("process_cpu_ns", Window::processCpu),
                  measured("gc_ns", Window::gc)),
              Stream.of(
                  disk("disk_logical_bytes", disk -> Long.toString(disk.logicalBytes())),
                  disk("disk_read_bytes", disk -> Long.toString(disk.readBytes())),
                  disk("disk_written_bytes", disk -> Long.toString(disk.writtenBytes())),
                  disk("disk_calls", disk -> Long.toString(disk.calls())),
                  disk("disk_blocked", disk -> decimal(disk.blocked())),
                  disk("disk_blocked_source", disk -> disk.source().toString()),
                  disk("disk_worker_changes", disk -> Integer.toString(disk.changes()))),
              Stream.of(measured("queued_by_workers", Window::queuedByWorkers)))
          .flatMap(columns -> columns)
          .toList();

  private WindowColumns() {}

  static String header() {
    StringJoiner line = new StringJoiner(",").add("pool");
    COLUMNS.forEach(column -> line.add(column.name()));
    return line.toString();
  }

  /** Names of the columns that every record has. */
  static List<String> required() {
    return Stream.concat(
            Stream.of("pool"),
            COLUMNS.stream().filter(column -> !column.optional()).map(Column::name))
        .toList();
  }

  static String row(String pool, Window window) {
    StringJoiner line = new StringJoiner(",").add(quoted(pool));
    COLUMNS.forEach(column -> line.add(column.text().apply(window)));
    return line.toString();
  }

  /** A line break would cut the row in two for readers that go by lines, so it is a space here. */
  private static String quoted(String text) {
    String line = text.replaceAll("\\R", " ");
    return line.matches("[^\",]*") ? line : '"' + line.replace("\"", "\"\"") + '"';
  }

  private static Stream<Column> times(String name, Function<Window, TimeStats> stats) {
    return Stream.of(
            new Column("_count", true, w -> Long.toString(stats.apply(w).count())),
            new Column("_mean_ns", true, w -> decimal(stats.apply(w).mean())),
            new Column("_p50_ns", true, w -> Long.toString(stats.apply(w).p50())),
            new Column("_p90_ns", true, w -> Long.toString(stats.apply(w).p90())),
            new Column("_p95_ns", true, w -> Long.toString(stats.apply(w).p95())),
            new Column("_p99_ns", true, w -> Long.toString(stats.apply(w).p99())),
            new Column("_p999_ns", true, w -> Long.toString(stats.apply(w).p999())),
            new Column("_max_ns", true, w -> Long.toString(stats.apply(w).max())))
        .map(
            column ->
                new Column(
                    name + column.name(),
                    true,
                    w -> stats.apply(w).count() == 0 ? "" : column.text().apply(w)));
  }

  private static Column whole(String name, Function<Window, Long> value) {
    return new Column(name, false, window -> Long.toString(value.apply(window)));
  }

  private static Column measured(String name, Function<Window, Long> value) {
    return new Column(
        name,
        true,
        window -> {
          long read = value.apply(window);
          return read == Window.NOT_MEASURED ? "" : Long.toString(read);
        });
  }

  private static Column disk(String name, Function<DiskStats, String> value) {
    return new Column(
        name, true, window -> window.disk().measured() ? value.apply(window.disk()) : "");
  }

  private static Column decimal(String name, Function<Window, Double> value) {
    return new Column(name, false, window -> decimal(value.apply(window)));
  }

  /** Without an exponent, and with every digit that a reader needs to find the same number. */
  private static String decimal(double value) {
    return Double.isFinite(value) ? new BigDecimal(Double.toString(value)).toPlainString() : "";
  }
}
