package io.poolkeeper.spring.settings;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.core.env.Environment;
import org.springframework.core.env.SystemEnvironmentPropertySource;

/** Finds properties {@code poolkeeper.*} that have no effect, and says which ones were meant. */
public final class UnknownProperties {

  private static final ConfigurationPropertyName PREFIX =
      ConfigurationPropertyName.of("poolkeeper");

  private static final List<String> NAMES =
      List.of(
          "enabled",
          "mode",
          "objective",
          "coordinate",
          "web.admission",
          "web.patience",
          "web.retry-after",
          "console.port",
          "console.token");

  /** Edit distance up to which a variable of the environment is taken for a mistyped property. */
  private static final int NEAR = 2;

  private UnknownProperties() {}

  /**
   * Returns a message for each property that is unknown.
   *
   * @param pools names that pools can have
   */
  public static List<String> messages(Environment environment, Collection<String> pools) {
    List<String> messages = new ArrayList<>();
    for (ConfigurationPropertySource source : ConfigurationPropertySources.get(environment)) {
      if (source instanceof IterableConfigurationPropertySource iterable) {
        // The environment may hold variables of others, such as POOLKEEPER_SERVICE_HOST.
        boolean foreign = source.getUnderlyingSource() instanceof SystemEnvironmentPropertySource;
        iterable.stream()
            .filter(PREFIX::isAncestorOf)
            .forEach(name -> message(name, pools, foreign).ifPresent(messages::add));
      }
    }
    return List.copyOf(new TreeSet<>(messages));
  }

  private static Optional<String> message(
      ConfigurationPropertyName name, Collection<String> pools, boolean foreign) {
    if (name.getNumberOfElements() > 1 && element(name, 1).equals("pools")) {
      return ofPool(name, pools);
    }
    String written = name.toString().substring("poolkeeper.".length());
    if (NAMES.stream().anyMatch(candidate -> PoolSettings.same(candidate, written))) {
      return Optional.empty();
    }
    if (DottedNames.SETTINGS.contains(written)) {
      return Optional.of(
          "%s has no effect: it is a setting of one pool, such as poolkeeper.pools.web.%s"
              .formatted(name, written));
    }
    String nearest = NearestName.of(written, NAMES).orElseThrow();
    int distance = NearestName.distance(written, nearest);
    // Half of a short word may be different without anything being mistyped, as in POOLKEEPER_HOME.
    return foreign && (distance > NEAR || 2 * distance >= written.length())
        ? Optional.empty()
        : unknown(name.toString(), "poolkeeper." + nearest);
  }

  private static Optional<String> ofPool(ConfigurationPropertyName name, Collection<String> pools) {
    int elements = name.getNumberOfElements();
    if (elements < 4) {
      return unknown(name.toString(), "poolkeeper.pools.web.mode");
    }
    String setting = element(name, elements - 1);
    if (name.isNumericIndex(2)) { // A list, where there are names.
      return unknown(name.toString(), "poolkeeper.pools.web." + nearest(setting));
    }
    String pool = DottedNames.poolOf(name);
    String prefix = "poolkeeper.pools." + pool + ".";
    if (DottedNames.SETTINGS.stream()
        .noneMatch(candidate -> PoolSettings.same(candidate, setting))) {
      return unknown(name.toString(), prefix + nearest(setting));
    }
    if (pools.stream().noneMatch(candidate -> PoolSettings.same(candidate, pool))) {
      return unknown(
          name.toString(),
          "poolkeeper.pools." + NearestName.of(pool, pools).orElse("web") + "." + setting);
    }
    return Optional.empty();
  }

  private static String nearest(String setting) {
    return NearestName.of(setting, DottedNames.SETTINGS).orElseThrow();
  }

  private static String element(ConfigurationPropertyName name, int index) {
    return name.getElement(index, ConfigurationPropertyName.Form.UNIFORM);
  }

  private static Optional<String> unknown(String name, String nearest) {
    return Optional.of(
        "%s is unknown and has no effect: did you mean %s?".formatted(name, nearest));
  }
}
