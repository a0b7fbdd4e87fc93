package io.poolkeeper.spi;

import org.jspecify.annotations.Nullable;

/**
 * A setting of a controller in a configuration.
 *
 * @param name name in the configuration
 * @param meaning meaning, with unit and range
 * @param standard default value, or null if the setting is required
 * @param ofMachine property of the machine that the default depends on, such as {@code processors};
 *     empty if the default is the same on every machine
 */
public record Setting(String name, String meaning, @Nullable String standard, String ofMachine) {

  /** Returns a required setting. */
  public static Setting required(String name, String meaning) {
    return new Setting(name, meaning, null, "");
  }

  /** Returns a setting with a default value. */
  public static Setting of(String name, String meaning, Object standard) {
    return new Setting(name, meaning, standard.toString(), "");
  }

  /** Returns a setting whose default is the number of processors of the machine. */
  public static Setting ofProcessors(String name, String meaning) {
    int processors = Runtime.getRuntime().availableProcessors();
    return new Setting(name, meaning, Integer.toString(processors), "processors");
  }
}
