package io.poolkeeper.controllers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.poolkeeper.Objective;
import io.poolkeeper.Window;
import io.poolkeeper.controllers.curves.SizeGrid;
import java.util.concurrent.TimeUnit;
import java.util.function.IntToDoubleFunction;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A pool of many workers whose reward falls deep, under 200 closed users. */
final class DescentTest {

  private static final long HALF_SECOND = TimeUnit.MILLISECONDS.toNanos(500);
  private static final int USERS = 200;
  private static final int PROCESSORS = 2;
  private static final int SAFE = CollapseGuard.safe(PROCESSORS);

  /** Calls of 0.4 s that do not hinder each other. */
  private static double calls(int workers) {
    return workers / 0.4;
  }

  /** Work that fills the machine beyond 32 workers. */
  private static double heavy(int workers) {
    return workers <= 32
        ? 225.0 * workers / (workers + 4)
        : Math.max(20, 200 - 6.0 * (workers - 32));
  }

  private ResponseCurveController controller =
      new ResponseCurveController(Objective.throughput(), 0.03, PROCESSORS);
  private long now;
  private int window;
  private int size = 10;

  /** Workers that start in a window. */
  private int pace = USERS;

  /** Lets a window pass in which so many workers are busy, and returns the next size. */
  private int decide(double perSecond, int busy) {
    double noise = 1 + 0.03 * Math.sin(window++ * 2.4);
    long completions = Math.round(perSecond * noise / 2);
    int wanted =
        controller
            .decide(
                Window.builder(now, now + HALF_SECOND, size)
                    .busy(busy)
                    .queue(USERS - busy, USERS - busy)
                    .arrivals(completions)
                    .completions(completions)
                    .build())
            .size();
    now += HALF_SECOND;
    size = Math.min(wanted, size + pace);
    return wanted;
  }

  private int decide(IntToDoubleFunction work) {
    int busy = Math.min(size, USERS);
    return decide(work.applyAsDouble(busy), busy);
  }

  @BeforeEach
  void callsNeedAllUsers() {
    for (int each = 0; each < 120; each++) {
      decide(DescentTest::calls);
    }
    awaitAll();
  }

  private void awaitAll() {
    for (int each = 0; each < 20 && size < USERS; each++) {
      decide(DescentTest::calls);
    }
    assertThat(size).isGreaterThanOrEqualTo(USERS);
  }

  @Test
  void beginsWithTheFirstBadWindow() {
    assertThat(decide(DescentTest::heavy)).isEqualTo(SAFE);
  }

  @Test
  void showsOtherWorkThatIsThenLearned() {
    for (int each = 0; each < 12; each++) {
      decide(DescentTest::heavy);
    }
    double work = 0;
    for (int each = 0; each < 20; each++) {
      work += heavy(Math.min(size, USERS));
      decide(DescentTest::heavy);
    }
    assertThat(work / 20).isGreaterThan(150);
  }

  /** Tasks of before end slowly; what they show is no evidence about the smaller size. */
  @Test
  void goesOnUntilTheWorkersAreFree() {
    decide(DescentTest::heavy);
    for (int busy = USERS; busy > SAFE + 1; busy -= 8) {
      assertThat(decide(20, busy)).isEqualTo(SAFE);
    }
  }

  /** So that the new work need not try them all again. */
  @Test
  void tellsWhatManyWorkersDid() {
    Descent descent = Descent.NONE.begun(USERS);
    for (int busy = 190; busy > SAFE; busy -= 10) {
      descent = descent.with(draining(busy, 10));
    }
    Knowledge knowledge = descent.addTo(Knowledge.NONE, Noise.INITIAL);
    assertThat(knowledge.evidence()).hasSize(1);
    Evidence evidence = knowledge.evidence().get(0);
    assertThat(SizeGrid.size(evidence.index())).as("190 to 110 workers").isBetween(140, 160);
    assertThat(Math.exp(evidence.level())).isCloseTo(20, within(0.1));
    assertThat(evidence.weight()).as("of less weight than a window").isLessThan(0.2);

    assertThat(descent.proved().addTo(Knowledge.NONE, Noise.INITIAL)).isEqualTo(Knowledge.NONE);
    Descent few = Descent.NONE.begun(USERS).with(draining(190, 2));
    assertThat(few.addTo(Knowledge.NONE, Noise.INITIAL)).isEqualTo(Knowledge.NONE);
    assertThat(Descent.NONE.with(draining(190, 10))).isEqualTo(Descent.NONE);
  }

