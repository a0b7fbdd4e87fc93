package io.poolkeeper.testbed.tunnel.flight;

import io.poolkeeper.Controller;
import io.poolkeeper.testbed.controllers.EventPolicy;
import java.time.Duration;

/** Controller or policy that decides on the size during one run. */
public sealed interface Pilot {

  /** Size of a pool whose controller has not decided yet. */
  int FIRST_SIZE = 1;

  /**
   * Decides at the end of each window.
   *
   * @param initialSize size until the first decision
   */
  record ByWindows(Controller controller, Duration window, int initialSize) implements Pilot {}

  /** Decides at the events of tasks. */
  record ByEvents(EventPolicy policy) implements Pilot {}
}
