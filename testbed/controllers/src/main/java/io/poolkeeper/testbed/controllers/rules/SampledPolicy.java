package io.poolkeeper.testbed.controllers.rules;

import io.poolkeeper.testbed.controllers.EventPolicy;
import io.poolkeeper.testbed.controllers.Outcome;
import io.poolkeeper.testbed.controllers.PoolState;

/**
 * Sizes a pool by the limit of a {@link SampleRule}.
 *
 * <p>An admission limiter has no queue, so its time is the service time. A task that never ran is a
 * sample dropped after the time that it waited; one that threw says nothing about load, and is no
 * sample.
 */
public final class SampledPolicy implements EventPolicy {

  private final SampleRule rule;
  private boolean answered;

  /** Takes the rule over; nobody else may feed it. */
  public SampledPolicy(SampleRule rule) {
    this.rule = rule;
  }

  @Override
  public String name() {
    return rule.name();
  }

  @Override
  public int initialSize() {
    return rule.limit();
  }

  @Override
  public int ended(PoolState pool, long wait, long service, Outcome outcome) {
    if (outcome == Outcome.FAILED) {
      return pool.size();
    }
    boolean dropped = outcome == Outcome.DROPPED;
    long time = dropped ? wait : service;
    // The worker of the task may have taken the next one by now: then all are busy, as before.
    int inFlight = Math.max(1, Math.min(Math.max(pool.size(), pool.busy()), pool.busy() + 1));
    rule.sample(pool.now() - time, time, inFlight, dropped);
    answered |= rule.limit() != pool.size();
    return rule.limit();
  }

  @Override
  public String reason() {
    return answered ? rule.reason() : "";
  }
}
