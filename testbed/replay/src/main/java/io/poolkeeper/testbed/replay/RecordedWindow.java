package io.poolkeeper.testbed.replay;

import io.poolkeeper.Mode;
import io.poolkeeper.Window;
import io.poolkeeper.record.PoolDecision;
import org.jspecify.annotations.Nullable;

/**
 * A window about which a controller is asked.
 *
 * @param window what was measured
 * @param recorded what was decided on it; null if the pool was never controlled in that run
 */
record RecordedWindow(Window window, @Nullable PoolDecision recorded) {

  /** The size in force when it was decided. */
  int size() {
    return recorded == null ? window.size() : recorded.before();
  }

  Mode mode() {
    return recorded == null ? Mode.ACTIVE : recorded.mode();
  }
}
