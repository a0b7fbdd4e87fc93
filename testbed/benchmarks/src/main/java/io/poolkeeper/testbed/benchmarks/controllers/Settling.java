package io.poolkeeper.testbed.benchmarks.controllers;

import io.poolkeeper.Controllers;
import io.poolkeeper.testbed.benchmarks.figures.Benchmark;
import io.poolkeeper.testbed.benchmarks.figures.Spread;
import io.poolkeeper.testbed.commands.Ranges;
import io.poolkeeper.testkit.Course;
import io.poolkeeper.testkit.Shape;
import io.poolkeeper.testkit.Sizes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalInt;
import java.util.function.IntToDoubleFunction;
import java.util.function.LongFunction;
import java.util.stream.DoubleStream;
import java.util.stream.LongStream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Whether a controller comes to rest on work that stays the same, how many workers it holds there,
 * and whether it still looks where it cannot see. Everything happens in virtual time with seeded
 * random numbers, so that every machine prints the same figures.
 */
@Command(
    name = "settling",
    description = {
      "Three questions to a controller, in virtual time with seeded random numbers:",
      "does its size come to rest on noisy work that stays the same; how many workers",
      "does it hold after two minutes; does it find a knee that moved to where it does",
      "not look?"
    })
final class Settling extends Benchmark {

  private static final int USERS = 200;
  private static final int HOUR = 3600;
  private static final int MINUTE = 60;
  private static final int KNEE = 10;
  private static final int HIDDEN_KNEE = 40;
  private static final int HOURS_BEFORE = 4;
  private static final double FOUND = 0.95;
  private static final double EACH = 100;

  private static final Map<String, IntToDoubleFunction> PLANTS = plants();

  @Option(
      names = "--controller",
      paramLabel = "NAME",
      defaultValue = "response-curve",
      description = "controller, by its name in ./poolkeeper controllers (${DEFAULT-VALUE})")
  private String controller = "";

  @Option(
      names = "--noise",
      paramLabel = "PERCENT",
      defaultValue = "2",
      description = "standard deviation of the rate in the runs of hours (${DEFAULT-VALUE})")
  private double percent;

  @Option(
      names = "--hours",
      paramLabel = "N",
      defaultValue = "6",
      description = "virtual hours at rest, and of looking for the knee (${DEFAULT-VALUE})")
  private int hours;

  @Option(
      names = "--runs",
      paramLabel = "N",
      defaultValue = "12",
      description = "runs of hours, each with its own random numbers (${DEFAULT-VALUE})")
  private int runs;

  @Option(
      names = "--short-runs",
      paramLabel = "N",
      defaultValue = "200",
      description = "runs of four minutes, likewise (${DEFAULT-VALUE})")
  private int shortRuns;

  public static void main(String[] arguments) {
    start(new Settling(), arguments);
  }

  /** A knee that is known exactly, then the shapes that the controller's tests are about. */
  private static Map<String, IntToDoubleFunction> plants() {
    Map<String, IntToDoubleFunction> plants = new LinkedHashMap<>();
    plants.put("knee-10", Shape.limited(EACH, KNEE));
    for (Shape shape : Shape.values()) {
      plants.put(shape.name().toLowerCase(Locale.ROOT), shape);
    }
    return plants;
  }

  @Override
  protected void check() {
    Ranges.require("--runs", runs, 1, 10_000);
    Ranges.require("--short-runs", shortRuns, 1, 10_000);
    Ranges.require("--hours", hours, 1, 168);
    Ranges.require("--noise", percent, 0, 50);
    var unused = Controllers.named(controller, Map.of());
  }

  @Override
  protected int measure() {
    rest();
    workers();
    hidden();
    return 0;
  }

  private Course course(long seed, double noise) {
    return new Course(Controllers.named(controller, Map.of()), seed, noise);
  }

  /** Computes the result of each seed on all processors. Returns them in the order of the seeds. */
  private static <T> List<T> each(int runs, LongFunction<T> run) {
    return LongStream.range(0, runs).parallel().mapToObj(run).toList();
  }

