package io.poolkeeper.testbed.benchmarks.controllers;

import io.poolkeeper.ControlListener;
import io.poolkeeper.Objective;
import io.poolkeeper.Resizable;
import io.poolkeeper.Window;
import io.poolkeeper.controllers.ResponseCurveController;
import io.poolkeeper.testbed.benchmarks.figures.Benchmark;
import io.poolkeeper.testbed.benchmarks.figures.BootstrapInterval;
import io.poolkeeper.testbed.commands.Names;
import io.poolkeeper.testbed.commands.Ranges;
import io.poolkeeper.testbed.controllers.Policies;
import io.poolkeeper.testbed.simulator.Simulation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Limits under half as many arrivals again as can be served, from a cold start, on drawn plants in
 * virtual time. A request that finds no permit is refused at once. All limits meet the same plants
 * and noise.
 */
@Command(
    name = "overload",
    description = {
      "Puts limits in front of drawn plants under 1.5 times what they can serve, for 30 s of virtual",
      "time from a cold start, and prints the goodput as a share of the best fixed limit's, the",
      "99th percentile of what was admitted, and both against the library's limiter, in pairs.",
      "Example: ./poolkeeper bench overload --seed 1000 --draws 40"
    })
final class Overload extends Benchmark {

  private static final int SECONDS = 30;
  private static final int PROCESSORS = 2;
  private static final double SIZES_A_DOUBLING = 3;
  private static final long MOST_SEED = 1_000_000_000;
  private static final double DOUBLINGS = 8;
  private static final String BEST_FIXED = "best-fixed";
  private static final String OURS = "goodput";
  private static final String THROUGHPUT = "throughput";
  private static final String VERSUS = "vegas-style";
  private static final List<String> LIMITS =
      List.of(
          BEST_FIXED,
          OURS,
          THROUGHPUT,
          VERSUS,
          "gradient2-style",
          "netflix-windowed-gradient2",
          "failsafe-style");

  @Option(
      names = "--draws",
      paramLabel = "N",
      defaultValue = "20",
      description = "plants of each kind (${DEFAULT-VALUE})")
  private int draws;

  @Option(
      names = "--seed",
      paramLabel = "N",
      defaultValue = "1",
      description = {
        "seed of the first (${DEFAULT-VALUE}); seeds below 1000 are for tuning, those from 1000 on",
        "for reports"
      })
  private long seed;

  @Option(
      names = "--window",
      paramLabel = "MS",
      defaultValue = "500",
      description = "length of the windows of the library's limiter (${DEFAULT-VALUE})")
  private int window;

  @Option(
      names = "--initial",
      paramLabel = "N",
      defaultValue = "8",
      description = "the library's limit at the start (${DEFAULT-VALUE}, as with two processors)")
  private int initial;

  @Option(
      names = "--limits",
      paramLabel = "NAME",
      split = ",",
      description = "which limits, of those that the table shows (all)")
  private List<String> chosen = LIMITS;

  @Option(names = "--warm", description = "begin with a program that is compiled already")
  private boolean warm;

  @Option(names = "--each", description = "print the figures of each run as well")
  private boolean each;

  @Option(
      names = "--decisions",
      description = "print the windows and decisions of the library's limiter, of each run")
  private boolean decisions;

  public static void main(String[] arguments) {
    start(new Overload(), arguments);
  }

  /**
   * One limit on one plant.
   *
   * @param goodput answers within the bound, per second
   * @param slowest 99th percentile of the response time of what was answered, milliseconds
   * @param settled goodput in the second half of the run
   * @param slowestSettled the percentile of what was sent in the second half
   */
  private record Score(double goodput, double slowest, double settled, double slowestSettled) {}

  /** All limits on one plant. */
  private record Comparison(OverloadPlant.Kind kind, long seed, Map<String, Score> scores) {

    private Score of(String limit) {
      return Objects.requireNonNull(scores.get(limit));
    }

    private double best() {
      return scores.values().stream().mapToDouble(Score::goodput).max().orElseThrow();
    }
  }

  @Override
  protected void check() {
    Ranges.require("--draws", draws, 1, 10_000);
    Ranges.require("--seed", seed, 0, MOST_SEED);
    Ranges.require("--window", window, 10, 10_000);
    Ranges.require("--initial", initial, 1, OverloadPlant.BOUNDS.maximum());
    for (String limit : chosen) {
      Names.require("limit", limit, LIMITS);
    }
  }

  @Override
  protected int measure() {
    List<Comparison> all =
        LongStream.range(seed, seed + draws)
            .boxed()
            .flatMap(
                drawn -> Arrays.stream(OverloadPlant.Kind.values()).map(k -> Map.entry(k, drawn)))
            .parallel()
            .map(plant -> compare(plant.getKey(), plant.getValue()))
            .toList();
    if (each) {
      all.forEach(Overload::printEach);
    }
    for (OverloadPlant.Kind kind : OverloadPlant.Kind.values()) {
      print(kind.word(), all.stream().filter(result -> result.kind == kind).toList());
    }
    print("all", all);
    return 0;
  }

  private Comparison compare(OverloadPlant.Kind kind, long seed) {
    OverloadPlant drawn = OverloadPlant.of(kind, seed);
    OverloadPlant plant = warm ? drawn.warm() : drawn;
    Map<String, Score> scores = new LinkedHashMap<>();
    for (String limit : chosen) {
      scores.put(
          limit,
          switch (limit) {
            case BEST_FIXED -> bestFixed(plant, seed);
            case OURS -> ours(plant, seed, Objective.goodput(plant.bound()));
            case THROUGHPUT -> ours(plant, seed, Objective.throughput());
            default -> of(plant, seed, limit);
          });
    }
    return new Comparison(kind, seed, scores);
  }

