package io.tidepool;

import io.tidepool.ControlListener.Action;
import io.tidepool.ControlListener.Step;
import io.tidepool.controllers.FixedController;
import io.tidepool.internal.CollectionTime;
import io.tidepool.internal.DecisionLog;
import io.tidepool.internal.FlightRecords;
import io.tidepool.internal.HangWatch;
import io.tidepool.internal.HeapWatch;
import io.tidepool.internal.ManagedPool;
import io.tidepool.internal.SharedTimer;
import io.tidepool.spi.LoopTimer;
import io.tidepool.spi.Ticker;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Tunes one pool while it runs: closes its window at a fixed rate, asks the controller, applies the
 * decision, tells the listeners. It is the only place in the library with a timer.
 *
 * <p>The pool never stops working because its controller did. A controller that throws, a decision
 * out of bounds, a resize that fails: the size stays as it is, the listeners hear why, and the next
 * window is asked about as if nothing had happened.
 *
 * <pre>{@code
 * try (var loop = ControlLoop.tune(pool).with(Controllers.throughput()).every(ofSeconds(1)).start()) {
 *   ...
 * }
 * }</pre>
 *
 * <p>Choosing the interval: a window should hold at least some hundred completions, or its mean
 * says little; a shorter one reacts sooner. One second suits most services.
 */
public final class ControlLoop implements AutoCloseable {

  private static final System.Logger LOG = System.getLogger("io.tidepool");

  private static final Duration LONGEST = Duration.ofNanos(Long.MAX_VALUE);

  /** Nanoseconds over which the share of garbage collection is taken at least. */
  private static final long SHORTEST_SHARE = 150_000_000;

  private final Resizable pool;
  private final Sensor sensor;
  private final Controller controller;
  private final Ticker ticker;
  private final HangWatch hangWatch;
  private final List<ControlListener> listeners;
  private final ReentrantLock turn = new ReentrantLock();
  private volatile Mode mode;
  private volatile @Nullable Window lastWindow;
  private volatile @Nullable Step lastStep;
  private LoopTimer.Stop timer = () -> {};
  private LoopTimer.Stop heapWatch = () -> {};
  private Runnable unregister = () -> {};
  private boolean closed;

  /** Whether the pool runs in this process now: not in virtual time, and no recording of one. */
  private final boolean realTime;

  private long relievedAt;
  private long collectingBefore;

  private ControlLoop(Builder builder, Controller controller) {
    this.pool = builder.pool;
    this.sensor = builder.sensor;
    this.controller = controller;
    this.ticker = builder.ticker;
    this.realTime = builder.ticker == Ticker.system();
    this.relievedAt = ticker.nanoTime();
    this.collectingBefore = CollectionTime.nanos();
    this.mode = builder.mode;
    this.hangWatch = new HangWatch(builder.hangAfter);
    this.listeners = new CopyOnWriteArrayList<>(builder.listeners);
  }

  /** Begins the description of a loop for a pool that measures itself. */
  public static <P extends Resizable & Sensor> Builder tune(P pool) {
    return tune(pool, pool);
  }

  /** Begins the description of a loop for a pool that something else measures. */
  public static Builder tune(Resizable pool, Sensor sensor) {
    return new Builder(pool, sensor);
  }

  /** Mode in force. */
  public Mode mode() {
    return mode;
  }

  /** Changes the mode from the next window on. */
  public void mode(Mode mode) {
    this.mode = Objects.requireNonNull(mode, "mode must not be null");
  }

  /** Name of the controller. */
  public String controller() {
    return controller.name();
  }

  /** The last window that closed, empty before the first. */
  public Optional<Window> lastWindow() {
    return Optional.ofNullable(lastWindow);
  }

  /** What came of the last decision, empty before the first. */
  public Optional<Step> lastStep() {
    return Optional.ofNullable(lastStep);
  }

  /** Adds a listener; it hears of windows that close from now on. */
  public void listen(ControlListener listener) {
    listeners.add(Objects.requireNonNull(listener, "listener must not be null"));
  }

  /** Stops tuning. What was measured since the last window still reaches the listeners. */
  @Override
  public void close() {
    turn.lock();
    try {
      if (closed) {
        return;
      }
      closed = true;
      timer.stop();
      heapWatch.stop();
      closeWindow();
      tell(listener -> listener.onClose(pool));
      unregister.run();
    } finally {
      turn.unlock();
    }
  }

  /** Between windows. */
  private void filling(long nanos, long collecting) {
    if (!turn.tryLock()) {
      return; // Somebody decides just now, or hangs: other loops wait to be told.
    }
    try {
      if (!closed) {
        relieve(nanos, collecting);
      }
    } catch (Throwable e) { // A user's pool may throw when it is asked for its size.
      LOG.log(Level.WARNING, pool.name() + ": the pool failed, its size stays", e);
    } finally {
      turn.unlock();
    }
  }

