package io.poolkeeper.spring.settings;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.core.env.Environment;

/**
 * Binds settings of pools whose names are written with dots, as variables of the environment have
 * them: {@code POOLKEEPER_POOLS_APPLICATION_TASK_EXECUTOR_MAX} is {@code
 * poolkeeper.pools.application.task.executor.max}. Spring Boot takes the first word for the key of
 * the map, and passes over the rest.
 */
public final class DottedNames {

  /** Settings of one pool. */
  static final List<String> SETTINGS = List.of("enabled", "mode", "objective", "min", "max");

  private static final ConfigurationPropertyName POOLS =
      ConfigurationPropertyName.of("poolkeeper.pools");

  private static final int UNDOTTED = 4;

  private DottedNames() {}

  /** Adds what such properties say; sources of the environment that come first have precedence. */
  public static void bind(PoolkeeperProperties properties, Environment environment) {
    Binder binder = Binder.get(environment);
    Set<String> bound = new HashSet<>();
    for (ConfigurationPropertySource source : ConfigurationPropertySources.get(environment)) {
      if (source instanceof IterableConfigurationPropertySource iterable) {
        List<ConfigurationPropertyName> names =
            iterable.stream().filter(DottedNames::isOfPool).toList();
        names.stream()
            .filter(name -> name.getNumberOfElements() > UNDOTTED)
            .filter(name -> !bound.contains(key(name)))
            .forEach(name -> bind(name, pool(properties, poolOf(name)), binder));
        names.forEach(name -> bound.add(key(name)));
      }
    }
  }

  private static boolean isOfPool(ConfigurationPropertyName name) {
    return POOLS.isAncestorOf(name)
        && name.getNumberOfElements() >= UNDOTTED
        && SETTINGS.contains(settingOf(name));
  }

  private static String key(ConfigurationPropertyName name) {
    return PoolSettings.letters(poolOf(name)) + "." + settingOf(name);
  }

  /** The name of the pool in the name of a property. */
  static String poolOf(ConfigurationPropertyName name) {
    return name.subName(2).chop(name.getNumberOfElements() - 3).toString();
  }

  private static String settingOf(ConfigurationPropertyName name) {
    return name.getLastElement(ConfigurationPropertyName.Form.UNIFORM);
  }

  private static PoolkeeperProperties.Pool pool(PoolkeeperProperties properties, String name) {
    return PoolSettings.entry(properties, name)
        .map(Map.Entry::getValue)
        .orElseGet(
            () ->
                properties
                    .getPools()
                    .computeIfAbsent(name, any -> new PoolkeeperProperties.Pool()));
  }

  private static void bind(
      ConfigurationPropertyName name, PoolkeeperProperties.Pool pool, Binder binder) {
    String property = name.toString();
    switch (settingOf(name)) {
      case "enabled" -> binder.bind(property, Boolean.class).ifBound(pool::setEnabled);
      case "mode" -> binder.bind(property, String.class).ifBound(pool::setMode);
      case "objective" -> binder.bind(property, String.class).ifBound(pool::setObjective);
      case "min" -> binder.bind(property, Integer.class).ifBound(pool::setMin);
      default -> binder.bind(property, Integer.class).ifBound(pool::setMax);
    }
  }
}
