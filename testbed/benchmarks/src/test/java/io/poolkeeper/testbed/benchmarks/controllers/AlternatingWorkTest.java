package io.poolkeeper.testbed.benchmarks.controllers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.poolkeeper.testbed.commands.Commands;
import io.poolkeeper.testbed.tunnel.course.Course;
import io.poolkeeper.testbed.tunnel.course.Demand;
import io.poolkeeper.testbed.tunnel.course.Stage;
import io.poolkeeper.testbed.tunnel.flight.Pilot;
import io.poolkeeper.testbed.tunnel.plan.Contestants;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class AlternatingWorkTest {

  private static final List<WorkKind> ALL = WorkKind.ALL;

  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();

  private int run(String... arguments) {
    return Commands.of(
            new AlternatingWork(),
            new PrintStream(out, true, StandardCharsets.UTF_8),
            new PrintStream(err, true, StandardCharsets.UTF_8),
            IllegalArgumentException.class::isInstance)
        .execute(arguments);
  }

  @Test
  void phasesAreDrawnAndNoKindFollowsItself() {
    for (long seed = 0; seed < 100; seed++) {
      WorkCourse work = WorkCourse.drawn(seed, ALL);
      List<Stage> stages = work.course().stages();
      assertThat(stages)
          .hasSize(23)
          .allSatisfy(stage -> assertThat(stage.seconds()).isBetween(7, 60));
      assertThat(work.counted()).hasSize(18).startsWith(5);
      for (int stage = 1; stage < stages.size(); stage++) {
        assertThat(work.word(stage)).isNotEqualTo(work.word(stage - 1));
      }
    }
    assertThat(stages(1)).isEqualTo(stages(1)).isNotEqualTo(stages(2));
  }

  private static List<Stage> stages(long seed) {
    return WorkCourse.drawn(seed, ALL).course().stages();
  }

  @Test
  void roundsOfShortTurnsEndWithAPause() {
    WorkCourse work = WorkCourse.rounds(ALL);
    assertThat(work.course().seconds()).isEqualTo(6 * (2 + 5 * 5 + 34));
    assertThat(work.counted()).hasSize(25).startsWith(8, 9, 10, 11, 12, 15);
    assertThat(work.counted())
        .allSatisfy(stage -> assertThat(work.word(stage)).isNotEqualTo("mixed"));
    assertThat(work.course().stages().get(6).demand()).isEqualTo(new Demand.Closed(0, 0));
  }

  @Test
  void bestSizesAreThoseOfTheKinds() {
    assertThat(ALL.stream().map(kind -> kind.plant().curve().best()))
        .containsExactly(16, 256, 4, 2, 32);
    assertThat(AlternatingWork.bestFixed(List.of(WorkKind.CALL20, WorkKind.REPORT)))
        .isBetween(16, 32);
    assertThat(AlternatingWork.bestFixed(List.of(WorkKind.CPU))).isEqualTo(2);
  }

  /** The simulator and the curves, from which the references are computed, agree. */
  @Test
  void aFixedSizeDoesWhatItsCurveSays() {
    WorkCourse work =
        new WorkCourse(
            new Course(List.of(stage(20, WorkKind.CPU), stage(40, WorkKind.CALL20))), List.of(1));
    List<AlternatingWork.Phase> phases = AlternatingWork.fly(work, 7, fixed(work, "fixed-8"));
    assertThat(phases).isEqualTo(AlternatingWork.fly(work, 7, fixed(work, "fixed-8")));
    AlternatingWork.Phase phase = phases.get(0);
    assertThat(phases).hasSize(1);
    assertThat(phase)
        .isEqualTo(new AlternatingWork.Phase(7, 20, "call20", 40, "cpu", phase.share()));
    assertThat(phase.share()).isCloseTo(0.5, within(0.03));
    assertThat(AlternatingWork.fly(work, 8, fixed(work, "fixed-8")).get(0).share())
        .isNotEqualTo(phase.share());
  }

  private static Pilot fixed(WorkCourse work, String name) {
    return new Contestants().named(name).maker().apply(work.course());
  }

  /** The best sizes lose what the way to them takes, and what they are told late. */
  @Test
  void theBestSizesLoseByTheirDelayAlone() {
    WorkCourse work =
        new WorkCourse(
            new Course(List.of(stage(20, WorkKind.CPU), stage(40, WorkKind.CALL20))), List.of(1));
    double best = AlternatingWork.fly(work, 7, fixed(work, "fixed-16")).get(0).share();
    assertThat(share(work, 0)).isCloseTo(best, within(0.02));
    double late = WorkKind.CALL20.plant().curve().at(2) / WorkKind.CALL20.plant().curve().at(16);
    assertThat(share(work, 20)).isCloseTo(best * (1 + late) / 2, within(0.02));
  }

  private static double share(WorkCourse work, double knownAfter) {
    Pilot pilot =
        new Pilot.ByWindows(new BestSizes(work.course(), knownAfter), BestSizes.WINDOW, 2);
    return AlternatingWork.fly(work, 7, pilot).get(0).share();
  }

  private static Stage stage(int seconds, WorkKind kind) {
    return new Stage(seconds, kind.plant(), new Demand.Closed(WorkCourse.USERS, 0));
  }

  @Test
  void eachPhaseHasALineAndTheTableIsTheSameAgain() {
    String[] arguments = {
      "--controller", "fixed-2", "--draws", "1", "--without", "hot-rows,call20,call400", "--each"
    };
    assertThat(run(arguments)).isZero();
    List<String> lines = lines();
    assertThat(lines.stream().filter(line -> line.startsWith("phase,1000,"))).hasSize(18);
    assertThat(lines)
        .anyMatch(line -> line.matches("cpu +2 +\\d+ +(0\\.9|1\\.0)\\d\\d .*"))
        .noneMatch(line -> line.contains("hot-rows") && !line.startsWith("command"));
    out.reset();
    assertThat(run(arguments)).isZero();
    assertThat(lines()).isEqualTo(lines);
  }

  /** Without the machine, whose load changes. */
  private List<String> lines() {
    return out.toString(StandardCharsets.UTF_8)
        .lines()
        .filter(line -> !line.startsWith("machine"))
        .toList();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          --draws 0                           | --draws must be from 1 to 10000, but is 0
          --seed -1                           | --seed must be from 0 to 1000000000, but is -1
          --without call200                   | unknown kind of work 'call200'; did you mean 'call20'
          --without cpu,report,call20,call400 | --without must leave two kinds of work
          --known-after -1                    | --known-after must be from 0 to 60, but is -1
          --controller fixed-0                | unknown controller 'fixed-0'
          """)
  void aWrongOptionGetsOneLine(String arguments, String message) {
    assertThat(run(arguments.split(" "))).isEqualTo(Commands.BAD_INPUT);
    assertThat(err.toString(StandardCharsets.UTF_8))
        .startsWith("poolkeeper: " + message)
        .hasLineCount(1);
    assertThat(out.size()).isZero();
  }
}
