package io.poolkeeper.controllers;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Evidence of few completions. */
final class WindowAccumulatorTest {

  /** Windows of half a second with one worker. */
  private static WindowAccumulator accumulated(int windows, int completions) {
    WindowAccumulator accumulator = WindowAccumulator.EMPTY;
    for (int i = 0; i < windows; i++) {
      int ended = completions / windows;
      accumulator =
          accumulator.plus(
              new Observation(0.5, 1, 1, 50, 50, ended, 0, ended, ended, ended / 0.5, 0));
    }
    return accumulator;
  }

  @Test
  void twoInPlaceOfTwentyFiveShowThatTheRateHasFallen() {
    assertThat(accumulated(1, 2).hasFallenFrom(50)).isTrue();
    assertThat(accumulated(1, 2).complete()).as("too few to learn how far").isFalse();
  }

  @Test
  void twoWhereAFewWereExpectedAreChance() {
    assertThat(accumulated(1, 2).hasFallenFrom(30)).isFalse();
    assertThat(accumulated(2, 2).hasFallenFrom(30)).as("after a second they are not").isTrue();
  }

  @Test
  void oneShowsThatASizeIsBadWhereEachWorkerShouldHaveEndedMany() {
    assertThat(accumulated(1, 1).isWorseThan(50)).isTrue();
    assertThat(accumulated(1, 1).isWorseThan(30)).as("fifteen are not many").isFalse();
    assertThat(accumulated(1, 0).isWorseThan(50)).as("none may be a stall").isFalse();
  }

  @Test
  void noneMayBeAStall() {
    assertThat(accumulated(2, 0).hasFallenFrom(50)).isFalse();
  }

  /** A window on the way to a smaller size is no end of a standstill, and neither is a resident. */
  @Test
  void aStandstillOutlastsAnEmptiedSum() {
    WindowAccumulator emptied = accumulated(20, 0).withGrowth().emptied();
    assertThat(emptied.stalledSeconds()).isEqualTo(10);
    assertThat(emptied.growthSeconds()).isEqualTo(10);
    assertThat(emptied.seconds()).isZero();
    Observation window = new Observation(0.5, 1, 1, 50, 50, 1, 0, 1, 1, 2, 0);
    assertThat(emptied.plus(window).stalledSeconds()).as("a task has ended").isZero();
  }

  @Test
  void enoughCompletionsAreComplete() {
    assertThat(accumulated(1, 4).hasFallenFrom(50)).isFalse();
    assertThat(accumulated(1, 4).complete()).isTrue();
  }
}
