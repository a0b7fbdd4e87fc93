package io.poolkeeper.testbed.disk.probe;

import io.poolkeeper.testbed.disk.Storage;
import io.poolkeeper.testbed.disk.probe.Curve.Point;
import java.util.ArrayList;
import java.util.IntSummaryStatistics;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.IntUnaryOperator;
import java.util.stream.IntStream;

/**
 * The result of a measurement, for people and for programs.
 *
 * @param storage the disk
 * @param fileBytes size of the file
 * @param blockBytes bytes of one read or write
 * @param direct whether the page cache was passed by
 * @param repetitions measurements of each number of threads
 * @param curves throughput by way of access, all of the same numbers of threads
 */
record Report(
    Storage storage,
    long fileBytes,
    int blockBytes,
    boolean direct,
    int repetitions,
    Map<Access, Curve> curves) {

  /** Relative standard error from which on a spread is called large. */
  private static final double LARGE_ERROR = 0.1;

  /** Returns the table with what follows from it. */
  List<String> lines() {
    List<String> lines = new ArrayList<>();
    lines.add(
        "%s: %s on %s, %s free"
            .formatted(
                storage.folder(), storage.type(), storage.device(), bytes(storage.freeBytes())));
    lines.add(
        "blocks of %s at random places of a file of %s, %s; MB/s, %s"
            .formatted(
                bytes(blockBytes),
                bytes(fileBytes),
                direct ? "past the page cache" : "THROUGH the page cache",
                repetitions > 1
                    ? "mean ± standard deviation of " + repetitions
                    : "measured once, so that nothing tells the spread"));
    if (!direct) {
      lines.add(
          "this file system has no direct access: reads and writes below are those of memory, at"
              + " least in part");
    }
    lines.add("");
    StringBuilder head = new StringBuilder("threads");
    curves.keySet().forEach(access -> head.append(format("%20s", access.text())));
    lines.add(head.toString());
    List<Point> first = curves.values().iterator().next().points();
    for (int i = 0; i < first.size(); i++) {
      StringBuilder line = new StringBuilder(format("%7d", first.get(i).threads()));
      for (Curve curve : curves.values()) {
        Point point = curve.points().get(i);
        line.append(format("%12.1f", point.mean() / 1e6));
        line.append(repetitions > 1 ? format(" ± %-5.1f", point.deviation() / 1e6) : " ".repeat(8));
      }
      lines.add(line.toString().stripTrailing());
    }
    StringBuilder knees = new StringBuilder("   knee");
    curves
        .values()
        .forEach(
            curve ->
                knees.append(
                    format(
                        "%12d%-8s",
                        curve.knee().threads(),
                        range(round -> curve.ofRepetition(round).knee().threads()))));
    lines.add(knees.toString().stripTrailing());
    lines.add("");
    int suggested = Curve.suggested(curves.values());
    StringBuilder shares = new StringBuilder();
    curves.forEach(
        (access, curve) ->
            shares
                .append(shares.isEmpty() ? "" : ", ")
                .append(access.text())
                .append(format(" reach %.0f %% of their best", 100 * curve.share(suggested))));
    lines.add(
        "suggested pool size: %d%s; there %s"
            .formatted(suggested, range(this::suggestedOfRepetition), shares));
    if (repetitions > 1) {
      lines.add("in brackets: the same of each repetition by itself, where they differ");
    }
    if (noisy()) {
      lines.add(
          "the spread is large: the disk is shared, or the time was short; give more --seconds");
    }
    return lines;
  }

  private int suggestedOfRepetition(int number) {
    return Curve.suggested(
        curves.values().stream().map(curve -> curve.ofRepetition(number)).toList());
  }

  /**
   * Returns the smallest and the largest number over the repetitions; empty where all are equal.
   */
  private String range(IntUnaryOperator ofRepetition) {
    IntSummaryStatistics all =
        IntStream.range(0, repetitions).map(ofRepetition).summaryStatistics();
    return all.getMin() == all.getMax() ? "" : " (%d-%d)".formatted(all.getMin(), all.getMax());
  }

  private boolean noisy() {
    return curves.values().stream()
        .anyMatch(
            curve -> curve.best().error() > LARGE_ERROR || curve.knee().error() > LARGE_ERROR);
  }

  /** Returns the same as an object of JSON. */
  Map<String, Object> json() {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("folder", storage.folder().toString());
    json.put("file_system", storage.type());
    json.put("device", storage.device());
    json.put("free_bytes", storage.freeBytes());
    json.put("file_bytes", fileBytes);
    json.put("block_bytes", blockBytes);
    json.put("direct", direct);
    json.put("repetitions", repetitions);
    Map<String, Object> all = new LinkedHashMap<>();
    curves.forEach(
        (access, curve) -> {
          List<Map<String, Object>> points = new ArrayList<>();
          for (Point point : curve.points()) {
            Map<String, Object> values = new LinkedHashMap<>();
            values.put("threads", point.threads());
            values.put("bytes_per_second", point.mean());
            values.put("standard_deviation", repetitions > 1 ? point.deviation() : null);
            points.add(values);
          }
          all.put(
              access.name().toLowerCase(Locale.ROOT),
              Map.of("knee", curve.knee().threads(), "points", points));
        });
    json.put("curves", all);
    json.put("suggested_pool_size", Curve.suggested(curves.values()));
    json.put(
        "suggested_by_repetition",
        IntStream.range(0, repetitions).map(this::suggestedOfRepetition).boxed().toList());
    return json;
  }

  /** Returns a number of bytes for people, in the units of --size. */
  static String bytes(long bytes) {
    if (bytes >= 1L << 30) {
      return format("%.1f GB", bytes / (double) (1L << 30));
    }
    return bytes >= 1 << 20
        ? format("%.0f MB", bytes / (double) (1 << 20))
        : bytes >= 1024 ? format("%.0f KB", bytes / 1024.0) : bytes + " B";
  }

  private static String format(String text, Object... values) {
    return String.format(Locale.ROOT, text, values);
  }
}
