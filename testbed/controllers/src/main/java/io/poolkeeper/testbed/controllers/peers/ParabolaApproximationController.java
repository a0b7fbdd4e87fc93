package io.poolkeeper.testbed.controllers.peers;

import io.poolkeeper.Decision;
import io.poolkeeper.Window;
import io.poolkeeper.spi.Resumable;
import io.poolkeeper.testbed.controllers.Require;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * Parabola approximation (Heiss and Wagner, Adaptive Load Control in Transaction Processing
 * Systems, VLDB 1991; built from its description).
 *
 * <p><b>Rule.</b> {@code P(n) = a0 + a1 n + a2 n^2} by least squares over the past, in which a
 * window weighs less with every one after it. The size is the vertex {@code -a1 / (2 a2)}; where
 * the parabola opens upwards, a step forth or back. The bound is in force only where the load
 * reaches it.
 *
 * <p><b>What is ours.</b> Performance is the throughput. A window weighs 0.9 of the one after it.
 * The paper computes recursively; here the same estimate is computed anew from the last 60 windows,
 * since what is older weighs less than 0.002. Forth and back are along the slope at the present
 * size, and forth while there are fewer than three sizes. A step is a tenth of the size, at least 1
 * worker. The vertex counts within half and twice the size. Where it is the present size, a step
 * goes up and down by turns, because an estimate from one size says nothing. The load reaches the
 * bound where busy workers and waiting tasks together make 95 % of the size.
 *
 * <p><b>When it fails.</b> A curve that is no parabola, such as a plateau, has its vertex anywhere.
 * Sizes that are near each other make a parabola of their noise. A change of the work is averaged
 * with what was before for ten windows.
 */
public final class ParabolaApproximationController
    implements Resumable<ParabolaApproximationController.State> {

  private static final int MOST_POINTS = 60;

  /**
   * All that the controller knows.
   *
   * @param points what the last windows achieved, the newest last
   * @param up whether the next step from the vertex goes up
   */
  public record State(List<Parabola.Point> points, boolean up) {

    /** Knows nothing. */
    public static final State INITIAL = new State(List.of(), true);

    /** Copies {@code points}. */
    public State {
      points = List.copyOf(points);
    }
  }

  private final double memory;
  private State state = State.INITIAL;

  /**
   * @param memory weight of a window relative to the one after it, above 0 and at most 1
   */
  public ParabolaApproximationController(double memory) {
    this.memory = Require.within(0, 1, "memory", memory);
  }

  @Override
  public String name() {
    return "parabola-approximation";
  }

  @Override
  public State state() {
    return state;
  }

  @Override
  public ParabolaApproximationController resume(State state) {
    ParabolaApproximationController resumed = new ParabolaApproximationController(memory);
    resumed.state = state;
    return resumed;
  }

  @Override
  public Decision decide(Window window) {
    Optional<String> useless = LoadControl.useless(window);
    if (useless.isPresent()) {
      return Decision.keep(window, useless.get());
    }
    List<Parabola.Point> points = new ArrayList<>(state.points);
    points.add(new Parabola.Point(window.size(), window.throughput()));
    if (points.size() > MOST_POINTS) {
      points.remove(0);
    }
    state = new State(points, state.up);
    Optional<Parabola> fitted = Parabola.fit(points, memory);
    if (fitted.isEmpty()) {
      int step = LoadControl.step(window.size());
      return Decision.towards(
          window.size() + step,
          "%d more: fewer than three sizes say nothing of a parabola".formatted(step));
    }
    return follow(window.size(), fitted.get());
  }

  private Decision follow(int size, Parabola parabola) {
    int step = LoadControl.step(size);
    Map<String, Double> numbers = new LinkedHashMap<>();
    numbers.put("slope", parabola.slopeAt(size));
    if (!parabola.opensDownwards()) {
      int direction = parabola.slopeAt(size) >= 0 ? 1 : -1;
      return Decision.towards(
              Math.max(1, size + direction * step),
              String.format(
                  Locale.ROOT,
                  "the parabola has no maximum and its slope is %.3f/s a worker: %+d",
                  parabola.slopeAt(size),
                  direction * step))
          .because(numbers);
    }
    double vertex = Math.max(size / 2.0, Math.min(2.0 * size, parabola.vertex()));
    numbers.put("vertex", vertex);
    int target = (int) Math.max(1, Math.round(vertex));
    if (target != size) {
      return Decision.towards(
              target, String.format(Locale.ROOT, "the vertex of the parabola is %.1f", vertex))
          .because(numbers);
    }
    boolean up = state.up || size - step < 1;
    state = new State(state.points, !up);
    return Decision.towards(
            size + (up ? step : -step),
            "at the vertex: %+d to see the curve beside it".formatted(up ? step : -step))
        .because(numbers);
  }
}
