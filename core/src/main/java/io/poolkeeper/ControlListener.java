package io.poolkeeper;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Hears what a {@link ControlLoop} sees and does. Events come in order and one at a time, on the
 * loop's thread; the last ones, after the loop was closed, on another one. It is never a worker of
 * the pool, and never interrupted.
 *
 * <p>A listener that throws is logged and does not disturb the loop or the other listeners. One
 * that blocks stops the tuning of its pool until it returns; the end of the pool does not wait for
 * it, nor do other pools.
 */
public interface ControlListener {

  /** A window has closed. */
  default void onWindow(Resizable pool, Window window) {}

  /** A decision was asked for, and this came of it. */
  default void onStep(Resizable pool, Step step) {}

  /** All workers have been busy, nothing has ended, and tasks have waited for a while. */
  default void onHang(Resizable pool, Hang hang) {}

  /**
   * A permit was taken away from its holder: nothing refers to it any more, or nobody else got one
   * for a while. {@link AdaptiveLimiter} on both.
   */
  default void onLeak(Resizable pool, AdaptiveLimiter.Holder holder) {}

  /** The sizes that decisions may choose were changed, {@link ControlLoop#bounds(Bounds)}. */
  default void onBounds(Resizable pool, Bounds bounds) {}

  /** The loop has ended; nothing follows. */
  default void onClose(Resizable pool) {}

  /** Outcome of a decision. */
  enum Action {
    /** The size was changed. */
    RESIZED,
    /** The size asked for is the one in force. */
    KEPT,
    /** Dry-run: not applied. */
    RECORDED,
    /** The size asked for is out of bounds; the size stays. */
    REFUSED,
    /** The controller threw or the resize failed; the size stays as the pool reports it. */
    FAILED;

    /** The action as people and records write it, in lower case. */
    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /**
   * One turn of the loop.
   *
   * @param window what was measured
   * @param controller name of the controller that was asked
   * @param decision what it answered, or null if it threw
   * @param mode mode in force
   * @param action what came of it
   * @param before size before
   * @param after size after
   * @param explanation the decision's reason, and what the loop has to add to it
   */
  record Step(
      Window window,
      String controller,
      @Nullable Decision decision,
      Mode mode,
      Action action,
      int before,
      int after,
      String explanation) {}
}
