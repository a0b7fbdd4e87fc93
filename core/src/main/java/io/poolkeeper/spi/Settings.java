package io.poolkeeper.spi;

import java.util.Map;

/** The values of all settings of a {@link ControllerDescriptor}, read from text. */
public final class Settings {

  private final Map<String, String> values;

  Settings(Map<String, String> values) {
    this.values = Map.copyOf(values);
  }

  /**
   * Returns a whole number.
   *
   * @throws IllegalArgumentException naming the setting and the value, if it is not a whole number
   */
  public int integer(String setting) {
    String text = text(setting);
    try {
      return Integer.parseInt(text);
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(
          setting + " must be a whole number, but is '" + text + "'", e);
    }
  }

  /**
   * Returns a finite number.
   *
   * @throws IllegalArgumentException naming the setting and the value, if it is not a finite number
   */
  public double decimal(String setting) {
    String text = text(setting);
    try {
      double value = Double.parseDouble(text);
      if (Double.isFinite(value)) {
        return value;
      }
    } catch (NumberFormatException e) {
      // The same message serves.
    }
    throw new IllegalArgumentException(setting + " must be a number, but is '" + text + "'");
  }

  /**
   * Returns the text without leading and trailing spaces.
   *
   * @throws IllegalStateException if the descriptor has no such setting
   */
  public String text(String setting) {
    String text = values.get(setting);
    if (text == null) {
      throw new IllegalStateException("the descriptor does not name its setting '" + setting + "'");
    }
    return text;
  }
}
