package io.poolkeeper.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.poolkeeper.Controller;
import io.poolkeeper.Controllers;
import io.poolkeeper.Objective;
import io.poolkeeper.controllers.ResponseCurveController;
import java.util.Map;
import java.util.function.IntToDoubleFunction;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/**
 * Curves that real systems have and that no smooth prior expects. The score counts ten minutes,
 * from one worker on, all exploration included, with noise of 8 %; two seeds each.
 */
final class AwkwardCurvesTest {

  private static final int USERS = 300;

  private static final Map<String, IntToDoubleFunction> CURVES =
      Map.of(
          "cliff",
          AwkwardCurvesTest::cliff,
          "valley",
          n -> n < 4 ? 100 - 40.0 * (n - 1) / 3 : Math.min(300, 60 + 240.0 * (n - 4) / 28),
          "stairs",
          n -> n < 10 ? 50 : n < 20 ? 100 : n < 40 ? 170 : n < 80 ? 230 : 300,
          "two humps",
          n -> 200 * bump(n, 5, 0.3) + 300 * bump(n, 60, 0.3) + 20,
          "dip",
          n -> 300 * Math.min(1, n / 40.0) * (1 - 0.7 * bump(n, 12, 0.05)),
          "spike",
          n -> 100 + 200 * bump(n, 24, 0.02),
          "one",
          n -> 300 / Math.sqrt(n),
          "plateau",
          n -> 300 * Math.min(1, n / 64.0),
          "far",
          n -> 300 * Math.min(1, n / 200.0));

  private static double cliff(int n) {
    return n <= 37 ? 300.0 * n / 37 : 90;
  }

  private static double bump(int n, double at, double width) {
    return Math.exp(-Math.pow(Math.log(n / at), 2) / width);
  }

  private static double score(Supplier<Controller> made, IntToDoubleFunction curve) {
    double sum = 0;
    for (int seed = 0; seed < 2; seed++) {
      sum += new Course(made.get(), seed).run(600, USERS, curve).score();
    }
    return sum / 2;
  }

  /** Healthy 0.97 on average, and least on the cliff, 0.85; broken 0.28 there. */
  @Test
  void findsTheBestSizeOfEach() {
    double sum = 0;
    for (Map.Entry<String, IntToDoubleFunction> each : CURVES.entrySet()) {
      double score =
          score(
              () -> new ResponseCurveController(Objective.throughput(), 0.03, 2), each.getValue());
      assertThat(score).as(each.getKey()).isGreaterThan(0.8);
      sum += score;
    }
    assertThat(sum / CURVES.size()).isGreaterThan(0.95);
    assertThat(score(Controllers::throughput, AwkwardCurvesTest::cliff)).isLessThan(0.8);
  }
}
