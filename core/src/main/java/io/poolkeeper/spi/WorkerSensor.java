package io.poolkeeper.spi;

import io.poolkeeper.Objective;
import io.poolkeeper.Window;

/**
 * Measures the workers of one {@link io.poolkeeper.AdaptiveExecutor} beyond what the pool does
 * itself. Called by all workers and by the control loop, at the same time.
 */
public interface WorkerSensor {

  /** Returns the objective of a pool that names none. */
  Objective objective();

  /**
   * Wraps the body of a worker, which runs once on the thread of the worker. What it adds must not
   * throw: the worker would be lost.
   */
  Runnable watch(Runnable worker);

  /** Adds what was measured since the last call to a window of the pool. */
  Window complete(Window window);
}
