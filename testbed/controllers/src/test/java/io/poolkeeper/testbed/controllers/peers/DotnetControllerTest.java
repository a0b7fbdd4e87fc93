package io.poolkeeper.testbed.controllers.peers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.poolkeeper.Decision;
import io.poolkeeper.Window;
import io.poolkeeper.testkit.WindowBuilder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntToDoubleFunction;
import org.junit.jupiter.api.Test;

/** Worked out by hand from the formulas of the class comment. */
final class DotnetControllerTest {

  private final DotnetController controller = new DotnetController(4, 1);

  private static Window window(int size, long completions, Duration length) {
    return WindowBuilder.ofSize(size).lasting(length).completions(completions).response(5).build();
  }

  /** Nine samples of 1 s, the size always as asked; the k-th ends what the function says. */
  private List<Decision> nineSamples(int start, IntToDoubleFunction more, long cpu) {
    List<Decision> decisions = new ArrayList<>();
    int size = start;
    for (int k = 0; k < 9; k++) {
      Window plain =
          window(size, Math.round(1e6 * size + more.applyAsDouble(k)), Duration.ofSeconds(1));
      Decision decision = controller.decide(Windows.withProcessCpu(plain, cpu));
      decisions.add(decision);
      size = decision.size();
    }
    return decisions;
  }

  /**
   * A throughput in proportion to the size: T = N, no error. Re ratio = 1 - 0.15, confidence at
   * least 1, move = 0.85^2 * 4 * 1 s = 2.89.
   */
  @Test
  void climbsWhereTheThroughputFollowsTheWave() {
    List<Decision> decisions = nineSamples(10, k -> 0, Window.NOT_MEASURED);
    assertThat(decisions)
        .extracting(Decision::size)
        .containsExactly(10, 11, 11, 10, 10, 11, 11, 10, 12);
    Decision last = decisions.get(8);
    assertThat(last.numbers().get("ratio")).isCloseTo(0.85, within(1e-9));
    assertThat(last.numbers().get("move")).isCloseTo(2.89, within(1e-9));
    assertThat(last.numbers().get("setting")).isCloseTo(12.89, within(1e-9));
    assertThat(last.reason()).contains("0.85 above the target", "setting 12.89");
  }

  /**
   * The same with a swing of period 8 in the throughput. |N| = sqrt(2) / 4 / 10.5 = 0.033672; the
   * swing of amplitude 471405 gives an error of 471405 / 2 / 10.5e6 = 0.022448; confidence =
   * 0.033672 / 0.022448 / 3 = 0.5; move = (0.85 * 0.5)^2 * 4 = 0.7225.
   */
  @Test
  void noiseTakesConfidence() {
    List<Decision> decisions =
        nineSamples(
            10, k -> 1e6 * Math.sqrt(2) / 3 * Math.cos(2 * Math.PI * k / 8), Window.NOT_MEASURED);
    Decision last = decisions.get(8);
    assertThat(last.numbers().get("confidence")).isCloseTo(0.5, within(1e-3));
    assertThat(last.numbers().get("noise")).isCloseTo(0.022_448, within(1e-5));
    assertThat(last.numbers().get("move")).isCloseTo(0.7225, within(2e-3));
  }

  /** A throughput that the size does not change: ratio = -0.15, move = -0.15^2 * 4 = -0.09. */
  @Test
  void comesDownSlowlyWhereTheWaveChangesNothing() {
    Decision last = controller.decide(window(10, 10_000, Duration.ofSeconds(1)));
    for (int k = 1; k < 9; k++) {
      last = controller.decide(window(last.size(), 10_000, Duration.ofSeconds(1)));
    }
    assertThat(last.numbers().get("ratio")).isCloseTo(-0.15, within(1e-9));
    assertThat(last.numbers().get("move")).isCloseTo(-0.09, within(1e-9));
  }

  @Test
  void doesNotGrowAbove95PercentCpu() {
    Decision last = nineSamples(10, k -> 0, Duration.ofMillis(3900).toNanos()).get(8);
    assertThat(last.numbers().get("move")).isZero();
    assertThat(last.size()).isEqualTo(10);
    assertThat(last.reason()).startsWith("no growth at 98 % CPU");
  }

  @Test
  void closesASampleAfter10To200Milliseconds() {
    int windows = 1;
    while (controller
        .decide(window(2, 100, Duration.ofMillis(5)))
        .reason()
        .startsWith("the sample is open")) {
      windows++;
    }
    assertThat(windows).isBetween(2, 40);
  }

  /** 49 / 400 is the first below 0.15. */
  @Test
  void keepsASampleOpenUntilItHoldsEnoughTasks() {
    List<String> reasons = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      reasons.add(controller.decide(window(50, 100, Duration.ofSeconds(1))).reason());
    }
    assertThat(reasons.subList(0, 3)).allMatch(reason -> reason.contains("too few for 50 workers"));
    assertThat(reasons.get(3)).contains("setting 50.00");
  }

  @Test
  void addsAWorkerForEvery500MillisecondsOfStarvation() {
    Window stuck = WindowBuilder.ofSize(8).lasting(Duration.ofMillis(200)).queue(5, 5).build();
    assertThat(controller.decide(stuck).size()).isEqualTo(8);
    assertThat(controller.decide(stuck).size()).isEqualTo(8);
    Decision third = controller.decide(stuck);
    assertThat(third.size()).isEqualTo(9);
    assertThat(third.reason()).startsWith("starvation");
    Window longer = WindowBuilder.ofSize(9).lasting(Duration.ofSeconds(1)).queue(5, 5).build();
    assertThat(controller.decide(longer).size()).as("100 ms are left over").isEqualTo(11);
  }

  @Test
  void aSizeThatSomebodyElseChoseMovesTheSetting() {
    assertThat(controller.decide(window(10, 1000, Duration.ofSeconds(1))).numbers().get("setting"))
        .isEqualTo(10);
    assertThat(controller.decide(window(30, 1000, Duration.ofSeconds(1))).numbers().get("setting"))
        .isEqualTo(30);
  }
}
