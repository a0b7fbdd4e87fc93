package io.poolkeeper.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.poolkeeper.Controller;
import io.poolkeeper.Controllers;
import io.poolkeeper.Decision;
import io.poolkeeper.Objective;
import io.poolkeeper.Window;
import io.poolkeeper.controllers.SizeTable;
import io.poolkeeper.controllers.StepController;
import io.poolkeeper.controllers.StepController.Lock;
import io.poolkeeper.controllers.StepController.Phase;
import io.poolkeeper.controllers.StepController.State;
import io.poolkeeper.controllers.StepSettings;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The published cycles, computed by hand. Windows are 10 s long. */
final class StepControllerTest {

  private static final Lock OPEN = new Lock(false, 0);

  private static Window rate(int size, double perSecond) {
    return WindowBuilder.ofSize(size).completions(Math.round(10 * perSecond)).response(50).build();
  }

  private static Window mean(int size, double millis) {
    return WindowBuilder.ofSize(size).completions(1000).response(millis).build();
  }

  private static StepController throughput() {
    return new StepController("throughput", Objective.throughput(), StepSettings.THROUGHPUT);
  }

  private static StepController latency() {
    return new StepController(
        "mean-latency", Objective.meanResponseTime(), StepSettings.RESPONSE_TIME);
  }

  private static StepController latency(Phase phase, double previousMillis, int previousSize) {
    return latency()
        .resume(
            new State(
                phase, true, OPEN, OPEN, previousMillis * 1e6, previousSize, SizeTable.EMPTY));
  }

  @Test
  void throughputCycleWithAStepKeptAStepUndoneALockAndALookUp() {
    double[] rates = {100, 200, 200, 205, 200, 200, 200, 200, 200, 200, 200, 120};
    StepController controller = throughput();
    List<Integer> sizes = new ArrayList<>();
    int size = 1;
    for (double rate : rates) {
      size = controller.decide(rate(size, rate)).size();
      sizes.add(size);
    }
    assertThat(sizes)
        .containsExactly(
            11, // the first step
            11, // kept: 200 is 100 % more than 100
            21, // the next step
            11, // undone: 205 is 2.5 % more than 200; locked
            11,
            11,
            11,
            11,
            11,
            11, // six further windows, in three of which a step was due
            21, // the lock has ended
            // 120 is 40 % less than 200, and not more than half way from 100 at size 1 to 200 at
            // size 11: so 1. The failed step cannot be given back below 1.
            1);
    assertThat(controller.state().table().rows())
        .extracting(SizeTable.Row::size, SizeTable.Row::count)
        .containsExactly(tuple(1, 1L), tuple(11, 9L), tuple(21, 2L));
    assertThat(controller.state().table().rows().get(2).mean()).isEqualTo((205 + 120) / 2.0);
  }

  @Test
  void latencyCycleWithBothLocks() {
    double[] means = {50, 40, 40, 39, 40, 41, 40, 40, 40, 40, 40, 30, 30};
    StepController controller = latency();
    List<Integer> sizes = new ArrayList<>();
    int size = 21;
    for (double mean : means) {
      size = controller.decide(mean(size, mean)).size();
      sizes.add(size);
    }
    assertThat(sizes)
        .containsExactly(
            31, // step up
            31, // kept: 40 is 20 % less than 50
            21, // step down
            31, // undone: 39 is 2.5 % less than 40; steps down locked
            41, // step up
            31, // undone: 41 is more than 40; steps up locked
            31, // step down, locked
            31, // its check, locked
            31, // step up, locked
            31, // its check, locked; six windows after it was set the lock on steps down ends
            21, // step down
            21, // kept: 30 is 25 % less than 40; the lock on steps up ends
            31); // step up
  }

  @Test
  void aLockBarsAsManyFurtherWindowsAsItSays() {
    for (int lock = 0; lock <= 7; lock++) {
      StepController controller =
          new StepController("throughput", Objective.throughput(), new StepSettings(10, 0.10, lock))
              .resume(new State(Phase.CHECK_INCREASE, true, OPEN, OPEN, 100, 11, SizeTable.EMPTY));
      assertThat(controller.decide(rate(21, 100)).size()).isEqualTo(11);
      int barred = 0;
      while (controller.state().increases().closed()) {
        assertThat(controller.decide(rate(11, 100)).size()).isEqualTo(11);
        barred++;
      }
      assertThat(barred).isEqualTo(lock);
    }
  }

  @Test
  void aStepAfterALookUpIsGivenBackToTheSizeThatWasLookedUp() {
    SizeTable table =
        new SizeTable(
            List.of(
                new SizeTable.Row(1, 100, 1),
                new SizeTable.Row(11, 300, 1),
                new SizeTable.Row(21, 500, 1),
                new SizeTable.Row(101, 1000, 1)));
    StepController controller =
        throughput().resume(new State(Phase.INCREASE, true, OPEN, OPEN, 1000, 101, table));
    Decision jump = controller.decide(rate(101, 310));
    // 310 is not more than 400, half way from size 11 to 21; and the step of this window.
    assertThat(jump.size()).isEqualTo(21);
    assertThat(jump.reason())
        .isEqualTo(
            "throughput fell from 1000.0/s to 310.0/s; continues from 11 workers, whose mean of 300.0/s"
                + " is the nearest; step up by 10, to be checked in the next window");
    assertThat(controller.decide(rate(21, 305)).size()).isEqualTo(11);
  }

