package io.poolkeeper.testbed.benchmarks.controllers;

import io.poolkeeper.testbed.benchmarks.figures.Benchmark;
import io.poolkeeper.testbed.benchmarks.figures.BootstrapInterval;
import io.poolkeeper.testbed.commands.Names;
import io.poolkeeper.testbed.commands.ProgressText;
import io.poolkeeper.testbed.commands.Ranges;
import io.poolkeeper.testbed.tunnel.course.Course;
import io.poolkeeper.testbed.tunnel.flight.Noise;
import io.poolkeeper.testbed.tunnel.flight.Pilot;
import io.poolkeeper.testbed.tunnel.flight.SimulatedFlight;
import io.poolkeeper.testbed.tunnel.flight.Trace;
import io.poolkeeper.testbed.tunnel.plan.Contestants;
import io.poolkeeper.testbed.tunnel.plant.Curve;
import java.io.PrintWriter;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * Kinds of work that take turns at one pool. A controller that recognises a kind of work need not
 * search its best size again. Everything happens in virtual time with seeded random numbers, so
 * that every machine prints the same figures.
 */
@Command(
    name = "turns",
    description = {
      "Lets kinds of work whose best sizes are from 2 to 200 workers take turns, in virtual time,",
      "under 200 closed users and with noise of 8 %%. Prints the work done of that with the best",
      "size of each kind: geometric means, with an interval of 95 %% over the draws. Order and",
      "lengths of the phases (7 to 60 s) are drawn; the first 5 of 23 phases do not count.",
      "Example: ./poolkeeper bench turns --seed 1000 --draws 20"
    })
final class AlternatingWork extends Benchmark {

  private static final long MOST_SEED = 1_000_000_000;

  @Option(
      names = "--controller",
      paramLabel = "NAME",
      defaultValue = "response-curve",
      description = "controller, by its name in ./poolkeeper tunnel (${DEFAULT-VALUE})")
  private String controller = "";

  @Option(
      names = "--known-after",
      paramLabel = "SECONDS",
      description = {
        "in place of a controller: the best size of each kind, so many seconds after",
        "it began; what is left to a controller that need not learn"
      })
  private double knownAfter = Double.NaN;

  @Option(
      names = "--draws",
      paramLabel = "N",
      defaultValue = "20",
      description = "runs, each with its own phases and noise (${DEFAULT-VALUE})")
  private int draws;

  @Option(
      names = "--seed",
      paramLabel = "N",
      defaultValue = "1000",
      description = {
        "seed of the first (${DEFAULT-VALUE}); seeds below 1000 are for tuning,",
        "those from 1000 on for reports"
      })
  private long seed;

  @Option(
      names = "--without",
      paramLabel = "KIND",
      split = ",",
      description = "leave out kinds of work, of those that the table shows")
  private List<String> without = List.of();

  @Option(
      names = "--turns",
      description = {
        "short turns instead: six rounds of 5 s of each kind in a fixed order,",
        "after 2 s of mixed work and before 34 s without load; the first round",
        "does not count"
      })
  private boolean turns;

  @Option(
      names = "--each",
      description =
          "print a line for each phase as well: draw, start, kind, seconds, kind before, share")
  private boolean each;

  @Spec private CommandSpec spec = CommandSpec.create();

  public static void main(String[] arguments) {
    start(new AlternatingWork(), arguments);
  }

  /**
   * One phase that counts.
   *
   * @param draw seed
   * @param start seconds since the start of the run
   * @param word kind of work
   * @param seconds length
   * @param before kind of work of the phase before
   * @param share of the work of the best size
   */
  record Phase(long draw, int start, String word, int seconds, String before, double share) {}

  @Override
  protected void check() {
    Ranges.require("--draws", draws, 1, 10_000);
    Ranges.require("--seed", seed, 0, MOST_SEED);
    List<String> words = WorkKind.ALL.stream().map(WorkKind::word).toList();
    without.forEach(word -> Names.require("kind of work", word, words));
    if (kinds().size() < 2) {
      throw new IllegalArgumentException(
          "--without must leave two kinds of work, but is " + String.join(",", without));
    }
    var unused = new Contestants().named(controller);
    if (!Double.isNaN(knownAfter)) {
      Ranges.require("--known-after", knownAfter, 0, 60);
    }
  }

  private List<WorkKind> kinds() {
    return WorkKind.ALL.stream().filter(kind -> !without.contains(kind.word())).toList();
  }

  @Override
  protected int measure() {
    List<WorkKind> kinds = kinds();
    List<List<Phase>> all = flyAll(kinds);
    PrintWriter out = spec.commandLine().getOut();
    if (each) {
      all.forEach(run -> run.forEach(phase -> print(phase, out)));
    }
    print(kinds, all, out);
    out.flush();
    return 0;
  }

