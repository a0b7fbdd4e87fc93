package io.poolkeeper;

import io.poolkeeper.ControlListener.Step;
import io.poolkeeper.internal.Broadcaster;
import io.poolkeeper.internal.FailureLog;
import io.poolkeeper.internal.Log;
import io.poolkeeper.internal.SharedTimer;
import io.poolkeeper.internal.heap.HeapRelief;
import io.poolkeeper.internal.heap.HeapWatch;
import io.poolkeeper.internal.loop.Decider;
import io.poolkeeper.internal.loop.HangWatch;
import io.poolkeeper.internal.loop.LoopRehearsal;
import io.poolkeeper.internal.loop.ManagedPool;
import io.poolkeeper.internal.loop.Memory;
import io.poolkeeper.spi.LoopTimer;
import io.poolkeeper.spi.Ticker;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Tunes one pool while it runs: closes its window at a fixed rate, asks the controller, applies the
 * decision and informs the listeners. It is the only part of the library that uses a timer.
 *
 * <p>A failing controller never stops the pool. If the controller throws, its decision is out of
 * bounds or the resize fails, then the size stays, the listeners receive the reason, and the loop
 * continues with the next window.
 *
 * <pre>{@code
 * try (var loop = ControlLoop.tune(pool).controller(Controllers.responseCurve()).start()) {
 *   ...
 * }
 * }</pre>
 *
 * <p><b>Choosing the length of a window.</b> A window should hold at least a few hundred
 * completions, or its mean is too noisy. A shorter window reacts sooner. The default suits most
 * services.
 */
public final class ControlLoop implements AutoCloseable {

  /** Longest wait of {@link #close} for listeners, nanoseconds, 2 s. */
  private static final long PATIENCE = TimeUnit.SECONDS.toNanos(2);

  /** Longest wait of the end of the loop for a turn that is under way, nanoseconds, 1 s. */
  private static final long PATIENCE_WITH_TURN = TimeUnit.SECONDS.toNanos(1);

  /** A window this many times longer than usual shows that the process or the clock stood still. */
  private static final int STANDSTILL = 5;

  private static final String STOOD_STILL =
      "window ignored: the process or the clock stood still for most of it";

  private final Resizable pool;
  private final Sensor sensor;
  private final Controller controller;
  private final Ticker ticker;
  private final long interval;
  private final HangWatch hangWatch;
  private final HeapRelief relief;
  private final Decider decider;
  private final Broadcaster listeners;

  /** Keeps what the controller learns; null if nothing does. */
  private final @Nullable Memory memory;

  /** Failures of the pool, under {@link #turn}. */
  private final FailureLog poolFailures;

  /** Failures between windows, of the watch of the heap. */
  private final FailureLog reliefFailures;

  /** Failures of the sensor, under {@link #sensing}. */
  private final FailureLog sensorFailures;

  /**
   * Held while the controller is called. Only the end of the loop waits for it, and not for long.
   */
  private final ReentrantLock turn = new ReentrantLock();

  /** Held while the sensor is called. Nothing waits for it. */
  private final ReentrantLock sensing = new ReentrantLock();

  private final AtomicBoolean closing = new AtomicBoolean();
  private final AtomicBoolean ended = new AtomicBoolean();
  private volatile Mode mode;

  /** Sizes that decisions may choose; null while they are the bounds of the pool. */
  private volatile @Nullable Bounds narrowed;

  private volatile @Nullable Window lastWindow;
  private volatile @Nullable Step lastStep;
  private LoopTimer.Stop timer = () -> {};
  private LoopTimer.Stop heapWatch = () -> {};
  private Runnable unregister = () -> {};
  private volatile Runnable release = () -> {};
  private long lastLength;
  private boolean stoodStill;

  /**
   * Whether the pool runs in real time in this process, rather than in virtual time or a replay.
   */
  private final boolean realTime;

