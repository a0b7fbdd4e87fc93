package io.poolkeeper.testbed.controllers.peers;

import io.poolkeeper.Window;
import io.poolkeeper.testbed.controllers.windows.Soundness;
import java.util.Optional;

/** Parts that the load controls of databases share. */
final class LoadControl {

  /** A bound on the load is in force where the load comes this near to it. */
  private static final double REACHED = 0.95;

  private static final double STEP = 0.1;

  private LoadControl() {}

  /**
   * Reason not to learn from a window, empty if there is none. Below its bound the load decides the
   * throughput, and a change of the bound means nothing.
   */
  static Optional<String> useless(Window window) {
    Optional<String> fault = Soundness.fault(window);
    if (fault.isPresent()) {
      return Optional.of("window passed over: " + fault.get());
    }
    if (window.idle()) {
      return Optional.of("no task ended: nothing to compare");
    }
    if (window.busy() + window.queueMean() < REACHED * window.size()) {
      return Optional.of("the load does not reach the bound: nothing to learn about it");
    }
    return Optional.empty();
  }

  /** A step from a size: a tenth of it, and at least 1. */
  static int step(int size) {
    return (int) Math.max(1, Math.round(STEP * size));
  }
}
