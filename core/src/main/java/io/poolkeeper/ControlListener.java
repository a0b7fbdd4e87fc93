package io.poolkeeper;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Receives the events of a {@link ControlLoop}, in order and one at a time. Events arrive on the
 * loop's thread; those after the loop was closed arrive on another thread. A listener never runs on
 * a worker of the pool, and never with the interrupt flag set.
 *
 * <p>If a listener throws, the exception is logged; the loop and the other listeners continue. If a
 * listener blocks, its pool is not tuned until it returns; other pools and the end of the pool do
 * not wait for it.
 */
public interface ControlListener {

  /** Called when a window has closed. */
  default void onWindow(Resizable pool, Window window) {}

  /** Called when a decision was applied, recorded or refused, or has failed. */
  default void onStep(Resizable pool, Step step) {}

  /** Called when the pool hangs: all workers are busy, nothing ends, and tasks wait. */
  default void onHang(Resizable pool, Hang hang) {}

  /**
   * Called when a permit was taken from its holder: nothing refers to it, or it was written off in
   * a hang. See the section on leaks of {@link AdaptiveLimiter}.
   */
  default void onLeak(Resizable pool, AdaptiveLimiter.Holder holder) {}

  /** Called when {@link ControlLoop#bounds(Bounds)} has changed the sizes to choose from. */
  default void onBounds(Resizable pool, Bounds bounds) {}

  /** Called when the loop has ended; nothing follows. */
  default void onClose(Resizable pool) {}

  /** Outcome of a decision. */
  enum Action {
    /** The size was changed. */
    RESIZED,
    /** The size asked for is the one in force. */
    KEPT,
    /** Dry-run: the size asked for was recorded and not applied. */
    RECORDED,
    /** The size asked for is out of bounds; the size stays. */
    REFUSED,
    /** The controller threw or the resize failed; the size stays as the pool reports it. */
    FAILED;

    /** Returns the name in logs and records, in lower case. */
    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /**
   * A decision and its outcome.
   *
   * @param window what was measured
   * @param controller name of the controller that was asked
   * @param decision its decision, or null if it threw
   * @param mode mode in force
   * @param action outcome of the decision
   * @param before size before
   * @param after size after
   * @param explanation the reason of the decision, completed by the loop where it was not applied
   *     as asked
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
