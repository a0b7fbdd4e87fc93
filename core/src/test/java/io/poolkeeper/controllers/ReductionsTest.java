package io.poolkeeper.controllers;

import static org.assertj.core.api.Assertions.assertThat;

import io.poolkeeper.Objective;
import io.poolkeeper.Window;
import org.junit.jupiter.api.Test;

/** Reductions that come before a window closes, after it, and while it is decided on. */
final class ReductionsTest {

  private final Reductions reductions = new Reductions();

  @Test
  void severalAreOne() {
    reductions.add(200, 0.4, true);
    reductions.add(50, 0.6, false);
    assertThat(reductions.isEmpty()).isFalse();
    assertThat(reductions.take(16)).isEqualTo(new Draft.Reduction(200, 0.6, true));
    reductions.settle();
    assertThat(reductions.take(16)).isEqualTo(Draft.Reduction.NONE);
    assertThat(reductions.isEmpty()).isTrue();
  }

  @Test
  void thoseAfterAWindowCountForTheNext() {
    reductions.add(200, 0.4, true);
    assertThat(reductions.take(200)).isEqualTo(Draft.Reduction.NONE);
    reductions.settle();
    assertThat(reductions.take(50)).isEqualTo(new Draft.Reduction(200, 0.4, true));
  }

  @Test
  void thoseThatThePoolRefusedAreDropped() {
    reductions.add(200, 0.4, true);
    for (int i = 0; i < 2; i++) {
      reductions.take(200);
      reductions.settle();
    }
    assertThat(reductions.take(50)).isEqualTo(Draft.Reduction.NONE);
  }

  @Test
  void thoseDuringADecisionCountForTheNext() {
    reductions.add(200, 0.4, true);
    reductions.take(50);
    reductions.add(50, 0.6, false);
    reductions.settle();
    assertThat(reductions.take(16)).isEqualTo(new Draft.Reduction(50, 0.6, false));
  }

  @Test
  void aDecisionThatFailedLeavesThem() {
    reductions.add(200, 0.4, true);
    reductions.take(50);
    reductions.add(50, 0.6, false);
    assertThat(reductions.take(16)).isEqualTo(new Draft.Reduction(200, 0.6, true));
  }

  /** The watch of the heap may ask at any moment of a turn. */
  @Test
  void aReductionAfterTheWindowClosedIsLearnedFrom() {
    ResponseCurveController controller =
        new ResponseCurveController(Objective.throughput(), 0.03, 2);
    controller.decide(window(0, 200));
    Window second = window(1, 200);
    assertThat(controller.relieve(200, 0, 2)).isLessThan(200);
    controller.decide(second);
    assertThat(controller.state().guard().limiting()).isFalse();
    assertThat(controller.decide(window(2, 50)).reason()).startsWith("tasks suddenly allocated");
    assertThat(controller.state().guard().limiting()).isTrue();
  }

  private static Window window(int index, int size) {
    long length = 500_000_000;
    return Window.builder(index * length, (index + 1) * length, size)
        .busy(size)
        .queue(0, 0)
        .completions(200)
        .build();
  }
}
