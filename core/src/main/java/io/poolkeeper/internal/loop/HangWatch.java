package io.poolkeeper.internal.loop;

import io.poolkeeper.Window;
import java.time.Duration;
import java.util.Optional;

/** Detector of a pool without progress. It reports once, until a task ends again. */
public final class HangWatch {

  private final long usualPatience;
  private long patience;
  private long stuckSince = Long.MIN_VALUE;
  private boolean reported;

  public HangWatch(Duration patience) {
    this.usualPatience = patience.toNanos();
    this.patience = usualPatience;
  }

  /** Returns the time without an ended task if it amounts to a hang with this window. */
  public Optional<Duration> see(Window window) {
    if (!window.idle()) {
      restart();
      return Optional.empty();
    }
    if (window.busy() <= 0.99 * window.size()) { // One more worker may have come.
      stuckSince = Long.MIN_VALUE;
      return Optional.empty();
    }
    boolean wanted = window.queueMax() > 0 || window.rejections() > 0;
    if (wanted && stuckSince == Long.MIN_VALUE) {
      stuckSince = window.start();
    }
    long stuckFor = window.end() - stuckSince;
    if (!wanted || reported || stuckFor < patience) {
      return Optional.empty();
    }
    reported = true;
    return Optional.of(Duration.ofNanos(stuckFor));
  }

  /**
   * Restarts after a report, so that it reports again if nothing ends.
   *
   * @param longer whether the time to the next report doubles, until a task ends
   */
  public void watchAgain(boolean longer) {
    stuckSince = Long.MIN_VALUE;
    reported = false;
    if (longer && patience < Long.MAX_VALUE / 2) {
      patience *= 2;
    }
  }

  /** Restarts the measured time. */
  public void restart() {
    patience = usualPatience;
    stuckSince = Long.MIN_VALUE;
    reported = false;
  }
}
