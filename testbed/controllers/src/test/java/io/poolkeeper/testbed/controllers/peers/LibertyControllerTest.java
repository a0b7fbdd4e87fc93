package io.poolkeeper.testbed.controllers.peers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.poolkeeper.Decision;
import io.poolkeeper.Window;
import io.poolkeeper.testbed.controllers.peers.LibertyController.Row;
import io.poolkeeper.testbed.controllers.peers.LibertyController.State;
import io.poolkeeper.testkit.WindowBuilder;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Worked out by hand from the formulas of the class comment. */
final class LibertyControllerTest {

  private static final LibertyController FRESH = new LibertyController(4, 4, 1);

  /** An interval of 1.5 s in one window. */
  private static Window interval(int size, int throughput) {
    return WindowBuilder.ofSize(size)
        .lasting(Duration.ofMillis(1500))
        .completions(throughput * 3L / 2)
        .response(5)
        .build();
  }

  private static LibertyController knowing(int quiet, Row... rows) {
    return FRESH.resume(new State(List.of(rows), 0, 0, 0, quiet, 0, 0));
  }

  /**
   * Size 4 gave 100 and gives 100. Size 8 gave 120 with a deviation of 10: it beats 100 with
   * probability Phi(2) = 0.97725. Then it gives 90: mean = 120 - 0.2 * 30 = 114, variance = 0.8
   * (100 + 0.2 * 900) = 224.
   */
  @Test
  void growsWhereLargerSizesAreLikelyToBeatTheForecast() {
    LibertyController controller = knowing(0, new Row(4, 100, 0), new Row(8, 120, 100));
    Decision first = controller.decide(interval(4, 100));
    assertThat(first.size()).isEqualTo(8);
    assertThat(first.numbers().get("forecast")).isEqualTo(100);
    assertThat(first.numbers().get("grow")).isCloseTo(0.977_25, within(1e-5));
    assertThat(first.numbers().get("shrink")).isZero();
    controller.decide(interval(8, 90));
    Row row = controller.state().rows().get(1);
    assertThat(row.mean()).isCloseTo(114, within(1e-9));
    assertThat(row.variance()).isCloseTo(224, within(1e-9));
  }

  /** The mean of the scores of sizes 4 and 8 is (1 + 0.5) / 2; nothing larger gave more. */
  @Test
  void shrinksByTheMeanOverAllSmallerSizes() {
    LibertyController controller =
        knowing(0, new Row(4, 130, 0), new Row(8, 100, 9), new Row(16, 90, 0));
    Decision decision = controller.decide(interval(12, 100));
    assertThat(decision.numbers().get("shrink")).isCloseTo(0.75, within(1e-6));
    assertThat(decision.numbers().get("grow")).isZero();
    assertThat(decision.size()).isEqualTo(8);
  }

  /** Both sides at 0.5: neither leads by 0.25. */
  @Test
  void staysWhereNeitherSideLeads() {
    LibertyController controller =
        knowing(0, new Row(4, 100, 0), new Row(8, 100, 0), new Row(12, 100, 0));
    Decision decision = controller.decide(interval(8, 100));
    assertThat(decision.size()).isEqualTo(8);
    assertThat(decision.reason()).startsWith("neither leads: score 0.50 to grow, 0.50 to shrink");
  }

  @Test
  void theFifthQuietIntervalForcesARandomMove() {
    LibertyController controller =
        knowing(4, new Row(4, 100, 0), new Row(8, 100, 0), new Row(12, 100, 0));
    Decision decision = controller.decide(interval(8, 100));
    assertThat(decision.size()).isIn(4, 12);
    assertThat(decision.reason()).startsWith("a random move");
    assertThat(controller.state().quiet()).isZero();
  }

  @Test
  void withoutDataACoinGivesSevenTenthsOrNothing() {
    Set<Double> scores = new TreeSet<>();
    for (int seed = 0; seed < 20; seed++) {
      scores.add(new LibertyController(4, 4, seed).decide(interval(4, 100)).numbers().get("grow"));
    }
    assertThat(scores).containsExactly(0.0, 0.7);
  }

  @Test
  void anIntervalIsTwoWindowsOf750Milliseconds() {
    Window half =
        WindowBuilder.ofSize(4).lasting(Duration.ofMillis(750)).completions(75).response(5).build();
    LibertyController controller = knowing(0);
    assertThat(controller.decide(half).reason()).startsWith("750 of 1500 ms");
    assertThat(controller.decide(half).numbers().get("throughput")).isEqualTo(100);
  }

  @Test
  void addsAStepForEvery750MillisecondsOfAHang() {
    Window stuck = WindowBuilder.ofSize(4).lasting(Duration.ofMillis(500)).queue(9, 9).build();
    LibertyController controller = knowing(0);
    assertThat(controller.decide(stuck).size()).isEqualTo(4);
    assertThat(controller.decide(stuck).size()).isEqualTo(8);
    assertThat(controller.decide(stuck).size()).as("750 ms once more").isEqualTo(8);
  }

  @Test
  void aPoolThatComputesDoesNotHang() {
    Window busy =
        Windows.withProcessCpu(
            WindowBuilder.ofSize(4).lasting(Duration.ofSeconds(1)).queue(9, 9).build(),
            Duration.ofSeconds(1).toNanos());
    assertThat(knowing(0).decide(busy).size()).isEqualTo(4);
  }
}
