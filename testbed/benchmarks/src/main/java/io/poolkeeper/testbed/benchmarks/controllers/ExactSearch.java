package io.poolkeeper.testbed.benchmarks.controllers;

import io.poolkeeper.testbed.benchmarks.figures.Benchmark;
import io.poolkeeper.testbed.commands.Ranges;
import io.poolkeeper.testbed.tunnel.course.Course;
import io.poolkeeper.testbed.tunnel.course.Optimum;
import io.poolkeeper.testbed.tunnel.drawn.Category;
import io.poolkeeper.testbed.tunnel.drawn.Draws;
import io.poolkeeper.testbed.tunnel.plant.Curve;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * The price of exploring alone, on drawn plants under steady work. A search with exact readings
 * tries the sizes of a geometric grid once each, nearest to its start first, halves the gaps beside
 * the best of them, and stays there until the end. It knows no noise, and no pool takes time to
 * shrink. A controller, which has to cope with both, can hardly do better.
 */
@Command(
    name = "exact-search",
    description = {
      "Prints the share of the best size's work that a search with exact readings makes on drawn",
      "plants under steady work, exploration included: what no controller is likely to exceed.",
      "Example: ./poolkeeper bench exact-search --seed 1000"
    })
final class ExactSearch extends Benchmark {

  private static final double WINDOW_SECONDS = 0.5;

  /** A size with few completions is left after so many seconds all the same. */
  private static final double LONGEST_SECONDS = 5;

  private static final int START = 16;

  /** Gaps between sizes that are not halved, as the logarithm of their ratio. */
  private static final double NEAR = 0.1;

  private static final List<Double> FACTORS =
      List.of(4.0, 2.0, Math.sqrt(2), Math.sqrt(Math.sqrt(2)));
  private static final List<Integer> COMPLETIONS = List.of(0, 10, 40);
  private static final long MOST_SEED = 1_000_000_000;

  @Option(
      names = "--drawn",
      paramLabel = "N",
      defaultValue = "200",
      description = "plants, of which those under steady work count (${DEFAULT-VALUE})")
  private int drawn;

  @Option(
      names = "--seed",
      paramLabel = "N",
      defaultValue = "1000",
      description = "seed of the first (${DEFAULT-VALUE})")
  private long seed;

  public static void main(String[] arguments) {
    start(new ExactSearch(), arguments);
  }

  @Override
  protected void check() {
    Ranges.require("--drawn", drawn, 15, 100_000);
    Ranges.require("--seed", seed, 0, MOST_SEED);
  }

  @Override
  protected int measure() {
    List<Optimum> plants =
        Draws.of(seed, drawn).stream()
            .filter(draw -> draw.category() == Category.STEADY)
            .map(draw -> new Course(draw.cell().load().on(draw.cell().plant())).optimum(0))
            .toList();
    System.out.printf(
        "%nshare of the best size's work in ten minutes, %d plants:%n", plants.size());
    System.out.println("completions a size   grid factor     mean   5th percentile    worst");
    for (int completions : COMPLETIONS) {
      for (double factor : FACTORS) {
        List<Double> shares =
            plants.stream().map(plant -> share(plant, factor, completions)).sorted().toList();
        System.out.printf(
            Locale.ROOT,
            "%18d %13.2f %8.3f %16.3f %8.3f%n",
            completions,
            factor,
            shares.stream().mapToDouble(share -> share).average().orElseThrow(),
            shares.get((int) (0.05 * (shares.size() - 1))),
            shares.get(0));
      }
    }
    return 0;
  }

  /**
   * The share of the work that one search makes.
   *
   * @param factor between neighbours of the first grid
   * @param completions that a size is given to show itself, where they take longer than a window
   */
  static double share(Optimum plant, double factor, int completions) {
    NavigableMap<Integer, Double> seen = new TreeMap<>();
    double seconds = 0;
    double done = 0;
    Deque<Integer> planned = new ArrayDeque<>(grid(factor));
    for (int next = START; next > 0; next = planned.isEmpty() ? between(seen) : planned.poll()) {
      double rate = plant.throughput(next);
      double took = Math.min(LONGEST_SECONDS, Math.max(WINDOW_SECONDS, completions / rate));
      seen.put(next, rate);
      seconds += took;
      done += rate * took;
    }
    double best = Collections.max(seen.values());
    return (done + best * (Draws.SECONDS - seconds)) / (Draws.SECONDS * plant.most());
  }

  /** The sizes of the grid but for the start, nearest to it first. */
  private static List<Integer> grid(double factor) {
    List<Integer> sizes = new ArrayList<>();
    for (double size = START; Math.round(size) >= 1; size /= factor) {
      sizes.add((int) Math.round(size));
    }
    for (double size = START * factor; Math.round(size) <= Curve.LARGEST; size *= factor) {
      sizes.add((int) Math.round(size));
    }
    return sizes.stream()
        .distinct()
        .filter(size -> size != START)
        .sorted(Comparator.comparing(size -> Math.abs(Math.log(size / (double) START))))
        .toList();
  }

  /** The middle of the wider gap beside the best size, or 0 if both are narrow. */
  private static int between(NavigableMap<Integer, Double> seen) {
    int best = Collections.max(seen.entrySet(), Map.Entry.comparingByValue()).getKey();
    Integer lower = seen.lowerKey(best);
    Integer higher = seen.higherKey(best);
    double below = lower == null ? 0 : Math.log(best / (double) lower);
    double above = higher == null ? 0 : Math.log(higher / (double) best);
    int middle =
        below > above
            ? (int) Math.round(Math.sqrt((double) best * lower))
            : higher == null ? best : (int) Math.round(Math.sqrt((double) best * higher));
    return Math.max(below, above) < NEAR || seen.containsKey(middle) ? 0 : middle;
  }
}