  private static Score bestFixed(OverloadPlant plant, long seed) {
    return IntStream.range(0, (int) (SIZES_A_DOUBLING * DOUBLINGS))
        .map(step -> (int) Math.round(Math.pow(2, step / SIZES_A_DOUBLING)))
        .distinct()
        .mapToObj(size -> run(plant, seed, Simulation.of(plant.model(size, 0))))
        .max(Comparator.comparing(Score::goodput))
        .orElseThrow();
  }

  private Score ours(OverloadPlant plant, long seed, Objective objective) {
    StringBuilder log = new StringBuilder();
    Simulation simulation =
        Simulation.of(plant.model(initial, 0))
            .goodputBound(OverloadPlant.POOL, plant.bound())
            .control(
                OverloadPlant.POOL,
                loop ->
                    loop.controller(new ResponseCurveController(objective, 0.03, PROCESSORS))
                        .window(Duration.ofMillis(window))
                        .listener(new Log(log)));
    Score score = run(plant, seed, simulation);
    if (decisions) {
      System.out.printf(
          Locale.ROOT,
          "%n%s %d, %s: %.0f/s can be served, warm-up from %.2f in %.1f s: %.0f/s, p99 %.0f ms%n%s",
          plant.kind().word(),
          seed,
          objective,
          plant.capacity(),
          plant.warmUp().from(),
          plant.warmUp().lasting(),
          score.goodput,
          score.slowest,
          log);
    }
    return score;
  }

  /** Writes a line for each window. */
  private record Log(StringBuilder to) implements ControlListener {
    @Override
    public void onStep(Resizable pool, Step step) {
      Window window = step.window();
      to.append(
          String.format(
              Locale.ROOT,
              "  %5.1f s %4d: busy %.1f, %.0f of %.0f/s, %.0f/s refused, service %.1f ms -> %d: %s%n",
              window.end() / 1e9,
              window.size(),
              window.busy(),
              window.throughput(),
              window.arrivals() / window.seconds(),
              window.rejections() / window.seconds(),
              window.serviceTime().mean() / 1e6,
              step.after(),
              step.explanation()));
    }
  }

  private static Score of(OverloadPlant plant, long seed, String policy) {
    return run(
        plant,
        seed,
        Simulation.of(plant.model(1, 0))
            .policy(OverloadPlant.POOL, () -> Policies.named(policy, Map.of())));
  }

  private static Score run(OverloadPlant plant, long seed, Simulation simulation) {
    List<Long> early = new ArrayList<>();
    List<Long> late = new ArrayList<>();
    simulation
        .seed(seed)
        .digits(2)
        .onResponse(
            (clients, request, sent, ended, failed) -> {
              if (!failed) {
                (sent < SECONDS / 2 * 1e9 ? early : late).add(ended - sent);
              }
            })
        .run(SECONDS);
    long bound = plant.bound().toNanos();
    double settled = late.stream().filter(time -> time <= bound).count();
    double within = settled + early.stream().filter(time -> time <= bound).count();
    List<Long> all = new ArrayList<>(early);
    all.addAll(late);
    return new Score(
        within / SECONDS, slowest(all), settled / (SECONDS - SECONDS / 2), slowest(late));
  }

  private static double slowest(List<Long> times) {
    long[] sorted = times.stream().mapToLong(Long::longValue).sorted().toArray();
    return sorted.length == 0 ? 0 : sorted[(int) (0.99 * sorted.length)] / 1e6;
  }

  private static void printEach(Comparison plant) {
    plant.scores.forEach(
        (limit, score) ->
            System.out.printf(
                Locale.ROOT,
                "run,%s,%d,%s,%.1f,%.1f,%.1f,%.1f%n",
                plant.kind.word(),
                plant.seed,
                limit,
                score.goodput,
                score.slowest,
                score.settled,
                score.slowestSettled));
  }

  private static void print(String name, List<Comparison> all) {
    System.out.printf(
        Locale.ROOT,
        "%n%s, %d plants%n%-28s %8s %8s %9s   %-28s %s%n",
        name,
        all.size(),
        "",
        "share",
        "worst",
        "p99, ms",
        "goodput to that of vegas",
        "p99 to that of vegas");
    for (String limit : all.get(0).scores.keySet()) {
      List<Double> shares = of(all, result -> result.of(limit).goodput / result.best());
      System.out.printf(
          Locale.ROOT,
          "%-28s %8.3f %8.3f %9.0f   %-28s %s%n",
          limit,
          BootstrapInterval.geometricMean(shares),
          Collections.min(shares),
          BootstrapInterval.geometricMean(of(all, result -> result.of(limit).slowest)),
          against(all, limit, Score::goodput),
          against(all, limit, Score::slowest));
    }
  }

  private static String against(
      List<Comparison> all, String limit, ToDoubleFunction<Score> figure) {
    if (limit.equals(VERSUS) || !all.get(0).scores.containsKey(VERSUS)) {
      return "";
    }
    List<Double> ratios =
        of(
            all,
            result ->
                figure.applyAsDouble(result.of(limit)) / figure.applyAsDouble(result.of(VERSUS)));
    return BootstrapInterval.of(ratios, BootstrapInterval::geometricMean).toString();
  }

  private static List<Double> of(List<Comparison> all, ToDoubleFunction<Comparison> value) {
    return all.stream().mapToDouble(value).boxed().toList();
  }
}
