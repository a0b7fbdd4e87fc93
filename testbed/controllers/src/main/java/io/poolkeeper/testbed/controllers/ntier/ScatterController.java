package io.poolkeeper.testbed.controllers.ntier;

import io.poolkeeper.Decision;
import io.poolkeeper.Window;
import io.poolkeeper.spi.Resumable;
import io.poolkeeper.testbed.controllers.windows.Soundness;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A controller that collects points of concurrency and rate, and estimates the best concurrency
 * from those of the last three minutes.
 *
 * <p><b>What the sources leave open</b>, and is the same for all of them here. Concurrency is the
 * mean number of busy workers. An estimate is made once a period. The concurrency sits at its cap
 * where in more than half of the windows of a period it was at least 95 % of the size. Then an
 * estimate near the cap or above it, or none, says nothing of what lies beyond, and the size grows
 * by a half and 1. Windows without tasks are no points.
 */
abstract class ScatterController implements Resumable<ScatterController.State> {

  /** Points of so long count. */
  private static final Duration MEMORY = Duration.ofMinutes(3);

  /** Part of the size from which on a concurrency, or an estimate, is at the cap. */
  private static final double AT_CAP = 0.95;

  private static final double MOSTLY = 0.5;
  private static final double GROWTH = 1.5;

  /**
   * All that the controller knows.
   *
   * @param points of the last three minutes, the oldest first
   * @param windows of this period
   * @param capped those of them whose concurrency was at the cap
   */
  public record State(List<Scatter.Point> points, int windows, int capped) {

    /** Knows nothing. */
    public static final State INITIAL = new State(List.of(), 0, 0);

    /** Copies {@code points}. */
    public State {
      points = List.copyOf(points);
    }
  }

  /**
   * The best concurrency.
   *
   * @param concurrency 1 or more
   * @param rising whether the rate still rises well beyond it
   * @param reason in words
   * @param numbers behind it
   */
  record Estimate(int concurrency, boolean rising, String reason, Map<String, Double> numbers) {}

  private final String name;
  private final Duration window;
  private final int period;
  private final Scatter scatter;
  private int windows;
  private int capped;

  /**
   * @param window length of a window
   * @param period windows between two estimates
   */
  ScatterController(String name, Duration window, int period) {
    this.name = name;
    this.window = window;
    this.period = period;
    scatter = new Scatter((int) MEMORY.dividedBy(window));
  }

  /** Returns the rate whose best concurrency is looked for, per second; the throughput here. */
  double rate(Window window) {
    return window.throughput();
  }

  /** Returns a controller of the same kind that knows nothing. */
  abstract ScatterController fresh();

  /** Returns the best concurrency; empty if the points do not tell. */
  abstract Optional<Estimate> estimate(Scatter scatter);

  @Override
  public final String name() {
    return name;
  }

  @Override
  public final Duration window() {
    return window;
  }

  @Override
  public final State state() {
    return new State(scatter.points(), windows, capped);
  }

  @Override
  public final ScatterController resume(State state) {
    ScatterController resumed = fresh();
    resumed.scatter.addAll(state.points);
    resumed.windows = state.windows;
    resumed.capped = state.capped;
    return resumed;
  }

  @Override
  public final Decision decide(Window window) {
    Optional<String> fault = Soundness.fault(window);
    if (fault.isPresent()) {
      return Decision.keep(window, "window passed over: " + fault.get());
    }
    if (window.busy() == 0) {
      return Decision.keep(window, "no task ran: no point");
    }
    scatter.add(window.busy(), rate(window));
    windows++;
    if (window.busy() >= AT_CAP * window.size()) {
      capped++;
    }
    if (windows < period) {
      return Decision.keep(window, "point %d of %d".formatted(windows, period));
    }
    boolean atCap = capped > MOSTLY * windows;
    windows = 0;
    capped = 0;
    return decide(window.size(), atCap, estimate(scatter));
  }

  private static Decision decide(int size, boolean atCap, Optional<Estimate> estimate) {
    int grown = (int) (GROWTH * size) + 1;
    if (estimate.isEmpty()) {
      return atCap
          ? Decision.towards(grown, "too few points for a curve, and the concurrency at its cap")
          : Decision.towards(size, "too few points for a curve");
    }
    Estimate found = estimate.get();
    if (atCap && (found.rising || found.concurrency >= AT_CAP * size)) {
      return Decision.towards(
              Math.max(grown, found.concurrency),
              found.reason + ", and the concurrency sits at its cap")
          .because(found.numbers);
    }
    return Decision.towards(found.concurrency, found.reason).because(found.numbers);
  }
}
