package io.tidepool;

import io.tidepool.internal.SharedTimer;
import io.tidepool.spi.LoopTimer;
import io.tidepool.spi.Ticker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The settings that an {@link AdaptiveExecutor} and an {@link AdaptiveLimiter} share.
 *
 * @param <B> the builder itself
 */
public abstract sealed class PoolBuilder<B extends PoolBuilder<B>>
    permits AdaptiveExecutor.Builder, AdaptiveLimiter.Builder {

  private final String name;
  private Objective objective = Objective.throughput();
  private @Nullable Controller controller;
  private Duration window = Duration.ofSeconds(1);
  private Bounds bounds;
  private int initialSize;
  private Mode mode = Mode.ACTIVE;
  private Duration hangAfter = Duration.ofSeconds(10);
  private boolean jmx = true;
  private Ticker ticker = Ticker.system();
  private LoopTimer timer = SharedTimer.ofProcess();
  private final List<ControlListener> listeners = new ArrayList<>();

  PoolBuilder(String name, Bounds bounds) {
    if (name.isBlank()) {
      throw new IllegalArgumentException("name must not be blank");
    }
    this.name = name;
    this.bounds = bounds;
  }

  abstract B self();

  /** What is optimised; default {@link Objective#throughput()}. */
  public B objective(Objective objective) {
    this.objective = objective;
    return self();
  }

  /** What decides; default {@link Controllers#forObjective} of the objective. */
  public B controller(Controller controller) {
    this.controller = controller;
    return self();
  }

  /** Length of a window; at least 1 ms, default 1 s. See {@link ControlLoop} on choosing it. */
  public B window(Duration window) {
    ControlLoop.requireInterval("window", window);
    this.window = window;
    return self();
  }

  /**
   * Smallest and largest size; at least 1, and in this order.
   *
   * @throws IllegalArgumentException if they are not
   */
  public B bounds(int minimum, int maximum) {
    this.bounds = new Bounds(minimum, maximum);
    return self();
  }

  /**
   * Size to begin with, within the bounds; default as many as processors, or the nearest bound.
   *
   * @throws IllegalArgumentException if it is below 1
   */
  public B initialSize(int size) {
    if (size < 1) {
      throw new IllegalArgumentException("initialSize must be >= 1, but is " + size);
    }
    this.initialSize = size;
    return self();
  }

  /** Mode to begin in; default {@link Mode#ACTIVE}. */
  public B mode(Mode mode) {
    this.mode = mode;
    return self();
  }

  /** Time without progress after which a hang is reported; positive, default 10 s. */
  public B hangAfter(Duration patience) {
    ControlLoop.requirePatience(patience);
    this.hangAfter = patience;
    return self();
  }

  /** Whether it appears in JMX, under its name; default yes. */
  public B jmx(boolean jmx) {
    this.jmx = jmx;
    return self();
  }

  /** Adds a listener to windows and decisions. */
  public B listener(ControlListener listener) {
    listeners.add(listener);
    return self();
  }

  /** The clock; for tests. */
  public B ticker(Ticker ticker) {
    this.ticker = ticker;
    return self();
  }

  /** What closes the windows; for tests, and for hosts that have a timer already. */
  public B timer(LoopTimer timer) {
    this.timer = timer;
    return self();
  }

  final String name() {
    return name;
  }

  final Objective objective() {
    return objective;
  }

  final Bounds bounds() {
    return bounds;
  }

  final Ticker ticker() {
    return ticker;
  }

  /**
   * @throws IllegalArgumentException if a size was set that is out of bounds
   */
  final int initialSize() {
    return initialSize == 0
        ? bounds.clamp(Runtime.getRuntime().availableProcessors())
        : bounds.require("initialSize", initialSize);
  }

  final ControlLoop startLoop(Resizable pool, Sensor sensor) {
    ControlLoop.Builder loop =
        ControlLoop.tune(pool, sensor)
            .with(controller == null ? Controllers.forObjective(objective) : controller)
            .every(window)
            .mode(mode)
            .hangAfter(hangAfter)
            .jmx(jmx)
            .ticker(ticker)
            .timer(timer);
    listeners.forEach(loop::listener);
    return loop.start();
  }
}
