package io.poolkeeper.testbed.simulator.command;

import io.poolkeeper.testbed.simulator.file.ModelFile;
import io.poolkeeper.testbed.simulator.file.RunPlan;
import io.poolkeeper.testbed.simulator.file.RunPlan.Method;
import io.poolkeeper.testbed.simulator.statistics.Estimate;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Results as text for people: each figure with half the width of its interval. */
final class Table {

  private static final double MILLIS = 1e3;
  private static final String NONE = "–";

  private final double level;

  private Table(double level) {
    this.level = level;
  }

  /** Question, how it was simulated, and the figures. */
  static String of(ModelFile file, Summary summary, List<String> warnings, double wallSeconds) {
    return new Table(file.run().confidence()).text(file, summary, warnings, wallSeconds);
  }

  private String text(ModelFile file, Summary summary, List<String> warnings, double wallSeconds) {
    List<String> parts = new ArrayList<>();
    parts.add(file.question());
    parts.add(how(file, summary, wallSeconds));
    warnings.forEach(warning -> parts.add("warning: " + warning));
    List<List<String>> requests = new ArrayList<>();
    requests.add(
        List.of(
            "clients", "request", "answered/s", "mean ms", "p50 ms", "p90 ms", "p99 ms", "failed"));
    for (Summary.Requests each : summary.requests()) {
      requests.add(
          List.of(
              each.clients(),
              each.request(),
              shown(each.throughput(), 1),
              shown(each.response().mean(), MILLIS),
              shown(each.response().p50(), MILLIS),
              shown(each.response().p90(), MILLIS),
              shown(each.response().p99(), MILLIS),
              shown(each.failed(), 1)));
    }
    parts.add("");
    parts.add(aligned(requests, 2));
    if (!summary.pools().isEmpty()) {
      parts.add("");
      parts.add(aligned(pools(summary), 1));
    }
    if (!summary.stations().isEmpty()) {
      parts.add("");
      parts.add(aligned(stations(summary), 1));
    }
    return String.join("\n", parts);
  }

  private List<List<String>> pools(Summary summary) {
    List<List<String>> rows = new ArrayList<>();
    rows.add(
        List.of(
            "pool",
            "size",
            "busy/size",
            "queue",
            "wait mean ms",
            "wait p99 ms",
            "service mean ms",
            "refused"));
    for (Summary.Pools each : summary.pools()) {
      rows.add(
          List.of(
              each.name(),
              shown(each.size(), 1),
              shown(each.utilisation(), 1),
              shown(each.queue(), 1),
              shown(each.queueWait().mean(), MILLIS),
              shown(each.queueWait().p99(), MILLIS),
              shown(each.serviceTime().mean(), MILLIS),
              shown(each.refused(), 1)));
    }
    return rows;
  }

  private List<List<String>> stations(Summary summary) {
    List<List<String>> rows = new ArrayList<>();
    rows.add(List.of("station", "utilisation", "tasks at it"));
    for (Summary.Stations each : summary.stations()) {
      rows.add(List.of(each.name(), shown(each.utilisation(), 1), shown(each.present(), 1)));
    }
    return rows;
  }

  private static String how(ModelFile file, Summary summary, double wallSeconds) {
    RunPlan run = file.run();
    String basis =
        summary.method() == Method.BATCHES
            ? "batch means: 1 run in %d batches"
                .formatted(summary.requests().get(0).throughput().samples())
            : summary.runs() == 1 ? "1 replication" : summary.runs() + " replications";
    boolean alone = summary.method() == Method.REPLICATIONS && summary.runs() == 1;
    String intervals =
        alone
            ? "no intervals, which need 2 replications or more"
            : "intervals of %s %% by Student's t".formatted(plain(run.confidence() * 100));
    return String.format(
        Locale.ROOT,
        "%s · %s of %s virtual s%s, seed %d · %s · %s events in %.1f s",
        file.name(),
        basis,
        plain(summary.seconds()),
        run.warmUp() > 0 ? " after %s s of warm-up".formatted(plain(run.warmUp())) : "",
        run.seed(),
        intervals,
        String.format(Locale.ROOT, "%,d", summary.events()),
        wallSeconds);
  }

  private String shown(Estimate estimate, double factor) {
    double value = estimate.value() * factor;
    double half = estimate.halfWidth(level) * factor;
    if (Double.isNaN(value)) {
      return NONE;
    }
    if (Double.isNaN(half) || half == 0) {
      return plain(value);
    }
    int decimals = (int) Math.max(0, Math.min(9, 1 - Math.floor(Math.log10(half))));
    return String.format(Locale.ROOT, "%." + decimals + "f ± %." + decimals + "f", value, half);
  }

  /** Five significant digits, without zeros at the end. */
  private static String plain(double value) {
    if (value == Math.rint(value) && Math.abs(value) < 1e9) {
      return String.format(Locale.ROOT, "%.0f", value);
    }
    int decimals =
        value == 0
            ? 0
            : (int) Math.max(0, Math.min(9, 4 - Math.floor(Math.log10(Math.abs(value)))));
    return String.format(Locale.ROOT, "%." + decimals + "f", value).replaceAll("0+$", "");
  }

  /** Columns under each other: the first ones begin, the others end at one place. */
  private static String aligned(List<List<String>> rows, int words) {
    int columns = rows.get(0).size();
    int[] widths =
        IntStream.range(0, columns)
            .map(i -> rows.stream().mapToInt(row -> row.get(i).length()).max().orElse(0))
            .toArray();
    return rows.stream()
        .map(
            row ->
                IntStream.range(0, columns)
                    .mapToObj(i -> padded(row.get(i), widths[i], i < words))
                    .collect(Collectors.joining("  "))
                    .stripTrailing())
        .collect(Collectors.joining("\n"));
  }

  private static String padded(String text, int width, boolean left) {
    String spaces = " ".repeat(width - text.length());
    return left ? text + spaces : spaces + text;
  }
}
