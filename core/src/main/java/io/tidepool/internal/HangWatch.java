package io.tidepool.internal;

import io.tidepool.Hang;
import io.tidepool.Resizable;
import io.tidepool.Window;
import java.time.Duration;
import java.util.Optional;

/** Notices when a pool makes no progress, and tells it once for each time that this happens. */
public final class HangWatch {

  private final long patience;
  private long stuckSince = Long.MIN_VALUE;
  private boolean told;

  public HangWatch(Duration patience) {
    this.patience = patience.toNanos();
  }

  /** The hang that this window completes, if it does. */
  public Optional<Hang> see(Resizable pool, Window window) {
    if (!window.idle() || window.busy() <= 0.99 * window.size()) {
      restart();
      return Optional.empty();
    }
    boolean wanted = window.queueMax() > 0 || window.rejections() > 0;
    if (wanted && stuckSince == Long.MIN_VALUE) {
      stuckSince = window.start();
    }
    long stuckFor = window.end() - stuckSince;
    if (!wanted || told || stuckFor < patience) {
      return Optional.empty();
    }
    told = true;
    return Optional.of(new Hang(window, Duration.ofNanos(stuckFor), pool.stacks()));
  }

  /** Forgets the windows so far. */
  public void restart() {
    stuckSince = Long.MIN_VALUE;
    told = false;
  }
}
