package io.poolkeeper.testbed.tunnel.drawn;

import io.poolkeeper.testbed.tunnel.results.Results;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Predicate;

/** Tables of the scores on drawn plants, as text. */
public final class Summary {

  /** Controllers beside each other in a table, so that its lines stay readable. */
  private static final int COLUMNS = 4;

  private static final int WORST_DRAWS = 8;

  private final List<Draw> draws;
  private final Map<String, Map<Draw, Results.Line>> lines = new LinkedHashMap<>();

  /**
   * @param draws what was to be flown
   * @param controllers whose scores are wanted, in their order
   * @param results runs of these and perhaps of others
   */
  public Summary(List<Draw> draws, List<String> controllers, List<Results.Line> results) {
    this.draws = List.copyOf(draws);
    Map<String, Draw> byPlant = new LinkedHashMap<>();
    draws.forEach(draw -> byPlant.put(draw.cell().plant().name(), draw));
    controllers.forEach(name -> lines.put(name, new LinkedHashMap<>()));
    for (Results.Line line : results) {
      Draw draw = byPlant.get(line.plant());
      Map<Draw, Results.Line> ofController = lines.get(line.controller());
      if (draw != null && ofController != null) {
        ofController.put(draw, line);
      }
    }
    lines.values().removeIf(Map::isEmpty);
  }

  /** The value below which a fraction of all lies, interpolated between neighbours. */
  static double percentile(double[] values, double fraction) {
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    double at = fraction * (sorted.length - 1);
    int below = (int) at;
    int above = Math.min(below + 1, sorted.length - 1);
    return sorted[below] + (at - below) * (sorted[above] - sorted[below]);
  }

  /** All tables. */
  public List<String> text() {
    List<String> text = new ArrayList<>();
    long first = draws.get(0).seed();
    long last = draws.get(draws.size() - 1).seed();
    text.add(
        "%,d drawn plants, seeds %d to %d (%s): work as a fraction of the best size's"
            .formatted(
                draws.size(),
                first,
                last,
                first >= Draws.FIRST_REPORTED
                    ? "for reports"
                    : last < Draws.FIRST_REPORTED ? "for tuning" : "for tuning and for reports"));
    total(text, Category.STEADY.title(), draw -> draw.category() == Category.STEADY);
    total(text, "all", draw -> true);
    List<String> names = List.copyOf(lines.keySet());
    for (int from = 0; from < names.size(); from += COLUMNS) {
      List<String> some = names.subList(from, Math.min(names.size(), from + COLUMNS));
      text.add("");
      text.add(row("mean (worst)", "draws", some));
      for (Category category : Category.values()) {
        group(text, some, category.title(), draw -> draw.category() == category);
      }
      for (Shape shape : Shape.values()) {
        group(text, some, shape.word(), draw -> draw.shape() == shape);
      }
    }
    for (String name : names) {
      text.add("");
      text.add("worst draws of " + name);
      lines.getOrDefault(name, Map.of()).entrySet().stream()
          .sorted(Comparator.comparingDouble(entry -> entry.getValue().overall()))
          .limit(WORST_DRAWS)
          .forEach(
              entry ->
                  text.add(
                      String.format(
                          Locale.ROOT,
                          "  %.3f  %-18s %-14s %-16s start %.3f, steady %.3f, threads %.2f",
                          entry.getValue().overall(),
                          entry.getKey().cell().plant().name(),
                          entry.getKey().cell().load().name(),
                          entry.getKey().cell().noise().word(),
                          entry.getValue().start(),
                          entry.getValue().steady(),
                          entry.getValue().threads())));
    }
    return text;
  }

  private List<Results.Line> lines(String controller, Predicate<Draw> which) {
    return lines.getOrDefault(controller, Map.of()).entrySet().stream()
        .filter(entry -> which.test(entry.getKey()))
        .map(Map.Entry::getValue)
        .toList();
  }

  private static double[] overall(List<Results.Line> some) {
    return some.stream().mapToDouble(Results.Line::overall).toArray();
  }

  private void total(List<String> text, String title, Predicate<Draw> which) {
    text.add("");
    text.add(
        String.format(
            "%-32s %6s %6s %6s %6s %6s %6s %8s",
            title, "draws", "mean", "p5", "worst", "start", "steady", "threads"));
    for (String name : lines.keySet()) {
      List<Results.Line> some = lines(name, which);
      if (!some.isEmpty()) {
        double[] overall = overall(some);
        text.add(
            String.format(
                Locale.ROOT,
                "%-32s %6d %6.3f %6.3f %6.3f %6.3f %6.3f %8.2f",
                name,
                overall.length,
                Arrays.stream(overall).average().orElseThrow(),
                percentile(overall, 0.05),
                Arrays.stream(overall).min().orElseThrow(),
                some.stream().mapToDouble(Results.Line::start).average().orElseThrow(),
                some.stream().mapToDouble(Results.Line::steady).average().orElseThrow(),
                percentile(some.stream().mapToDouble(Results.Line::threads).toArray(), 0.5)));
      }
    }
  }

  private static String row(String title, String count, List<String> cells) {
    StringBuilder row = new StringBuilder(String.format("%-32s %6s", title, count));
    cells.forEach(cell -> row.append(String.format("  %22s", cell)));
    return row.toString();
  }

  private void group(List<String> text, List<String> names, String title, Predicate<Draw> which) {
    long count = draws.stream().filter(which).count();
    if (count == 0) {
      return;
    }
    List<String> cells = new ArrayList<>();
    for (String name : names) {
      double[] overall = overall(lines(name, which));
      cells.add(
          overall.length == 0
              ? ""
              : String.format(
                  Locale.ROOT,
                  "%.3f (%.3f)",
                  Arrays.stream(overall).average().orElseThrow(),
                  Arrays.stream(overall).min().orElseThrow()));
    }
    text.add(row(title, Long.toString(count), cells));
  }
}
