package io.poolkeeper.spi;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * Descriptor of a controller or policy: creates it from settings of a configuration, and states the
 * facts that people need to choose it.
 *
 * @param <T> type of the controller or policy
 * @param name its name in configurations, such as {@code mean-latency}
 * @param source publication
 * @param signal measurement that it uses
 * @param trigger cause of a change of size
 * @param weakness situation in which it fails
 * @param window recommended length of a window, or interval between two of its own readings of the
 *     clock
 * @param settings settings with unique names
 * @param maker creates it; throws {@link IllegalArgumentException} naming setting and value if a
 *     value is out of its range
 */
public record ControllerDescriptor<T>(
    String name,
    String source,
    String signal,
    String trigger,
    String weakness,
    Duration window,
    List<Setting> settings,
    Function<Settings, ? extends T> maker) {

  public ControllerDescriptor {
    settings = List.copyOf(settings);
  }

  /**
   * Creates the controller or policy.
   *
   * @param given settings by name; a missing setting has its default
   * @throws IllegalArgumentException naming the setting that is unknown (with the valid names), is
   *     missing, or has a wrong value
   */
  public T make(Map<String, String> given) {
    return maker.apply(new Settings(complete(given)));
  }

  /**
   * Returns all settings by name: the given ones, and the defaults of the others.
   *
   * @throws IllegalArgumentException naming the setting that is unknown (with the valid names) or
   *     missing
   */
  public Map<String, String> complete(Map<String, String> given) {
    List<String> names = settings.stream().map(Setting::name).toList();
    if (names.isEmpty() && !given.isEmpty()) {
      throw new IllegalArgumentException(
          name + " has no settings, but is given " + String.join(", ", given.keySet()));
    }
    for (String key : given.keySet()) {
      if (!names.contains(key)) {
        throw new IllegalArgumentException(
            "unknown setting of %s '%s'; known: %s".formatted(name, key, String.join(", ", names)));
      }
    }
    Map<String, String> values = new LinkedHashMap<>();
    for (Setting setting : settings) {
      String value = given.getOrDefault(setting.name(), setting.standard());
      if (value == null) {
        throw new IllegalArgumentException(
            "%s needs the setting '%s': %s".formatted(name, setting.name(), setting.meaning()));
      }
      values.put(setting.name(), value.strip());
    }
    return values;
  }
}
