package io.poolkeeper;

import io.poolkeeper.internal.MonotonicTicker;
import io.poolkeeper.internal.SharedTimer;
import io.poolkeeper.spi.LoopTimer;
import io.poolkeeper.spi.Ticker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The settings that an {@link AdaptiveExecutor} and an {@link AdaptiveLimiter} share.
 *
 * <p>Each is checked when it is given, those that depend on each other when the pool is built. A
 * builder may build several pools, all of the same name, and be changed in between; but what can
 * serve one pool alone must be given anew for each: a controller, which learns, and a queue. None
 * of its methods takes null.
 *
 * @param <B> the builder itself
 */
public abstract sealed class PoolBuilder<B extends PoolBuilder<B>>
    permits AdaptiveExecutor.Builder, AdaptiveLimiter.Builder {

  private final String name;
  private Objective objective = Objective.throughput();
  private @Nullable Controller controller;
  private boolean controllerInUse;
  private Duration window = Duration.ofSeconds(1);
  private Bounds bounds;

  /**
   * Sizes to begin with, for each processor. Most work waits for something, so that one worker a
   * processor is far too few while the first windows are gathered, and eight are no danger.
   */
  private static final int STARTING = 8;

  private int initialSize;
  private Mode mode = Mode.ACTIVE;
  private Duration hangAfter = Duration.ofSeconds(10);
  private boolean jmx = true;
  private Ticker ticker = Ticker.system();
  private LoopTimer timer = SharedTimer.ofProcess();
  private final List<ControlListener> listeners = new ArrayList<>();

  PoolBuilder(String name, Bounds bounds) {
    if (Objects.requireNonNull(name, "name must not be null").isBlank()) {
      throw new IllegalArgumentException("name must not be blank");
    }
    this.name = name;
    this.bounds = bounds;
  }

  abstract B self();

  /** What is optimised; default {@link Objective#throughput()}. */
  public B objective(Objective objective) {
    this.objective = Objects.requireNonNull(objective, "objective must not be null");
    return self();
  }

  /**
   * What decides, in the one pool that is built next; default {@link Controllers#forObjective} of
   * the objective, one for each pool.
   */
  public B controller(Controller controller) {
    this.controller = Objects.requireNonNull(controller, "controller must not be null");
    controllerInUse = false;
    return self();
  }

  /**
   * Length of a window; from 1 ms to 292 years, default 1 s; {@link ControlLoop} on choosing it.
   */
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
   * Size to begin with, within the bounds; default eight for each processor, or the nearest bound.
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
    this.mode = Objects.requireNonNull(mode, "mode must not be null");
    return self();
  }

  /**
   * Time without progress after which a hang is reported, and after which a pool may start one more
   * worker, or a limiter write a permit off; up to 292 years, default 10 s.
   */
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
    listeners.add(Objects.requireNonNull(listener, "listener must not be null"));
    return self();
  }

  /** The clock; for tests. Where it goes back, time stands still for all who measure. */
  public B ticker(Ticker ticker) {
    this.ticker = MonotonicTicker.of(Objects.requireNonNull(ticker, "ticker must not be null"));
    return self();
  }

  /** What closes the windows; for tests, and for hosts that have a timer already. */
  public B timer(LoopTimer timer) {
    this.timer = Objects.requireNonNull(timer, "timer must not be null");
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

  final Duration hangAfter() {
    return hangAfter;
  }

  final Ticker ticker() {
    return ticker;
  }

  /**
   * @throws IllegalArgumentException if a size was set that is out of bounds
   */
  final int initialSize() {
    return initialSize == 0
        ? bounds.clamp(STARTING * Runtime.getRuntime().availableProcessors())
        : bounds.require("initialSize", initialSize);
  }

  /**
   * @throws IllegalStateException if the controller decides in another pool already
   */
  final ControlLoop startLoop(Resizable pool, Sensor sensor) {
    if (controllerInUse) {
      throw new IllegalStateException(
          "the controller of '%s' decides in the pool that was built first: give this one its own"
              .formatted(name));
    }
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
    ControlLoop started = loop.start();
    controllerInUse = controller != null;
    return started;
  }
}
