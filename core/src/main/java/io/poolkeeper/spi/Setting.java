package io.poolkeeper.spi;

import org.jspecify.annotations.Nullable;

/**
 * A setting that people write in a configuration.
 *
 * @param name its name there
 * @param meaning what it sets, with its unit and range
 * @param standard the value it has when none is given, or null if one must be given
 * @param ofMachine what {@code standard} is of this machine, such as {@code processors}; empty if
 *     it is the same everywhere
 */
public record Setting(String name, String meaning, @Nullable String standard, String ofMachine) {

  /** A setting that must be given. */
  public static Setting required(String name, String meaning) {
    return new Setting(name, meaning, null, "");
  }

  /** A setting that is {@code standard} unless it is given. */
  public static Setting of(String name, String meaning, Object standard) {
    return new Setting(name, meaning, standard.toString(), "");
  }

  /** A setting that is the number of processors of the machine unless it is given. */
  public static Setting ofProcessors(String name, String meaning) {
    int processors = Runtime.getRuntime().availableProcessors();
    return new Setting(name, meaning, Integer.toString(processors), "processors");
  }

  /**
   * The standard value as a document that holds for every machine tells it; null if there is none.
   */
  public @Nullable String documented() {
    return ofMachine.isEmpty() ? standard : ofMachine;
  }
}
