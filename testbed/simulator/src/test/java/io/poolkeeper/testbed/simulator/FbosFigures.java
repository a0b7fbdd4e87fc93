package io.poolkeeper.testbed.simulator;

import io.poolkeeper.testbed.controllers.EventPolicy;
import io.poolkeeper.testbed.controllers.Policies;
import io.poolkeeper.testbed.simulator.FbosExperiment.Trace;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/** The figures of the paper, those of the simulation beside them, and how far they are apart. */
final class FbosFigures {

  /** Sets of jobs. */
  static final int SETS = 20;

  static final double PUBLISHED_SLEEP = 1.5;
  private static final double SHORT_SLEEP = 1.0;
  private static final List<String> PRINTED = List.of("fbos", "heuristic", "watermark");

  private FbosFigures() {}

  /** Runs of a policy of the catalogue, one for each set of jobs. */
  static List<Trace> runs(String policy, double longestSleep) {
    return runs(() -> Policies.named(policy, Map.of()), longestSleep);
  }

  static List<Trace> runs(Supplier<EventPolicy> policy, double longestSleep) {
    return LongStream.rangeClosed(1, SETS)
        .mapToObj(seed -> FbosExperiment.run(policy, seed, longestSleep))
        .toList();
  }

  /** A column of a published table. */
  static List<Double> print(String table, String column) {
    List<String> lines = lines("published/fbos_" + table + ".csv");
    int place = List.of(lines.get(0).split(",", -1)).indexOf(column);
    return lines.stream()
        .skip(1)
        .map(line -> Double.valueOf(List.of(line.split(",", -1)).get(place)))
        .toList();
  }

