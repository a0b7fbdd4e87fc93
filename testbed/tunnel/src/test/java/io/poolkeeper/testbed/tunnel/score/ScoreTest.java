package io.poolkeeper.testbed.tunnel.score;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.poolkeeper.testbed.tunnel.course.Course;
import io.poolkeeper.testbed.tunnel.course.Demand;
import io.poolkeeper.testbed.tunnel.course.Stage;
import io.poolkeeper.testbed.tunnel.flight.Steps;
import io.poolkeeper.testbed.tunnel.flight.Trace;
import io.poolkeeper.testbed.tunnel.plant.Curve;
import io.poolkeeper.testbed.tunnel.plant.Plant;
import io.poolkeeper.testbed.tunnel.plant.TaskClass;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Scores of sizes over time that are written down by hand. */
final class ScoreTest {

  private static final Plant TEN =
      plant(new Curve(k -> k <= 10 ? 10 * k : Math.max(1, 100 - (k - 10))));
  private static final Plant FORTY = plant(new Curve(k -> 2.5 * Math.min(k, 40)));
  private static final Demand USERS = new Demand.Closed(200, 0);
  private static final Course STEADY = new Course(List.of(new Stage(240, TEN, USERS)));
  private static final Course CHANGING =
      new Course(List.of(new Stage(120, TEN, USERS), new Stage(120, FORTY, USERS)));

  private static Plant plant(Curve curve) {
    return new Plant("test", "", "", curve, 0.001, List.of(new TaskClass(1, 1)), "test");
  }

  /** A run whose sizes are pairs of a time and a size; its work is what they are worth. */
  private static Trace trace(Course course, double... timesAndSizes) {
    Steps.Builder builder = new Steps.Builder();
    for (int i = 0; i < timesAndSizes.length; i += 2) {
      builder.add(timesAndSizes[i], (int) timesAndSizes[i + 1]);
    }
    Steps steps = builder.build();
    double[] work = new double[course.seconds()];
    Arrays.setAll(
        work,
        second ->
            steps.integral(second, second + 1, course.optimum(course.stageAt(second))::throughput));
    return new Trace(work, steps, 1000, 0.5);
  }

  private static Trace best(Course course) {
    double[] steps = new double[2 * course.stages().size()];
    for (int stage = 0; stage < course.stages().size(); stage++) {
      steps[2 * stage] = course.start(stage);
      steps[2 * stage + 1] = course.optimum(stage).best();
    }
    return trace(course, steps);
  }

  private static Score score(Course course, double... timesAndSizes) {
    return Score.of(
        course, trace(course, timesAndSizes), best(course), trace(course, 0, course.bestFixed()));
  }

  @Test
  void theBestSizeScoresOne() {
    Score score = score(STEADY, 0, 10);
    assertThat(score.overall()).isEqualTo(1);
    assertThat(score.start()).isEqualTo(1);
    assertThat(score.steady()).isEqualTo(1);
    assertThat(score.worst()).isEqualTo(1);
    assertThat(score.threads()).isEqualTo(1);
    assertThat(score.reachStart()).isZero();
    assertThat(score.reachChange()).isNaN();
    assertThat(score.resizes()).isZero();
    assertThat(score.versusFixed()).isEqualTo(1);
  }

  @Test
  void aLateStartCostsItsTime() {
    Score score = score(STEADY, 0, 1, 30, 10);
    assertThat(score.start()).isCloseTo((30 * 0.1 + 30) / 60, within(1e-9));
    assertThat(score.overall()).isCloseTo((30 * 0.1 + 210) / 240, within(1e-9));
    assertThat(score.steady()).isEqualTo(1);
    // Five seconds from 30 s on are good, and no earlier five seconds are worth 95 %.
    assertThat(score.reachStart()).isEqualTo(30);
    assertThat(score.resizes()).isEqualTo(1);
  }

  @Test
  void tooManyThreadsAreCounted() {
    Score score = score(STEADY, 0, 10, 180, 30);
    assertThat(score.threads()).isCloseTo((180 * 10 + 60 * 30) / 2400.0, within(1e-9));
    assertThat(score.threadsSteady()).isCloseTo(2, within(1e-9));
    assertThat(score.steady()).isCloseTo(0.9, within(1e-9));
  }

  @Test
  void theWorstFiveSecondsAfterTheStartAreFound() {
    assertThat(score(STEADY, 0, 1, 50, 10).worst()).isEqualTo(1);
    assertThat(score(STEADY, 0, 10, 100, 5, 105, 10).worst()).isCloseTo(0.5, within(1e-9));
  }

  @Test
  void theSlowestChangeIsFound() {
    Score score = score(CHANGING, 0, 10, 145, 40);
    assertThat(score.reachStart()).isZero();
    assertThat(score.reachChange()).isEqualTo(25);
    assertThat(score(CHANGING, 0, 10).reachChange()).isInfinite();
  }

  @Test
  void adaptingBeatsTheBestFixedSize() {
    Score score = score(CHANGING, 0, 10, 120, 40);
    assertThat(score.overall()).isEqualTo(1);
    assertThat(score.versusFixed()).isCloseTo(CHANGING.headroom(), within(1e-9)).isGreaterThan(1.1);
    assertThat(score(CHANGING, 0, CHANGING.bestFixed()).versusFixed()).isEqualTo(1);
  }

  @Test
  void aBacklogThatIsWorkedOffCountsNoMoreThanTheOptimum() {
    Trace best = best(STEADY);
    double[] more = new double[240];
    Arrays.fill(more, 120);
    Trace run = new Trace(more, best.sizes(), 1, 1);
    assertThat(Score.of(STEADY, run, best, best).overall()).isEqualTo(1);
  }

  @Test
  void cyclesAreMeasuredInStepsOfTheGrid() {
    double[] wide = new double[80];
    double[] narrow = new double[80];
    for (int i = 0; i < 40; i++) {
      wide[2 * i] = 6 * i;
      wide[2 * i + 1] = i % 2 == 0 ? 8 : 16;
      narrow[2 * i] = 6 * i;
      narrow[2 * i + 1] = i % 2 == 0 ? 10 : 11;
    }
    assertThat(score(STEADY, wide).cycle()).isEqualTo(2);
    assertThat(score(STEADY, narrow).cycle()).isZero();
    // Once up and once down is a search, not a cycle.
    assertThat(score(STEADY, 0, 10, 150, 64, 160, 10).cycle()).isZero();
  }

  @Test
  void positionsOnTheGridAreLinearBetweenItsSizes() {
    assertThat(Swings.position(1)).isZero();
    assertThat(Swings.position(2)).isEqualTo(1);
    assertThat(Swings.position(5)).isEqualTo(3.5);
    assertThat(Swings.position(256)).isEqualTo(15);
  }
}
