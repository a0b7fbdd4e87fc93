package io.poolkeeper.testbed.controllers;

/**
 * A policy that passes everything on to another: to be extended by who wants to listen or change.
 */
public abstract class ForwardingPolicy implements EventPolicy {

  /** The other. */
  protected final EventPolicy policy;

  /** Passes everything on to {@code policy}. */
  protected ForwardingPolicy(EventPolicy policy) {
    this.policy = policy;
  }

  @Override
  public String name() {
    return policy.name();
  }

  @Override
  public int initialSize() {
    return policy.initialSize();
  }

  @Override
  public long interval() {
    return policy.interval();
  }

  @Override
  public Handoff handoff() {
    return policy.handoff();
  }

  @Override
  public int arrived(PoolState pool) {
    return policy.arrived(pool);
  }

  @Override
  public int ended(PoolState pool, long wait, long service, Outcome outcome) {
    return policy.ended(pool, wait, service, outcome);
  }

  @Override
  public int elapsed(PoolState pool) {
    return policy.elapsed(pool);
  }

  @Override
  public String reason() {
    return policy.reason();
  }
}
