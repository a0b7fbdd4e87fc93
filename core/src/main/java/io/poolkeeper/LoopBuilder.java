package io.poolkeeper;

import io.poolkeeper.internal.MonotonicTicker;
import io.poolkeeper.internal.SharedTimer;
import io.poolkeeper.internal.loop.ControllersInUse;
import io.poolkeeper.internal.loop.DecisionLog;
import io.poolkeeper.internal.loop.FlightRecords;
import io.poolkeeper.internal.loop.Memory;
import io.poolkeeper.spi.LoopTimer;
import io.poolkeeper.spi.Resumable;
import io.poolkeeper.spi.Ticker;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a control loop, which the pools of the library share. Each setting is checked
 * when it is set; settings that depend on each other are checked when the loop starts. No method
 * accepts null.
 *
 * @param <B> the builder itself
 */
public abstract sealed class LoopBuilder<B extends LoopBuilder<B>>
    permits ControlLoop.Builder, PoolBuilder {

  private static final Duration LONGEST = Duration.ofNanos(Long.MAX_VALUE);

  private @Nullable Controller controller;
  private boolean controllerInUse;
  private @Nullable Duration window;
  private Mode mode = Mode.ACTIVE;
  private Duration hangAfter = Duration.ofSeconds(10);
  private boolean jmx = true;
  private @Nullable Path memory;
  private Ticker ticker = Ticker.system();
  private LoopTimer timer = SharedTimer.ofProcess();
  private final List<ControlListener> listeners =
      new ArrayList<>(List.of(new DecisionLog(), new FlightRecords()));

  LoopBuilder() {}

  abstract B self();

  /** Name of the pool. */
  abstract String name();

  /**
   * Sets the controller of the next loop that is started. The default of a pool is {@link
   * Controllers#forObjective}; a {@link ControlLoop} has no default. A controller that learns
   * serves one loop at a time: it cannot be given to another builder until that loop has ended.
   */
  public B controller(Controller controller) {
    this.controller = Objects.requireNonNull(controller, "controller must not be null");
    controllerInUse = false;
    return self();
  }

  /**
   * Sets the length of a window, from 1 ms to 292 years; default {@link Controller#window}. {@link
   * ControlLoop} says how to choose it.
   */
  public B window(Duration window) {
    Objects.requireNonNull(window, "window must not be null");
    if (window.compareTo(Duration.ofMillis(1)) < 0) {
      throw new IllegalArgumentException("window must be >= 1 ms, but is " + window);
    }
    requireNanos("window", window);
    this.window = window;
    return self();
  }

  /** Sets the first mode; default {@link Mode#ACTIVE}. */
  public B mode(Mode mode) {
    this.mode = Objects.requireNonNull(mode, "mode must not be null");
    return self();
  }

  /**
   * Sets the time without progress after which a hang is reported, more than 0 and up to 292 years;
   * default 10 s. After this time a pool may also start one more worker, and a limiter may write
   * off a permit.
   */
  public B hangAfter(Duration patience) {
    Objects.requireNonNull(patience, "hangAfter must not be null");
    if (patience.isNegative() || patience.isZero()) {
      throw new IllegalArgumentException("hangAfter must be positive, but is " + patience);
    }
    requireNanos("hangAfter", patience);
    this.hangAfter = patience;
    return self();
  }

  /** Sets whether the pool is registered in JMX under its name; default true. */
  public B jmx(boolean jmx) {
    this.jmx = jmx;
    return self();
  }

  /**
   * Sets the file that keeps the knowledge of the controller, so that the pool starts at the right
   * size after a restart; default none. The file is written with the first decision, every few
   * minutes and on close, and read at the start. It is used if controller, objective and number of
   * processors are the same; the older it is, the less it counts. A damaged file, or one of another
   * version or controller, is ignored with one line in the log. The format may change between
   * versions.
   *
   * @param file one for each pool; its folder must exist
   */
  public B remember(Path file) {
    this.memory = Objects.requireNonNull(file, "file must not be null");
    return self();
  }

  /** Adds a listener, after those that write the log and the flight recording. */
  public B listener(ControlListener listener) {
    listeners.add(Objects.requireNonNull(listener, "listener must not be null"));
    return self();
  }

  /** Removes the listeners that write the log and the flight recording, for mass simulations. */
  public B quiet() {
    listeners.removeIf(each -> each instanceof DecisionLog || each instanceof FlightRecords);
    return self();
  }

  /**
   * Sets the clock, for tests. If it goes back, measured time stands still until it has caught up.
   * A sensor must read the same clock.
   */
  public B ticker(Ticker ticker) {
    this.ticker = MonotonicTicker.of(Objects.requireNonNull(ticker, "ticker must not be null"));
    return self();
  }

  /** Sets the timer that calls the loop, for tests and for hosts with a timer of their own. */
  public B timer(LoopTimer timer) {
    this.timer = Objects.requireNonNull(timer, "timer must not be null");
    return self();
  }

  /** Checks that a duration fits into a long of nanoseconds. */
  static void requireNanos(String setting, Duration duration) {
    if (duration.compareTo(LONGEST) > 0) {
      throw new IllegalArgumentException(setting + " must be <= 292 years, but is " + duration);
    }
  }

  /** Returns the clock. */
  final Ticker ticker() {
    return ticker;
  }

  final Duration hangAfter() {
    return hangAfter;
  }

  final Mode mode() {
    return mode;
  }

  final List<ControlListener> listeners() {
    return List.copyOf(listeners);
  }

  /**
   * Starts the loop of a pool.
   *
   * @param standard controller to use if none was set
   * @throws IllegalArgumentException if the controller cannot decide within the bounds of the pool
   * @throws IllegalStateException if the controller is already used by another pool
   */
  final ControlLoop startLoop(Resizable pool, Sensor sensor, @Nullable Controller standard) {
    if (controllerInUse) {
      throw new IllegalStateException(
          "the controller of '%s' is used by the pool that was built first: give this pool its own"
              .formatted(name()));
    }
    Controller chosen = controller == null ? standard : controller;
    if (chosen == null) {
      throw new IllegalStateException(
          "a control loop needs a controller: controller(Controllers.responseCurve()), for example");
    }
    Runnable release = ControllersInUse.claim(chosen, name());
    try {
      ControlLoop loop = startLoop(pool, sensor, chosen, release);
      controllerInUse = controller != null;
      return loop;
    } catch (Throwable e) {
      release.run();
      throw e;
    }
  }

  private ControlLoop startLoop(
      Resizable pool, Sensor sensor, Controller chosen, Runnable release) {
    chosen.requireBounds(pool.bounds());
    Memory.Recollection recollection = recall(chosen, pool.bounds());
    ControlLoop loop =
        new ControlLoop(
            pool,
            sensor,
            recollection.controller(),
            window == null ? chosen.window() : window,
            recollection.file(),
            this);
    if (mode == Mode.ACTIVE && recollection.size() > 0) {
      pool.resize(pool.bounds().clamp(recollection.size()));
    }
    loop.start(timer, jmx, release);
    return loop;
  }

  private Memory.Recollection recall(Controller chosen, Bounds bounds) {
    if (memory == null) {
      return Memory.Recollection.none(chosen);
    }
    if (chosen instanceof Resumable<?> resumable) {
      return new Memory(memory, name()).recall(resumable, bounds);
    }
    throw new IllegalArgumentException(
        "remember: the controller '%s' keeps no knowledge that could be written"
            .formatted(chosen.name()));
  }
}
