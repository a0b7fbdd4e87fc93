package io.poolkeeper.internal.executor;

import io.poolkeeper.Sensor;
import io.poolkeeper.Window;
import io.poolkeeper.internal.FailureLog;
import io.poolkeeper.internal.loop.HangWatch;
import io.poolkeeper.spi.WorkerSensor;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The windows of a pool. At the end of each it looks for a hang, and makes room for a worker. */
public final class PoolSensor implements Sensor {

  private final PoolMeter meter;
  private final WorkQueue queue;
  private final Workers workers;
  private final Intake intake;
  private final @Nullable WorkerSensor further;

  /** Restarts after each report, so that a pool that still hangs is reported again. */
  private final HangWatch hangWatch;

  private final FailureLog failures;

  /**
   * @param name of the pool
   * @param further measures the workers beyond the meter; null if nothing does
   * @param hangAfter time without an ended task that is a hang
   */
  public PoolSensor(
      String name,
      PoolMeter meter,
      WorkQueue queue,
      Workers workers,
      Intake intake,
      @Nullable WorkerSensor further,
      Duration hangAfter) {
    this.meter = meter;
    this.queue = queue;
    this.workers = workers;
    this.intake = intake;
    this.further = further;
    this.hangWatch = new HangWatch(hangAfter);
    this.failures = new FailureLog(name);
  }

  @Override
  public Window closeWindow(long now) {
    Window measured =
        meter.closeWindow(
            now,
            workers.size(),
            queue.size(),
            workers.usage(now),
            intake::taken,
            queue::submittedByWorkers);
    Window window = further == null ? measured : further.complete(measured);
    boolean hangs = hangWatch.see(window).isPresent();
    boolean madeRoom = workers.review(window, hangs);
    reportMissingWorkers();
    if (hangs && window.queuedByWorkers() > 0) {
      hangWatch.restart(); // Workers may be waiting for these tasks.
    } else if (hangs) { // Each further worker is less likely to help than the one before.
      hangWatch.watchAgain(madeRoom);
    }
    return window;
  }

  private void reportMissingWorkers() {
    Throwable obstacle = workers.obstacle();
    if (obstacle == null) {
      failures.succeeded();
      return;
    }
    try {
      failures.failed(
          "%d tasks wait, and no thread can be started beyond %d of %d: %s; tried again after each window"
              .formatted(queue.size(), workers.count(), workers.size(), obstacle),
          null);
    } catch (OutOfMemoryError e) { // No memory for the message; the window counts.
      return;
    }
  }
}