  private static List<String> lines(String resource) {
    try (InputStream in = FbosFigures.class.getClassLoader().getResourceAsStream(resource)) {
      byte[] bytes = Objects.requireNonNull(in, resource).readAllBytes();
      return new String(bytes, StandardCharsets.UTF_8).lines().toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Mean absolute difference between the sizes of runs and those of the print. */
  static double sizeError(List<Trace> runs, String column) {
    List<Double> print = print("pool_size", column);
    return runs.stream()
        .mapToDouble(
            run ->
                IntStream.range(0, print.size())
                    .mapToDouble(i -> Math.abs(run.sizes().get(i) - print.get(i)))
                    .average()
                    .orElseThrow())
        .average()
        .orElseThrow();
  }

  /** All tables, as the verdict shows them. */
  static String markdown() {
    List<String> text = new ArrayList<>();
    table(text, "Size at the end of a second", "pool_size", Trace::sizes, 1, 1);
    table(text, "Jobs completed", "cumulative_completions", Trace::completions, 1, 1);
    table(text, "Mean time that queued jobs have waited, ms", "mean_wait_ms", Trace::waits, 0, 0.8);
    limits(text);
    readings(text);
    sleeps(text);
    return String.join("\n", text) + "\n";
  }

  private static void table(
      List<String> text,
      String title,
      String table,
      Function<Trace, List<? extends Number>> values,
      double start,
      double step) {
    text.add("### " + title);
    text.add(
        "| second | FBOS, print | FBOS | Heuristic, print | Heuristic | rising | Watermark, print | Watermark |");
    text.add("| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |");
    Map<String, List<Trace>> runs = new HashMap<>();
    int rows = print(table, "fbos").size();
    for (int i = 0; i < rows; i++) {
      int row = i;
      List<String> cells = new ArrayList<>();
      cells.add(text(start + i * step, step < 1 ? 1 : 0));
      for (String policy : PRINTED) {
        cells.add(text(print(table, policy).get(i), 0));
        Stream<String> ours =
            policy.equals("heuristic") ? Stream.of(policy, "heuristic-rising") : Stream.of(policy);
        ours.forEach(
            name ->
                cells.add(
                    spread(
                        runs.computeIfAbsent(name, each -> runs(each, PUBLISHED_SLEEP)).stream()
                            .map(run -> values.apply(run).get(row).doubleValue())
                            .toList())));
      }
      text.add(row(cells));
    }
    text.add("");
  }

  /**
   * Largest deviation of the completed jobs from the print, as a fraction of it, in the seconds
   * from {@code first} to 19; of the medians over the runs.
   */
  static double deviation(List<Trace> runs, String column, int first) {
    List<Double> print = print("cumulative_completions", column);
    return IntStream.range(first - 1, print.size())
        .mapToDouble(
            i ->
                median(runs.stream().map(run -> (double) run.completions().get(i)).toList())
                        / print.get(i)
                    - 1)
        .reduce(0, (a, b) -> Math.abs(b) > Math.abs(a) ? b : a);
  }

  private static void limits(List<String> text) {
    text.add("### Jobs completed against the print");
    text.add(
        "| policy | second 19, median set | sets within 5 % | second 10 to 19, largest, median set | sets within 20 % |");
    text.add("| --- | ---: | ---: | ---: | ---: |");
    for (String policy : List.of("fbos", "watermark")) {
      List<Trace> runs = runs(policy, PUBLISHED_SLEEP);
      text.add(
          row(
              List.of(
                  policy,
                  percent(deviation(runs, policy, 19)),
                  setsWithin(0.05, runs, policy, 19),
                  percent(deviation(runs, policy, 10)),
                  setsWithin(0.20, runs, policy, 10))));
    }
    text.add("");
  }

  private static String setsWithin(double limit, List<Trace> runs, String policy, int first) {
    long within =
        runs.stream()
            .filter(run -> Math.abs(deviation(List.of(run), policy, first)) <= limit)
            .count();
    return "%d of %d".formatted(within, runs.size());
  }

  private static String percent(double fraction) {
    return String.format(Locale.ROOT, "%+.1f %%", 100 * fraction);
  }

  private static void readings(List<String> text) {
    text.add(
        "### What the Heuristic could mean: the pool grows by 2 when the mean wait of five jobs ...");
    text.add("| reading | mean difference in size from the print | size at second 19 |");
    text.add("| --- | ---: | ---: |");
    HeuristicReadings.all()
        .forEach(
            (reading, policy) -> {
              List<Trace> runs = runs(policy, PUBLISHED_SLEEP);
              text.add(
                  row(
                      List.of(
                          reading,
                          text(sizeError(runs, "heuristic"), 2),
                          spread(
                              runs.stream().map(run -> (double) run.sizes().get(18)).toList()))));
            });
    text.add("");
  }

  private static void sleeps(List<String> text) {
    text.add("### If the jobs had slept for less: U(500, 1500) against U(500, 1000) ms");
    text.add(
        "| policy | mean difference in size from the print, 1500 | 1000 | size at second 2, print | 1500 | 1000 | completed at second 19, print | 1500 | 1000 | mean of the waits, ms, print | 1500 | 1000 |");
    text.add("| --- " + "| ---: ".repeat(11) + "|");
    for (String policy : List.of("fbos", "heuristic-rising", "watermark")) {
      String column = policy.replace("-rising", "");
      List<Trace> asPublished = runs(policy, PUBLISHED_SLEEP);
      List<Trace> shorter = runs(policy, SHORT_SLEEP);
      text.add(
          row(
              List.of(
                  policy,
                  text(sizeError(asPublished, column), 2),
                  text(sizeError(shorter, column), 2),
                  text(print("pool_size", column).get(1), 0),
                  spread(asPublished.stream().map(run -> (double) run.sizes().get(1)).toList()),
                  spread(shorter.stream().map(run -> (double) run.sizes().get(1)).toList()),
                  text(print("cumulative_completions", column).get(18), 0),
                  spread(
                      asPublished.stream().map(run -> (double) run.completions().get(18)).toList()),
                  spread(shorter.stream().map(run -> (double) run.completions().get(18)).toList()),
                  text(
                      print("mean_wait_ms", column).stream()
                          .mapToDouble(wait -> wait)
                          .average()
                          .orElseThrow(),
                      0),
                  spread(asPublished.stream().map(Trace::meanWait).toList()),
                  spread(shorter.stream().map(Trace::meanWait).toList()))));
    }
  }

  /** Median, and smallest and largest where they differ. */
  private static String spread(List<Double> values) {
    List<Double> sorted = values.stream().sorted().toList();
    String median = text(median(values), 0);
    String least = text(sorted.get(0), 0);
    String most = text(sorted.get(sorted.size() - 1), 0);
    return least.equals(most) ? median : "%s (%s to %s)".formatted(median, least, most);
  }

  private static double median(List<Double> values) {
    List<Double> sorted = values.stream().sorted().toList();
    return (sorted.get((sorted.size() - 1) / 2) + sorted.get(sorted.size() / 2)) / 2;
  }

  private static String row(List<String> cells) {
    return "| " + String.join(" | ", cells) + " |";
  }

  private static String text(double value, int decimals) {
    return String.format(Locale.ROOT, "%." + decimals + "f", value);
  }
}
