package io.poolkeeper.spring.pools;

import com.zaxxer.hikari.metrics.IMetricsTracker;
import com.zaxxer.hikari.metrics.MetricsTrackerFactory;
import com.zaxxer.hikari.metrics.PoolStats;
import com.zaxxer.hikari.metrics.micrometer.MicrometerMetricsTrackerFactory;
import io.micrometer.core.instrument.MeterRegistry;
import org.springframework.beans.factory.ObjectProvider;

/** Hikari's own metrics in Micrometer, as Spring Boot sets them up. */
public final class HikariMetrics implements MetricsTrackerFactory {

  private final ObjectProvider<MeterRegistry> registries;

  /** Makes a factory that asks for the registry when a pool starts. */
  public HikariMetrics(ObjectProvider<MeterRegistry> registries) {
    this.registries = registries;
  }

  @Override
  public IMetricsTracker create(String poolName, PoolStats stats) {
    MeterRegistry registry = registries.getIfUnique();
    return registry == null
        ? new IMetricsTracker() {}
        : new MicrometerMetricsTrackerFactory(registry).create(poolName, stats);
  }
}
