package io.poolkeeper.record;

import io.poolkeeper.ControlListener.Action;
import io.poolkeeper.ControlListener.Step;
import io.poolkeeper.Mode;
import io.poolkeeper.Resizable;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A decision and the pool that it was made for, as one line of {@code decisions.jsonl} holds it.
 *
 * <p>Two are equal if they are the same to the last bit of every number, so a replay compares what
 * was read with {@link #of} the steps that it takes itself.
 *
 * @param pool name of the pool
 * @param controller name of the controller that was asked; empty where a record does not say
 * @param at end of the window that was decided on, or the event at which a policy decided, on the
 *     monotonic clock, in nanoseconds
 * @param mode mode in force
 * @param action what came of it
 * @param before size before
 * @param after size after
 * @param asked size that the controller asked for, or null if it threw
 * @param reason the reason in words
 * @param numbers the numbers behind it, in their order; NaN also stands for an infinite one, which
 *     JSON does not know either
 */
public record PoolDecision(
    String pool,
    String controller,
    long at,
    Mode mode,
    Action action,
    int before,
    int after,
    @Nullable Integer asked,
    String reason,
    Map<String, Double> numbers) {

  /** Copies {@code numbers}, keeping their order. */
  public PoolDecision {
    Map<String, Double> copy = new LinkedHashMap<>();
    numbers.forEach((name, value) -> copy.put(name, Double.isFinite(value) ? value : Double.NaN));
    numbers = Collections.unmodifiableMap(copy);
  }

  /** Record of one turn of a control loop. */
  public static PoolDecision of(Resizable pool, Step step) {
    return new PoolDecision(
        pool.name(),
        step.controller(),
        step.window().end(),
        step.mode(),
        step.action(),
        step.before(),
        step.after(),
        step.decision() == null ? null : step.decision().size(),
        step.explanation(),
        step.decision() == null ? Map.of() : step.decision().numbers());
  }
}
