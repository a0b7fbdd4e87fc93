package io.poolkeeper.spi;

import io.poolkeeper.Objective;
import io.poolkeeper.Window;

/**
 * Sensor of the workers of one {@link io.poolkeeper.AdaptiveExecutor}, which adds to the
 * measurements of the pool. All workers and the control loop call it concurrently.
 */
public interface WorkerSensor {

  /** Returns the objective of a pool without one of its own. */
  Objective objective();

  /**
   * Wraps the body of a worker, which runs once on the worker's thread. The wrapper must not throw,
   * or the worker would end.
   */
  Runnable watch(Runnable worker);

  /** Returns a window of the pool with the measurements since the last call. */
  Window complete(Window window);
}
