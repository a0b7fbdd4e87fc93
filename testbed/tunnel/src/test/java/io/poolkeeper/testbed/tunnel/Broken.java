package io.poolkeeper.testbed.tunnel;

import io.poolkeeper.Controller;
import io.poolkeeper.Decision;
import io.poolkeeper.Window;
import java.util.ArrayDeque;
import java.util.Deque;

/** Faults that a gate must notice, each put on a healthy controller. */
enum Broken {
  /** Asks for twice the size that the healthy one wants. */
  WASTEFUL {
    @Override
    Controller of(Controller healthy) {
      return window -> {
        // The healthy one sees its own size, so that the fault does not feed on itself.
        int own = Math.max(1, window.size() / 2);
        return Decision.towards(2 * healthy.decide(resized(window, own)).size(), "twice");
      };
    }
  },
  /** Hears every window five windows too late. */
  LATE {
    @Override
    Controller of(Controller healthy) {
      Deque<Window> delayed = new ArrayDeque<>();
      return window -> {
        delayed.addLast(window);
        return delayed.size() <= DELAY
            ? Decision.keep(window, "nothing heard yet")
            : healthy.decide(resized(delayed.removeFirst(), window.size()));
      };
    }
  };

  private static final int DELAY = 5;

  abstract Controller of(Controller healthy);

  private static Window resized(Window window, int size) {
    return Window.builder(window.start(), window.end(), size)
        .busy(Math.min(size, window.busy()))
        .queue(window.queueMean(), window.queueMax())
        .arrivals(window.arrivals())
        .completions(window.completions())
        .failures(window.failures())
        .rejections(window.rejections())
        .withinBound(window.withinBound())
        .times(window.queueWait(), window.serviceTime(), window.responseTime())
        .cpu(window.workerCpu(), window.processCpu())
        .gc(window.gc())
        .build();
  }
}
