package io.poolkeeper.testbed.controllers;

/**
 * A pool as an {@link EventPolicy} sees it at an event. A view, valid during the call: whoever runs
 * the policy may use one object for all calls.
 *
 * <p>The task of the event is in it: a task that arrived counts as busy if a worker was free for
 * it, else as queued; one that ended counts as neither, and its worker has taken the next.
 */
public interface PoolState {

  /** Monotonic time in nanoseconds; the origin means nothing. */
  long now();

  /** The size in force, which need not be the one that the policy asked for last. */
  int size();

  /**
   * Tasks that run. More than {@link #size} after a pool shrank, until the workers that are too
   * many have ended their tasks.
   */
  int busy();

  /** Tasks that wait for a worker. */
  int queued();

  /** Returns how many tasks have begun since the pool started. */
  long begun();

  /**
   * CPU that the machine of the pool used of what it has, from 0 to 1, as measured last; NaN where
   * it is not measured.
   */
  double cpu();

  /** Workers without a task; none while more tasks run than the size allows. */
  default int idle() {
    return Math.max(0, size() - busy());
  }
}
