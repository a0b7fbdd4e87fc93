package io.poolkeeper.controllers;

import static org.assertj.core.api.Assertions.assertThat;

import io.poolkeeper.Decision;
import io.poolkeeper.Objective;
import io.poolkeeper.Window;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A pool of which nothing ends any more, after work whose rate is known. */
final class StandstillTest {

  private static final int LARGEST = 256;
  private static final int TASKS = 200;
  private static final int PROCESSORS = 2;

  private final ResponseCurveController controller =
      new ResponseCurveController(Objective.throughput(), 0.03, PROCESSORS);
  private long now;
  private int size = 4;
  private Decision last = Decision.towards(size, "none yet");

  private void pass(double seconds, int completions, long queuedByWorkers, double computing) {
    pass(seconds, completions, queuedByWorkers, computing, Math.min(size, TASKS));
  }

  private void pass(
      double seconds, int completions, long queuedByWorkers, double computing, int busy) {
    long length = Math.round(seconds * 1e9);
    long cpu = Math.round(busy * length * computing);
    last =
        controller.decide(
            Window.builder(now, now + length, size)
                .busy(busy)
                .queue(TASKS - busy, TASKS - busy)
                .completions(completions)
                .cpu(cpu, cpu + length / 50)
                .gc(0)
                .queuedByWorkers(completions > 0 ? Window.NOT_MEASURED : queuedByWorkers)
                .build());
    now += length;
    size = Math.max(1, Math.min(LARGEST, last.size()));
  }

  private void work() {
    for (int i = 0; i < 120; i++) {
      pass(0.5, Math.min(size, 20) * 5, 0, 0);
    }
  }

  /** Returns the seconds of a standstill after which the size grew. */
  private List<Double> growths(double window, int windows, long queuedByWorkers, double computing) {
    List<Double> growths = new ArrayList<>();
    for (int i = 1; i <= windows; i++) {
      int before = size;
      pass(window, 0, queuedByWorkers, computing);
      assertThat(size).as(last.reason()).isGreaterThanOrEqualTo(before);
      if (size > before) {
        growths.add(i * window);
      }
    }
    return growths;
  }

  @ParameterizedTest
  @ValueSource(longs = {0, Window.NOT_MEASURED})
  void withoutOwnTasksAWorkerIsAddedSeldom(long queuedByWorkers) {
    work();
    assertThat(growths(0.5, 700, queuedByWorkers, 0))
        .containsExactly(10.0, 30.0, 70.0, 150.0, 310.0);
    assertThat(last.reason())
        .startsWith("nothing has ended for 350.0 s, no worker is free and ")
        .contains(queuedByWorkers == 0 ? "no worker of this pool submitted" : "nothing tells")
        .endsWith("the size stays, and one more worker follows at 630 s");
  }

  /** The window in which an addition is due shows free workers: the next one brings it. */
  @Test
  void anAdditionIsNotMissed() {
    work();
    growths(0.5, 59, 0, 0);
    int before = size;
    pass(0.5, 0, 0, 0, size / 2);
    assertThat(size).as(last.reason()).isEqualTo(before);
    assertThat(growths(0.5, 100, 0, 0)).containsExactly(0.5, 40.0);
  }

  @Test
  void forOwnTasksTwoWorkersASecondAreAdded() {
    work();
    int before = size;
    assertThat(growths(0.5, 30, 3, 0)).startsWith(5.0, 5.5, 6.0).hasSize(21);
    assertThat(size).isEqualTo(before + 21);
    assertThat(last.reason())
        .contains("workers of this pool submitted 3 of them and may be waiting for the result")
        .endsWith("one more worker");
  }

  /** Windows of another length add no more workers a second, and no more than own tasks wait. */
  @Test
  void theRateDoesNotFollowTheLengthOfWindows() {
    work();
    int before = size;
    growths(0.125, 80, 3, 0);
    assertThat(size).as("from 5 s to 10 s").isEqualTo(before + 11);
    pass(10, 0, 3, 0);
    assertThat(size).as("20 are due, and 3 wait").isEqualTo(before + 14);
    assertThat(last.reason()).endsWith("3 more workers");
  }

  /** Workers that compute do not wait for tasks, but they may spin while they wait. */
  @Test
  void workersThatKeepProcessorsBusyAreLeftAlone() {
    work();
    assertThat(growths(0.5, 100, 3, 0.95)).containsExactly(10.0, 30.0);
    assertThat(last.reason()).contains("the workers compute on busy processors");
  }

  /** Slow tasks that have never ended look the same for some seconds. */
  @Test
  void withoutAnyKnowledgeTheSizeDoublesForSomeSecondsOnly() {
    List<Double> growths = growths(0.5, 60, 0, 0.0001);
    assertThat(growths).allMatch(at -> at < 5 || at == 10 || at == 30);
    assertThat(size).isBetween(16, 66);
  }

  @Test
  void aStandstillThatIsOverLeavesNothingBehind() {
    work();
    growths(0.5, 18, 0, 0);
    pass(0.5, 10, 0, 0);
    assertThat(growths(0.5, 30, 0, 0)).containsExactly(10.0);
  }
}
