package io.poolkeeper.console;

import io.poolkeeper.Bounds;
import io.poolkeeper.ControlListener;
import io.poolkeeper.ControlLoop;
import io.poolkeeper.Hang;
import io.poolkeeper.Mode;
import io.poolkeeper.Resizable;
import io.poolkeeper.Window;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A pool on the page: what it did, and ways to change it. Each change is kept and logged. */
final class WatchedPool implements ControlListener {

  private static final System.Logger LOG = System.getLogger("io.poolkeeper.console");
  private static final int LARGEST_AUDIT = 200;
  private static final Bounds PIN_MINUTES = new Bounds(1, 7 * 24 * 60);

  /**
   * A change by hand, or an event that is none of the controller's.
   *
   * @param at milliseconds since 1970
   */
  record Entry(long at, String text) {}

  /** A size that is held. */
  private record Pin(int size, long until, Mode before) {}

  private final Resizable pool;
  private final ControlLoop loop;
  private final PoolHistory history = new PoolHistory();
  private final PoolRecord record = new PoolRecord();
  private final Deque<Entry> audit = new ArrayDeque<>();

  /** Written under this; read without, since a host may hang while it resizes. */
  private volatile @Nullable Pin pin;

  private volatile long closedAt;
  private volatile boolean closed;
  private volatile boolean forgotten;

  WatchedPool(Resizable pool, ControlLoop loop) {
    this.pool = pool;
    this.loop = loop;
  }

  /** Listens to the loop, unless somebody else passes its events on. */
  void begin() {
    loop.listen(this);
    if (loop.lastWindow().isPresent()) {
      record.truncate();
    }
  }

  /** Hears nothing from now on: a loop does not let go of its listeners. */
  void forget() {
    forgotten = true;
  }

  String name() {
    return pool.name();
  }

  Resizable pool() {
    return pool;
  }

  /** Size in force; that of the last window where the host does not tell it any more. */
  int size() {
    try {
      return pool.size();
    } catch (RuntimeException e) { // The host has stopped, for example.
      return loop.lastWindow().map(Window::size).orElse(0);
    }
  }

  ControlLoop loop() {
    return loop;
  }

  /** The last window; empty before the first. */
  Optional<Point> newest() {
    Point seen = history.newest();
    return seen != null
        ? Optional.of(seen)
        : loop.lastWindow().map(window -> Point.of(System.currentTimeMillis(), window));
  }

  PoolHistory history() {
    return history;
  }

  PoolRecord record() {
    return record;
  }

  boolean closed() {
    return closed;
  }

  /** When it was closed, nanoseconds on the clock of {@link System#nanoTime}. */
  long closedAt() {
    return closedAt;
  }

  @Override
  public void onWindow(Resizable source, Window window) {
    if (!forgotten) {
      long now = System.currentTimeMillis();
      history.add(now, window);
      record.add(window);
      endPin(now);
    }
  }

  @Override
  public void onStep(Resizable source, Step step) {
    if (!forgotten) {
      history.add(System.currentTimeMillis(), step);
      record.add(step);
    }
  }

  @Override
  public void onBounds(Resizable source, Bounds bounds) {
    record.rebound();
  }

  @Override
  public void onHang(Resizable source, Hang hang) {
    if (!forgotten) {
      note("hang: nothing ended though all workers are busy and tasks wait");
    }
  }

  @Override
  public void onClose(Resizable source) {
    closedAt = System.nanoTime();
    closed = true;
  }

  /** Changes the mode, which also ends a pin. */
  void mode(Mode mode) {
    Mode before = loop.mode();
    loop.mode(mode);
    synchronized (this) {
      pin = null;
    }
    change("mode " + before + " -> " + mode);
  }