  ControlLoop(
      Resizable pool,
      Sensor sensor,
      Controller controller,
      Duration window,
      @Nullable Memory memory,
      LoopBuilder<?> settings) {
    this.pool = pool;
    this.sensor = sensor;
    this.controller = controller;
    this.memory = memory;
    this.ticker = settings.ticker();
    this.realTime = ticker == Ticker.system();
    this.interval = window.toNanos();
    this.mode = settings.mode();
    this.poolFailures = new FailureLog(pool.name());
    this.reliefFailures = new FailureLog(pool.name());
    this.sensorFailures = new FailureLog(pool.name());
    this.hangWatch = new HangWatch(settings.hangAfter());
    BooleanSupplier stopped = () -> closing.get() || this.mode != Mode.ACTIVE;
    boolean concurrent = pool instanceof AdaptiveExecutor || pool instanceof AdaptiveLimiter;
    this.relief = new HeapRelief(pool, controller, ticker, stopped, this::bounds, concurrent);
    this.decider = new Decider(pool, controller, relief, stopped, this::bounds);
    this.listeners = new Broadcaster(pool.name(), listener -> listener.onClose(pool));
    settings.listeners().forEach(listeners::add);
  }

  /** Returns a builder of the loop of a pool that measures itself. */
  public static <P extends Resizable & Sensor> Builder tune(P pool) {
    return tune(pool, pool);
  }

  /** Returns a builder of the loop of a pool that a separate sensor measures. */
  public static Builder tune(Resizable pool, Sensor sensor) {
    return new Builder(pool, sensor);
  }

  /** Returns the mode in force. */
  public Mode mode() {
    return mode;
  }

  /** Changes the mode. A decision that is being made is not applied unless the mode is active. */
  public void mode(Mode mode) {
    this.mode = Objects.requireNonNull(mode, "mode must not be null");
  }

  /** Returns the sizes that decisions may choose: the bounds of the pool, unless narrowed. */
  public Bounds bounds() {
    Bounds chosen = narrowed;
    return chosen == null ? pool.bounds() : chosen;
  }

  /**
   * Changes the sizes that decisions may choose, within the bounds of the pool. In active mode a
   * size outside them changes to the nearest at once; in the other modes it stays.
   *
   * @throws IllegalArgumentException if they exceed the bounds of the pool, or the controller
   *     cannot decide within them, such as a fixed controller whose size is outside; nothing
   *     changes then
   */
  public void bounds(Bounds bounds) {
    Bounds widest = pool.bounds();
    widest.require("minimum", bounds.minimum());
    widest.require("maximum", bounds.maximum());
    controller.requireBounds(bounds);
    narrowed = bounds;
    int size = pool.size();
    if (mode == Mode.ACTIVE && !bounds.contain(size)) {
      pool.resize(bounds.clamp(size));
    }
    listeners.post(listener -> listener.onBounds(pool, bounds));
  }

  /** Returns the name of the controller. */
  public String controller() {
    return controller.name();
  }

  /** Returns the objective of the controller, empty if it declares none. */
  public Optional<Objective> objective() {
    return controller.objective();
  }

  /** Returns the last window that closed, empty before the first. */
  public Optional<Window> lastWindow() {
    return Optional.ofNullable(lastWindow);
  }

  /** Returns the outcome of the last decision, empty before the first. */
  public Optional<Step> lastStep() {
    return Optional.ofNullable(lastStep);
  }

  /** Adds a listener, which receives the events from now on. */
  public void listen(ControlListener listener) {
    listeners.add(Objects.requireNonNull(listener, "listener must not be null"));
  }