  private void tick() {
    turn.lock();
    try {
      if (closed) {
        return;
      }
      relieve();
      Window window = closeWindow();
      Mode inForce = mode;
      if (window != null && inForce != Mode.FROZEN && !closed) { // A listener may have closed it.
        Step step = step(window, inForce);
        lastStep = step;
        tell(listener -> listener.onStep(pool, step));
      }
    } catch (Throwable e) { // A user's pool may throw when it is asked for its size.
      LOG.log(Level.WARNING, pool.name() + ": the pool failed, no decision", e);
    } finally {
      turn.unlock();
    }
  }

  /** Before a window is closed. */
  private void relieve() {
    if (!realTime) {
      return;
    }
    long now = ticker.nanoTime();
    long length = now - relievedAt;
    if (length >= SHORTEST_SHARE) { // Of a shorter time a single pause would be a large share.
      long collecting = CollectionTime.nanos();
      long collected = collecting - collectingBefore;
      relievedAt = now;
      collectingBefore = collecting;
      relieve(length, collected);
    }
  }

  /** Asks for a smaller size while the heap fills up. Nothing here allocates: see Controller. */
  private void relieve(long nanos, long collecting) {
    if (mode != Mode.ACTIVE) {
      return;
    }
    int size = pool.size();
    int wanted = controller.relieve(size, nanos, collecting);
    if (wanted < size && wanted >= pool.bounds().minimum()) {
      pool.resize(wanted);
    }
  }

  private @Nullable Window closeWindow() {
    Window window;
    try {
      window = sensor.closeWindow(ticker.nanoTime());
    } catch (Throwable e) { // A user's sensor may throw anything, too.
      LOG.log(Level.WARNING, pool.name() + ": the sensor failed, no window", e);
      return null;
    }
    lastWindow = window;
    tell(listener -> listener.onWindow(pool, window));
    lookForHang(window);
    return window;
  }

  private void lookForHang(Window window) {
    try {
      hangWatch.see(pool, window).ifPresent(hang -> tell(listener -> listener.onHang(pool, hang)));
    } catch (Throwable e) { // The threads are asked of the pool.
      LOG.log(Level.WARNING, pool.name() + ": cannot tell whether it hangs", e);
    }
  }

  private Step step(Window window, Mode mode) {
    int before = pool.size();
    Decision decision;
    try {
      decision = controller.decide(window);
    } catch (Throwable e) { // A user's controller may throw anything; the loop must outlive it.
      return failed(window, mode, null, before, "the controller threw " + e);
    }
    if (decision == null) { // NullAway cannot see into a user's class.
      return failed(window, mode, null, before, "the controller answered null");
    }
    Bounds bounds = pool.bounds();
    if (!decision.bounded() && !bounds.contain(decision.size())) {
      String excess =
          "%d is outside %d..%d, the size stays; asked because: %s"
              .formatted(decision.size(), bounds.minimum(), bounds.maximum(), decision.reason());
      return new Step(
          window, controller.name(), decision, mode, Action.REFUSED, before, before, excess);
    }
    int wanted = bounds.clamp(decision.size());
    Action action = Action.KEPT;
    if (wanted != before) {
      action = mode == Mode.DRY_RUN ? Action.RECORDED : Action.RESIZED;
    }
    if (action == Action.RESIZED) {
      try {
        pool.resize(wanted);
      } catch (Throwable e) { // Such as: no memory for another thread.
        return failed(window, mode, decision, before, "the resize to " + wanted + " failed: " + e);
      }
    }
    return new Step(
        window,
        controller.name(),
        decision,
        mode,
        action,
        before,
        action == Action.RESIZED ? wanted : before,
        explain(decision, wanted));
  }

  private static String explain(Decision decision, int wanted) {
    return wanted == decision.size()
        ? decision.reason()
        : "%s (asked for %d, the bound is %d)"
            .formatted(decision.reason(), decision.size(), wanted);
  }

  private Step failed(
      Window window, Mode mode, @Nullable Decision decision, int before, String why) {
    return new Step(
        window, controller.name(), decision, mode, Action.FAILED, before, pool.size(), why);
  }

  /** Tells each listener, on the loop's thread. */
  void tell(Consumer<ControlListener> news) {
    for (ControlListener listener : listeners) {
      try {
        news.accept(listener);
      } catch (Throwable e) { // A user's listener may throw anything; the others still hear.
        LOG.log(Level.WARNING, pool.name() + ": a listener threw", e);
      }
    }
  }

