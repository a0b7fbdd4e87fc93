package io.poolkeeper.controllers;

import static org.assertj.core.api.Assertions.assertThat;

import io.poolkeeper.Objective;
import io.poolkeeper.Window;
import io.poolkeeper.controllers.curves.Tuning;
import org.junit.jupiter.api.Test;

/** The pool had 6 workers, 50 tasks waited, and 1,000 a second ended. */
final class GrowthTrialTest {

  private static final double NOISE = 0.003;

  private static final GrowthTrial GROWN =
      GrowthTrial.NONE.begun(window(6, 6, 50, 1000), Math.log(1000));

  private static Observation window(int size, double busy, double waiting, long perSecond) {
    Window window =
        Window.builder(0, 500_000_000, size)
            .busy(busy)
            .queue(waiting, (int) Math.ceil(2 * waiting))
            .arrivals(perSecond / 2)
            .completions(perSecond / 2)
            .build();
    return Observation.of(window, Objective.throughput()).orElseThrow();
  }

  private static boolean inVain(GrowthTrial growth, Observation window) {
    return growth.afterWindow(window).isVain(window, NOISE);
  }

  @Test
  void idleWorkersThatDoLessShowAGrowthInVain() {
    assertThat(inVain(GROWN, window(40, 5, 0, 700))).isTrue();
    assertThat(inVain(GROWN, window(40, 5, 0, 950))).as("within the noise").isFalse();
    assertThat(inVain(GROWN, window(40, 40, 9, 700))).as("tasks wait").isFalse();
    assertThat(inVain(GROWN, window(40, 39, 0, 700))).as("workers are busy").isFalse();
    assertThat(inVain(GROWN, window(6, 2, 0, 700))).as("no larger than before").isFalse();
    assertThat(inVain(GrowthTrial.NONE, window(40, 5, 0, 700))).as("no growth").isFalse();
  }

  @Test
  void fewTasksThatWaitedByChanceShowNothing() {
    GrowthTrial chance = GrowthTrial.NONE.begun(window(6, 6, 2, 1000), Math.log(1000));
    assertThat(inVain(chance, window(40, 5, 0, 700))).isFalse();
  }

  @Test
  void fewTasksThatWaitedBesideIdleWorkersAreNoChance() {
    GrowthTrial starved = GrowthTrial.NONE.begun(window(7, 3, 3, 1000), Math.log(1000));
    assertThat(inVain(starved, window(15, 4, 0, 860))).isTrue();
  }

  @Test
  void whatEndedSinceShowsNothing() {
    Observation smaller = window(6, 6, 50, 1000);
    GrowthTrial back = GROWN.afterWindow(smaller);
    assertThat(inVain(back, window(40, 5, 0, 700))).isFalse();
    assertThat(inVain(GROWN.ended(window(40, 5, 0, 950)), window(40, 5, 0, 700))).isFalse();
  }

  @Test
  void aSizeIsBarredForTwiceAsLongEachTime() {
    GrowthTrial growth = GROWN;
    for (double seconds = 1; seconds < 200; seconds *= 2) {
      growth = growth.barring(24);
      double expected = Math.min(seconds, Tuning.LONGEST_VAIN_GROWTH_SECONDS);
      assertThat(barredSeconds(growth)).isEqualTo(expected);
      growth = growth.begun(window(6, 6, 50, 1000), Math.log(1000));
    }
  }

  private static double barredSeconds(GrowthTrial growth) {
    double seconds = 0;
    GrowthTrial later = growth;
    while (later.ceiling() < 12) {
      later = later.afterWindow(window(6, 6, 50, 1000));
      seconds += 0.5;
    }
    return seconds;
  }

  @Test
  void theNextGrowthGoesHalfOfTheWay() {
    GrowthTrial barring = GROWN.barring(24);
    assertThat(barring.ceiling()).isEqualTo(11);
    assertThat(barring.begun(window(6, 6, 50, 1000), 0).barring(11).ceiling()).isEqualTo(8);
    GrowthTrial nearest = GROWN.barring(7);
    assertThat(nearest.ceiling()).as("the size before stays allowed").isEqualTo(6);
    assertThat(nearest.afterWindow(window(6, 6, 50, 1000)).afterWindow(window(6, 6, 50, 1000)))
        .extracting(GrowthTrial::ceiling)
        .as("later the barred size is tried")
        .isEqualTo(7.0);
  }

  @Test
  void tasksThatWaitAtABarredSizeMoveTheBar() {
    GrowthTrial barring = GROWN.barring(24);
    assertThat(barring.ended(window(12, 12, 9, 1500)).ceiling()).isEqualTo(23);
    assertThat(barring.ended(window(11, 11, 9, 1500)).ceiling()).as("not barred").isEqualTo(11);
    assertThat(barring.ended(window(12, 7, 0, 1500)).ceiling()).as("none waits").isEqualTo(11);
    assertThat(barring.ended(window(12, 7, 6, 1500)).ceiling()).as("workers idle").isEqualTo(11);
  }

  @Test
  void farMoreWaitingTasksLiftTheBar() {
    GrowthTrial barring = GROWN.barring(24);
    assertThat(barring.afterWindow(window(6, 6, 200, 1000)).isBarring()).isTrue();
    assertThat(barring.afterWindow(window(6, 6, 300, 1000)).isBarring()).isFalse();
  }
}