  /**
   * Stops tuning. The listeners still receive a last window. Waits at most two seconds for that,
   * and not at all on a thread of the loop itself. A listener that blocks receives its last events
   * when it returns.
   */
  @Override
  public void close() {
    end();
    boolean interrupted = false;
    long began = System.nanoTime();
    for (long left = PATIENCE; left > 0; left = PATIENCE - (System.nanoTime() - began)) {
      try {
        awaitEnd(left);
        break;
      } catch (InterruptedException e) { // Keeps waiting: the wait is short.
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** Stops tuning without waiting. If no thread can be started, the next tick ends the loop. */
  void end() {
    if (!closing.compareAndSet(false, true)) {
      return;
    }
    release.run();
    if (!realTime) {
      finish(listeners::deliver);
      return;
    }
    try {
      Thread thread = new Thread(null, this::finishApart, "poolkeeper-end", 0, false);
      thread.setDaemon(false); // So the JVM waits for the last window.
      thread.setContextClassLoader(null);
      thread.start();
    } catch (Throwable e) { // No memory for a thread.
      Log.warn(
          pool.name(),
          "no thread for the end of the loop; its last window closes with the next tick",
          e);
    }
  }

  /**
   * Waits until the listeners have received their last events, at most {@code nanos} and two
   * seconds, and not at all on a thread of the loop itself.
   *
   * @throws InterruptedException if the thread is interrupted while it waits
   */
  void awaitEnd(long nanos) throws InterruptedException {
    if (!turn.isHeldByCurrentThread() && !listeners.delivers()) {
      listeners.awaitLast(Math.min(nanos, PATIENCE));
    }
  }

  private void finishApart() {
    finish(listeners::deliverApart);
    try {
      listeners.awaitLast(PATIENCE);
    } catch (InterruptedException e) { // An interrupt ends the thread at once.
      Thread.currentThread().interrupt();
    }
  }

  private void finish(Runnable deliver) {
    boolean mine = lockTurn();
    try {
      if (mine && memory != null) {
        memory.keepLast(pool.size(), PATIENCE_WITH_TURN);
      }
      postEnd();
    } finally {
      if (mine) {
        turn.unlock();
      }
    }
    deliver.run();
  }

  /** Waits for the turn that is under way; false if it hangs. */
  private boolean lockTurn() {
    try {
      return turn.tryLock() || turn.tryLock(PATIENCE_WITH_TURN, TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    } catch (OutOfMemoryError e) { // Waiting takes memory.
      return false;
    }
  }

  private void postEnd() {
    if (!ended.compareAndSet(false, true)) {
      return;
    }
    try {
      closeWindow();
      timer.stop();
      heapWatch.stop();
      unregister.run();
    } catch (Throwable e) { // A user's timer may throw.
      Log.warn(pool.name(), "the end of its loop failed", e);
    } finally {
      listeners.postLast();
    }
  }

  /**
   * Receives an alarm of the heap watch, on its thread. It does not wait for a turn that is under
   * way, which may stand still for lack of memory.
   */
  void filling(double collecting, double filling) {
    try {
      relief.ask(collecting, filling);
      reliefFailures.succeeded();
    } catch (OutOfMemoryError e) { // Logging takes memory as well; the next alarm tries again.
      return;
    } catch (Throwable e) { // A user's pool or controller may throw.
      reliefFailures.failed("the pool or its controller threw; its size stays", e);
    }
  }

  private void tick() {
    if (!turn.tryLock()) {
      return; // The turn before hangs; its window continues.
    }
    try {
      if (!closing.get()) {
        decide();
      }
      if (closing.get()) { // A listener closed it, or no thread could be started for the end.
        postEnd();
        listeners.deliver();
      }
      poolFailures.succeeded();
    } catch (Throwable e) { // size() of a user's pool may throw.
      poolFailures.failed(
          "the pool threw; no decision for this window, and only the first of several failures is"
              + " logged",
          e);
    } finally {
      turn.unlock();
    }
  }

  /** Closes a window and decides on it. */
  private void decide() {
    if (realTime) {
      HeapWatch.ofProcess().keepChecking(lastWindow);
      relief.ask();
    }
    int falls = relief.falls();
    Window window = closeWindow();
    listeners.deliver();
    Mode inForce = mode;
    if (window == null || inForce == Mode.FROZEN || closing.get()) {
      return;
    }
    Step step = decider.decide(window, inForce, falls, stoodStill ? STOOD_STILL : null);
    relief.stepped(step.before(), step.after());
    if (memory != null) {
      memory.keepIfDue(window.end(), pool.size());
    }
    if (!closing.get()) {
      lastStep = step;
      listeners.post(listener -> listener.onStep(pool, step));
      relief.reported(); // Only now: in a full heap there may be no memory for the step.
      listeners.deliver();
    }
  }

  /** Closes the window and posts it; null if there is none. */
  private @Nullable Window closeWindow() {
    if (!sensing.tryLock()) {
      return null; // The sensor hangs.
    }
    try {
      Window window = sensor.closeWindow(ticker.nanoTime());
      if (window.end() - window.start() < 0) {
        sensorFailures.failed("the clock of the sensor went back; no window", null);
        return null;
      }
      sensorFailures.succeeded();
      lastWindow = window;
      listeners.post(listener -> listener.onWindow(pool, window));
      lookForHang(window);
      return window;
    } catch (Throwable e) { // A user's sensor may throw anything.
      sensorFailures.failed(
          "the sensor threw; no window and no decision, and only the first of several failures is"
              + " logged",
          e);
      return null;
    } finally {
      sensing.unlock();
    }
  }

  private void lookForHang(Window window) {
    stoodStill = stoodStill(window);
    if (stoodStill) {
      hangWatch.restart(); // Nothing can end in a process that stands still.
      return;
    }
    try {
      hangWatch
          .see(window)
          .map(stuckFor -> new Hang(window, stuckFor, pool.stacks()))
          .ifPresent(hang -> listeners.post(listener -> listener.onHang(pool, hang)));
    } catch (Throwable e) { // workers() of a user's pool may throw.
      Log.warn(pool.name(), "the pool threw when asked for its stacks; a hang is not reported", e);
    }
  }

  /**
   * Returns whether the process stood still or the clock jumped: the window is far longer than the
   * interval and the window before, and garbage collection does not explain it.
   */
  private boolean stoodStill(Window window) {
    long length = window.end() - window.start();
    long usual = Math.max(interval, lastLength);
    boolean first = lastLength == 0;
    lastLength = length;
    return !first && (length - Math.max(0, window.gc())) / STANDSTILL > usual;
  }

  /** Posts an event of the pool's sensor, which is delivered with the window that closes. */
  void post(Consumer<ControlListener> event) {
    listeners.post(event);
  }

  void start(LoopTimer timer, boolean jmx, Runnable release) {
    this.release = release;
    if (realTime) {
      LoopRehearsal.ensure();
    }
    turn.lock();
    try {
      if (jmx) {
        unregister = ManagedPool.register(pool, this);
      }
      this.timer = timer.start(pool.name(), Duration.ofNanos(interval), this::tick);
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

  /** Builder of a loop. Every setting except the controller has a default. */
  public static final class Builder extends LoopBuilder<Builder> {
    private final Resizable pool;
    private final Sensor sensor;
    private boolean started;

    private Builder(Resizable pool, Sensor sensor) {
      this.pool = Objects.requireNonNull(pool, "pool must not be null");
      this.sensor = Objects.requireNonNull(sensor, "sensor must not be null");
    }

    @Override
    Builder self() {
      return this;
    }

    @Override
    String name() {
      return pool.name();
    }

    /**
     * Starts the loop.
     *
     * @throws IllegalArgumentException if the controller cannot decide within the pool's bounds,
     *     such as a fixed controller whose size is outside
     * @throws IllegalStateException if no controller was set, or the loop was started before
     */
    public ControlLoop start() {
      if (started) {
        throw new IllegalStateException(
            "the loop of '%s' was started before: a pool has one loop".formatted(pool.name()));
      }
      ControlLoop loop = startLoop(pool, sensor, null);
      started = true;
      return loop;
    }
  }
}
