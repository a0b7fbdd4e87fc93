package io.poolkeeper.testbed.ntier.web;

import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Parameters of a request, from its query and its body. What is wrong with one is a 400. */
public final class Parameters {

  private static final int LONGEST = 20_000;

  private final Function<String, @Nullable String> values;

  /**
   * @param values the value of a name; null if there is none
   */
  public Parameters(Function<String, @Nullable String> values) {
    this.values = values;
  }

  /** A text that must not be blank. */
  public String text(String name) {
    String value = values.apply(name);
    if (value == null || value.isBlank()) {
      throw Refusal.badRequest("parameter '" + name + "' is missing");
    }
    if (value.length() > LONGEST) {
      throw Refusal.badRequest(
          "parameter '%s' has %d characters, but %d are the most"
              .formatted(name, value.length(), LONGEST));
    }
    if (value.indexOf('\0') >= 0) {
      throw Refusal.badRequest("parameter '" + name + "' holds a zero byte");
    }
    return value.strip();
  }

  /** A whole number, such as an id. */
  public int number(String name) {
    return parse(name, text(name));
  }

  /** A whole number within bounds, or {@code otherwise} if it is not given. */
  public int number(String name, int least, int most, int otherwise) {
    if (!has(name)) {
      return otherwise;
    }
    int number = number(name);
    if (number < least || number > most) {
      throw Refusal.badRequest(
          "parameter '%s' must be within %d..%d, but is %d".formatted(name, least, most, number));
    }
    return number;
  }

  /** Whether it is given. */
  public boolean has(String name) {
    String value = values.apply(name);
    return value != null && !value.isBlank();
  }

  private static int parse(String name, String text) {
    try {
      return Integer.parseInt(text);
    } catch (NumberFormatException e) {
      throw Refusal.badRequest(
          "parameter '%s' must be a whole number, but is '%s'".formatted(name, text));
    }
  }
}
