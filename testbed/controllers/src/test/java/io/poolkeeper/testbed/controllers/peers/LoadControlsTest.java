package io.poolkeeper.testbed.controllers.peers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.poolkeeper.Controller;
import io.poolkeeper.Decision;
import io.poolkeeper.Window;
import io.poolkeeper.testkit.WindowBuilder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntToLongFunction;
import org.junit.jupiter.api.Test;

/** Worked out by hand from the formulas of the class comments. */
final class LoadControlsTest {

  private static Window window(int size, long perSecond, double millis) {
    return WindowBuilder.ofSize(size)
        .lasting(Duration.ofSeconds(1))
        .completions(perSecond)
        .response(millis)
        .build();
  }

  private static int decide(Controller controller, int size, long perSecond) {
    return controller.decide(window(size, perSecond, 10)).size();
  }

  /** Sizes asked for on a curve, the first one given. */
  private static List<Integer> path(
      Controller controller, int first, int windows, IntToLongFunction curve) {
    List<Integer> sizes = new ArrayList<>(List.of(first));
    for (int i = 0; i < windows; i++) {
      int size = sizes.get(i);
      sizes.add(decide(controller, size, curve.applyAsLong(size)));
    }
    return sizes;
  }

  /** 10 n - 0.1 n^2, a thousand times so that every value is whole; its vertex is 50. */
  private static long hill(int size) {
    return 10_000L * size - 100L * size * size;
  }

  /**
   * +10 % at 11: 2 * 11 * 0.1 = 2.2; then 104 after 110: 2 * 13 * 0.0545 = 1.4 back; nothing: 1
   * down; doubled after a step down: 22 down, of which 5 are allowed.
   */
  @Test
  void incrementalSteps() {
    Controller controller = new IncrementalStepsController(2);
    assertThat(decide(controller, 10, 100)).isEqualTo(11);
    assertThat(decide(controller, 11, 110)).isEqualTo(13);
    assertThat(decide(controller, 13, 104)).isEqualTo(12);
    assertThat(decide(controller, 12, 104)).isEqualTo(11);
    Decision last = controller.decide(window(11, 208, 10));
    assertThat(last.size()).isEqualTo(6);
    assertThat(last.reason())
        .isEqualTo("208.0/s after 104.0/s, the last step went down: -5 workers");
  }

  /** -10 % at the size before: 2 * 64 * 0.1 = 12.8 against the last direction. */
  @Test
  void atABoundTheLastDirectionCounts() {
    Controller controller = new IncrementalStepsController(2);
    assertThat(decide(controller, 64, 100)).isEqualTo(65);
    assertThat(decide(controller, 64, 90)).isEqualTo(51);
  }

  @Test
  void aLoadBelowTheBoundTeachesNothing() {
    Controller controller = new IncrementalStepsController(2);
    decide(controller, 10, 100);
    Window loose = WindowBuilder.ofSize(11).busy(9).completions(5000).response(10).build();
    assertThat(controller.decide(loose).size()).isEqualTo(11);
    assertThat(decide(controller, 11, 100)).as("compared with none").isEqualTo(12);
    Window waiting =
        WindowBuilder.ofSize(11).busy(9).queue(2, 9).completions(5000).response(10).build();
    assertThat(controller.decide(waiting).size()).as("500/s after 100/s").isEqualTo(16);
  }

  /**
   * Steps of 1 until there are three sizes; then 50, of which twice the size is allowed; at the
   * vertex a tenth up, and a tenth down the next time.
   */
  @Test
  void parabolaApproximation() {
    assertThat(path(new ParabolaApproximationController(0.9), 10, 9, LoadControlsTest::hill))
        .containsExactly(10, 11, 12, 24, 48, 50, 55, 50, 45, 50);
  }

  @Test
  void aParabolaThatOpensUpwardsIsFollowedAlongItsSlope() {
    assertThat(path(new ParabolaApproximationController(0.9), 10, 4, n -> (long) n * n))
        .containsExactly(10, 11, 12, 13, 14);
    assertThat(path(new ParabolaApproximationController(0.9), 30, 4, n -> 10_000 - 100L * n))
        .as("a line, which falls")
        .startsWith(30, 33, 36)
        .element(3)
        .isIn(18, 32);
  }

  /** At 2: (5 * 0.125 + 1) / 1.125 = 1.4444, so the slope at 1 is twice that. */
  @Test
  void olderPointsWeighLess() {
    List<Parabola.Point> points =
        List.of(
            new Parabola.Point(2, 5),
            new Parabola.Point(1, 0),
            new Parabola.Point(3, 0),
            new Parabola.Point(2, 1));
    Parabola parabola = Parabola.fit(points, 0.5).orElseThrow();
    assertThat(parabola.slopeAt(1)).isCloseTo(2.888_889, within(1e-6));
    assertThat(parabola.slopeAt(3)).isCloseTo(-2.888_889, within(1e-6));
    assertThat(parabola.vertex()).isCloseTo(2, within(1e-9));
    assertThat(Parabola.fit(points.subList(0, 2), 0.5)).isEmpty();
  }

  /** Neighbouring large sizes: {@code 1000 - (n - 200)^2}. */
  @Test
  void aParabolaIsExactFarFromZero() {
    List<Parabola.Point> points =
        List.of(
            new Parabola.Point(199, 999),
            new Parabola.Point(200, 1000),
            new Parabola.Point(201, 999),
            new Parabola.Point(202, 996));
    assertThat(Parabola.fit(points, 0.9).orElseThrow().vertex()).isCloseTo(200, within(1e-6));
  }

  /**
   * Six windows of climbing, three at the parabola. At 50 again, which is no gain: 5 down; that was
   * a loss: 5 up.
   */
  @Test
  void hybrid() {
    assertThat(path(new HybridLoadController(), 10, 11, LoadControlsTest::hill))
        .containsExactly(10, 11, 12, 13, 14, 15, 17, 34, 50, 50, 45, 50);
  }

  /** Blocked: 0, then 1 - 10 / 15, a half, 0.6; at size 1 the time alone is set anew. */
  @Test
  void halfAndHalf() {
    Controller controller = new HalfAndHalfController();
    assertThat(controller.decide(window(1, 100, 10)).size()).isEqualTo(2);
    assertThat(controller.decide(window(8, 100, 15)).size()).isEqualTo(10);
    assertThat(controller.decide(window(10, 100, 20)).size()).isEqualTo(10);
    Decision down = controller.decide(window(12, 100, 25));
    assertThat(down.size()).isEqualTo(9);
    assertThat(down.reason()).isEqualTo("60 % blocked (25.000 ms, alone 10.000 ms): -3 workers");
    assertThat(controller.decide(window(1, 100, 40)).size()).isEqualTo(2);
    assertThat(controller.decide(window(2, 100, 60)).size()).as("alone 40 ms").isEqualTo(3);
    assertThat(controller.decide(window(2, 100, 100)).size()).as("never below 1").isEqualTo(1);
  }

  @Test
  void settingsAreChecked() {
    assertThatThrownBy(() -> new IncrementalStepsController(0))
        .hasMessage("gain must be above 0.0 and at most 100.0, but is 0.0");
    assertThatThrownBy(() -> new ParabolaApproximationController(1.1))
        .hasMessage("memory must be above 0.0 and at most 1.0, but is 1.1");
  }
}
