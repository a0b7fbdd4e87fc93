package io.poolkeeper.testbed.controllers.peers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.poolkeeper.Decision;
import io.poolkeeper.TimeStats;
import io.poolkeeper.Window;
import io.poolkeeper.testkit.WindowBuilder;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Worked out by hand from the formulas of the class comment. */
final class EnvoyControllerTest {

  private final EnvoyController controller = new EnvoyController(1000);

  private Decision decide(int size, long tasks, double millis) {
    Window window =
        WindowBuilder.ofSize(size)
            .lasting(Duration.ofSeconds(1))
            .completions(tasks)
            .response(millis)
            .build();
    assertThat(window.serviceTime().count()).isEqualTo(tasks);
    return controller.decide(window);
  }

  /**
   * 10 * 1.25 = 12.5, + 3.5355 = 16.0355; then 16.0355 * 0.5 = 8.0178, + 2.8316 = 10.8493; then,
   * held at a half, 5.4247 + 2.3291 = 7.7538.
   */
  @Test
  void multipliesByTheGradientAndAddsARoot() {
    assertThat(decide(10, 100, 80).size()).as("down to measure").isEqualTo(3);
    assertThat(decide(3, 30, 10).size()).isEqualTo(3);
    Decision measured = decide(3, 20, 10);
    assertThat(measured.size()).as("back").isEqualTo(10);
    assertThat(measured.numbers().get("minimum")).isEqualTo(10e6);
    Decision up = decide(10, 100, 10);
    assertThat(up.numbers().get("limit")).isCloseTo(16.035_534, within(1e-6));
    assertThat(up.size()).isEqualTo(16);
    Decision down = decide(16, 100, 25);
    assertThat(down.numbers().get("gradient")).isEqualTo(0.5);
    assertThat(down.numbers().get("limit")).isCloseTo(10.849_333, within(1e-6));
    assertThat(decide(10, 100, 100).numbers().get("limit")).isCloseTo(7.753_8, within(1e-4));
  }

  @Test
  void theMinimumIsTheMeanOfMediansByTasks() {
    decide(10, 100, 80);
    decide(3, 40, 10);
    assertThat(decide(3, 40, 20).numbers().get("minimum")).isEqualTo(15e6);
  }

  @Test
  void measuresAgainAfterAMinute() {
    decide(10, 100, 80);
    int size = decide(3, 60, 10).size();
    for (int second = 1; second < 60; second++) {
      Decision decision = decide(size, 100, 12.5 * size / 10);
      assertThat(decision.reason()).startsWith("median");
      size = decision.size();
    }
    assertThat(decide(size, 100, 10).size()).isEqualTo(3);
  }

  @Test
  void goesOnFromTheSizeThatIsInForce() {
    decide(10, 100, 80);
    decide(3, 60, 10);
    assertThat(decide(10, 100, 10).size()).isEqualTo(16);
    assertThat(decide(12, 100, 10).numbers().get("limit"))
        .as("the bound was 12: 15 and its root")
        .isCloseTo(15 + Math.sqrt(15), within(1e-9));
  }

  @Test
  void aWindowWithoutTimesChangesNothing() {
    Window untimed = WindowBuilder.ofSize(7).completions(5).response(0).build();
    assertThat(untimed.serviceTime().p50()).isZero();
    assertThat(TimeStats.EMPTY.p50()).isZero();
    assertThat(controller.decide(untimed).size()).isEqualTo(7);
  }
}
