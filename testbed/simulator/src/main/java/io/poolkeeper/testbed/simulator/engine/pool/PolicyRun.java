package io.poolkeeper.testbed.simulator.engine.pool;

import io.poolkeeper.testbed.controllers.EventPolicy;
import io.poolkeeper.testbed.controllers.Outcome;
import io.poolkeeper.testbed.simulator.engine.event.Actor;
import io.poolkeeper.testbed.simulator.engine.event.Time;
import org.jspecify.annotations.Nullable;

/**
 * An event policy on a simulated pool. What it answers is the size at once, or the nearest that the
 * bounds allow; a resize that lets waiting tasks start is no event of its own. How a task reaches
 * an idle worker makes no difference here, because it takes no time.
 */
public final class PolicyRun implements Actor {

  private final EventPolicy policy;
  private final SimulatedPool pool;
  private final @Nullable ResizeListener listener;
  private double cpu = Double.NaN;
  private double cpuBefore;
  private long before;

  /**
   * Begins at once with the policy's initial size, which is no change of which it could tell why.
   */
  public PolicyRun(EventPolicy policy, SimulatedPool pool, @Nullable ResizeListener listener) {
    this.policy = policy;
    this.pool = pool;
    this.listener = listener;
    pool.resize(pool.bounds().clamp(policy.initialSize()));
  }

  void arrived() {
    follow(policy.arrived(pool));
  }

  void ended(long wait, long service, Outcome outcome) {
    follow(policy.ended(pool, wait, service, outcome));
  }

  @Override
  public long act(long now) {
    if (now > before) {
      Replica replica = pool.replica();
      double used = replica.cpu(now) + replica.collected * replica.cores;
      cpu = replica.cores == 0 ? Double.NaN : (used - cpuBefore) / (now - before) / replica.cores;
      cpuBefore = used;
      before = now;
      follow(policy.elapsed(pool));
    }
    long interval = policy.interval();
    return interval == 0 ? Time.NEVER : now + interval;
  }

  /** Used part of the cores between the last two reports of time. */
  double cpu() {
    return cpu;
  }

  private void follow(int wanted) {
    int size = pool.bounds().clamp(wanted);
    int before = pool.size();
    if (size != before) {
      pool.resize(size);
      if (listener != null) {
        listener.resized(pool, pool.now(), before, wanted, policy);
      }
    }
  }
}
