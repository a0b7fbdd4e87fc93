package io.poolkeeper.controllers;

import static org.assertj.core.api.Assertions.assertThat;

import io.poolkeeper.Objective;
import io.poolkeeper.Window;
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
    Descent first = Descent.NONE.begun().inVain();
    assertThat(first.afterSeconds(59).allowed()).isFalse();
    assertThat(first.afterSeconds(60).allowed()).isTrue();
    Descent second = first.afterSeconds(60).begun().inVain();
    assertThat(second.afterSeconds(119).allowed()).isFalse();
    assertThat(second.afterSeconds(120).allowed()).isTrue();
    assertThat(second.afterSeconds(120).begun().proved()).isEqualTo(Descent.NONE);
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
    assertThat(Descent.NONE.begun().allowed()).isFalse();
  }
}