  private List<List<Phase>> flyAll(List<WorkKind> kinds) {
    AtomicInteger done = new AtomicInteger();
    try (ProgressText progress = new ProgressText("turns")) {
      return LongStream.range(seed, seed + draws)
          .parallel()
          .mapToObj(
              draw -> {
                WorkCourse course =
                    turns ? WorkCourse.rounds(kinds) : WorkCourse.drawn(draw, kinds);
                List<Phase> phases = fly(course, draw, pilot(course.course()));
                progress.accept("turns: %d of %d draws".formatted(done.incrementAndGet(), draws));
                return phases;
              })
          .toList();
    }
  }

  private Pilot pilot(Course course) {
    return Double.isNaN(knownAfter)
        ? new Contestants().named(controller).maker().apply(course)
        : new Pilot.ByWindows(new BestSizes(course, knownAfter), BestSizes.WINDOW, 1);
  }

  /** Runs a pool over a course. Returns the phases that count. */
  static List<Phase> fly(WorkCourse work, long seed, Pilot pilot) {
    Course course = work.course();
    Trace trace = new SimulatedFlight().fly(course, Noise.WANDERING, seed, pilot);
    return work.counted().stream()
        .map(
            stage -> {
              int start = course.start(stage);
              int seconds = course.end(stage) - start;
              double most = course.optimum(stage).most() * seconds;
              return new Phase(
                  seed,
                  start,
                  work.word(stage),
                  seconds,
                  work.word(stage - 1),
                  trace.work(start, start + seconds) / most);
            })
        .toList();
  }

  private static void print(Phase phase, PrintWriter out) {
    out.printf(
        Locale.ROOT,
        "phase,%d,%d,%s,%d,%s,%.4f%n",
        phase.draw,
        phase.start,
        phase.word,
        phase.seconds,
        phase.before,
        phase.share);
  }

  private static void print(List<WorkKind> kinds, List<List<Phase>> all, PrintWriter out) {
    int fixed = bestFixed(kinds);
    out.printf(
        "%n%-10s %10s %8s %8s %8s   best fixed size, %d%n",
        "", "best size", "phases", "share", "worst", fixed);
    for (WorkKind kind : kinds) {
      List<Double> shares = shares(all, kind.word());
      if (!shares.isEmpty()) {
        out.printf(
            Locale.ROOT,
            "%-10s %10d %8d %8.3f %8.3f   %.3f%n",
            kind.word(),
            Math.min(WorkCourse.USERS, kind.plant().curve().best()),
            shares.size(),
            BootstrapInterval.geometricMean(shares),
            Collections.min(shares),
            share(kind, fixed));
      }
    }
    out.printf(
        Locale.ROOT,
        "%-10s share of all kinds %s, of the best fixed size %.3f%n",
        "all",
        BootstrapInterval.of(all, AlternatingWork::meanOverKinds),
        mean(kinds, fixed));
  }

  private static List<Double> shares(List<List<Phase>> all, String word) {
    return all.stream()
        .flatMap(List::stream)
        .filter(phase -> phase.word.equals(word))
        .map(Phase::share)
        .toList();
  }

  /** Kinds weigh the same, however often each comes. */
  private static double meanOverKinds(List<List<Phase>> all) {
    return BootstrapInterval.geometricMean(
        all.stream()
            .flatMap(List::stream)
            .collect(
                Collectors.groupingBy(
                    Phase::word, Collectors.mapping(Phase::share, Collectors.toList())))
            .values()
            .stream()
            .map(BootstrapInterval::geometricMean)
            .toList());
  }

  /** Returns the size that does best of those that are the same for all kinds. */
  static int bestFixed(List<WorkKind> kinds) {
    return IntStream.rangeClosed(1, Curve.LARGEST)
        .boxed()
        .max(
            Comparator.comparingDouble((Integer size) -> mean(kinds, size))
                .thenComparing(Comparator.reverseOrder()))
        .orElseThrow();
  }

  private static double mean(List<WorkKind> kinds, int size) {
    return BootstrapInterval.geometricMean(kinds.stream().map(kind -> share(kind, size)).toList());
  }

  private static double share(WorkKind kind, int size) {
    Curve curve = kind.plant().curve();
    IntStream sizes = IntStream.rangeClosed(1, WorkCourse.USERS);
    return curve.at(Math.min(size, WorkCourse.USERS))
        / sizes.mapToDouble(curve::at).max().orElseThrow();
  }
}
