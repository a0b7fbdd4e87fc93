package io.poolkeeper.testbed.servers;

import io.poolkeeper.ControlListener;
import io.poolkeeper.Controller;
import io.poolkeeper.Decision;
import io.poolkeeper.Resizable;
import io.poolkeeper.Window;
import io.poolkeeper.spi.Ticker;
import io.poolkeeper.testbed.commands.Names;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A controller that hands one pool from variant to variant, so that they can be compared on the
 * same process, with the same compiled code and the same users.
 *
 * <p>Each variant has a controller of its own, which keeps what it knows between its slices, and
 * gets the pool back at the size that it left. Two kinds of windows are given to no controller,
 * because they tell of two variants:
 *
 * <ul>
 *   <li>the window in which the switch happened;
 *   <li>after a switch to fewer workers, each window with more workers busy than the pool has: they
 *       end tasks that the variant before had started.
 * </ul>
 *
 * <p>The windows that a controller is given lie side by side: those of others are no pause to it,
 * and what it knows does not age meanwhile.
 *
 * <p>A switch takes effect at once, on the thread that asks for it. A decision that the loop was
 * making meanwhile belongs to the variant before; where it came to the pool after the switch, the
 * size is put right as the loop tells of that step.
 */
final class AlternatingController implements Controller, ControlListener {

  /** By how many workers the mean number of busy ones may be above the size by its own error. */
  private static final double SLACK = 0.5;

  /**
   * A variant as it begins.
   *
   * @param size size of the pool at the start of its first slice
   */
  record Variant(String name, Controller controller, int size) {}

  private static final class Turn {
    private final Variant variant;
    private int size;

    /** End of the last window that its controller was given, in its own time. */
    private @Nullable Long end;

    /** From the time of the pool to its own; what is between its slices is not in it. */
    private long shift;

    private Turn(Variant variant) {
      this.variant = variant;
      size = variant.size();
    }

    private Decision decide(Window window, boolean first) {
      if (first && end != null) {
        shift = end - window.start();
      }
      Window own = moved(window, shift);
      end = own.end();
      return variant.controller().decide(own);
    }
  }

  /** Outcome of a switch: its time on the monotonic clock, and the size of the pool since. */
  record Switch(String variant, long at, int size) {}

  private final Ticker ticker;
  private final Map<String, Turn> turns = new LinkedHashMap<>();
  private @Nullable Resizable pool;
  private volatile Turn current;
  private long switchedAt;
  private boolean begun;

  /** Whether no window of this slice has been given to the controller yet. */
  private boolean settling;

  /** Begins with the first variant. */
  AlternatingController(List<Variant> variants, Ticker ticker) {
    this.ticker = ticker;
    variants.forEach(variant -> turns.put(variant.name(), new Turn(variant)));
    current = turns.values().iterator().next();
    switchedAt = ticker.nanoTime();
  }

  /** Names the pool that is handed on; before the first switch. */
  synchronized void attach(Resizable pool) {
    this.pool = pool;
  }

  /** Size of the pool at the start of the first slice. */
  int initialSize() {
    return turns.values().iterator().next().size;
  }

  /** Name of the variant in force. */
  synchronized String variant() {
    return current.variant.name();
  }

  /**
   * Begins a slice of a variant, which may be the one in force.
   *
   * @throws IllegalArgumentException with the nearest valid name if there is none of that name
   */
  synchronized Switch switchTo(String name) {
    Names.require("variant", name, turns.keySet());
    if (pool == null) {
      throw new IllegalStateException("no pool is attached");
    }
    Turn next = turns.getOrDefault(name, current);
    if (begun) { // Before the first slice a warm-up may have changed the size.
      current.size = pool.size();
    }
    if (next.size != pool.size()) {
      pool.resize(next.size);
    }
    begun = true;
    current = next;
    switchedAt = ticker.nanoTime();
    settling = true;
    return new Switch(name, switchedAt, next.size);
  }

  /**
   * Asks the controller of the variant in force. Not synchronized: it may be called while one
   * decides, and must not wait.
   */
  @Override
  public int relieve(int size, double collecting, double filling) {
    return current.variant.controller().relieve(size, collecting, filling);
  }

  @Override
  public synchronized Decision decide(Window window) {
    if (window.start() - switchedAt < 0) {
      return keep("the window began before the slice of " + current.variant.name());
    }
    if (settling && window.busy() > current.size + SLACK) {
      return keep("%.1f workers are busy with tasks of the slice before".formatted(window.busy()));
    }
    boolean first = settling;
    settling = false;
    return current.decide(window, first);
  }

  /** The same window at a later time, or an earlier one. */
  private static Window moved(Window window, long by) {
    return window.toBuilder().moved(by).build();
  }

  /** The window's own size may be that before the switch. */
  private Decision keep(String why) {
    int size = pool == null ? current.size : pool.size();
    return Decision.towards(size, "not asked: " + why);
  }

  @Override
  public synchronized void onStep(Resizable tuned, Step step) {
    boolean late = step.window().start() - switchedAt < 0;
    if (late && settling && tuned.size() != current.size) {
      tuned.resize(current.size);
    }
  }

  @Override
  public synchronized String name() {
    return current.variant.controller().name();
  }
}
