package io.poolkeeper.spring.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.poolkeeper.Bounds;
import io.poolkeeper.Mode;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;

/** Properties: defaults, mistakes, and limits of the host. */
final class PoolSettingsTest {

  private final PoolkeeperProperties properties = new PoolkeeperProperties();

  private PoolkeeperProperties.Pool pool(String name) {
    return properties.getPools().computeIfAbsent(name, any -> new PoolkeeperProperties.Pool());
  }

  private InvalidSettingException failure() {
    return catchThrowableOfType(
        InvalidSettingException.class, () -> PoolSettings.check(properties));
  }

  @Test
  void aPoolHasItsOwnSettingsOrThoseOfAll() {
    properties.setMode("dry-run");
    pool("orders-executor").setMode("frozen");

    assertThat(PoolSettings.of(properties, "web").mode()).isEqualTo(Mode.DRY_RUN);
    assertThat(PoolSettings.of(properties, "ordersExecutor").mode()).isEqualTo(Mode.FROZEN);
  }

  @Test
  void mistakesNameThePropertyTheValueAndTheNearestValidOne() {
    properties.setMode("dry-rn");
    assertThat(failure())
        .hasMessage(
            "poolkeeper.mode = dry-rn: must be active, dry-run or frozen; nearest valid value:"
                + " dry-run");
    properties.setMode("active");
    properties.setObjective("throuhgput");
    assertThat(failure()).hasMessageContaining("nearest valid value: throughput");
    properties.setObjective("p100-response-time");
    assertThat(failure()).hasMessageEndingWith("nearest valid value: p9999-response-time");
    properties.setObjective("p25-response-time");
    assertThat(failure()).hasMessageEndingWith("nearest valid value: p50-response-time");
    properties.setObjective("disk-throughput"); // No pool here has a sensor for it.
    assertThat(failure().property()).isEqualTo("poolkeeper.objective");
    properties.setObjective("p99-response-time");
    pool("web").setMin(0);
    assertThat(failure())
        .hasMessage("poolkeeper.pools.web.min = 0: must be >= 1; nearest valid value: 1");
    pool("web").setMin(20);
    pool("web").setMax(10);
    assertThat(failure())
        .hasMessage(
            "poolkeeper.pools.web.max = 10: must be >= poolkeeper.pools.web.min = 20; nearest"
                + " valid value: 20");
    pool("web").setMax(20);
    properties.getConsole().setPort(70_000);
    assertThat(failure())
        .hasMessage(
            "poolkeeper.console.port = 70000: must be 0 to 65535; nearest valid value: 65535");
    properties.getConsole().setPort(-1);
    assertThat(failure()).hasMessageEndingWith("nearest valid value: 0");
    properties.getConsole().setPort(0);
    PoolSettings.check(properties);
  }

  @Test
  void theAnalyzerSaysWhatToSet() {
    properties.setMode("actve");

    var analysis = new InvalidSettingAnalyzer().analyze(new RuntimeException(failure()));

    assertThat(Objects.requireNonNull(analysis).getAction())
        .isEqualTo("Set poolkeeper.mode=active, or remove the property.");
  }

  @Test
  void limitsOfTheHostHold() {
    pool("db").setMin(15);
    pool("db").setMax(40);
    PoolSettings settings = PoolSettings.of(properties, "db");

    assertThat(settings.bounds(connections(10, false))).isEqualTo(new Bounds(15, 40));
    assertThat(settings.bounds(connections(20, true))).isEqualTo(new Bounds(15, 20));
    assertThat(PoolSettings.of(properties, "other").bounds(connections(20, true)))
        .isEqualTo(new Bounds(1, 20));
  }

  @Test
  void aMinimumAboveTheMaximumOfTheHostIsNamedWithBoth() {
    pool("db").setMin(300);
    assertThat(contradiction(connections(200, false)))
        .hasMessage(
            "poolkeeper.pools.db.min = 300: must be <= maximum-pool-size = 200, unless"
                + " poolkeeper.pools.db.max is set; nearest valid value: 200");
    assertThat(contradiction(connections(20, true)))
        .hasMessage(
            "poolkeeper.pools.db.min = 300: must be <= maximum-pool-size = 20; nearest valid value:"
                + " 20");
    assertThat(contradiction(HostMaximum.none(256)))
        .hasMessageContaining("must be <= the default of its maximum = 256, unless");
    pool("db").setMax(400);
    assertThat(contradiction(connections(20, true)).nearest()).isEqualTo(20);
    assertThat(PoolSettings.of(properties, "db").bounds(connections(200, false)))
        .isEqualTo(new Bounds(300, 400));
  }

  private static HostMaximum connections(int maximum, boolean set) {
    return new HostMaximum("maximum-pool-size", maximum, set);
  }

  private InvalidSettingException contradiction(HostMaximum host) {
    return catchThrowableOfType(
        InvalidSettingException.class, () -> PoolSettings.of(properties, "db").bounds(host));
  }

  @Test
  void unknownPropertiesAreNamedWithTheNearestOne() {
    StandardEnvironment environment = new StandardEnvironment();
    environment
        .getPropertySources()
        .addFirst(
            new MapPropertySource(
                "application",
                Map.of(
                    "poolkeeper.mdoe", "active",
                    "poolkeeper.max", "3",
                    "poolkeeper.web.retryAfter", "2s",
                    "poolkeeper.pools.orders-executor.maxx", "3",
                    "poolkeeper.pools.ordersExecutro.max", "3",
                    "poolkeeper.pools[0].name", "web",
                    "poolkeeper.pools.orders_executor.max", "3")));
    environment
        .getPropertySources()
        .replace(
            StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME,
            new SystemEnvironmentPropertySource(
                StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME,
                Map.of(
                    "POOLKEEPER_SERVICE_HOST",
                    "10.0.0.1",
                    "POOLKEEPER_HOME",
                    "/opt",
                    "POOLKEEPER_MODD",
                    "active")));
    ConfigurationPropertySources.attach(environment);

    assertThat(UnknownProperties.messages(environment, List.of("web", "ordersExecutor")))
        .containsExactly(
            "poolkeeper.max has no effect: it is a setting of one pool, such as"
                + " poolkeeper.pools.web.max",
            "poolkeeper.mdoe is unknown and has no effect: did you mean poolkeeper.mode?",
            "poolkeeper.modd is unknown and has no effect: did you mean poolkeeper.mode?",
            "poolkeeper.pools.orders-executor.maxx is unknown and has no effect: did you mean"
                + " poolkeeper.pools.orders-executor.max?",
            "poolkeeper.pools.ordersexecutro.max is unknown and has no effect: did you mean"
                + " poolkeeper.pools.ordersExecutor.max?",
            "poolkeeper.pools[0].name is unknown and has no effect: did you mean"
                + " poolkeeper.pools.web.mode?");
  }
}
