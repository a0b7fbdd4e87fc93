package io.poolkeeper.controllers;

import static org.assertj.core.api.Assertions.assertThat;

import io.poolkeeper.Decision;
import io.poolkeeper.Objective;
import io.poolkeeper.TimeStats;
import io.poolkeeper.Window;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Windows in which a load begins or ends: 100 users who ask all at once. */
final class BeginningLoadTest {

  private static final long HALF_SECOND = TimeUnit.MILLISECONDS.toNanos(500);
  private static final int USERS = 100;

  /** More do no more: 40 at once are served in 50 ms. */
  private static final int USEFUL = 40;

  private final ResponseCurveController controller =
      new ResponseCurveController(Objective.throughput(), 0.03, 2);
  private long now;
  private int size = 16;

  private Decision decide(Window.Builder window) {
    Decision decision = controller.decide(window.build());
    size = decision.size();
    return decision;
  }

  private Window.Builder next() {
    long start = now;
    now += HALF_SECOND;
    return Window.builder(start, now, size);
  }

  private void work(int windows) {
    for (int i = 0; i < windows; i++) {
      int done = 10 * Math.min(size, USEFUL) + i % 3;
      int busy = Math.min(size, USERS);
      decide(next().busy(busy).queue(USERS - busy, USERS).arrivals(done).completions(done));
    }
  }

  private void pause() {
    for (int i = 0; i < 12; i++) {
      decide(next());
    }
  }

  private Decision begin(double part, int completions) {
    int arrivals = USERS + completions;
    return decide(
        next()
            .busy(part * size)
            .queue(part * (USERS - size), USERS - size)
            .arrivals(arrivals)
            .completions(completions));
  }

  /** A mean of one busy worker was taken for the demand, and the pool went down to 3. */
  @ParameterizedTest
  @ValueSource(doubles = {0.02, 0.1, 0.2})
  void aPoolGoesBackToItsSizeAtOnce(double part) {
    work(120);
    int found = size;
    pause();
    assertThat(size).as("at rest").isLessThan(found);
    Decision decision = begin(part, 1);
    assertThat(decision.size()).as(decision.reason()).isBetween(30, 60);
    assertThat(decision.reason()).contains("100 tasks wait or run, of which most have just come");
  }

  @Test
  void aPoolThatKnowsNothingKeepsItsSizeWhereTheProcessorsMayBeBusy() {
    assertThat(begin(0.05, 0).size()).isEqualTo(16);
  }

  /** Tasks of a second had to wait until the first had ended, and then for trials. */
  @ParameterizedTest
  @ValueSource(doubles = {0.1, 0.5, 0.9})
  void aPoolThatKnowsNothingMakesRoomWhereTheProcessorsIdle(double part) {
    pause();
    Window.Builder window =
        next()
            .busy(part * size)
            .queue(part * (USERS - size), USERS - size)
            .arrivals(USERS)
            .cpu(1_000_000, 5_000_000);
    assertThat(decide(window).size()).isEqualTo(4 * 16);
  }

  /** Neither is the pool at capacity by its means, nor did most workers idle. */
  @Test
  void aPoolWhoseTasksComeInTheMiddleOfAWindowGoesBackToItsSizeToo() {
    work(120);
    pause();
    Decision decision = begin(0.4, 0);
    assertThat(decision.size()).as(decision.reason()).isBetween(30, 60);
  }

  /** Four busy workers seemed to do what 100 had done, and a single one was tried. */
  @Test
  void tasksOfBeforeAreNotTheWorkOfThoseWhoAreLeft() {
    work(120);
    Knowledge before = controller.state().knowledge();
    Decision decision =
        decide(
            next()
                .busy(2)
                .completions(size)
                .arrivals(0)
                .times(TimeStats.EMPTY, ofTwoSeconds(size), ofTwoSeconds(size)));
    assertThat(decision.size()).as(decision.reason()).isEqualTo(size);
    assertThat(decision.reason()).contains("tasks ended on which workers had spent more time");
    assertThat(controller.state().knowledge().evidence()).isEqualTo(before.evidence());
  }

  private static TimeStats ofTwoSeconds(int count) {
    long time = TimeUnit.SECONDS.toNanos(2);
    return new TimeStats(count, time, time, time, time, time, time, time);
  }

  /** Else the first of many users would look like a change of the work. */
  @Test
  void nothingIsLearned() {
    work(120);
    pause();
    Knowledge before = controller.state().knowledge();
    begin(0.05, 1);
    assertThat(controller.state().knowledge().evidence()).isEqualTo(before.evidence());
  }
}
