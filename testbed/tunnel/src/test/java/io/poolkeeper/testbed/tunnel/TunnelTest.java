package io.poolkeeper.testbed.tunnel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.poolkeeper.Controllers;
import io.poolkeeper.testbed.commands.BadInput;
import io.poolkeeper.testbed.tunnel.course.Course;
import io.poolkeeper.testbed.tunnel.course.Loads;
import io.poolkeeper.testbed.tunnel.flight.Flight;
import io.poolkeeper.testbed.tunnel.flight.Noise;
import io.poolkeeper.testbed.tunnel.flight.Pilot;
import io.poolkeeper.testbed.tunnel.flight.Steps;
import io.poolkeeper.testbed.tunnel.flight.Trace;
import io.poolkeeper.testbed.tunnel.plan.Cell;
import io.poolkeeper.testbed.tunnel.plan.Contestant;
import io.poolkeeper.testbed.tunnel.plan.Plan;
import io.poolkeeper.testbed.tunnel.plant.Curve;
import io.poolkeeper.testbed.tunnel.plant.Plants;
import io.poolkeeper.testbed.tunnel.results.Results;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests, without a simulator, of which runs are made, which are kept, and what is left when it goes
 * wrong.
 */
final class TunnelTest {

  private static final Cell CELL =
      new Cell(
          Objects.requireNonNull(Plants.ALL.get("cpu")),
          Objects.requireNonNull(Loads.ALL.get("closed-10")),
          Noise.NONE);
  private static final Cell OTHER =
      new Cell(
          Objects.requireNonNull(Plants.ALL.get("wide")),
          Objects.requireNonNull(Loads.ALL.get("night")),
          Noise.WANDERING);

  @TempDir private Path folder = Path.of("");

  private final AtomicInteger flights = new AtomicInteger();

  /** Every pool keeps its first size and does one task a second. */
  private Trace fly(Course course, Noise noise, long seed, Pilot pilot) {
    flights.incrementAndGet();
    double[] work = new double[course.seconds()];
    Arrays.fill(work, 1);
    Steps.Builder sizes = new Steps.Builder();
    sizes.add(0, ((Pilot.ByWindows) pilot).initialSize());
    return new Trace(work, sizes.build(), work.length, 1);
  }

  private static Contestant contestant(String name) {
    return new Contestant(
        name,
        Contestant.Kind.CONTROLLER,
        new Contestant.About("", "", "", "", 1),
        course -> new Pilot.ByWindows(Controllers.fixed(3), Duration.ofSeconds(1), 3));
  }

  private static Plan plan(int seeds, Contestant... contestants) {
    return new Plan(List.of(CELL, OTHER), List.of(contestants), seeds, seeds);
  }

  private List<String> fly(Plan plan, Flight flight) throws Exception {
    try (Results results = new Results(folder)) {
      Tunnel tunnel = new Tunnel(plan, flight, results, Curve.LARGEST);
      tunnel.run(2);
      return tunnel.failures();
    }
  }

  private List<String> lines() throws IOException {
    List<String> all = Files.readAllLines(folder.resolve(Results.RESULTS));
    return all.subList(1, all.size());
  }

  @Test
  void everyContestantFliesEveryCellWithEverySeed() throws Exception {
    assertThat(fly(plan(3, contestant("a"), contestant("b")), this::fly)).isEmpty();
    assertThat(lines()).hasSize(2 * 3 * 2).doesNotHaveDuplicates();
    assertThat(lines()).anyMatch(line -> line.startsWith("wide,night,8%,2,b,1.00000,"));
    // Curves: the optimum and both contestants, of the first seed only.
    assertThat(Files.readAllLines(folder.resolve(Results.CURVES))).hasSize(1 + 2 * 3);
  }

  @Test
  void whatIsThereIsNotMadeAgain() throws Exception {
    fly(plan(2, contestant("a")), this::fly);
    List<String> before = lines();
    flights.set(0);
    fly(plan(2, contestant("a")), this::fly);
    assertThat(flights).hasValue(0);
    fly(plan(2, contestant("a"), contestant("b")), this::fly);
    assertThat(lines()).startsWith(before.toArray(String[]::new)).hasSize(8);
  }

  @Test
  void aLineThatWasCutOffIsMadeAgain() throws Exception {
    fly(plan(1, contestant("a")), this::fly);
    Path file = folder.resolve(Results.RESULTS);
    String text = Files.readString(file);
    Files.writeString(file, text.substring(0, text.length() - 7));
    fly(plan(1, contestant("a")), this::fly);
    assertThat(lines()).hasSize(2).doesNotHaveDuplicates();
    assertThat(Files.readString(file)).hasSameSizeAs(text);
  }

  @Test
  void noMoreIsFlownOnceARunCannotBeRecorded() throws Exception {
    Results results = new Results(folder);
    results.close();
    Tunnel tunnel = new Tunnel(plan(30, contestant("a")), this::fly, results, Curve.LARGEST);
    assertThatThrownBy(() -> tunnel.run(1)).isInstanceOf(IOException.class);
    assertThat(tunnel.made()).isZero();
    assertThat(flights).hasValueLessThanOrEqualTo(3);
  }

  @Test
  void otherColumnsAreRefused() throws Exception {
    Files.writeString(folder.resolve(Results.RESULTS), "plant,load\ncpu,night\n");
    assertThatThrownBy(() -> new Results(folder))
        .isInstanceOf(BadInput.class)
        .hasMessageContaining("results.csv: its columns are 'plant,load'");
    assertThat(Files.readString(folder.resolve(Results.RESULTS))).endsWith("cpu,night\n");
  }

  @Test
  void aControllerThatThrowsHarmsNobodyElse() throws Exception {
    Contestant broken =
        new Contestant(
            "broken",
            Contestant.Kind.CONTROLLER,
            new Contestant.About("", "", "", "", 1),
            course -> {
              throw new IllegalStateException("no idea");
            });
    List<String> failures = fly(plan(1, broken, contestant("a")), this::fly);
    assertThat(lines()).hasSize(2).allMatch(line -> line.contains(",a,"));
    assertThat(failures)
        .hasSize(2)
        .contains(
            "controller broken failed in cell cpu, closed-10, none, seed 1:"
                + " java.lang.IllegalStateException: no idea");
  }

  @Test
  void stoppingLetsRunsEndAndKeepsThem() throws Exception {
    try (Results results = new Results(folder)) {
      Tunnel[] tunnel = new Tunnel[1];
      tunnel[0] =
          new Tunnel(
              plan(50, contestant("a")),
              (course, noise, seed, pilot) -> {
                tunnel[0].stop();
                return fly(course, noise, seed, pilot);
              },
              results,
              Curve.LARGEST);
      tunnel[0].run(1);
    }
    assertThat(lines()).isEmpty();
    assertThat(flights.get()).isLessThanOrEqualTo(2);
  }

  @Test
  void aFullDiskEndsTheTunnelWithItsReason() {
    assertThatThrownBy(
            () -> {
              Results results = new Results(folder);
              results.close();
              new Tunnel(plan(1, contestant("a")), this::fly, results, Curve.LARGEST).run(1);
            })
        .isInstanceOf(IOException.class);
  }

  @Test
  void theProgressLineSaysHowLongItTakes() {
    assertThat(Progress.text(250, 1000, 30))
        .isEqualTo("tunnel: 250 of 1,000 runs, 25 %, 1:30 left");
    assertThat(Progress.text(0, 1000, 30)).isEqualTo("tunnel: 0 of 1,000 runs, 0 %");
  }
}
