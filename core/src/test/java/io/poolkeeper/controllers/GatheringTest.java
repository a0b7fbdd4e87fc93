package io.poolkeeper.controllers;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Few completions, and what they say. */
final class GatheringTest {

  /** Windows of half a second with one worker. */
  private static Gathering gathering(int windows, int completions) {
    Gathering gathering = Gathering.NONE;
    for (int i = 0; i < windows; i++) {
      int ended = completions / windows;
      gathering =
          gathering.with(new Reading(0.5, 1, 1, 50, 50, ended, 0, ended, ended, ended / 0.5));
    }
    return gathering;
  }

  @Test
  void twoWhereTwentyFiveWereExpectedSayThatTheRateHasFallen() {
    assertThat(gathering(1, 2).fell(50)).isTrue();
    assertThat(gathering(1, 2).complete()).as("too few to learn how far").isFalse();
  }

  @Test
  void twoWhereAFewWereExpectedAreChance() {
    assertThat(gathering(1, 2).fell(30)).isFalse();
    assertThat(gathering(2, 2).fell(30)).as("after a second they are not").isTrue();
  }

  @Test
  void noneMayBeAStall() {
    assertThat(gathering(2, 0).fell(50)).isFalse();
  }

  @Test
  void whatIsEnoughToLearnFromIsLearned() {
    assertThat(gathering(1, 4).fell(50)).isFalse();
    assertThat(gathering(1, 4).complete()).isTrue();
  }
}
