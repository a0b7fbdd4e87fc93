package io.poolkeeper.controllers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.poolkeeper.controllers.curves.CurvePosterior;
import io.poolkeeper.controllers.curves.SizeGrid;
import io.poolkeeper.controllers.curves.Tuning;
import org.junit.jupiter.api.Test;

final class ExplorationTest {

  private static final int[] PLACES = SizeGrid.coarse();
  private static final int LAST = SizeGrid.nearest(256);

  private static Knowledge seen(double level, int... sizes) {
    Knowledge knowledge = Knowledge.NONE;
    for (int size : sizes) {
      int place = SizeGrid.nearest(size);
      knowledge = knowledge.with(place, 10, level, place);
    }
    return knowledge;
  }

  private static int next(Exploration exploration, Knowledge knowledge, int here) {
    int place = SizeGrid.nearest(here);
    CurvePosterior posterior = knowledge.posterior();
    int found = exploration.next(posterior, knowledge, PLACES, 0, LAST, place);
    return found < 0 ? 0 : SizeGrid.size(found);
  }

  /** Returns a window at a size, with a reward per second. */
  private static Observation window(int size, boolean shrinking, double rate) {
    double busy = shrinking ? 2 * size : size;
    return new Observation(0.5, size, busy, 10, 10, 100, 0, rate / 2, rate / 2, rate);
  }

  private static Exploration saved(double seconds) {
    return new Exploration(seconds, 0, 0);
  }

  @Test
  void beginsWhenEnoughIsSaved() {
    Knowledge knowledge = seen(8, 1, 2, 4, 8, 16, 32);
    Exploration exploration = Exploration.NONE;
    assertThat(next(exploration, knowledge, 16)).isZero();
    for (int i = 0; i < 100; i++) {
      exploration = exploration.afterWindow(window(16, false, 100), 0.6);
    }
    assertThat(next(exploration, knowledge, 16)).isEqualTo(256);
  }

  @Test
  void losesAHundredthOfTheWork() {
    Knowledge knowledge = seen(8, 1, 2, 4, 8, 16, 32);
    Exploration exploration = Exploration.NONE;
    double lost = 0;
    int windows = 0;
    while (windows < 4000) {
      int length = 1;
      if (next(exploration, knowledge, 16) > 0) {
        exploration = exploration.visit(256, 100);
        length = 3;
      }
      for (int i = 0; i < length; i++) {
        Observation window = length == 1 ? window(16, false, 100) : window(256, false, 25);
        exploration = exploration.afterWindow(window, 0.5);
        lost += 1 - window.rate() / 100;
      }
      windows += length;
    }
    assertThat(lost / windows).isBetween(0.007, 0.014);
  }

  @Test
  void aVisitToAnEquallyGoodSizeIsFree() {
    Exploration exploration = saved(1).visit(32, 100);
    assertThat(exploration.afterWindow(window(32, false, 100), 0.5).allowance()).isGreaterThan(1);
    assertThat(exploration.afterWindow(window(32, false, 50), 0.5).allowance())
        .isCloseTo(1 + 0.5 * Tuning.VISIT_SHARE - 0.25, within(1e-9));
    assertThat(exploration.afterWindow(window(32, false, 0), 2).allowance()).isNegative();
  }

  /** Larger sizes are left alone for ten minutes if even half of the best is not reached. */
  @Test
  void leavesCollapsesAloneWhileTheWorkIsYoung() {
    Knowledge knowledge = seen(8, 1, 2, 4, 8, 16, 32).with(SizeGrid.nearest(64), 10, 7, 0);
    assertThat(next(saved(6), knowledge, 16)).isLessThanOrEqualTo(64);
    assertThat(next(saved(6), knowledge.aged(700), 16)).isGreaterThan(64);
  }

  /** Tasks of ten seconds, and better sizes below: the way back would lose a minute. */
  @Test
  void makesNoVisitThatIsTooDear() {
    Knowledge slow = seen(Math.log(10), 8, 12).with(SizeGrid.nearest(16), 10, Math.log(6), 0);
    assertThat(next(saved(1), slow, 8)).isLessThan(8);
    Knowledge fast = seen(Math.log(10_000), 8, 12).with(SizeGrid.nearest(16), 10, Math.log(6e3), 0);
    assertThat(next(saved(1), fast, 8)).isEqualTo(256);
  }

  @Test
  void aVisitEndsWithTheReturn() {
    Exploration exploration = saved(1).visit(200, 100);
    assertThat(exploration.afterWindow(window(200, false, 50), 0.5).visiting()).isEqualTo(200);
    assertThat(exploration.afterWindow(window(16, true, 50), 0.5).visiting())
        .as("on the way")
        .isEqualTo(200);
    assertThat(exploration.afterWindow(window(16, false, 50), 0.5).visiting()).isZero();
  }
}
