package io.poolkeeper.controllers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.poolkeeper.TimeStats;
import io.poolkeeper.Window;
import org.junit.jupiter.api.Test;

/** Arithmetic of the bound on connections by the time of a use, worked out by hand. */
final class ResidenceBoundTest {

  private static final double MS = 1e6;
  private static final long SECOND = 1_000_000_000L;

  private long now;

  private Window window(int size, double busy, long uses) {
    now += SECOND;
    long nanos = uses == 0 ? 0 : Math.round(busy * SECOND / uses);
    TimeStats times = new TimeStats(uses, nanos, nanos, nanos, nanos, nanos, nanos, nanos);
    return Window.builder(now - SECOND, now, size)
        .busy(busy)
        .completions(uses)
        .times(times, times, times)
        .build();
  }

  private void add(ResidenceBound bound, int seconds, double busy, long uses, double millis) {
    for (int i = 0; i < seconds; i++) {
      bound.add(window((int) Math.ceil(busy), busy, uses), millis * MS);
    }
  }

  /** 800 uses of 10 ms by 8 connections; then 400 a second, which take 20 ms, and 200 of 40 ms. */
  @Test
  void connectionsStopWhereUsesTakeThreeTimesTheLeast() {
    ResidenceBound bound = new ResidenceBound();
    add(bound, 20, 8, 800, 10);
    assertThat(bound.slowdown()).isCloseTo(1, within(1e-9));
    assertThat(bound.exceeded()).isFalse();
    add(bound, 20, 8, 400, 20);
    assertThat(bound.slowdown()).isCloseTo(2, within(0.01));
    assertThat(bound.exceeded()).isFalse();
    add(bound, 20, 8, 200, 40);
    assertThat(bound.exceeded()).isTrue();
    // Half of those that were in use before, 8 or somewhat fewer, a quarter of them, and 1.
    add(bound, 60, 8, 200, 40);
    assertThat(bound.connections()).isBetween(5, 6);
    assertThat(bound.relaxed()).isFalse();
    add(bound, 20, 8, 800, 10);
    assertThat(bound.relaxed()).isTrue();
  }

  /** The first window of 20 connections has uses of 50 ms, while the mean is still below 30 ms. */
  @Test
  void aLeapIsNotCountedAsInUseBefore() {
    ResidenceBound bound = new ResidenceBound();
    add(bound, 20, 8, 800, 10);
    bound.add(window(20, 20, 400), 12 * MS);
    assertThat(bound.exceeded()).isFalse();
    add(bound, 3, 40, 400, 40);
    assertThat(bound.exceeded()).isTrue();
    assertThat(bound.connections()).isLessThanOrEqualTo(11);
  }

  @Test
  void whereNothingEndsConnectionsDoNotGrow() {
    ResidenceBound bound = new ResidenceBound();
    assertThat(bound.exceeded()).as("nothing is known").isFalse();
    add(bound, 20, 8, 800, 10);
    add(bound, 10, 8, 0, 0);
    assertThat(bound.exceeded()).isTrue();
    assertThat(bound.slowdown()).isBetween(3.0, 1000.0);
    assertThat(bound.connections()).isGreaterThan(1);
  }

  /** A use takes five times as long in the other mix, with as many connections. */
  @Test
  void anotherMixKeepsTheSlowdown() {
    ResidenceBound bound = new ResidenceBound();
    add(bound, 120, 8, 800, 10);
    add(bound, 4, 8, 160, 50);
    assertThat(bound.exceeded()).isTrue();
    bound.keepSlowdown();
    assertThat(bound.exceeded()).isFalse();
    add(bound, 60, 8, 160, 50);
    assertThat(bound.exceeded()).isFalse();
  }

  /** A database that is slow for good is the usual one after ten minutes at the latest. */
  @Test
  void theLeastTimeIsForgotten() {
    ResidenceBound bound = new ResidenceBound();
    add(bound, 20, 8, 800, 10);
    add(bound, 250, 8, 200, 40);
    assertThat(bound.exceeded()).isTrue();
    add(bound, 400, 8, 200, 40);
    assertThat(bound.exceeded()).isFalse();
    assertThat(bound.slowdown()).isCloseTo(1, within(1e-3));
  }
}
