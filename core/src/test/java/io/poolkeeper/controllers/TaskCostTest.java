package io.poolkeeper.controllers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.poolkeeper.Objective;
import io.poolkeeper.Window;
import io.poolkeeper.controllers.curves.SizeGrid;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class TaskCostTest {

  private static TaskCost own(double nanos) {
    return new TaskCost(nanos, Double.NaN);
  }

  @ParameterizedTest
  @CsvSource({
    "50, 32, 150, 32, true,  three times as much at the same size",
    "50, 32, 15,  32, true,  a third",
    "50, 32, 100, 32, false, twice as much may be noise",
    "50, 32, 150, 64, false, larger pools may be in their own way",
    "50, 32, 999, 64, true,  but not that much",
    "50, 32, 150, 16, true,  smaller ones are not",
    "50, 32, 15,  16, false, as they are in each other's way no more",
    "50, 32, 2,   28, true,  but hardly more than among a few less",
    "50, 32, 15,  64, true,  with more workers nothing gets cheaper",
    "NaN, 32, 15, 64, false, not known before",
    "50, 32, NaN, 64, false, not known now",
  })
  void detectsOtherWork(
      double before, int there, double now, int here, boolean rulesOut, String why) {
    assertThat(TaskCost.rulesOut(before, SizeGrid.nearest(there), now, SizeGrid.nearest(here)))
        .as(why)
        .isEqualTo(rulesOut);
  }

  @ParameterizedTest
  @CsvSource({
    "100, NaN, 16, 50,  NaN, 16, true,  half as dear as then",
    "100, NaN, 16, 60,  NaN, 16, false, nearly as dear",
    "100, NaN, 16, 50,  NaN, 32, true,  more workers do not make it cheaper",
    "100, NaN, 16, 50,  NaN, 12, false, a few more workers may be in each other's way",
    "100, NaN, 16, 38,  NaN, 12, true,  but not that much",
    "100, NaN, 64, 10,  NaN, 16, false, many more may be by any factor",
    "NaN, 100, 16, NaN, 50,  16, true,  the process's cost where the own is not known",
    "100, 100, 16, 90,  50,  16, false, which is else left alone",
    "NaN, NaN, 16, 50,  50,  16, false, nothing is known",
  })
  void detectsAColdProgram(
      double own,
      double process,
      int there,
      double nowOwn,
      double nowProcess,
      int here,
      boolean cold,
      String why) {
    TaskCost before = new TaskCost(own, process);
    TaskCost now = new TaskCost(nowOwn, nowProcess);
    assertThat(before.coldComparedWith(SizeGrid.nearest(there), now, SizeGrid.nearest(here)))
        .as(why)
        .isEqualTo(cold);
  }

  @Test
  void aMeanFollowsSlowChanges() {
    TaskCost cost = own(100);
    for (double cheaper = 100; cheaper > 10; cheaper *= 0.95) {
      cost = cost.follow(own(cheaper), 0.001);
      assertThat(TaskCost.rulesOut(cost.own(), 5, cheaper, 5)).isFalse();
    }
    assertThat(cost.follow(TaskCost.UNKNOWN, 0.5).own()).isCloseTo(cost.own(), within(1e-9));
    assertThat(TaskCost.UNKNOWN.follow(own(7), 0.1).own()).isEqualTo(7);
  }

  /** A program that is compiled while it runs needs less for a task from window to window. */
  @Test
  void cheaperTasksOfNewWorkAreNoOtherWork() {
    assertThat(reasonsWhileTasksBecomeCheaper(6))
        .noneMatch(reason -> reason.startsWith("the work has changed"));
  }

  @Test
  void cheaperTasksOfOldWorkAreOtherWork() {
    assertThat(reasonsWhileTasksBecomeCheaper(60))
        .anyMatch(reason -> reason.startsWith("the work has changed"));
  }

  /** Calls of 100 ms by 20 workers, whose cost falls to a tenth after so many windows. */
  private static List<String> reasonsWhileTasksBecomeCheaper(int windows) {
    ResponseCurveController controller =
        new ResponseCurveController(Objective.throughput(), 0.03, 2);
    List<String> reasons = new ArrayList<>();
    for (int each = 0; each < windows + 8; each++) {
      long start = each * 500_000_000L;
      long completions = each % 2 == 0 ? 99 : 101;
      Window window =
          Window.builder(start, start + 500_000_000L, 20)
              .busy(20)
              .queue(80, 80)
              .arrivals(completions)
              .completions(completions)
              .cpu(completions * (each < windows ? 500_000 : 50_000), Window.NOT_MEASURED)
              .build();
      reasons.add(controller.decide(window).reason());
    }
    return reasons;
  }

  @Test
  void knowledgeIsRuledOutByWeight() {
    int small = SizeGrid.nearest(8);
    int large = SizeGrid.nearest(32);
    Knowledge knowledge =
        Knowledge.NONE.with(small, 1, 5, own(50), small).with(large, 3, 5, own(400), large);
    assertThat(knowledge.ruledOut(50, large, TaskCost::own)).isEqualTo(0.75);
    assertThat(knowledge.ruledOut(150, large, TaskCost::own)).isEqualTo(0.75);
    assertThat(knowledge.ruledOut(150, small, TaskCost::own)).isEqualTo(0.25);
    assertThat(knowledge.ruledOut(150, small, TaskCost::process)).isZero();
  }
}
