package io.poolkeeper;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

/**
 * The size that a {@link Controller} asks for, with the reason.
 *
 * @param size the size asked for
 * @param bounded whether a {@code size} out of bounds is replaced by the nearest bound; otherwise
 *     it is refused
 * @param reason the reason as a sentence for people, with numbers and units
 * @param numbers the numbers of the reason by name, in their order; durations in nanoseconds, rates
 *     per second
 */
public record Decision(int size, boolean bounded, String reason, Map<String, Double> numbers) {

  /**
   * Copies {@code numbers}, keeping their order.
   *
   * @throws NullPointerException if the reason, or one of the numbers, is null
   */
  public Decision {
    Objects.requireNonNull(reason, "reason must not be null");
    numbers.forEach(
        (name, value) ->
            Objects.requireNonNull(value, () -> "number " + name + " must not be null"));
    numbers =
        numbers.isEmpty() ? Map.of() : Collections.unmodifiableMap(new LinkedHashMap<>(numbers));
  }

  /** Asks for exactly {@code size}; it is refused if it is out of bounds. */
  public static Decision resize(int size, String reason) {
    return new Decision(size, false, reason, Map.of());
  }

  /** Asks for {@code size}, or the nearest bound if it is out of bounds. */
  public static Decision towards(int size, String reason) {
    return new Decision(size, true, reason, Map.of());
  }

  /** Asks for the size that the window had. */
  public static Decision keep(Window window, String reason) {
    return new Decision(window.size(), true, reason, Map.of());
  }

  /** Returns this decision with other numbers. */
  public Decision because(Map<String, Double> numbers) {
    return new Decision(size, bounded, reason, numbers);
  }
}
