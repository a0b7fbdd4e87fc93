package io.poolkeeper.controllers;

import static org.assertj.core.api.Assertions.assertThat;

import io.poolkeeper.Objective;
import io.poolkeeper.TimeStats;
import io.poolkeeper.Window;
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
  void costsHalfAHundredthOfTheTime() {
    Knowledge knowledge = seen(8, 1, 2, 4, 8, 16, 32);
    Exploration exploration = Exploration.NONE.of(0, 3600);
    int away = 0;
    int windows = 0;
    while (windows < 4000) {
      int length = 1;
      if (next(exploration, knowledge, 16) > 0) {
        exploration = exploration.visit(256);
        length = 3;
      }
      for (int i = 0; i < length; i++) {
        exploration = exploration.afterWindow(length == 1 ? 16 : 256, false, 0.5);
      }
      away += length == 1 ? 0 : length;
      windows += length;
    }
    assertThat((double) away / windows).isBetween(0.003, 0.007);
  }

  /** Of two gaps at the same reward the wider one is visited. */
  @Test
  void goesToTheLeastKnownSize() {
    Knowledge gaps = seen(8, 16, 19, 22, 26, 32, 64, 76, 92);
    assertThat(next(rested(), gaps, 32)).as("four doublings below").isEqualTo(1);
    Knowledge knowledge = seen(8, 16, 19, 22, 26, 32, 64, 76, 92, 108, 128, 152, 184, 216, 256);
    for (int size = 1; size < 16; size++) {
      knowledge = knowledge.with(SizeGrid.nearest(size), 10, 7, 0);
    }
    assertThat(next(rested(), knowledge, 32)).isEqualTo(46);
  }

  /** A size between two that make an eighth of the best is not visited, however little is known. */
  @Test
  void leavesSizesAloneThatCannotBeBetter() {
    Knowledge knowledge = seen(8, 14, 16, 19, 22);
    for (int size : new int[] {1, 2, 4, 8}) {
      knowledge = knowledge.with(SizeGrid.nearest(size), 10, 6, 0);
    }
    int last = SizeGrid.nearest(22);
    int place = SizeGrid.nearest(16);
    CurvePosterior posterior = knowledge.posterior();
    assertThat(rested().next(posterior, knowledge, PLACES, 0, last, place)).isEqualTo(-1);
  }

  /** A visit lasts until the size is known to be worse, or its time is spent. */
  @Test
  void goesOnWhileTheSizeMayBeBetter() {
    Knowledge knowledge = seen(8, 1, 2, 4, 8, 16, 32);
    int best = SizeGrid.nearest(16);
    int visited = SizeGrid.nearest(76);
    Exploration visit = rested().visit(76);
    CurvePosterior doubtful = knowledge.with(visited, 0.1, 7.9, visited).posterior();
    CurvePosterior sure = knowledge.with(visited, 20, 7.7, visited).posterior();
    assertThat(visit.continues(doubtful, 76, best)).isTrue();
    assertThat(visit.continues(sure, 76, best)).isFalse();
    assertThat(visit.continues(doubtful, 64, best)).as("another size").isFalse();
    assertThat(after(visit, 0).continues(doubtful, 76, best)).as("over").isFalse();
    Exploration spent = visit.afterWindow(76, false, 2);
    assertThat(spent.continues(doubtful, 76, best)).as("no time left").isFalse();
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

  private static double earned(Exploration exploration) {
    return exploration.afterWindow(16, false, 10).allowance();
  }

  @Test
  void roughCurvesAndNewWorkAreVisitedMoreOften() {
    double usual = earned(Exploration.NONE.of(0, 3600));
    assertThat(earned(Exploration.NONE.of(1, 3600)) / usual).isBetween(2.9, 3.1);
    assertThat(earned(Exploration.NONE.of(0, 60)) / usual).isBetween(4.5, 5.0);
    assertThat(earned(Exploration.NONE) / usual).isBetween(10.9, 11.1);
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
    Exploration exploration = rested().visit(200);
    assertThat(exploration.afterWindow(200, false, 0.5).visiting()).isEqualTo(200);
    assertThat(exploration.afterWindow(16, true, 0.5).visiting()).as("on the way").isEqualTo(200);
    assertThat(exploration.afterWindow(16, false, 0.5).visiting()).isZero();
  }

  /** Each return that is in vain doubles the pause; a long way down takes as long as it takes. */
  @Test
  void returnsAreTheRarerTheMoreThereWere() {
    Exploration exploration = Exploration.NONE;
    assertThat(exploration.isReturnDue(0, false)).isFalse();
    exploration = after(exploration, 5);
    assertThat(exploration.isReturnDue(0, false)).isTrue();
    assertThat(exploration.isReturnDue(60, false)).as("a way down of a minute").isFalse();
    exploration = exploration.returnTo(SizeGrid.nearest(6), Exploration.Rest.NONE);
    assertThat(exploration.visiting()).isEqualTo(6);
    assertThat(after(exploration, 9.5).isReturnDue(0, false)).isFalse();
    assertThat(after(exploration, 10).isReturnDue(0, false)).isTrue();
  }

  /** The reward of a place moves by other work; that of another place is another matter. */
  @Test
  void aRewardThatMovedIsNoticedWhereThePoolRested() {
    Exploration exploration = rested().settledAt(new Exploration.Rest(40, 6));
    assertThat(exploration.settledAt(new Exploration.Rest(40, 5)).rest().level())
        .as("the level from which it moves away")
        .isEqualTo(6);
    assertThat(exploration.hasMoved(new Exploration.Rest(40, 5.9), 0.01)).isFalse();
    assertThat(exploration.hasMoved(new Exploration.Rest(40, 5.8), 0.01)).isTrue();
    assertThat(exploration.hasMoved(new Exploration.Rest(40, 5.8), 0.2)).as("noise").isFalse();
    assertThat(exploration.hasMoved(new Exploration.Rest(41, 5.8), 0.01)).isFalse();
  }

  /** Returns in vain tell nothing about other work. */
  @Test
  void aRewardThatMovedNeedNotWaitForThePauseBetweenReturns() {
    Exploration exploration = rested().returnTo(SizeGrid.nearest(6), Exploration.Rest.NONE);
    assertThat(after(exploration, 5).isReturnDue(0, false)).isFalse();
    assertThat(after(exploration, 5).isReturnDue(0, true)).isTrue();
    assertThat(after(exploration, 4).isReturnDue(0, true)).isFalse();
  }

  /** A return may take a minute; it leaves no debt that forbids visits for an hour. */
  @Test
  void aReturnLeavesNoDebt() {
    Exploration exploration = rested().returnTo(SizeGrid.nearest(6), Exploration.Rest.NONE);
    for (int window = 0; window < 120; window++) {
      exploration = exploration.afterWindow(6, true, 0.5);
    }
    assertThat(exploration.allowance()).isGreaterThan(1);
  }

  @Test
  void aLookTellsOnlyIfFarMoreOrLessIsDone() {
    Exploration look = look(100);
    assertThat(look.looking()).isEqualTo(32);
    assertThat(isVague(look, 64, 133)).as("a third more").isFalse();
    assertThat(isVague(look, 64, 120)).as("a fifth more").isTrue();
    assertThat(isVague(look, 64, 95)).as("less").isFalse();
    assertThat(isVague(look, 32, 105)).as("not there yet").isFalse();
    assertThat(isVague(after(look, 1), 64, 120)).as("elsewhere").isFalse();
    assertThat(isVague(look.withoutLook(), 64, 120)).as("it told something").isFalse();
  }

  @Test
  void aLookGoesOnWhileLongTasksFromBeforeItMayCount() {
    Exploration look = look(100);
    assertThat(look.looksOn(window(64, 1600), 0.5)).as("short tasks").isFalse();
    assertThat(look.afterWindow(64, false, 0.5).looksOn(window(64, 160), 0.5)).isTrue();
    assertThat(look.afterWindow(64, false, 1.2).looksOn(window(64, 160), 0.5)).isFalse();
  }

  @Test
  void knowledgeOfLargerSizesIsOutdatedOnceTheLevelHasMoved() {
    Knowledge knowledge = seen(0, 16, 32, 64).shifted(-0.2);
    int place = SizeGrid.nearest(32);
    assertThat(knowledge.isOutdatedAbove(place, 0.15)).isTrue();
    assertThat(knowledge.isOutdatedAbove(place, 0.25)).as("a smaller movement").isFalse();
    Knowledge renewed = knowledge.with(SizeGrid.nearest(64), 1, 0, 0);
    assertThat(renewed.isOutdatedAbove(place, 0.15)).as("seen since").isFalse();
    assertThat(knowledge.isOutdatedAbove(SizeGrid.nearest(64), 0.15)).as("none above").isFalse();
  }

  private static Exploration look(double rate) {
    Exploration.Rest rest = new Exploration.Rest(SizeGrid.nearest(32), Math.log(rate));
    return rested().lookAt(SizeGrid.nearest(64), rest, 32);
  }

  private static boolean isVague(Exploration look, int size, double rate) {
    return look.isVague(window(size, rate), Math.log(rate));
  }

  private static Observation window(int size, double rate) {
    long completions = Math.round(rate / 2);
    long nanos = Math.round(size / rate * 1e9);
    TimeStats times =
        new TimeStats(completions, completions * nanos, nanos, nanos, nanos, nanos, nanos, nanos);
    Window window =
        Window.builder(0, 500_000_000L, size)
            .busy(size)
            .queue(100, 100)
            .arrivals(completions)
            .completions(completions)
            .times(TimeStats.EMPTY, times, times)
            .build();
    return Observation.of(window, Objective.throughput()).orElseThrow();
  }

  private static Exploration after(Exploration before, double seconds) {
    return before.afterWindow(100, false, seconds);
  }

  private static Exploration rested() {
    return new Exploration(1, 0, 0, 0, false, 0, 5, -1, Exploration.Rest.NONE, 0);
  }
}
