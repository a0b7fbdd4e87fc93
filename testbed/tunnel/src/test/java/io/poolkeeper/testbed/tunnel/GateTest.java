package io.poolkeeper.testbed.tunnel;

import static org.assertj.core.api.Assertions.assertThat;

import io.poolkeeper.Controller;
import io.poolkeeper.Controllers;
import io.poolkeeper.spi.ControllerDescriptor;
import io.poolkeeper.testbed.tunnel.flight.Noise;
import io.poolkeeper.testbed.tunnel.flight.Pilot;
import io.poolkeeper.testbed.tunnel.flight.SimulatedFlight;
import io.poolkeeper.testbed.tunnel.plan.Cell;
import io.poolkeeper.testbed.tunnel.plan.Contestant;
import io.poolkeeper.testbed.tunnel.plan.Contestants;
import io.poolkeeper.testbed.tunnel.plan.Plan;
import io.poolkeeper.testbed.tunnel.plant.Curve;
import io.poolkeeper.testbed.tunnel.results.Results;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
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
 *
 * <p>The healthy ones fly all cells. A fault shows in some of them, which both fly: there the
 * healthy one passes the same bar.
 */
final class GateTest {

  private static final String CHANGING = "changes-60";

  /** Controllers, and the faults that the bars are to find in them. */
  private static final Map<String, List<Broken>> FAULTS =
      Map.of(
          "response-curve", List.of(Broken.LATE, Broken.WASTEFUL),
          "throughput", List.of(Broken.LATE));

  /** Plants on which those with a fault fly, with the usual noise. */
  private static final Set<String> FAULTY_PLANTS = Set.of("database", "disk-files", "wide");

  private static final Map<String, List<Line>> LINES = new LinkedHashMap<>();

  /** A run's figures, by the names of their columns. */
  private record Line(String plant, String load, String noise, Map<String, Double> figures) {
    double get(String figure) {
      return Objects.requireNonNull(figures.get(figure), figure);
    }

    /** Whether those with a fault fly there, too. */
    boolean shared() {
      return isShared(plant, noise);
    }
  }

  private static boolean isShared(String plant, String noise) {
    return FAULTY_PLANTS.contains(plant) && noise.equals(Noise.WANDERING.word());
  }

  private static boolean isShared(Cell cell) {
    return isShared(cell.plant().name(), cell.noise().word());
  }

  @BeforeAll
  static void fly(@TempDir Path folder) throws Exception {
    List<Contestant> healthy = new ArrayList<>();
    List<Contestant> both = new ArrayList<>();
    Contestants all = new Contestants();
    FAULTS.forEach(
        (name, faults) -> {
          healthy.add(all.named(name));
          both.add(all.named(name));
          faults.forEach(fault -> both.add(broken(name, fault)));
        });
    Map<Boolean, List<Cell>> cells =
        Plan.cells(new Plan.Choice(true, List.of(), List.of(), List.of())).stream()
            .collect(Collectors.partitioningBy(GateTest::isShared));
    try (Results results = new Results(folder)) {
      fly(new Plan(Objects.requireNonNull(cells.get(true)), both, 1, 1), results);
      fly(new Plan(Objects.requireNonNull(cells.get(false)), healthy, 1, 1), results);
    }
    List<String> lines = Files.readAllLines(folder.resolve(Results.RESULTS));
    List<String> columns = List.of(lines.get(0).split(",", -1));
    for (String line : lines.subList(1, lines.size())) {
      read(columns, line.split(",", -1));
    }
  }

  private static void fly(Plan plan, Results results) throws Exception {
    Tunnel tunnel = new Tunnel(plan, new SimulatedFlight(), results, Curve.LARGEST);
    tunnel.run(2);
    assertThat(tunnel.failures()).isEmpty();
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
        .add(
            new Line(
                cells[columns.indexOf("plant")],
                cells[columns.indexOf("load")],
                cells[columns.indexOf("noise")],
                figures));
  }

  /** The figures that have bars. */
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

    /** Figure of all cells in which a controller has flown. */
    double of(String controller) {
      return of(Objects.requireNonNull(LINES.get(controller), controller));
    }

    /** Figure of the cells in which those with a fault have flown, too. */
    double ofShared(String controller) {
      List<Line> lines = Objects.requireNonNull(LINES.get(controller), controller);
      return of(lines.stream().filter(Line::shared).toList());
    }

    private double of(List<Line> lines) {
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

  // The broken ones where they fly. The last column is the target of the full form, for comparison;
  // the gate holds what there is.
  @ParameterizedTest
  @CsvSource({
    // controller,    figure,  bar,   healthy, fault,    broken, target
    "response-curve, OVERALL, 0.970, 0.988,   LATE,     0.792,  ",
    "response-curve, START,   0.950, 0.978,   LATE,     0.665,  0.95",
    "response-curve, STEADY,  0.985, 0.997,   LATE,     0.850,  0.98",
    "response-curve, LEAST,   0.950, 0.965,   LATE,     0.493,  0.90",
    "response-curve, CHANGES, 0.930, 0.964,   LATE,     0.721,  ",
    "response-curve, THREADS, 1.350, 1.250,   WASTEFUL, 1.867,  1.25",
    "throughput,     OVERALL, 0.760, 0.801,   LATE,     0.400,  ",
    "throughput,     STEADY,  0.740, 0.791,   LATE,     0.415,  "
  })
  void aHealthyControllerPassesTheBarAndABrokenOneFails(
      String controller, Figure figure, double bar, double healthy, Broken fault, double broken) {
    boolean less = figure == Figure.THREADS;
    assertThat(less ? -figure.of(controller) : figure.of(controller))
        .as("%s %s, %s when the bar was set", controller, figure, healthy)
        .isGreaterThanOrEqualTo(less ? -bar : bar);
    assertThat(less ? -figure.ofShared(controller) : figure.ofShared(controller))
        .as("%s %s, where the fault flies", controller, figure)
        .isGreaterThanOrEqualTo(less ? -bar : bar);
    double found = figure.of(fault + " " + controller);
    assertThat(less ? -found : found)
        .as("%s %s %s, %s when the bar was set", fault, controller, figure, broken)
        .isLessThan(less ? -bar : bar);
  }
}
