package io.poolkeeper.spring;

import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.metrics.MetricsTrackerFactory;
import io.micrometer.core.instrument.MeterRegistry;
import io.poolkeeper.console.Console;
import io.poolkeeper.console.PoolMonitor;
import io.poolkeeper.micrometer.PoolMeters;
import io.poolkeeper.spring.pools.Coordination;
import io.poolkeeper.spring.pools.DataSources;
import io.poolkeeper.spring.pools.GracefulStop;
import io.poolkeeper.spring.pools.HikariMetrics;
import io.poolkeeper.spring.pools.Pools;
import io.poolkeeper.spring.pools.TaskExecutors;
import io.poolkeeper.spring.settings.DottedNames;
import io.poolkeeper.spring.settings.OtherNames;
import io.poolkeeper.spring.settings.PoolSettings;
import io.poolkeeper.spring.settings.PoolkeeperProperties;
import io.poolkeeper.spring.settings.UnknownProperties;
import java.util.Arrays;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.apache.commons.logging.LogFactory;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.jdbc.DataSourceUnwrapper;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.ImportRuntimeHints;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.env.Environment;

/**
 * Tunes task executors and data sources of the context, and shows all tuned pools. The starters add
 * the web server.
 */
@AutoConfiguration
@Conditional(EnabledCondition.class)
@EnableConfigurationProperties(PoolkeeperProperties.class)
@ImportRuntimeHints(PoolkeeperRuntimeHints.class)
public class PoolkeeperAutoConfiguration {

  /** Names of the beans that show pools. */
  private static final String CONSOLE = "poolkeeperConsole";

  private static final String ENDPOINT = "poolkeeperEndpoint";

  /** All tuned pools. JMX shows them where Spring Boot shows its own beans there. */
  @Bean
  Pools poolkeeperPools(
      PoolkeeperProperties properties,
      Environment environment,
      ListableBeanFactory beans,
      ObjectProvider<PoolWatcher> watcher) {
    boolean jmx = environment.getProperty("spring.jmx.enabled", boolean.class, false);
    DottedNames.bind(properties, environment);
    OtherNames.follow(properties, beans);
    Pools pools = new Pools(properties, jmx);
    if (beans.containsBean(CONSOLE) || beans.containsBean(ENDPOINT)) {
      // Before any of them starts, so that records begin with their first windows.
      watcher.getObject().watch(pools);
    }
    return pools;
  }

  /** Has requests that wait begin before the web server stops, unless it stops at once. */
  @Bean
  GracefulStop poolkeeperGracefulStop(Environment environment) {
    return new GracefulStop(
        !"immediate".equalsIgnoreCase(environment.getProperty("server.shutdown")));
  }

  /** Tunes task executors. */
  @Bean
  static TaskExecutors poolkeeperTaskExecutors(ObjectProvider<Pools> pools) {
    return new TaskExecutors(pools);
  }

  /** Tells of properties without effect once all pools are known. */
  @Bean
  SmartInitializingSingleton poolkeeperPropertyCheck(
      Environment environment, ListableBeanFactory beans, Pools pools) {
    return () -> {
      pools.checkWeb();
      Set<String> names = new TreeSet<>(pools.names());
      names.add(Pools.WEB);
      // Lazy, or not tuned for a reason that was told.
      Stream.concat(
              pools.properties().getPools().keySet().stream().filter(beans::containsBean),
              Arrays.stream(beans.getBeanDefinitionNames())
                  .flatMap(name -> OtherNames.all(name, beans))
                  .filter(name -> PoolSettings.configured(pools.properties(), name)))
          .forEach(names::add);
      UnknownProperties.messages(environment, names)
          .forEach(LogFactory.getLog("io.poolkeeper.spring")::warn);
    };
  }

  /** Tells which pools are tuned: until the first change of a size nothing else would show it. */
  @Bean
  SmartInitializingSingleton poolkeeperGreeting(Pools pools) {
    return () -> LogFactory.getLog("io.poolkeeper.spring").info(pools.summary());
  }

  /** Starts the coordination of threads and connections where it is asked for. */
  @Bean
  SmartInitializingSingleton poolkeeperCoordination(Pools pools) {
    return () -> {
      if (pools.properties().isCoordinate()) {
        Coordination.start(pools);
      }
    };
  }

  /** Data sources of HikariCP. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass({HikariDataSource.class, DataSourceUnwrapper.class})
  static class HikariConfiguration {

    @Bean
    static DataSources poolkeeperDataSources(
        ObjectProvider<Pools> pools,
        @Qualifier("poolkeeperHikariMetrics") ObjectProvider<MetricsTrackerFactory> metrics) {
      return new DataSources(pools, metrics::getIfAvailable);
    }
  }

  /** Meters of tuned pools. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass(MeterRegistry.class)
  static class MeterConfiguration {

    @Bean
    SmartInitializingSingleton poolkeeperMeters(
        Pools pools, ObjectProvider<MeterRegistry> registries) {
      return () -> {
        MeterRegistry registry = registries.getIfUnique();
        if (registry != null) {
          pools.listen(new PoolMeters(registry));
        }
      };
    }
  }

  /** Hikari's own meters, which its pool takes only once. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass({MeterRegistry.class, HikariDataSource.class})
  static class HikariMeterConfiguration {

    @Bean
    static HikariMetrics poolkeeperHikariMetrics(ObjectProvider<MeterRegistry> registries) {
      return new HikariMetrics(registries);
    }
  }

  /** The watcher of pools for those beans that show them. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass(PoolMonitor.class)
  static class WatcherConfiguration {

    @Bean
    @Lazy
    PoolWatcher poolkeeperWatcher() {
      return new PoolWatcher();
    }
  }

  /** The console, on a port of its own, where one is set. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass(Console.class)
  @ConditionalOnProperty("poolkeeper.console.port")
  static class ConsoleConfiguration {

    @Bean(CONSOLE)
    PoolConsole poolkeeperConsole(Pools pools, PoolWatcher watcher) {
      PoolkeeperProperties.Console settings = pools.properties().getConsole();
      int port = settings.getPort() == null ? 0 : settings.getPort();
      return new PoolConsole(watcher.monitor(), port, settings.getToken());
    }
  }

  /** The endpoint {@code poolkeeper} of the actuator. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass({Endpoint.class, ConditionalOnAvailableEndpoint.class, PoolMonitor.class})
  static class EndpointConfiguration {

    @Bean(ENDPOINT)
    @ConditionalOnAvailableEndpoint(endpoint = PoolkeeperEndpoint.class)
    PoolkeeperEndpoint poolkeeperEndpoint(Pools pools, PoolWatcher watcher) {
      return new PoolkeeperEndpoint(pools, watcher.monitor());
    }

    /** Refuses fields that the endpoint does not have. */
    @Bean
    @ConditionalOnAvailableEndpoint(endpoint = PoolkeeperEndpoint.class)
    UnknownFields poolkeeperUnknownFields() {
      return new UnknownFields();
    }
  }
}
