package io.poolkeeper.testbed.simulator.engine.pool;

import io.poolkeeper.Resizable;
import io.poolkeeper.testbed.controllers.EventPolicy;

/** Hears of every size that a policy set, in the order of time, warm-up included. */
@FunctionalInterface
public interface ResizeListener {

  /**
   * A policy changed the size of its pool, which is the new one by now.
   *
   * @param pool whose size was changed
   * @param at when, nanoseconds since the start of the run
   * @param before its size before
   * @param asked the size that the policy asked for, which the bounds may have cut
   * @param policy asked for it; tells why
   */
  void resized(Resizable pool, long at, int before, int asked, EventPolicy policy);
}
