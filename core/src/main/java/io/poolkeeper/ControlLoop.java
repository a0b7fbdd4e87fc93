package io.poolkeeper;

import io.poolkeeper.ControlListener.Step;
import io.poolkeeper.internal.Broadcaster;
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
 * try (var loop = ControlLoop.tune(pool).controller(Controllers.responseCurve()).start()) {
 *   ...
 * }
 * }</pre>
 *
 * <p>Choosing the interval: a window should hold at least some hundred completions, or its mean
 * says little; a shorter one reacts sooner. One second suits most services.
 */
public final class ControlLoop implements AutoCloseable {

  /** Nanoseconds that {@link #close} waits for listeners at most. */
  private static final long PATIENCE = TimeUnit.SECONDS.toNanos(2);

  /** Nanoseconds after which the end of the loop does not wait for a turn any more. */
  private static final long PATIENCE_WITH_TURN = TimeUnit.SECONDS.toNanos(1);

  /** Nanoseconds after which what was learned is written again, 5 min. */
  private static final long REMEMBER_EVERY = TimeUnit.MINUTES.toNanos(5);

  /** So many times longer than usual is a window in which process or clock stood still. */
  private static final int STANDSTILL = 5;

  private static final String STOOD_STILL =
      "nobody was asked: process or clock stood still for most of the window";

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

  private long rememberedAt;

  /** Held by who calls the controller. Nobody waits for it but the end, and not for long. */
  private final ReentrantLock turn = new ReentrantLock();

  /** Held by who calls the sensor. Nobody waits for it. */
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
  private long lastLength;
  private boolean stoodStill;

  /** Whether the pool runs in this process now: not in virtual time, and no recording of one. */
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
    this.hangWatch = new HangWatch(settings.hangAfter());
    this.relief = new HeapRelief(pool, controller, ticker, this::bounds);
    this.decider = new Decider(pool, controller, relief, closing::get, this::bounds);
    this.listeners = new Broadcaster(pool.name(), listener -> listener.onClose(pool));
    settings.listeners().forEach(listeners::add);
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

  /** Sizes that decisions may choose: the bounds of the pool, unless they were narrowed. */
  public Bounds bounds() {
    Bounds chosen = narrowed;
    return chosen == null ? pool.bounds() : chosen;
  }

  /**
   * Changes the sizes that decisions may choose, within the bounds of the pool. In active mode a
   * size outside them changes to the nearest at once; in the other modes it stays.
   *
   * @throws IllegalArgumentException if they reach beyond the bounds of the pool, or the controller
   *     cannot decide within them, such as a fixed one whose size is outside; nothing has changed
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

  /** Name of the controller. */
  public String controller() {
    return controller.name();
  }

  /** Objective of the controller, empty where it does not tell. */
  public Optional<Objective> objective() {
    return controller.objective();
  }

  /** The last window that closed, empty before the first. */
  public Optional<Window> lastWindow() {
    return Optional.ofNullable(lastWindow);
  }

  /** Returns the outcome of the last decision, empty before the first. */
  public Optional<Step> lastStep() {
    return Optional.ofNullable(lastStep);
  }

  /** Adds a listener; it hears of windows that close from now on. */
  public void listen(ControlListener listener) {
    listeners.add(Objects.requireNonNull(listener, "listener must not be null"));
  }

  /**
   * Stops tuning. What was measured since the last window still reaches the listeners. Waits for
   * that, but no longer than two seconds, and not on a thread of the loop itself: a listener that
   * blocks gets its last events when it returns.
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
      } catch (InterruptedException e) { // The wait is short, and the listeners are none of its.
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** Stops tuning and waits for nobody. Without a thread for it the next tick does the rest. */
  void end() {
    if (!closing.compareAndSet(false, true)) {
      return;
    }
    if (!realTime) {
      finish(listeners::deliver);
      return;
    }
    try {
      Thread thread = new Thread(null, this::finishApart, "poolkeeper-end", 0, false);
      thread.setDaemon(false); // The JVM waits for the last window, and no longer than this does.
      thread.setContextClassLoader(null);
      thread.start();
    } catch (Throwable e) { // No memory for a thread.
      Log.warn(pool.name(), "its last window is late", e);
    }
  }