  /**
   * Changes the sizes that decisions may choose. In active mode, a size outside changes at once.
   *
   * @throws IllegalArgumentException naming the bound and its nearest valid value
   */
  void bounds(int minimum, int maximum) {
    Bounds widest = pool.bounds();
    require("min", minimum, widest);
    require("max", maximum, widest);
    if (minimum > maximum) {
      throw new IllegalArgumentException(
          "min must be <= max, but %d > %d; the nearest valid min is %d"
              .formatted(minimum, maximum, maximum));
    }
    Bounds before = loop.bounds();
    int size = pool.size();
    loop.bounds(new Bounds(minimum, maximum));
    int after = pool.size();
    String consequence =
        after != size
            ? "; size %d -> %d".formatted(size, after)
            : minimum <= size && size <= maximum
                ? ""
                : "; size %d stays: %s".formatted(size, loop.mode());
    change(
        "bounds %d..%d -> %d..%d%s"
            .formatted(before.minimum(), before.maximum(), minimum, maximum, consequence));
  }

  /** Requires a value within bounds; the message names the nearest valid one. */
  private static void require(String name, int value, Bounds bounds) {
    if (!bounds.contain(value)) {
      throw new IllegalArgumentException(
          "%s must be %d to %d, but is %d; the nearest valid value is %d"
              .formatted(name, bounds.minimum(), bounds.maximum(), value, bounds.clamp(value)));
    }
  }

  /**
   * Holds a size for some minutes; then the mode is what it was.
   *
   * @throws IllegalArgumentException if the size is out of bounds, or the time is
   */
  void pin(int size, int minutes) {
    require("minutes", minutes, PIN_MINUTES);
    require("size", size, loop.bounds());
    int before = pool.size();
    synchronized (this) {
      Pin held = pin;
      Mode mode = held == null ? loop.mode() : held.before();
      resizeFrozen(size);
      pin = new Pin(size, System.currentTimeMillis() + minutes * 60_000L, mode);
    }
    change("size %d -> %d, held for %d min".formatted(before, size, minutes));
  }

  /** Resizes in mode frozen; where the pool refuses the size, the mode stays. */
  private void resizeFrozen(int size) {
    Mode before = loop.mode();
    loop.mode(Mode.FROZEN);
    try {
      pool.resize(size);
    } catch (RuntimeException e) {
      loop.mode(before);
      throw e;
    }
  }

  /**
   * Goes back to the size before the last change, and stays there: the mode becomes frozen.
   *
   * @throws IllegalArgumentException if nothing has changed yet
   */
  void rollBack() {
    List<PoolHistory.Decided> decisions = history.news(0, 0).decisions();
    int size = pool.size();
    for (int i = decisions.size(); i-- > 0; ) {
      PoolHistory.Decided decision = decisions.get(i);
      if (decision.before() != decision.after() && decision.before() != size) {
        resizeFrozen(decision.before());
        synchronized (this) {
          pin = null;
        }
        change("size %d -> %d, rolled back; frozen".formatted(size, decision.before()));
        return;
      }
    }
    throw new IllegalArgumentException("no decision has changed the size yet");
  }

  /** Milliseconds since 1970 until which a size is held; empty if none is. */
  Optional<Long> pinnedUntil() {
    return Optional.ofNullable(pin).map(Pin::until);
  }

  List<Entry> audit() {
    synchronized (audit) {
      return List.copyOf(audit);
    }
  }

  private void endPin(long now) {
    Pin ended;
    synchronized (this) {
      ended = pin;
      if (ended == null || now < ended.until()) {
        return;
      }
      pin = null;
    }
    if (loop.mode() == Mode.FROZEN) { // Else somebody has changed it elsewhere meanwhile.
      loop.mode(ended.before());
      change("no longer held; mode " + ended.before());
    }
  }

  private void change(String text) {
    LOG.log(System.Logger.Level.INFO, "{0}: changed on the console: {1}", pool.name(), text);
    note(text);
  }

  /** Keeps a text among the changes by hand. */
  void note(String text) {
    synchronized (audit) {
      audit.addLast(new Entry(System.currentTimeMillis(), text));
      if (audit.size() > LARGEST_AUDIT) {
        audit.removeFirst();
      }
    }
  }
}
