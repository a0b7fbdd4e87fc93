package io.poolkeeper.controllers.curves;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The entries of {@link Tuning} and the values that {@code NAME=VALUE,NAME=VALUE} gives them.
 * Faults of that text are kept for {@link #check}: an exception here would hide them behind an
 * error of class initialization.
 */
final class TuningRegister {

  /** The entries of {@link Tuning}, with the values of the system property. */
  static final TuningRegister INSTANCE = new TuningRegister(TuningProperty.read());

  private final List<TunedConstant> constants = new ArrayList<>();
  private final Map<String, String> overrides = new LinkedHashMap<>();
  private @Nullable String problem;

  /**
   * @param text names and values, null or blank for none
   */
  TuningRegister(@Nullable String text) {
    if (text == null || text.isBlank()) {
      return;
    }
    for (String assignment : text.split(",", -1)) {
      int equals = assignment.indexOf('=');
      if (equals < 0) {
        problem = "'%s' is not NAME=VALUE".formatted(assignment);
      } else {
        overrides.put(
            assignment.substring(0, equals).strip(), assignment.substring(equals + 1).strip());
      }
    }
  }

  /** Registers a part of something, up to 1. */
  static double fraction(String name, double standard, String unit, TuningBasis basis) {
    return INSTANCE.register(name, standard, false, 1, unit, basis);
  }

  /** Registers a number above 0. */
  static double positive(String name, double standard, String unit, TuningBasis basis) {
    return INSTANCE.register(name, standard, false, Double.MAX_VALUE, unit, basis);
  }

  /** Registers a whole number, 1 or more. */
  static int count(String name, int standard, String unit, TuningBasis basis) {
    return (int) INSTANCE.register(name, standard, true, 1_000_000, unit, basis);
  }

  double register(
      String name, double standard, boolean whole, double most, String unit, TuningBasis basis) {
    TunedConstant constant = new TunedConstant(name, standard, standard, whole, most, unit, basis);
    String text = overrides.get(name);
    if (text != null) {
      constant = new TunedConstant(name, standard, parse(constant, text), whole, most, unit, basis);
    }
    constants.add(constant);
    return constant.value();
  }

  private double parse(TunedConstant constant, String text) {
    try {
      double value = Double.parseDouble(text);
      if (constant.allows(value)) {
        return value;
      }
    } catch (NumberFormatException e) {
      // The same message as for a number that is out of range.
    }
    problem =
        "%s must be %s above 0%s, but is %s"
            .formatted(
                constant.name(),
                constant.whole() ? "a whole number" : "a number",
                constant.most() < Double.MAX_VALUE ? " and at most " + constant.most() : "",
                text);
    return constant.standard();
  }

  /** Returns all entries, in the order of their registration. */
  List<TunedConstant> constants() {
    return List.copyOf(constants);
  }

  /**
   * Refuses a text with a fault. Call it after the last registration.
   *
   * @throws IllegalArgumentException naming the fault, for an unknown name with the known ones
   */
  void check() {
    if (problem != null) {
      throw new IllegalArgumentException(TuningProperty.NAME + ": " + problem);
    }
    List<String> names = constants.stream().map(TunedConstant::name).toList();
    for (String name : overrides.keySet()) {
      if (!names.contains(name)) {
        throw new IllegalArgumentException(
            "unknown tuned constant '%s'; known: %s".formatted(name, String.join(", ", names)));
      }
    }
  }
}
