package io.poolkeeper.testbed.simulator.model;

import io.poolkeeper.Bounds;
import io.poolkeeper.testbed.clients.Require;

/**
 * Something of which a task holds one unit while it works: the workers of a tier, the connections
 * to a database, a lock. Tasks that find none free wait, first come first served.
 *
 * <p>Assumed: a unit is handed over in no time; growing it takes no time and gives units to waiting
 * tasks at once; shrinking takes nothing away from tasks that run.
 *
 * @param size size to begin with, within {@code bounds}
 * @param bounds sizes that a controller may give it
 * @param queueCapacity most tasks that may wait, 0 or more; more are refused. {@link #UNBOUNDED}:
 *     any number
 */
public record Pool(int size, Bounds bounds, int queueCapacity) {

  /** Stands for a queue without bound. */
  public static final int UNBOUNDED = Integer.MAX_VALUE;

  /**
   * @throws IllegalArgumentException if the size is out of bounds or the capacity negative
   */
  public Pool {
    bounds.require("size", size);
    Require.atLeast("queueCapacity", 0, queueCapacity);
  }

  /** Of this size, 1 or more, with bounds from 1 to 256 or the size if that is larger. */
  public static Pool of(int size) {
    return new Pool(size, new Bounds(1, Math.max(256, size)), UNBOUNDED);
  }

  /** The same with other bounds. */
  public Pool between(int minimum, int maximum) {
    return new Pool(size, new Bounds(minimum, maximum), queueCapacity);
  }

  /** The same with a bounded queue. */
  public Pool queue(int capacity) {
    return new Pool(size, bounds, capacity);
  }

  /** The same with another size. */
  public Pool resized(int size) {
    return new Pool(size, bounds, queueCapacity);
  }
}
