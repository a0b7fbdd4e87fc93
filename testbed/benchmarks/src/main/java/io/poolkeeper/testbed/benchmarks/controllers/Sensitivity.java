package io.poolkeeper.testbed.benchmarks.controllers;

import io.poolkeeper.controllers.curves.TunedConstant;
import io.poolkeeper.controllers.curves.Tuning;
import io.poolkeeper.testbed.benchmarks.figures.Benchmark;
import io.poolkeeper.testbed.commands.Names;
import io.poolkeeper.testbed.commands.Ranges;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Effect of each tuned constant of the response-curve controller: the quick form of the tunnel at
 * half and at double its value. Everything happens in virtual time with seeded random numbers, so
 * that every machine prints the same figures.
 */
@Command(
    name = "sensitivity",
    description = {
      "Runs the quick form of the wind tunnel with the response-curve controller, once as it is and",
      "once for each tuned constant at half and at double its value. Prints the change of the mean",
      "and of the worst situation, largest changes first. Ctrl-C prints the results so far.",
      "Example: ./poolkeeper bench sensitivity --only INERTIA,LEAP"
    })
final class Sensitivity extends Benchmark {

  private static final int MOST_SEEDS = 100;
  private static final int MOST_JOBS = 100;
  private static final double[] FACTORS = {0.5, 2};

  @Option(
      names = "--only",
      split = ",",
      paramLabel = "NAME",
      description = "Only these constants. Default: all")
  private List<String> only = List.of();

  @Option(
      names = "--seeds",
      paramLabel = "N",
      defaultValue = "2",
      description = "runs in each situation (${DEFAULT-VALUE})")
  private int seeds;

  @Option(
      names = "--jobs",
      paramLabel = "N",
      description = "virtual machines at the same time. Default: the number of processors")
  private int jobs = Runtime.getRuntime().availableProcessors();

  private final Map<Variation, Trial.Scores> scores = new LinkedHashMap<>();
  private final Set<Trial> running = ConcurrentHashMap.newKeySet();
  private Trial.@Nullable Scores standard;
  private int total;
  private int ended;
  private boolean stopped;

  /** A constant at another value. */
  private record Variation(TunedConstant constant, double factor) {

    double value() {
      return constant.standard() * factor;
    }

    String tuning() {
      return constant.name() + "=" + value();
    }
  }

  public static void main(String[] arguments) {
    start(new Sensitivity(), arguments);
  }

  @Override
  protected void check() {
    Ranges.require("--seeds", seeds, 1, MOST_SEEDS);
    Ranges.require("--jobs", jobs, 1, MOST_JOBS);
    List<String> names = Tuning.constants().stream().map(TunedConstant::name).toList();
    only.forEach(name -> Names.require("tuned constant", name, names));
  }

  @Override
  protected int measure() throws IOException, InterruptedException {
    List<Variation> variations = variations();
    total = variations.size() + 1;
    Thread hook = new Thread(this::stop, "stop");
    Runtime.getRuntime().addShutdownHook(hook);
    ExecutorService executor = Executors.newFixedThreadPool(jobs);
    standard = new Trial("", seeds).await();
    progress("as it is");
    for (Variation variation : variations) {
      executor.execute(() -> run(variation));
    }
    executor.shutdown();
    boolean unused = executor.awaitTermination(Long.MAX_VALUE, TimeUnit.SECONDS);
    // While Ctrl-C is handled, the virtual machine ends without this thread.
    Runtime.getRuntime().removeShutdownHook(hook);
    table().forEach(System.out::println);
    return 0;
  }

  private List<Variation> variations() {
    List<Variation> variations = new ArrayList<>();
    for (TunedConstant constant : Tuning.constants()) {
      for (double factor : FACTORS) {
        Variation variation = new Variation(constant, factor);
        if ((only.isEmpty() || only.contains(constant.name()))
            && constant.allows(variation.value())) {
          variations.add(variation);
        }
      }
    }
    return variations;
  }