  private static Observation draining(double busy, int ended) {
    double waiting = USERS - busy;
    return new Observation(
        0.5, SAFE, busy, waiting, waiting, ended, 0, ended, ended, 2.0 * ended, 0);
  }

  /** Other work that does two thirds as much may be known by nothing but that. */
  @Test
  void smallSizesAreTriedAfterAFallThatIsNoSurprise() {
    IntToDoubleFunction other =
        workers -> workers <= 16 ? 50.0 * workers : Math.max(330, 830 - 7.0 * workers);
    double factor = 1;
    double work = 0;
    for (int each = 0; each < 80; each++) {
      factor *= 0.97;
      int busy = Math.min(size, USERS);
      double rest = busy > 100 ? factor * calls(busy) : 0;
      double perSecond = Math.max(rest, other.applyAsDouble(busy));
      work += each < 60 ? 0 : perSecond;
      decide(perSecond, busy);
    }
    assertThat(work / 20).isGreaterThan(650);
  }

  /** If the work is what it was, only slower, the look costs little and is not repeated. */
  @Test
  void callsThatBecomeSlowerCostOneLook() {
    int looks = 0;
    double factor = 1;
    for (int each = 0; each < 240; each++) {
      factor = Math.max(0.6, 0.97 * factor);
      double slower = factor;
      decide(workers -> slower * calls(workers));
      looks += size <= SAFE ? 1 : 0;
    }
    assertThat(looks).isBetween(1, 3);
    assertThat(size).isGreaterThanOrEqualTo(USERS - 16);
  }

  @Test
  void costsAStallAFewWindows() {
    assertThat(decide(workers -> 40.0)).isEqualTo(SAFE);
    decide(DescentTest::calls);
    decide(DescentTest::calls);
    assertThat(decide(DescentTest::calls)).isGreaterThanOrEqualTo(184);
  }

  @Test
  void doesNotFollowEachStallOfMany() {
    decide(workers -> 40.0);
    awaitAll();
    for (int each = 0; each < 20; each++) {
      decide(DescentTest::calls);
    }
    awaitAll();
    int before = size;
    assertThat(decide(workers -> 40.0)).isEqualTo(before);
  }

  @Test
  void isAllowedAgainAfterAPauseThatDoubles() {
    Descent first = Descent.NONE.begun(USERS).inVain();
    assertThat(first.afterSeconds(59).allowed()).isFalse();
    assertThat(first.afterSeconds(60).allowed()).isTrue();
    Descent second = first.afterSeconds(60).begun(USERS).inVain();
    assertThat(second.afterSeconds(119).allowed()).isFalse();
    assertThat(second.afterSeconds(120).allowed()).isTrue();
    assertThat(second.afterSeconds(120).begun(USERS).proved()).isEqualTo(Descent.NONE);
    assertThat(second.proved()).isEqualTo(second);
    assertThat(Descent.NONE.inVain()).isEqualTo(Descent.NONE);
  }

  /** Such as one of connections, which are opened one after the other. */
  @Test
  void isNotForAPoolThatGrowsSlowly() {
    controller = new ResponseCurveController(Objective.throughput(), 0.03, PROCESSORS);
    size = 10;
    pace = 4;
    for (int each = 0; each < 240; each++) {
      decide(DescentTest::calls);
    }
    int before = size;
    assertThat(before).isGreaterThan(2 * SAFE);
    assertThat(decide(DescentTest::heavy)).isEqualTo(before);
  }

  @Test
  void isOneAtATime() {
    assertThat(Descent.NONE.allowed()).isTrue();
    assertThat(Descent.NONE.begun(USERS).allowed()).isFalse();
  }
}
