package io.poolkeeper.testbed.tunnel;

import static org.assertj.core.api.Assertions.assertThat;

import io.poolkeeper.Controller;
import io.poolkeeper.Controllers;
import io.poolkeeper.spi.ControllerDescriptor;
import io.poolkeeper.testbed.tunnel.flight.Pilot;
import io.poolkeeper.testbed.tunnel.flight.SimulatedFlight;
import io.poolkeeper.testbed.tunnel.plan.Contestant;
import io.poolkeeper.testbed.tunnel.plan.Contestants;
import io.poolkeeper.testbed.tunnel.plan.Plan;
import io.poolkeeper.testbed.tunnel.results.Results;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Predicate;
import java.util.stream.DoubleStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The quick form of the tunnel as a gate. Each bar stands beside the score of the healthy
 * controller and that of the same with a fault, {@link Broken}. The scores are the same in every
 * run; a change of a controller moves them. A bar is raised when a controller has become better,
 * and never lowered to let a change pass.
 */
final class GateTest {

  private static final String CHANGING = "changes-60";

  /** Controllers, and the faults that the bars are to find in them. */
  private static final Map<String, List<Broken>> FAULTS =
      Map.of(
          "response-curve", List.of(Broken.LATE, Broken.WASTEFUL),
          "throughput", List.of(Broken.LATE));

  private static final Map<String, List<Line>> LINES = new LinkedHashMap<>();

  /** A run's figures, by the names of their columns. */
  private record Line(String load, Map<String, Double> figures) {
    double get(String figure) {
      return Objects.requireNonNull(figures.get(figure), figure);
    }
  }

  @BeforeAll
  static void fly(@TempDir Path folder) throws Exception {
    List<Contestant> contestants = new ArrayList<>();
    Contestants all = new Contestants();
    FAULTS.forEach(
        (name, faults) -> {
          contestants.add(all.named(name));
          faults.forEach(fault -> contestants.add(broken(name, fault)));
        });
    Plan.Choice quick = new Plan.Choice(true, List.of(), List.of(), List.of());
    try (Results results = new Results(folder)) {
      Tunnel tunnel =
          new Tunnel(
              new Plan(Plan.cells(quick), contestants, 1, 1), new SimulatedFlight(), results);
      tunnel.run(2);
      assertThat(tunnel.failures()).isEmpty();
    }
    List<String> lines = Files.readAllLines(folder.resolve(Results.RESULTS));
    List<String> columns = List.of(lines.get(0).split(",", -1));
    for (String line : lines.subList(1, lines.size())) {
      read(columns, line.split(",", -1));
    }
  }

  private static Contestant broken(String name, Broken fault) {
    ControllerDescriptor<Controller> descriptor = Controllers.descriptor(name);
    return new Contestant(
        fault + " " + name,
        Contestant.Kind.CONTROLLER,
        new Contestant.About("", "", "", "", 1),
        course ->
            new Pilot.ByWindows(
                fault.of(descriptor.make(Contestants.machine(descriptor))),
                descriptor.window(),
                Pilot.FIRST_SIZE));
  }

  private static void read(List<String> columns, String[] cells) {
    Map<String, Double> figures = new LinkedHashMap<>();
    for (String figure : List.of("overall", "start", "steady", "threads_steady")) {
      figures.put(figure, Double.valueOf(cells[columns.indexOf(figure)]));
    }
    LINES
        .computeIfAbsent(cells[columns.indexOf("controller")], name -> new ArrayList<>())
        .add(new Line(cells[columns.indexOf("load")], figures));
  }

  /** The figures that have bars, each over all 40 cells. */
  private enum Figure {
    /** Geometric mean of the fraction of the optimum, start included. */
    OVERALL,
    /** The same of the first minute. */
    START,
    /** The same when settled. */
    STEADY,
    /** The least fraction of the optimum, start included, where the work stays the same. */
    LEAST,
    /** Geometric mean of the fraction of the optimum where the work changes every minute. */
    CHANGES,
    /** Median of the thread-seconds, as a multiple of those of the smallest good size. */
    THREADS;

    double of(String controller) {
      List<Line> lines = Objects.requireNonNull(LINES.get(controller), controller);
      Predicate<Line> changes = line -> line.load().equals(CHANGING);
      return switch (this) {
        case OVERALL -> geometric(lines, "overall");
        case START -> geometric(lines, "start");
        case STEADY -> geometric(lines, "steady");
        case LEAST ->
            lines.stream()
                .filter(changes.negate())
                .mapToDouble(line -> line.get("overall"))
                .min()
                .orElseThrow();
        case CHANGES -> geometric(lines.stream().filter(changes).toList(), "overall");
        case THREADS -> median(lines.stream().mapToDouble(line -> line.get("threads_steady")));
      };
    }

    private static double median(DoubleStream values) {
      double[] sorted = values.sorted().toArray();
      return sorted[sorted.length / 2];
    }
  }

  private static double geometric(List<Line> lines, String figure) {
    return Math.exp(
        lines.stream().mapToDouble(line -> Math.log(line.get(figure))).average().orElseThrow());
  }

  // The last column is the target of the full form, for comparison; the gate holds what there is.
  @ParameterizedTest
  @CsvSource({
    // controller,    figure,  bar,   healthy, fault,    broken, target
    "response-curve, OVERALL, 0.970, 0.988,   LATE,     0.901,  ",
    "response-curve, START,   0.950, 0.978,   LATE,     0.876,  0.95",
    "response-curve, STEADY,  0.985, 0.997,   LATE,     0.929,  0.98",
    "response-curve, LEAST,   0.950, 0.965,   LATE,     0.391,  0.90",
    "response-curve, CHANGES, 0.930, 0.964,   LATE,     0.843,  ",
    "response-curve, THREADS, 1.350, 1.250,   WASTEFUL, 1.429,  1.25",
    "throughput,     OVERALL, 0.760, 0.801,   LATE,     0.469,  ",
    "throughput,     STEADY,  0.740, 0.791,   LATE,     0.504,  "
  })
  void aHealthyControllerPassesTheBarAndABrokenOneFails(
      String controller, Figure figure, double bar, double healthy, Broken fault, double broken) {
    boolean less = figure == Figure.THREADS;
    assertThat(less ? -figure.of(controller) : figure.of(controller))
        .as("%s %s, %s when the bar was set", controller, figure, healthy)
        .isGreaterThanOrEqualTo(less ? -bar : bar);
    double found = figure.of(fault + " " + controller);
    assertThat(less ? -found : found)
        .as("%s %s %s, %s when the bar was set", fault, controller, figure, broken)
        .isLessThan(less ? -bar : bar);
  }
}