  private void run(Variation variation) {
    Trial.Scores found = null;
    String failure = "";
    try {
      Trial trial = new Trial(variation.tuning(), seeds);
      running.add(trial);
      if (isStopped()) {
        trial.stop();
      }
      found = trial.await();
      running.remove(trial);
    } catch (IOException | UncheckedIOException e) {
      failure = " failed: " + e.getMessage();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    add(variation, found, failure);
  }

  private synchronized boolean isStopped() {
    return stopped;
  }

  private synchronized void add(Variation variation, Trial.@Nullable Scores found, String failure) {
    if (!stopped) {
      if (found != null) {
        scores.put(variation, found);
      }
      progress(variation.tuning() + failure);
    }
  }

  private synchronized void progress(String text) {
    ended++;
    System.err.printf("sensitivity: %d of %d trials, %s%n", ended, total, text);
  }

  /** Ctrl-C: prints the results so far. */
  private synchronized void stop() {
    stopped = true;
    running.forEach(Trial::stop);
    table().forEach(System.out::println);
  }

  /** Changes by a constant. */
  private record Row(TunedConstant constant, Map<Double, Trial.Scores> byFactor) {

    double largest(Trial.Scores standard, boolean worst) {
      return byFactor.values().stream()
          .mapToDouble(
              scores ->
                  Math.abs(
                      worst ? scores.worst() - standard.worst() : scores.mean() - standard.mean()))
          .max()
          .orElse(0);
    }
  }

  private synchronized List<String> table() {
    Trial.Scores base = standard;
    if (base == null) {
      return List.of("no results yet");
    }
    List<String> lines = new ArrayList<>();
    lines.add("");
    lines.add(
        String.format(
            Locale.ROOT,
            "Work done as a fraction of the optimum: mean %.4f, worst situation %.4f (%s).",
            base.mean(),
            base.worst(),
            base.situation()));
    lines.add(
        "Changes of them with a constant at half and at double its value, in percentage points;");
    lines.add("with two seeds, changes of the mean by less than 0.3 are chance.");
    lines.add("");
    String format = "%-26s %10s  %-22s %7s %7s  %7s %7s  %s";
    lines.add(
        String.format(
            format,
            "constant",
            "value",
            "unit",
            "mean/2",
            "worst/2",
            "mean*2",
            "worst*2",
            "basis"));
    for (Row row : rows(base)) {
      TunedConstant constant = row.constant();
      Trial.Scores half = row.byFactor().get(FACTORS[0]);
      Trial.Scores twice = row.byFactor().get(FACTORS[1]);
      lines.add(
          String.format(
              format,
              constant.name(),
              number(constant.standard()),
              constant.unit(),
              change(half == null ? Double.NaN : half.mean() - base.mean()),
              change(half == null ? Double.NaN : half.worst() - base.worst()),
              change(twice == null ? Double.NaN : twice.mean() - base.mean()),
              change(twice == null ? Double.NaN : twice.worst() - base.worst()),
              constant.basis()));
    }
    return lines;
  }

  private List<Row> rows(Trial.Scores base) {
    Map<String, Row> rows = new LinkedHashMap<>();
    scores.forEach(
        (variation, found) ->
            rows.computeIfAbsent(
                    variation.constant().name(),
                    name -> new Row(variation.constant(), new LinkedHashMap<>()))
                .byFactor()
                .put(variation.factor(), found));
    return rows.values().stream()
        .sorted(
            Comparator.comparingDouble((Row row) -> -row.largest(base, false))
                .thenComparingDouble(row -> -row.largest(base, true)))
        .toList();
  }

  private static String number(double value) {
    return value == Math.rint(value) && value < 1e6
        ? Long.toString((long) value)
        : Double.toString(value);
  }

  private static String change(double fraction) {
    return Double.isNaN(fraction) ? "-" : String.format(Locale.ROOT, "%+.2f", 100 * fraction);
  }
}
