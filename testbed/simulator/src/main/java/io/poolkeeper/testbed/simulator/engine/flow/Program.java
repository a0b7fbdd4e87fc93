package io.poolkeeper.testbed.simulator.engine.flow;

import io.poolkeeper.testbed.simulator.engine.pool.Replica;
import io.poolkeeper.testbed.simulator.engine.pool.SimulatedPool;
import org.jspecify.annotations.Nullable;

/** Work of one replica for one request, or for the part of it under one pool. */
public final class Program {

  final int number;

  /** Of which a task holds a unit from its start to its end. */
  final @Nullable SimulatedPool pool;

  /**
   * Replica, where this is a request of a tier; null for a part under a pool, which belongs to
   * none.
   */
  final @Nullable Replica replica;

  public Op[] ops = new Op[0];

  Program(int number, @Nullable SimulatedPool pool, @Nullable Replica replica) {
    this.number = number;
    this.pool = pool;
    this.replica = replica;
  }
}
