package io.poolkeeper.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.poolkeeper.ControlListener.Action;
import io.poolkeeper.ControlListener.Step;
import io.poolkeeper.Decision;
import io.poolkeeper.Mode;
import io.poolkeeper.Window;
import io.poolkeeper.console.PoolHistory.News;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class PoolHistoryTest {

  private static final long HALF_A_SECOND = 500_000_000;

  private final PoolHistory history = new PoolHistory();

  private static Window window(int size, long completions) {
    return Window.builder(0, HALF_A_SECOND, size).completions(completions).build();
  }

  private static Step step(Action action, int before, int after, Decision decision) {
    return new Step(
        window(before, 1), "c", decision, Mode.ACTIVE, action, before, after, decision.reason());
  }

  @Test
  void weekOfWindowsIsKeptInBoundedMemory() {
    int windows = 8 * 24 * 3600 * 2;
    for (int i = 0; i < windows; i++) {
      history.add(i * 500L, window(4, 50));
    }
    assertThat(history.bins()).hasSize(7 * 24 * 12);
    assertThat(history.news(0, 0).windows()).hasSize(1_200);
    Point bin = history.bins().get(100);
    assertThat(bin.throughput()).isCloseTo(100, within(1e-6));
    assertThat(bin.seconds()).isCloseTo(300, within(1e-6));
    assertThat(bin.size()).isCloseTo(4, within(1e-9));
  }

  @Test
  void pointsOfSeveralWindowsAreMeansByTime() {
    Point both =
        new Point(1, 1, 2, 10, 2, 0, 100, 200, 1).and(new Point(2, 3, 6, 30, 6, 4, 20, 50, 2));
    assertThat(both).isEqualTo(new Point(2, 4, 5, 25, 5, 3, 28, 200, 3));
  }

  @Test
  void newsAreWhatCameAfterwards() {
    history.add(1, window(4, 1));
    history.add(2, step(Action.RESIZED, 4, 5, Decision.resize(5, "up")));
    News first = history.news(0, 0);
    assertThat(first.windows()).hasSize(1);
    assertThat(first.decisions()).hasSize(1);
    history.add(3, window(5, 2));
    News second = history.news(first.windowsSeen(), first.decisionsSeen());
    assertThat(second.windows()).extracting(Point::size).containsExactly(5.0);
    assertThat(second.decisions()).isEmpty();
  }

  @Test
  void decisionsThatChangeNothingAreNotListed() {
    history.add(1, step(Action.KEPT, 4, 4, Decision.resize(4, "stays")));
    history.add(2, step(Action.RECORDED, 4, 4, Decision.resize(4, "stays")));
    history.add(3, step(Action.RECORDED, 4, 4, Decision.resize(7, "would grow")));
    history.add(4, step(Action.REFUSED, 4, 4, Decision.resize(99, "too large")));
    assertThat(history.news(0, 0).decisions())
        .extracting(PoolHistory.Decided::reason)
        .containsExactly("would grow", "too large");
    assertThat(history.last()).extracting(PoolHistory.Decided::reason).isEqualTo("too large");
  }

  @Test
  void manyDecisionsPushOutTheOldest() {
    for (int i = 0; i < 10_000; i++) {
      history.add(i, step(Action.RESIZED, 4, 5, Decision.resize(5, "number " + i)));
    }
    assertThat(history.news(0, 0).decisions())
        .hasSize(2_000)
        .extracting(PoolHistory.Decided::reason)
        .endsWith("number 9999");
  }

  @Test
  void curveIsTheOneShownLast() {
    Map<String, Double> numbers =
        Map.of(
            "curve.8.mean",
            80.0,
            "curve.8.sd",
            4.0,
            "curve.16.mean",
            90.0,
            "curve.16.sd",
            Double.POSITIVE_INFINITY,
            "curve.32.mean",
            Double.NaN,
            "noise",
            0.1);
    history.add(1, step(Action.KEPT, 8, 8, Decision.resize(8, "stays").because(numbers)));
    history.add(2, step(Action.KEPT, 8, 8, Decision.resize(8, "stays")));
    assertThat(history.news(0, 0).curve())
        .containsExactly(new CurvePoint(8, 80, 4), new CurvePoint(16, 90, 90));
  }

  @Test
  void useOfConnectionsIsThatOfTheDecision() {
    Map<String, Double> numbers = Map.of("visits", 2.0, "residence", 9e6, "service", 90e6);
    history.add(1, step(Action.KEPT, 4, 4, Decision.resize(4, "follows").because(numbers)));
    assertThat(history.last().use()).isEqualTo(new ConnectionUse(2, 9, 90));
    history.add(2, step(Action.KEPT, 4, 4, Decision.resize(4, "by its own curve")));
    assertThat(history.last().use()).isNull();
  }
}
