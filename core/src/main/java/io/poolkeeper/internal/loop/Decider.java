package io.poolkeeper.internal.loop;

import io.poolkeeper.Bounds;
import io.poolkeeper.ControlListener.Action;
import io.poolkeeper.ControlListener.Step;
import io.poolkeeper.Controller;
import io.poolkeeper.Decision;
import io.poolkeeper.Mode;
import io.poolkeeper.Resizable;
import io.poolkeeper.Window;
import io.poolkeeper.internal.heap.HeapRelief;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Asks a controller about windows and applies its decisions. If anything fails, the size stays and
 * the step holds the reason. Not thread-safe.
 */
public final class Decider {

  private final Resizable pool;
  private final Controller controller;
  private final HeapRelief relief;
  private final BooleanSupplier stopped;
  private final Supplier<Bounds> allowed;

  /**
   * @param relief shrinks the pool between windows
   * @param stopped whether decisions are no longer applied: somebody may have frozen the pool, or
   *     closed its loop, while the controller decided
   * @param allowed sizes that decisions may choose
   */
  public Decider(
      Resizable pool,
      Controller controller,
      HeapRelief relief,
      BooleanSupplier stopped,
      Supplier<Bounds> allowed) {
    this.pool = pool;
    this.controller = controller;
    this.relief = relief;
    this.stopped = stopped;
    this.allowed = allowed;
  }

  /** A window with its mode and sizes. */
  private record Occasion(Window window, Mode mode, int before, int size, int falls) {

    /** Makes a step, whose explanation mentions a fall of the size between windows. */
    Step step(
        String controller, @Nullable Decision decision, Action action, int after, String reason) {
      String explanation =
          size < before
              ? "fell from %d to %d at once as the heap was filling up; %s"
                  .formatted(before, size, reason)
              : reason;
      return new Step(window, controller, decision, mode, action, before, after, explanation);
    }
  }

  /**
   * Asks about a window and applies the decision, unless in dry-run.
   *
   * @param falls {@link HeapRelief#falls} before the window was closed; what is decided on it does
   *     not undo later ones
   * @param useless reason to ignore the window, null if there is none
   */
  public Step decide(Window window, Mode mode, int falls, @Nullable String useless) {
    return decide(occasion(window, mode, falls), useless);
  }

  private Occasion occasion(Window window, Mode mode, int falls) {
    int size = pool.size();
    return new Occasion(window, mode, Math.max(size, relief.fallenFrom()), size, falls);
  }

  private Step decide(Occasion occasion, @Nullable String useless) {
    if (useless != null) {
      return failed(occasion, null, useless);
    }
    Decision decision;
    try {
      decision = controller.decide(occasion.window);
    } catch (Throwable e) { // A user's controller may throw anything; the loop must outlive it.
      return failed(occasion, null, "the controller threw " + e);
    }
    if (decision == null) { // NullAway cannot see into a user's class.
      return failed(occasion, null, "the controller returned null");
    }
    Bounds bounds = allowed.get();
    if (!decision.bounded() && !bounds.contain(decision.size())) {
      String excess =
          "%d is outside %d..%d, the size stays; reason of the controller: %s"
              .formatted(decision.size(), bounds.minimum(), bounds.maximum(), decision.reason());
      return occasion.step(controller.name(), decision, Action.REFUSED, occasion.size, excess);
    }
    return apply(occasion, decision, bounds.clamp(decision.size()));
  }

  private Step apply(Occasion occasion, Decision decision, int wanted) {
    String reason = explain(decision, wanted);
    if (occasion.mode == Mode.DRY_RUN) {
      Action action = wanted == occasion.size ? Action.KEPT : Action.RECORDED;
      return occasion.step(controller.name(), decision, action, occasion.size, reason);
    }
    if (wanted != occasion.size && stopped.getAsBoolean()) {
      String late = "%s (not applied: the loop is no longer active)".formatted(reason);
      return occasion.step(controller.name(), decision, Action.KEPT, occasion.size, late);
    }
    if (wanted != occasion.size) {
      try {
        relief.resize(wanted, occasion.falls);
      } catch (Throwable e) { // No memory for another thread, for example.
        return failed(occasion, decision, "the resize to " + wanted + " failed: " + e);
      }
    }
    if (relief.falls() != occasion.falls) { // It fell since, maybe while the controller decided.
      Occasion fallen = occasion(occasion.window, occasion.mode, occasion.falls);
      return fallen.step(controller.name(), decision, Action.RESIZED, fallen.size, reason);
    }
    Action action = wanted == occasion.before ? Action.KEPT : Action.RESIZED;
    return occasion.step(controller.name(), decision, action, wanted, reason);
  }

  private static String explain(Decision decision, int wanted) {
    return wanted == decision.size()
        ? decision.reason()
        : "%s (asked for %d, the bound is %d)"
            .formatted(decision.reason(), decision.size(), wanted);
  }

  private Step failed(Occasion occasion, @Nullable Decision decision, String why) {
    return occasion.step(controller.name(), decision, Action.FAILED, pool.size(), why);
  }
}