  @Test
  void aRateAboveTheWholeTableLeavesTheSize() {
    SizeTable table =
        new SizeTable(List.of(new SizeTable.Row(1, 10, 1), new SizeTable.Row(11, 20, 1)));
    StepController controller =
        throughput().resume(new State(Phase.CHECK_INCREASE, true, OPEN, OPEN, 1000, 31, table));
    assertThat(controller.decide(rate(31, 800)).size()).isEqualTo(31);
  }

  @Test
  void aStepDownIsNotTakenBelowOne() {
    assertThat(latency(Phase.DECREASE, 40, 10).decide(mean(10, 40)).size()).isEqualTo(10);
    assertThat(latency(Phase.DECREASE, 40, 11).decide(mean(11, 40)).size()).isEqualTo(1);
  }

  @Test
  void idleSetsTheSizeToOneAndTheCycleBeginsWithTheFirstRequest() {
    StepController controller = latency();
    assertThat(controller.decide(WindowBuilder.idle(21)).size()).isEqualTo(1);
    assertThat(controller.state()).isEqualTo(State.INITIAL);
    assertThat(controller.decide(mean(1, 40)).size()).isEqualTo(11);
    assertThat(controller.decide(WindowBuilder.idle(11)).size()).isEqualTo(1);
  }

  @Test
  void onlyTheStepThatThePoolTookIsGivenBack() {
    // At its bound of 50 the pool took 5 of 10; frozen it took none.
    assertThat(latency(Phase.CHECK_INCREASE, 40, 45).decide(mean(50, 40)).size()).isEqualTo(45);
    assertThat(latency(Phase.CHECK_INCREASE, 40, 45).decide(mean(45, 40)).size()).isEqualTo(45);
    assertThat(latency(Phase.CHECK_DECREASE, 40, 45).decide(mean(45, 40)).size()).isEqualTo(45);
  }

  @Test
  void aSizeThatSomebodyElseSetIsNotTakenForAStep() {
    assertThat(latency(Phase.CHECK_INCREASE, 40, 45).decide(mean(200, 40)).size()).isEqualTo(190);
    assertThat(latency(Phase.CHECK_DECREASE, 40, 200).decide(mean(45, 40)).size()).isEqualTo(55);
  }

  /** For a rate every garbage window is unusable but the huge one, which is a number. */
  @Test
  void garbageIsNotCompared() {
    Garbage.windows(11)
        .forEach(
            (what, garbage) -> {
              StepController controller =
                  throughput()
                      .resume(
                          new State(Phase.INCREASE, true, OPEN, OPEN, 100, 11, SizeTable.EMPTY));
              controller.decide(garbage);
              if (Double.isNaN(controller.state().previousValue())) {
                Decision next = controller.decide(rate(21, 1));
                assertThat(next.size()).as("after a window with %s", what).isEqualTo(21);
                assertThat(next.reason()).contains("no two windows to compare");
              } else {
                assertThat(what)
                    .isIn(
                        "huge",
                        "NaN",
                        "infinite",
                        "a percentile without a mean",
                        "tasks that took no time");
              }
            });
  }

  @Test
  void aStepIsNotKeptWhileEveryTaskFails() {
    Controller controller = Controllers.throughput();
    int size = 20;
    int largest = size;
    for (int i = 0; i < 100; i++) {
      Decision decision =
          controller.decide(WindowBuilder.ofSize(size).failures(50).response(5).build());
      size = decision.size();
      largest = Math.max(largest, size);
    }
    assertThat(largest).as("one step, taken back each time").isEqualTo(30);
    assertThat(size).isIn(20, 30);
  }

  @Test
  void saysWhyInWordsAndNumbers() {
    Decision undone = latency(Phase.CHECK_INCREASE, 45.1, 81).decide(mean(91, 46.01));
    assertThat(undone.reason())
        .isEqualTo(
            "increase undone: mean response time 46.0 ms against 45.1 ms before,"
                + " needed at least 5 % less");
    assertThat(undone.numbers())
        .containsEntry("value", 46.01e6)
        .containsEntry("previous", 45.1e6)
        .containsEntry("threshold", 0.05)
        .containsKey("gain");
    assertThat(Controllers.throughput().decide(rate(1, 10)).reason())
        .isEqualTo("step up by 10, to be checked in the next window");
  }

  /** As a recording may hold it; the loop would make the largest pool of what overflows. */
  @ParameterizedTest
  @EnumSource
  void fromASizeThatNoPoolHasItDoesNotLeap(Phase phase) {
    for (int size : new int[] {Integer.MIN_VALUE, -1, 0}) {
      assertThat(latency(phase, 50, 20).decide(mean(size, 50)).size()).isLessThan(20);
      State before = new State(phase, true, OPEN, OPEN, 100, 20, SizeTable.EMPTY);
      Window failing = WindowBuilder.ofSize(size).completions(0).failures(9).build();
      assertThat(throughput().resume(before).decide(failing).size()).isLessThan(20);
    }
    Window huge = mean(Integer.MAX_VALUE, 500);
    assertThat(latency(phase, 50, Integer.MAX_VALUE).decide(huge).size()).isGreaterThan(20);
  }
}
