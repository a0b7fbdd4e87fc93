package io.poolkeeper.testbed.benchmarks.controllers;

import io.poolkeeper.testbed.benchmarks.figures.Benchmark;
import io.poolkeeper.testbed.benchmarks.figures.Spread;
import io.poolkeeper.testbed.commands.Ranges;
import io.poolkeeper.testbed.tunnel.course.Course;
import io.poolkeeper.testbed.tunnel.course.Stage;
import io.poolkeeper.testbed.tunnel.drawn.Category;
import io.poolkeeper.testbed.tunnel.drawn.Draw;
import io.poolkeeper.testbed.tunnel.drawn.Draws;
import io.poolkeeper.testbed.tunnel.drawn.Shape;
import io.poolkeeper.testbed.tunnel.flight.Flight;
import io.poolkeeper.testbed.tunnel.flight.Noise;
import io.poolkeeper.testbed.tunnel.flight.References;
import io.poolkeeper.testbed.tunnel.flight.SimulatedFlight;
import io.poolkeeper.testbed.tunnel.flight.Trace;
import io.poolkeeper.testbed.tunnel.plan.Contestant;
import io.poolkeeper.testbed.tunnel.plan.Contestants;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * The share of the work that a controller loses hour by hour, against the best size, on drawn
 * plants of every kind under steady work. A controller that converges loses less in the last hour
 * than in the first. Everything happens in virtual time with seeded random numbers, so that every
 * machine prints the same figures.
 */
@Command(
    name = "regret",
    description = {
      "Runs drawn plants of every kind for hours of virtual time, under steady work with noise up",
      "to 25 %%, and prints the share of the best size's work that a controller loses in each hour.",
      "Example: ./poolkeeper bench regret --draws 3 --seed 1000"
    })
final class Regret extends Benchmark {

  private static final int HOUR = 3600;

  /** Faster plants are left out: their runs would take minutes and tell nothing else. */
  private static final double MOST_CAPACITY = 400;

  /** Losses below this are the price of looking around now and then. */
  private static final double SMALL = 0.01;

  private static final long MOST_SEED = 1_000_000_000;

  @Option(
      names = "--controller",
      paramLabel = "NAME",
      defaultValue = "response-curve",
      description = "controller, by its name in ./poolkeeper tunnel (${DEFAULT-VALUE})")
  private String controller = "";

  @Option(
      names = "--hours",
      paramLabel = "N",
      defaultValue = "6",
      description = "virtual hours of a run (${DEFAULT-VALUE})")
  private int hours;

  @Option(
      names = "--draws",
      paramLabel = "N",
      defaultValue = "1",
      description = "plants of each kind (${DEFAULT-VALUE})")
  private int draws;

  @Option(
      names = "--seed",
      paramLabel = "N",
      defaultValue = "1",
      description = {
        "seed of the first plant of each kind (${DEFAULT-VALUE}); seeds below 1000 are",
        "for tuning, those from 1000 on for reports"
      })
  private long seed;

  public static void main(String[] arguments) {
    start(new Regret(), arguments);
  }

  /**
   * One plant.
   *
   * @param lost share of the best size's work that was not done, hour by hour
   * @param threads thread-seconds of the last hour as a multiple of the smallest good size's
   */
  private record Flown(Draw draw, List<Double> lost, double threads) {

    double first() {
      return lost.get(0);
    }

    double last() {
      return lost.get(lost.size() - 1);
    }

    /** Whether the last hour was no worse than the first, but for what looking around costs. */
    boolean converged() {
      return last() <= Math.max(first(), SMALL);
    }
  }

  @Override
  protected void check() {
    Ranges.require("--hours", hours, 2, 168);
    Ranges.require("--draws", draws, 1, 100);
    Ranges.require("--seed", seed, 0, MOST_SEED);
    var unused = new Contestants().named(controller);
  }

  @Override
  protected int measure() {
    Contestant contestant = new Contestants().named(controller);
    System.out.printf(
        Locale.ROOT,
        "%npercent of the best size's work that %s loses in hour 1 to %d; threads of the last hour"
            + "%nas a multiple of the smallest good size:%n",
        controller,
        hours);
    List<Flown> flown =
        plants().parallel().map(draw -> fly(draw, contestant)).collect(Collectors.toList());
    flown.forEach(Regret::print);
    sum(flown);
    return 0;
  }

  /** Kind by kind, the first draws of steady work from the seed on. */
  private Stream<Draw> plants() {
    return Stream.of(Shape.values())
        .flatMap(
            shape ->
                LongStream.iterate(seed, next -> next + 1)
                    .mapToObj(Draws::of)
                    .filter(draw -> draw.shape() == shape)
                    .filter(draw -> draw.category() == Category.STEADY)
                    .filter(draw -> draw.cell().plant().curve().capacity() <= MOST_CAPACITY)
                    .limit(draws)
                    .toList()
                    .stream());
  }

  private Flown fly(Draw draw, Contestant contestant) {
    Stage drawn = draw.cell().load().on(draw.cell().plant()).get(0);
    Course course = new Course(List.of(new Stage(hours * HOUR, drawn.plant(), drawn.demand())));
    Noise noise = draw.cell().noise();
    Flight flight = new SimulatedFlight();
    Trace best = References.optimum(flight, course, noise, draw.seed());
    Trace trace = flight.fly(course, noise, draw.seed(), contestant.maker().apply(course));
    List<Double> lost =
        IntStream.range(0, hours)
            .mapToDouble(
                hour ->
                    1
                        - trace.work(hour * HOUR, (hour + 1) * HOUR)
                            / best.work(hour * HOUR, (hour + 1) * HOUR))
            .boxed()
            .toList();
    double used = trace.sizes().integral((hours - 1.0) * HOUR, hours * HOUR, size -> size) / HOUR;
    return new Flown(draw, lost, used / course.optimum(0).enough());
  }

  private static void print(Flown flown) {
    System.out.printf(
        Locale.ROOT,
        "  %-18s %-12s %-16s %s   threads %.2f%n",
        flown.draw.cell().plant().name(),
        flown.draw.cell().load().name(),
        flown.draw.cell().noise().word(),
        flown.lost.stream()
            .map(lost -> String.format(Locale.ROOT, "%6.2f", 100 * lost))
            .collect(Collectors.joining(" ")),
        flown.threads);
  }

  private void sum(List<Flown> flown) {
    System.out.printf(
        Locale.ROOT,
        "%nlost in hour 1, percent: %s%nlost in hour %d, percent: %s%n"
            + "hour %d no worse than hour 1, or below %.0f %%: %d of %d plants%n",
        Spread.of(flown.stream().map(flight -> 100 * flight.first()).toList()),
        hours,
        Spread.of(flown.stream().map(flight -> 100 * flight.last()).toList()),
        hours,
        100 * SMALL,
        flown.stream().filter(Flown::converged).count(),
        flown.size());
  }
}
