package io.poolkeeper.spring.pools;

import com.zaxxer.hikari.HikariConfigMXBean;
import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.metrics.MetricsTrackerFactory;
import io.poolkeeper.hikari.HikariConnections;
import io.poolkeeper.spring.pools.TunedPool.Kind;
import io.poolkeeper.spring.settings.HostMaximum;
import io.poolkeeper.spring.settings.InvalidSettingException;
import io.poolkeeper.spring.settings.PoolSettings;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.jdbc.DataSourceUnwrapper;
import org.springframework.core.Ordered;
import org.springframework.core.PriorityOrdered;

/**
 * Tunes each HikariCP data source of the context, also behind wrappers. The beans stay as they are.
 */
public final class DataSources implements BeanPostProcessor, PriorityOrdered {

  private static final Log LOG = LogFactory.getLog("io.poolkeeper.spring");

  /** Hikari's size where none is set. */
  private static final int DEFAULT_SIZE = 10;

  private final ObjectProvider<Pools> pools;
  private final Supplier<@Nullable MetricsTrackerFactory> trackers;

  /** Names of the beans that were seen first with a pool. */
  private final Map<HikariDataSource, String> seen = new WeakHashMap<>();

  /**
   * Makes a post-processor; the pools are asked for with the first data source.
   *
   * @param trackers finds the tracker of Hikari's own metrics, null for none
   */
  public DataSources(
      ObjectProvider<Pools> pools, Supplier<@Nullable MetricsTrackerFactory> trackers) {
    this.pools = pools;
    this.trackers = trackers;
  }

  /** First of all: others may ask for a connection, or put proxies around the bean. */
  @Override
  public int getOrder() {
    return Ordered.HIGHEST_PRECEDENCE;
  }

  @Override
  public Object postProcessAfterInitialization(Object bean, String beanName) {
    if (bean instanceof DataSource dataSource) {
      Pools all = pools.getObject(); // Stops the start where a property is invalid.
      try {
        tune(dataSource, beanName, all);
      } catch (InvalidSettingException e) {
        throw e;
      } catch (RuntimeException e) {
        LOG.warn("data source '%s' is not tuned: %s".formatted(beanName, e.getMessage()));
      }
    }
    return bean;
  }

  private void tune(DataSource dataSource, String name, Pools all) {
    PoolSettings settings = all.settings(name);
    if (!settings.enabled()) {
      return;
    }
    HikariDataSource hikari =
        DataSourceUnwrapper.unwrap(dataSource, HikariConfigMXBean.class, HikariDataSource.class);
    if (hikari == null) {
      String reason =
          "data source '%s' is not tuned: it is a %s, and only HikariCP can be tuned"
              .formatted(name, dataSource.getClass().getName());
      all.leaveAlone(name, reason);
      return;
    }
    String first = seen.putIfAbsent(hikari, name);
    if (first == null) {
      tune(hikari, settings, all);
    } else if (!first.equals(name) && PoolSettings.configured(all.properties(), name)) {
      all.leaveAlone(
          name,
          "its connections are those of data source '%s', whose properties hold".formatted(first));
    }
  }

  private void tune(HikariDataSource hikari, PoolSettings settings, Pools all) {
    int size = hikari.getMaximumPoolSize();
    HostMaximum host = new HostMaximum("maximum-pool-size", size, size != DEFAULT_SIZE);
    TunedPool pool = all.addBean(settings, Kind.CONNECTIONS, host, size);
    try {
      if (hikari.getMetricsTrackerFactory() == null
          && hikari.getMetricRegistry() == null
          && !hikari.isRunning()) {
        // Spring Boot sets its own only where there is none, and it comes later.
        hikari.setMetricsTrackerFactory(trackers.get());
      }
      HikariConnections connections =
          HikariConnections.install(
              settings.name(),
              hikari,
              pool.range().widest(),
              settings.objective(),
              builder -> pool.configure(builder, all.jmx()));
      pool.loop(connections::control);
    } catch (RuntimeException e) {
      all.remove(pool);
      throw e;
    }
  }
}
