package io.poolkeeper.testbed.benchmarks.controllers;

import io.poolkeeper.testbed.benchmarks.controllers.SearchController.Reading;
import io.poolkeeper.testbed.benchmarks.figures.Benchmark;
import io.poolkeeper.testbed.commands.Ranges;
import io.poolkeeper.testbed.tunnel.course.Course;
import io.poolkeeper.testbed.tunnel.course.Optimum;
import io.poolkeeper.testbed.tunnel.drawn.Category;
import io.poolkeeper.testbed.tunnel.drawn.Draw;
import io.poolkeeper.testbed.tunnel.drawn.Draws;
import io.poolkeeper.testbed.tunnel.flight.Flight;
import io.poolkeeper.testbed.tunnel.flight.Noise;
import io.poolkeeper.testbed.tunnel.flight.Pilot;
import io.poolkeeper.testbed.tunnel.flight.References;
import io.poolkeeper.testbed.tunnel.flight.SimulatedFlight;
import io.poolkeeper.testbed.tunnel.flight.Trace;
import io.poolkeeper.testbed.tunnel.plan.Contestant;
import io.poolkeeper.testbed.tunnel.plan.Contestants;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * The price of exploring alone, on drawn plants: the work of a {@link SizeSearch} with exact
 * readings. On paper its pool takes no time to shrink. In the simulated pool, where tasks end
 * before their workers do, it is a {@link SearchController}, with exact readings and with those of
 * the windows.
 */
@Command(
    name = "exact-search",
    description = {
      "Prints the share of the best size's work that a search with exact readings makes on drawn",
      "plants, exploration included: what no controller is likely to exceed. First on paper, under",
      "steady work; then in the simulated pool, also with readings as they are measured, and beside",
      "the response-curve controller. Takes one to two minutes.",
      "Example: ./poolkeeper bench exact-search --seed 1000"
    })
final class ExactSearch extends Benchmark {

  private static final String CONTROLLER = "response-curve";
  private static final double WINDOW_SECONDS = 0.5;
  private static final Duration WINDOW = Duration.ofMillis(500);

  /** A size with few completions is left after so many seconds all the same. */
  static final double LONGEST_SECONDS = 5;

  private static final List<Double> FACTORS =
      List.of(4.0, 2.0, Math.sqrt(2), Math.sqrt(Math.sqrt(2)));
  private static final List<Double> FLOWN_FACTORS = List.of(4.0, 2.0, Math.sqrt(2));
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
    List<Draw> draws = Draws.of(seed, drawn);
    List<Draw> steady = draws.stream().filter(draw -> draw.category() == Category.STEADY).toList();
    onPaper(steady.stream().map(draw -> course(draw).optimum(0)).toList());
    inThePool(draws);
    return 0;
  }

  private static Course course(Draw draw) {
    return new Course(draw.cell().load().on(draw.cell().plant()));
  }

  private static void onPaper(List<Optimum> plants) {
    heading("on paper, steady work", plants.size());
    for (int completions : COMPLETIONS) {
      for (double factor : FACTORS) {
        print(
            row(completions, factor),
            plants.stream().map(plant -> share(plant, factor, completions)).sorted().toList());
      }
    }
  }

  private static void inThePool(List<Draw> draws) {
    Map<String, Map<Draw, Double>> shares = new LinkedHashMap<>();
    for (Reading reading : Reading.values()) {
      Map<Draw, Double> most = new HashMap<>();
      for (int completions : COMPLETIONS) {
        for (double factor : FLOWN_FACTORS) {
          Map<Draw, Double> each =
              flown(draws, course -> search(course, factor, completions, reading));
          each.forEach((draw, share) -> most.merge(draw, share, Math::max));
          shares.put(row(completions, factor) + words(reading), each);
        }
      }
      shares.put(String.format("best of them in each draw%s", words(reading)), most);
    }
    Contestant controller = new Contestants().named(CONTROLLER);
    shares.put(CONTROLLER, flown(draws, course -> controller.maker().apply(course)));
    print("in the simulated pool, steady work", shares, steady(draws));
    print("in the simulated pool, all draws", shares, draws);
  }

  private static List<Draw> steady(List<Draw> draws) {
    return draws.stream().filter(draw -> draw.category() == Category.STEADY).toList();
  }

  private static void print(
      String where, Map<String, Map<Draw, Double>> shares, List<Draw> counted) {
    heading(where, counted.size());
    shares.forEach((row, each) -> print(row, counted.stream().map(each::get).sorted().toList()));
  }

  private static Pilot search(Course course, double factor, int completions, Reading reading) {
    return new Pilot.ByWindows(
        new SearchController(course, factor, completions, reading), WINDOW, Pilot.FIRST_SIZE);
  }

  private static String words(Reading reading) {
    return reading == Reading.EXACT ? "" : ", measured";
  }

  private static Map<Draw, Double> flown(List<Draw> draws, Function<Course, Pilot> pilot) {
    return draws.stream()
        .parallel()
        .collect(Collectors.toMap(draw -> draw, draw -> flown(draw, pilot)));
  }

  /** The share of the best sizes' work that is done under the disturbances of a draw. */
  private static double flown(Draw draw, Function<Course, Pilot> pilot) {
    Course course = course(draw);
    Noise noise = draw.cell().noise();
    Flight flight = new SimulatedFlight();
    Trace best = References.optimum(flight, course, noise, draw.seed());
    Trace trace = flight.fly(course, noise, draw.seed(), pilot.apply(course));
    return trace.work(0, Draws.SECONDS) / best.work(0, Draws.SECONDS);
  }

  private static String row(int completions, double factor) {
    return String.format(Locale.ROOT, "%18d %13.2f", completions, factor);
  }

  private static void heading(String where, int plants) {
    System.out.printf(
        "%nshare of the best sizes' work in ten minutes, %s, %d plants:%n", where, plants);
    System.out.println(
        "completions a size   grid factor              mean   5th percentile    worst");
  }

  /** Prints a row; the shares are in order. */
  private static void print(String row, List<Double> shares) {
    System.out.printf(
        Locale.ROOT,
        "%-41s %8.3f %16.3f %8.3f%n",
        row,
        shares.stream().mapToDouble(share -> share).average().orElseThrow(),
        shares.get((int) (0.05 * (shares.size() - 1))),
        shares.get(0));
  }

  /**
   * The share of the work that one search makes.
   *
   * @param factor between neighbours of the first grid
   * @param completions that a size is given to show itself, where they take longer than a window
   */
  static double share(Optimum plant, double factor, int completions) {
    SizeSearch search = new SizeSearch(factor);
    double seconds = 0;
    double done = 0;
    while (!search.ended()) {
      double rate = plant.throughput(search.size());
      double took = Math.min(LONGEST_SECONDS, Math.max(WINDOW_SECONDS, completions / rate));
      seconds += took;
      done += rate * took;
      search.read(rate);
    }
    double best = plant.throughput(search.size());
    return (done + best * (Draws.SECONDS - seconds)) / (Draws.SECONDS * plant.most());
  }
}
