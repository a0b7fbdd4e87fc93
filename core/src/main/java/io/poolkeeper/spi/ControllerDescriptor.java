package io.poolkeeper.spi;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * Descriptor of a controller or policy: makes one by its name, with settings as they stand in a
 * configuration, and states what people should know before they choose it.
 *
 * @param <T> what is made
 * @param name its name in configurations, such as {@code mean-latency}
 * @param source who published it
 * @param signal what it looks at
 * @param trigger what makes it change the size
 * @param weakness when it fails
 * @param window recommended length of a window, or time between two of its own looks at the clock
 * @param settings what can be set, each name once
 * @param maker makes one; throws {@link IllegalArgumentException} naming the setting and the value
 *     where one is out of its range
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
   * Makes one.
   *
   * @param given settings by name; those that are missing have their standard value
   * @throws IllegalArgumentException naming the setting that is unknown, with the known ones, that
   *     is missing, or whose value is wrong
   */
  public T make(Map<String, String> given) {
    return maker.apply(new Settings(complete(given)));
  }

  /**
   * All settings by name: the given ones, and the standard values of the others.
   *
   * @throws IllegalArgumentException naming the setting that is unknown, with the known ones, or
   *     that is missing
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