  private void rest() {
    System.out.printf(
        Locale.ROOT,
        "%nruns of %d whose sizes flip (farther apart than 1.5 times and two workers) in hour 1 to"
            + " %d, noise of %s %%;%nof the last hour changes of the size, workers as a multiple of"
            + " the fewest that do 97 %% of the best,%nand work done of the best:%n",
        runs,
        hours,
        Spread.number(percent));
    PLANTS.forEach(this::rest);
  }

  /** Hour by hour. */
  private record Rest(List<Boolean> flips, double changes, double workers, double done) {}

  private void rest(String plant, IntToDoubleFunction curve) {
    List<Rest> found = each(runs, seed -> rest(course(seed, percent / 100), curve));
    StringBuilder flips = new StringBuilder();
    for (int hour = 0; hour < hours; hour++) {
      int at = hour;
      flips.append(" %3d".formatted(found.stream().filter(run -> run.flips.get(at)).count()));
    }
    System.out.printf(
        Locale.ROOT,
        "  %-10s%s   changes %s; workers %s; done %.3f%n",
        plant,
        flips,
        Spread.of(found.stream().map(Rest::changes).toList()),
        Spread.of(found.stream().map(Rest::workers).toList()),
        found.stream().mapToDouble(Rest::done).average().orElseThrow());
  }

  private Rest rest(Course course, IntToDoubleFunction curve) {
    List<Boolean> flips = new ArrayList<>();
    for (int hour = 0; hour < hours; hour++) {
      course.fromNow().run(HOUR, USERS, curve);
      flips.add(Sizes.of(course.sizes()).flip());
    }
    int changes = Sizes.of(course.sizes()).changes();
    return new Rest(flips, changes, course.meanSize() / Shape.enough(curve, USERS), course.score());
  }

  private void workers() {
    System.out.printf(
        Locale.ROOT,
        "%nthe third and fourth minute, noise of %.0f %%, %d runs; workers as above, and work"
            + " done of the best:%n",
        100 * Course.NOISE,
        shortRuns);
    PLANTS.forEach(this::workers);
  }

  private void workers(String plant, IntToDoubleFunction curve) {
    int enough = Shape.enough(curve, USERS);
    List<Course> settled =
        each(
            shortRuns,
            seed ->
                course(seed, Course.NOISE)
                    .run(2 * MINUTE, USERS, curve)
                    .fromNow()
                    .run(2 * MINUTE, USERS, curve));
    double[] workers = settled.stream().mapToDouble(run -> run.meanSize() / enough).toArray();
    System.out.printf(
        Locale.ROOT,
        "  %-10s fewest %3d; mean %.2f, median %s; done %.3f%n",
        plant,
        enough,
        Arrays.stream(workers).average().orElseThrow(),
        Spread.of(DoubleStream.of(workers).boxed().toList()),
        settled.stream().mapToDouble(Course::score).average().orElseThrow());
  }

  private void hidden() {
    List<OptionalInt> found = each(runs, this::minutesUntilFound);
    List<Double> minutes =
        found.stream().filter(OptionalInt::isPresent).map(run -> (double) run.getAsInt()).toList();
    System.out.printf(
        Locale.ROOT,
        "%na knee that moves from %d to %d workers after %d hours, noise of %s %%:%n"
            + "  found within %d hours in %d of %d runs%s%n",
        KNEE,
        HIDDEN_KNEE,
        HOURS_BEFORE,
        Spread.number(percent),
        hours,
        minutes.size(),
        runs,
        minutes.isEmpty() ? "" : ", after minutes " + Spread.of(minutes));
  }

  /** Until a minute in which nearly everything was done that could be. */
  private OptionalInt minutesUntilFound(long seed) {
    Course course =
        course(seed, percent / 100).run(HOURS_BEFORE * HOUR, USERS, Shape.limited(EACH, KNEE));
    for (int minute = 1; minute <= Duration.ofHours(hours).toMinutes(); minute++) {
      if (course.fromNow().run(MINUTE, USERS, Shape.limited(EACH, HIDDEN_KNEE)).score() >= FOUND) {
        return OptionalInt.of(minute);
      }
    }
    return OptionalInt.empty();
  }
}
