package io.poolkeeper.controllers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.poolkeeper.Decision;
import io.poolkeeper.Objective;
import io.poolkeeper.Window;
import io.poolkeeper.controllers.ChangeDetector.Epoch;
import io.poolkeeper.controllers.curves.CurvePosterior;
import java.util.concurrent.TimeUnit;
import java.util.function.IntToDoubleFunction;
import org.junit.jupiter.api.Test;

/** Earlier work that is recognised by its reward at a single size, under 200 closed users. */
final class RecognitionTest {

  private static final long HALF_SECOND = TimeUnit.MILLISECONDS.toNanos(500);
  private static final int USERS = 200;

  private final ResponseCurveController controller =
      new ResponseCurveController(Objective.throughput(), 0.03, 2);
  private long now;
  private int window;
  private int size = 30;

  /** Transactions that hinder each other: four workers do four times as much as thirty. */
  private static double transactions(int workers) {
    return 3000 * (workers <= 4 ? workers / 4.0 : 1 / (1 + 3.0 / 26 * (workers - 4)));
  }

  /** Work that needs some thirty workers. */
  private static double reports(int workers) {
    return workers <= 30 ? 210 * workers / 30.0 : Math.max(20, 210 - 10.0 * (workers - 30));
  }

  /** Calls to a server that answers 16 at once: thirty workers do as much as with transactions. */
  private static double calls(int workers) {
    return 750 * Math.min(workers, 16) / 16.0;
  }

  private Decision decide(IntToDoubleFunction work) {
    int busy = Math.min(size, USERS);
    double noise = 1 + 0.03 * Math.sin(window++ * 2.4);
    long completions = Math.round(work.applyAsDouble(busy) * noise / 2);
    Decision decision =
        controller.decide(
            Window.builder(now, now + HALF_SECOND, size)
                .busy(busy)
                .queue(USERS - busy, USERS - busy)
                .arrivals(completions)
                .completions(completions)
                .build());
    now += HALF_SECOND;
    size = decision.size();
    return decision;
  }

  @Test
  void aWindowAtAnotherSizeRefutesIt() {
    for (int each = 0; each < 120; each++) {
      decide(RecognitionTest::transactions);
      size = each < 8 ? 30 : size;
    }
    for (int each = 0; each < 60; each++) {
      decide(RecognitionTest::reports);
    }
    decide(RecognitionTest::calls);
    assertThat(decide(RecognitionTest::calls).reason()).startsWith("the work of 30 s ago is back");
    assertThat(size).isLessThan(8);
    Decision next = decide(RecognitionTest::calls);
    assertThat(next.reason()).startsWith("this is not the work that was recognised");
    assertThat(next.size()).isGreaterThanOrEqualTo(16);
  }

  @Test
  void whatIsLearnedMeanwhileIsKept() {
    Recognition recognition = new Recognition(5, 6, Knowledge.NONE, new Epoch(Knowledge.NONE, 3));
    Recognition later = after(after(recognition, compared(5, 6.1, 0)), compared(5, 6.2, 0));
    assertThat(later.otherwise().weightAt(5)).isCloseTo(2, within(0.1));
    assertThat(later.isRefutedBy(compared(9, 6.1, -10))).isTrue();
    assertThat(later.isRefutedBy(compared(9, 6.3, -10))).as("more than at the size").isFalse();
    assertThat(later.isRefutedBy(compared(5, 5, -10))).as("at the same size").isFalse();
    assertThat(later.isRefutedBy(compared(9, 6.1, -1))).as("as expected").isFalse();
    assertThat(after(later, compared(9, 6.3, 0))).isEqualTo(Recognition.NONE);
  }

  private static Recognition after(Recognition recognition, Comparison comparison) {
    return recognition.after(comparison, 1, TaskCost.UNKNOWN);
  }

  private static Comparison compared(int index, double level, double deviation) {
    Observation window = new Observation(0.5, 8, 8, 50, 50, 100, 0, 100, 100, 200, 0);
    CurvePosterior nothing = Knowledge.NONE.posterior();
    return new Comparison(window, nothing, index, level, 0, 0, 0, 0, 0, true, deviation);
  }
}
