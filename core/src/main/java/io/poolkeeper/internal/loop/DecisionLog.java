package io.poolkeeper.internal.loop;

import io.poolkeeper.AdaptiveLimiter;
import io.poolkeeper.ControlListener;
import io.poolkeeper.Decision;
import io.poolkeeper.Hang;
import io.poolkeeper.Resizable;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Locale;

/**
 * Writes decisions to the logger {@code io.poolkeeper}: a change of size at INFO, an unchanged size
 * at DEBUG, a failure at WARNING. A failure that repeats is logged once, and so is a size that is
 * wanted repeatedly in dry-run.
 */
public final class DecisionLog implements ControlListener {

  private static final System.Logger LOG = System.getLogger("io.poolkeeper");

  private String lastWarning = "";

  /** Size that was recorded last in dry-run; 0 for none. */
  private int lastRecorded;

  @Override
  public void onStep(Resizable pool, Step step) {
    boolean recorded = step.action() == Action.RECORDED;
    Decision decision = step.decision();
    int size = recorded && decision != null ? decision.size() : step.after();
    Level level = level(step, size);
    lastRecorded = recorded ? size : 0;
    if (LOG.isLoggable(level)) {
      LOG.log(
          level,
          "{0}: {1} {2} -> {3}: {4}",
          pool.name(),
          step.action(),
          Integer.toString(step.before()),
          Integer.toString(size),
          step.explanation());
    }
  }

  private Level level(Step step, int size) {
    return switch (step.action()) {
      case RESIZED -> Level.INFO;
      case RECORDED -> size == lastRecorded ? Level.DEBUG : Level.INFO;
      case KEPT -> Level.DEBUG;
      case REFUSED, FAILED -> {
        boolean again = step.explanation().equals(lastWarning);
        lastWarning = step.explanation();
        yield again ? Level.DEBUG : Level.WARNING;
      }
    };
  }

  @Override
  public void onHang(Resizable pool, Hang hang) {
    StringBuilder text = new StringBuilder();
    hang.stacks()
        .forEach(
            (thread, frames) -> {
              text.append("\n  ").append(thread);
              frames.forEach(frame -> text.append("\n    at ").append(frame));
            });
    LOG.log(
        Level.WARNING,
        "{0}: hung: {1}, all busy, {2} waiting, nothing ended for {3}{4}",
        pool.name(),
        count(hang.window().size(), "worker"),
        count(hang.window().queueMax(), "task"),
        seconds(hang.since()),
        text);
  }

  private static String seconds(Duration time) {
    return String.format(Locale.ROOT, "%.1f s", time.toMillis() / 1e3);
  }

  private static String count(long number, String thing) {
    return number + " " + thing + (number == 1 ? "" : "s");
  }

  @Override
  public void onLeak(Resizable pool, AdaptiveLimiter.Holder holder) {
    StringBuilder text = new StringBuilder();
    holder.stack().forEach(frame -> text.append("\n    at ").append(frame));
    LOG.log(
        Level.WARNING,
        "{0}: a permit was taken back from {1}: {2}{3}",
        pool.name(),
        holder,
        holder.reachable() ? "nobody else got one" : "nothing refers to it any more",
        text);
  }
}