  private void start(LoopTimer timer, Duration interval, boolean jmx) {
    turn.lock();
    try {
      if (jmx) {
        unregister = ManagedPool.register(pool, this);
      }
      this.timer = timer.start(pool.name(), interval, this::tick);
      if (realTime && timer == SharedTimer.ofProcess()) {
        heapWatch = HeapWatch.ofProcess().add(this::filling);
      }
    } catch (Throwable e) {
      this.timer.stop();
      unregister.run();
      throw e;
    } finally {
      turn.unlock();
    }
  }

  static void requireInterval(String setting, Duration interval) {
    Objects.requireNonNull(interval, () -> setting + " must not be null");
    if (interval.compareTo(Duration.ofMillis(1)) < 0) {
      throw new IllegalArgumentException(setting + " must be >= 1 ms, but is " + interval);
    }
    requireNanos(setting, interval);
  }

  static void requirePatience(Duration patience) {
    Objects.requireNonNull(patience, "hangAfter must not be null");
    if (patience.isNegative() || patience.isZero()) {
      throw new IllegalArgumentException("hangAfter must be positive, but is " + patience);
    }
    requireNanos("hangAfter", patience);
  }

  /** Longer than clocks count in nanoseconds no duration may be. */
  static void requireNanos(String setting, Duration duration) {
    if (duration.compareTo(LONGEST) > 0) {
      throw new IllegalArgumentException(setting + " must be <= 292 years, but is " + duration);
    }
  }

  /** Describes one loop. Every setting has a default but the controller, and none takes null. */
  public static final class Builder {
    private final Resizable pool;
    private final Sensor sensor;
    private @Nullable Controller controller;
    private boolean started;
    private Duration interval = Duration.ofSeconds(1);
    private Mode mode = Mode.ACTIVE;
    private Duration hangAfter = Duration.ofSeconds(10);
    private boolean jmx = true;
    private Ticker ticker = Ticker.system();
    private LoopTimer timer = SharedTimer.ofProcess();
    private final List<ControlListener> listeners =
        new ArrayList<>(List.of(new DecisionLog(), new FlightRecords()));

    private Builder(Resizable pool, Sensor sensor) {
      this.pool = Objects.requireNonNull(pool, "pool must not be null");
      this.sensor = Objects.requireNonNull(sensor, "sensor must not be null");
    }

    /** What decides. There is no default. */
    public Builder with(Controller controller) {
      this.controller = Objects.requireNonNull(controller, "controller must not be null");
      return this;
    }

    /** Length of a window; from 1 ms to 292 years, default 1 s. */
    public Builder every(Duration interval) {
      requireInterval("interval", interval);
      this.interval = interval;
      return this;
    }

    /** Mode to begin in; default {@link Mode#ACTIVE}. */
    public Builder mode(Mode mode) {
      this.mode = Objects.requireNonNull(mode, "mode must not be null");
      return this;
    }

    /** Time without progress after which a hang is reported; up to 292 years, default 10 s. */
    public Builder hangAfter(Duration patience) {
      requirePatience(patience);
      this.hangAfter = patience;
      return this;
    }

    /** Whether the pool appears in JMX; default yes. */
    public Builder jmx(boolean jmx) {
      this.jmx = jmx;
      return this;
    }

    /** Adds a listener, after those that write the log and the flight recording. */
    public Builder listener(ControlListener listener) {
      listeners.add(Objects.requireNonNull(listener, "listener must not be null"));
      return this;
    }

    /** Writes neither log nor flight recording; for pools that are simulated by the thousand. */
    public Builder quiet() {
      listeners.removeIf(each -> each instanceof DecisionLog || each instanceof FlightRecords);
      return this;
    }

    /** The clock; for tests. The sensor must read the same one. */
    public Builder ticker(Ticker ticker) {
      this.ticker = Objects.requireNonNull(ticker, "ticker must not be null");
      return this;
    }

    /** What calls the loop; for tests, and for hosts that have a timer already. */
    public Builder timer(LoopTimer timer) {
      this.timer = Objects.requireNonNull(timer, "timer must not be null");
      return this;
    }

    /**
     * Starts the loop.
     *
     * @throws IllegalArgumentException if the controller is a fixed one whose size is out of the
     *     pool's bounds
     * @throws IllegalStateException if no controller was named, or the loop has been started
     *     already
     */
    public ControlLoop start() {
      if (controller == null) {
        throw new IllegalStateException(
            "a control loop needs a controller: with(Controllers.throughput()), for example");
      }
      if (started) {
        throw new IllegalStateException(
            "the loop of '%s' has been started: a pool has one".formatted(pool.name()));
      }
      if (controller instanceof FixedController fixed) {
        pool.bounds().require("size of the fixed controller", fixed.size());
      }
      ControlLoop loop = new ControlLoop(this, controller);
      loop.start(timer, interval, jmx);
      started = true;
      return loop;
    }
  }
}
