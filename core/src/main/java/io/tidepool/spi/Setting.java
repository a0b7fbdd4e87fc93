package io.tidepool.spi;

import org.jspecify.annotations.Nullable;

/**
 * A setting that people write in a configuration.
 *
 * @param name its name there
 * @param meaning what it sets, with its unit and range
 * @param standard the value it has when none is given, or null if one must be given
 */
public record Setting(String name, String meaning, @Nullable String standard) {

  /** A setting that must be given. */
  public static Setting required(String name, String meaning) {
    return new Setting(name, meaning, null);
  }

  /** A setting that is {@code standard} unless it is given. */
  public static Setting of(String name, String meaning, Object standard) {
    return new Setting(name, meaning, standard.toString());
  }
}
