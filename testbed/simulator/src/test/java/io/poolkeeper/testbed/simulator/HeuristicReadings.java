package io.poolkeeper.testbed.simulator;

import io.poolkeeper.testbed.controllers.EventPolicy;
import io.poolkeeper.testbed.controllers.Outcome;
import io.poolkeeper.testbed.controllers.PoolState;
import io.poolkeeper.testbed.controllers.reactive.Heuristic;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;

/** Possible readings of the Heuristic pool's description: each is a small change of it. */
final class HeuristicReadings {

  static final String AS_DESCRIBED = "differs by more than 1 % (as described)";
  static final String RISES = "rises by more than 1 %";

  private HeuristicReadings() {}

  /** The readings by what makes the pool grow, the shipped ones first. */
  static Map<String, Supplier<EventPolicy>> all() {
    Map<String, Supplier<EventPolicy>> all = new LinkedHashMap<>();
    all.put(AS_DESCRIBED, () -> new Heuristic(Heuristic.Settings.PUBLISHED));
    all.put(RISES, () -> new Heuristic(Heuristic.Settings.RISING));
    all.put(
        "differs by more than 1 %; the first mean from 0",
        () -> new Reading(false, state -> state.change() > 0.01));
    all.put("rises by more than 1 %; the first mean from 0", () -> new Reading(false, rise(0.01)));
    all.put("differs by more than 10 %", () -> new Reading(true, state -> state.change() > 0.1));
    all.put("differs by more than 20 %", () -> new Reading(true, state -> state.change() > 0.2));
    all.put("rises by more than 5 %", () -> new Reading(true, rise(0.05)));
    all.put("rises by more than 10 %", () -> new Reading(true, rise(0.10)));
    all.put(
        "falls by more than 1 %",
        () -> new Reading(true, state -> state.mean < 0.99 * state.before));
    all.put(
        "rises by more than 1 % above its highest",
        () -> new Reading(true, state -> state.mean > 1.01 * state.highest));
    all.put(
        "rises by more than 1 %, but not right after a growth",
        () -> new Reading(true, state -> !state.grew && state.mean > 1.01 * state.before));
    return all;
  }

  private static Rule rise(double threshold) {
    return state -> state.mean > (1 + threshold) * state.before;
  }

  @FunctionalInterface
  private interface Rule {
    boolean grows(Reading state);
  }

  /** Five jobs a comparison and a stride of two, as published; the rule is what varies. */
  private static final class Reading implements EventPolicy {
    private final Rule rule;
    private int ended;
    private long waits;
    private double mean;
    private double before;
    private double highest;
    private boolean grew;

    /**
     * @param firstIsStored whether the first mean is compared with nothing
     */
    Reading(boolean firstIsStored, Rule rule) {
      this.rule = rule;
      before = firstIsStored ? Double.NaN : 0;
      highest = before;
    }

    double change() {
      return Math.abs(mean - before) / before;
    }

    @Override
    public String name() {
      return "reading";
    }

    @Override
    public int initialSize() {
      return 2;
    }

    @Override
    public int ended(PoolState pool, long wait, long service, Outcome outcome) {
      waits += wait;
      ended++;
      if (ended % 5 != 0) {
        return pool.size();
      }
      mean = waits / 5.0;
      waits = 0;
      grew = rule.grows(this);
      before = mean;
      highest = Double.isNaN(highest) ? mean : Math.max(highest, mean);
      return grew ? pool.size() + 2 : pool.size();
    }

    @Override
    public String reason() {
      return "";
    }
  }
}