  /**
   * Waits until the listeners have got their last events, for {@code nanos} and for two seconds at
   * most, and not on a thread of the loop itself.
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
    } catch (InterruptedException e) { // Then it ends at once, as whoever knows it asks for.
      Thread.currentThread().interrupt();
    }
  }

  /** Writes what was learned for the last time, and waits for it as long as for a turn. */
  private void rememberLast() {
    if (memory == null) {
      return;
    }
    try {
      memory.keep(pool.size()).join(TimeUnit.NANOSECONDS.toMillis(PATIENCE_WITH_TURN));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (Throwable e) { // No memory, for example.
      Log.warn(pool.name(), "what it learned is not kept", e);
    }
  }

  private void finish(Runnable deliver) {
    boolean mine = lockTurn();
    try {
      if (mine) {
        rememberLast();
      }
      postEnd();
    } finally {
      if (mine) {
        turn.unlock();
      }
    }
    deliver.run();
  }

  /** Waits for the turn that is under way; one that hangs is passed by. */
  private boolean lockTurn() {
    try {
      return turn.tryLock() || turn.tryLock(PATIENCE_WITH_TURN, TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    } catch (OutOfMemoryError e) { // To wait takes memory.
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
      Log.warn(pool.name(), "its end failed", e);
    } finally {
      listeners.postLast();
    }
  }

  /** Takes what the heap watch has seen between windows. */
  void filling(double collecting, double filling) {
    if (!turn.tryLock()) {
      return; // Somebody decides just now, or hangs: other loops wait to be told.
    }
    try {
      if (mode == Mode.ACTIVE && !closing.get()) {
        relief.ask(collecting, filling);
      }
    } catch (Throwable e) { // A user's pool may throw when it is asked for its size.
      Log.warn(pool.name(), "the pool failed, its size stays", e);
    } finally {
      turn.unlock();
    }
  }

  private void tick() {
    if (!turn.tryLock()) {
      return; // The turn before hangs; its window goes on.
    }
    try {
      if (!closing.get()) {
        decide();
      }
      if (closing.get()) { // By a listener; or there was no thread for the end.
        postEnd();
        listeners.deliver();
      }
    } catch (Throwable e) { // A user's pool may throw when it is asked for its size.
      Log.warn(pool.name(), "the pool failed, no decision", e);
    } finally {
      turn.unlock();
    }
  }

  /** Closes a window and decides on it. */
  private void decide() {
    if (realTime) {
      HeapWatch.ofProcess().keepLooking();
      if (mode == Mode.ACTIVE) {
        relief.ask();
      }
    }
    Window window = closeWindow();
    listeners.deliver();
    Mode inForce = mode;
    if (window == null || inForce == Mode.FROZEN || closing.get()) {
      return;
    }
    Step step = decider.decide(window, inForce, stoodStill ? STOOD_STILL : null);
    if (memory != null && window.end() - rememberedAt > REMEMBER_EVERY) {
      rememberedAt = window.end();
      Thread unused = memory.keep(pool.size());
    }
    if (!closing.get()) {
      lastStep = step;
      listeners.post(listener -> listener.onStep(pool, step));
      relief.reported(); // Not before: in a full heap there may be no memory for the step.
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
        Log.warn(pool.name(), "the sensor's clock went back, no window", null);
        return null;
      }
      lastWindow = window;
      listeners.post(listener -> listener.onWindow(pool, window));
      lookForHang(window);
      return window;
    } catch (Throwable e) { // A user's sensor may throw anything, too.
      Log.warn(pool.name(), "the sensor failed, no window", e);
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
    } catch (Throwable e) { // The threads are asked of the pool.
      Log.warn(pool.name(), "cannot tell whether it hangs", e);
    }
  }

  /**
   * Whether this process, or the clock, must have stood still or jumped: the window is far longer
   * than the interval and the window before, and garbage collection does not account for it.
   */
  private boolean stoodStill(Window window) {
    long length = window.end() - window.start();
    long usual = Math.max(interval, lastLength);
    boolean first = lastLength == 0;
    lastLength = length;
    return !first && (length - Math.max(0, window.gc())) / STANDSTILL > usual;
  }

  /** Posts an event that the pool's sensor found; it is delivered with the window that closes. */
  void post(Consumer<ControlListener> event) {
    listeners.post(event);
  }

  void start(LoopTimer timer, boolean jmx) {
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

  /** Describes one loop. Every setting has a default but the controller. */
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
     *     such as a fixed one whose size is outside
     * @throws IllegalStateException if no controller was named, or the loop has been started
     *     already
     */
    public ControlLoop start() {
      if (started) {
        throw new IllegalStateException(
            "the loop of '%s' has been started: a pool has one".formatted(pool.name()));
      }
      ControlLoop loop = startLoop(pool, sensor, null);
      started = true;
      return loop;
    }
  }
}
