package io.poolkeeper.controllers;

import static org.assertj.core.api.Assertions.assertThat;

import io.poolkeeper.controllers.curves.CurvePosterior;
import io.poolkeeper.controllers.curves.SizeGrid;
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

  @Test
  void beginsWhenThereIsTimeForIt() {
    Knowledge knowledge = seen(8, 1, 2, 4, 8, 16, 32);
    Exploration exploration = Exploration.NONE;
    assertThat(next(exploration, knowledge, 16)).isZero();
    for (int i = 0; i < 100; i++) {
      exploration = exploration.afterWindow(16, false, 0.6);
    }
    assertThat(next(exploration, knowledge, 16)).isEqualTo(256);
  }

  @Test
  void costsAHundredthOfTheTime() {
    Knowledge knowledge = seen(8, 1, 2, 4, 8, 16, 32);
    Exploration exploration = Exploration.NONE;
    int away = 0;
    int windows = 0;
    while (windows < 2000) {
      int length = 1;
      if (next(exploration, knowledge, 16) > 0) {
        exploration = exploration.visit(256, 1);
        length = 3;
      }
      for (int i = 0; i < length; i++) {
        exploration = exploration.afterWindow(length == 1 ? 16 : 256, false, 0.5);
      }
      away += length == 1 ? 0 : length;
      windows += length;
    }
    assertThat((double) away / windows).isBetween(0.005, 0.015);
  }

  /** A gap of a fifth of a doubling costs nine times as much as one of more than half. */
  @Test
  void narrowGapsAreVisitedMoreRarely() {
    Knowledge knowledge = seen(8, 100, 128);
    int wide = SizeGrid.nearest(200);
    int narrow = SizeGrid.nearest(112);
    assertThat(Exploration.dearness(knowledge, wide)).isEqualTo(1);
    assertThat(Exploration.dearness(knowledge, narrow)).isBetween(9.0, 16.0);
    double left = rested().visit(112, Exploration.dearness(knowledge, narrow)).allowance();
    assertThat(left).isLessThan(rested().visit(200, 1).allowance() - 3);
  }

  /** Larger sizes are left alone if even half of the best is surely not reached. */
  @Test
  void leavesCollapsesAlone() {
    Exploration exploration = rested();
    Knowledge knowledge = seen(8, 1, 2, 4, 8, 16, 32).with(SizeGrid.nearest(64), 10, 7, 0);
    assertThat(next(exploration, knowledge, 16)).isLessThanOrEqualTo(64);
  }

  /** A reading of a few completions is no collapse. */
  @Test
  void doubtfulCollapsesAreVisited() {
    Exploration exploration = rested();
    Knowledge knowledge = seen(8, 1, 2, 4, 8, 16, 32).with(SizeGrid.nearest(64), 0.02, 7, 0);
    assertThat(next(exploration, knowledge, 16)).isEqualTo(256);
  }

  /** A curve that is none of the shapes earns four times as much time for visits. */
  @Test
  void roughCurvesAreVisitedMoreOften() {
    Exploration usual = Exploration.NONE;
    Exploration rough = Exploration.NONE.withRoughness(1);
    for (int i = 0; i < 60; i++) {
      usual = usual.afterWindow(16, false, 0.5);
      rough = rough.afterWindow(16, false, 0.5);
    }
    assertThat(rough.allowance() / usual.allowance()).isBetween(3.5, 4.5);
  }

  /** Tasks of ten seconds: the way down would take a minute. */
  @Test
  void makesNoLongWayDown() {
    Exploration exploration = rested();
    Knowledge slow = seen(Math.log(10), 100, 128, 256);
    assertThat(next(exploration, slow, 100)).isBetween(100, 256);
    Knowledge fast = seen(Math.log(10_000), 100, 128, 256);
    assertThat(next(exploration, fast, 100)).isEqualTo(1);
  }

  @Test
  void aVisitEndsWithTheReturn() {
    Exploration exploration = rested().visit(200, 1);
    assertThat(exploration.afterWindow(200, false, 0.5).visiting()).isEqualTo(200);
    assertThat(exploration.afterWindow(16, true, 0.5).visiting()).as("on the way").isEqualTo(200);
    assertThat(exploration.afterWindow(16, false, 0.5).visiting()).isZero();
  }

  /** Each return that is in vain doubles the pause; a long way down takes as long as it takes. */
  @Test
  void returnsAreTheRarerTheMoreThereWere() {
    Exploration exploration = Exploration.NONE;
    assertThat(exploration.isReturnDue(0)).isFalse();
    exploration = after(exploration, 5);
    assertThat(exploration.isReturnDue(0)).isTrue();
    assertThat(exploration.isReturnDue(60)).as("a way down of a minute").isFalse();
    exploration = exploration.returnTo(SizeGrid.nearest(6));
    assertThat(exploration.visiting()).isEqualTo(6);
    assertThat(after(exploration, 9.5).isReturnDue(0)).isFalse();
    assertThat(after(exploration, 10).isReturnDue(0)).isTrue();
  }

  /** A return may take a minute; it leaves no debt that forbids visits for an hour. */
  @Test
  void aReturnLeavesNoDebt() {
    Exploration exploration = rested().returnTo(SizeGrid.nearest(6));
    for (int window = 0; window < 120; window++) {
      exploration = exploration.afterWindow(6, true, 0.5);
    }
    assertThat(exploration.allowance()).isGreaterThan(1);
  }

  private static Exploration after(Exploration before, double seconds) {
    return before.afterWindow(100, false, seconds);
  }

  private static Exploration rested() {
    return new Exploration(1, 0, 0, false, 0, 5, -1);
  }
}
