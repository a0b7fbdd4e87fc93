package io.poolkeeper.spring.settings;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;

/** Names of pools that are written with dots. */
final class DottedNamesTest {

  /** Binds properties, of which those of the first source have precedence, then the variables. */
  private static PoolkeeperProperties bound(
      Map<String, Object> first, Map<String, Object> variables, Map<String, Object> last) {
    StandardEnvironment environment = new StandardEnvironment();
    String system = StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME;
    var sources = environment.getPropertySources();
    sources.addFirst(new MapPropertySource("first", first));
    sources.replace(system, new SystemEnvironmentPropertySource(system, variables));
    sources.addLast(new MapPropertySource("last", last));
    ConfigurationPropertySources.attach(environment);
    PoolkeeperProperties properties =
        Binder.get(environment).bindOrCreate("poolkeeper", PoolkeeperProperties.class);
    DottedNames.bind(properties, environment);
    assertThat(UnknownProperties.messages(environment, List.of("ordersExecutor", "my.db")))
        .isEmpty();
    return properties;
  }

  @Test
  void variablesOfTheEnvironmentMayHaveAnUnderscoreForEachWord() {
    PoolkeeperProperties properties =
        bound(
            Map.of("poolkeeper.pools.my.db.enabled", "no"),
            Map.of(
                "POOLKEEPER_POOLS_ORDERS_EXECUTOR_MAX", "12",
                "POOLKEEPER_POOLS_ORDERS_EXECUTOR_MODE", "FROZEN"),
            Map.of(
                "poolkeeper.pools.ordersExecutor.max", "30",
                "poolkeeper.pools.ordersExecutor.min", "3"));

    PoolSettings orders = PoolSettings.of(properties, "ordersExecutor");
    assertThat(List.of(Objects.requireNonNull(orders.min()), Objects.requireNonNull(orders.max())))
        .containsExactly(3, 12);
    assertThat(orders.mode()).hasToString("frozen");
    assertThat(PoolSettings.of(properties, "my.db").enabled()).isFalse();
  }

  @Test
  void whatHasPrecedenceHolds() {
    PoolkeeperProperties properties =
        bound(
            Map.of("poolkeeper.pools.orders-executor.max", "30"),
            Map.of("POOLKEEPER_POOLS_ORDERS_EXECUTOR_MAX", "12"),
            Map.of("poolkeeper.pools.orders.executor.max", "4"));

    assertThat(PoolSettings.of(properties, "ordersExecutor").max()).isEqualTo(30);
  }
}
