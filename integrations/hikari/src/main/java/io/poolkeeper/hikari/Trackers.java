package io.poolkeeper.hikari;

import com.zaxxer.hikari.metrics.IMetricsTracker;
import com.zaxxer.hikari.metrics.MetricsTrackerFactory;
import com.zaxxer.hikari.metrics.PoolStats;
import io.poolkeeper.spi.TaskMeter;
import org.jspecify.annotations.Nullable;

/** Makes trackers that feed the meter, and the tracker that the data source had before. */
final class Trackers implements MetricsTrackerFactory {

  private final TaskMeter meter;
  private final @Nullable MetricsTrackerFactory others;
  private final Runnable onClose;
  private volatile boolean used;

  Trackers(TaskMeter meter, @Nullable MetricsTrackerFactory others, Runnable onClose) {
    this.meter = meter;
    this.others = others;
    this.onClose = onClose;
  }

  /** Whether Hikari has asked for a tracker. */
  boolean used() {
    return used;
  }

  @Override
  public IMetricsTracker create(String poolName, PoolStats stats) {
    used = true;
    IMetricsTracker other =
        others == null ? new IMetricsTracker() {} : others.create(poolName, stats);
    return new Tracker(other);
  }

  /** Feeds the meter with what Hikari tells, but for what helpers do. */
  private final class Tracker implements IMetricsTracker {
    private final IMetricsTracker other;
    private final Leases leases = new Leases();

    Tracker(IMetricsTracker other) {
      this.other = other;
    }

    @Override
    public void recordConnectionCreatedMillis(long millis) {
      other.recordConnectionCreatedMillis(millis);
    }

    @Override
    public void recordConnectionAcquiredNanos(long nanos) {
      if (!Adjustment.byHelper()) {
        leases.add(meter.began(nanos));
        other.recordConnectionAcquiredNanos(nanos);
      }
    }

    @Override
    public void recordConnectionUsageMillis(long millis) {
      if (!Adjustment.byHelper()) {
        leases.end(millis);
        other.recordConnectionUsageMillis(millis);
      }
    }

    @Override
    public void recordConnectionTimeout() {
      if (!Adjustment.byHelper()) {
        meter.refused(0);
        other.recordConnectionTimeout();
      }
    }

    @Override
    public void close() {
      other.close();
      onClose.run();
    }
  }
}
