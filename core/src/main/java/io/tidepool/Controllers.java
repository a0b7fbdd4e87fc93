package io.tidepool;

import io.tidepool.controllers.FixedController;
import io.tidepool.controllers.StepController;
import io.tidepool.controllers.StepSettings;
import io.tidepool.spi.Names;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/**
 * The controllers that come with the library.
 *
 * <p>By objective, with their published settings, from code; or by name, with settings as text,
 * from a configuration file.
 */
public final class Controllers {

  private Controllers() {}

  /** Keeps the size at {@code size}. */
  public static Controller fixed(int size) {
    return new FixedController(size);
  }

  /** Steps towards more completions per second. */
  public static Controller throughput() {
    return forObjective(Objective.throughput());
  }

  /** Steps towards a smaller mean response time. */
  public static Controller meanResponseTime() {
    return forObjective(Objective.meanResponseTime());
  }

  /** Steps towards a smaller 99th percentile of the response time. */
  public static Controller p99ResponseTime() {
    return forObjective(Objective.percentile(0.99));
  }

  /** The controller that is used for an objective when none is named. */
  public static Controller forObjective(Objective objective) {
    return new StepController(
        objective.toString(),
        objective,
        objective.higherIsBetter() ? StepSettings.THROUGHPUT : StepSettings.RESPONSE_TIME);
  }

  /** Names that {@link #named} knows, each with the settings that it takes. */
  public static Map<String, Set<String>> names() {
    Map<String, Set<String>> names = new LinkedHashMap<>();
    names.put("fixed", Set.of("size"));
    STEPPING.keySet().forEach(name -> names.put(name, Set.of("step", "threshold", "lock")));
    return names;
  }

  private static final Map<String, Objective> STEPPING = stepping();

  private static Map<String, Objective> stepping() {
    Map<String, Objective> objectives = new LinkedHashMap<>();
    objectives.put("throughput", Objective.throughput());
    objectives.put("mean-latency", Objective.meanResponseTime());
    objectives.put("p99-latency", Objective.percentile(0.99));
    return objectives;
  }

  /**
   * A controller by name, with settings as they stand in a configuration file; a setting that is
   * not given has its published default.
   *
   * @param name {@code fixed}, {@code throughput}, {@code mean-latency} or {@code p99-latency}
   * @param settings for {@code fixed}: {@code size}; for the others {@code step} (workers), {@code
   *     threshold} (fraction) and {@code lock} (windows)
   * @throws IllegalArgumentException naming what is unknown, with the nearest valid word, or the
   *     setting and value that is wrong
   */
  public static Controller named(String name, Map<String, String> settings) {
    Names.require("controller", name, names().keySet());
    Set<String> known = names().getOrDefault(name, Set.of());
    settings.keySet().forEach(key -> Names.require("setting of " + name, key, known));
    Objective objective = STEPPING.get(name);
    if (objective == null) {
      if (!settings.containsKey("size")) {
        throw new IllegalArgumentException("fixed needs a size");
      }
      return fixed(integer(settings, "size", 1));
    }
    StepSettings defaults =
        objective.higherIsBetter() ? StepSettings.THROUGHPUT : StepSettings.RESPONSE_TIME;
    return new StepController(
        name,
        objective,
        new StepSettings(
            integer(settings, "step", defaults.step()),
            decimal(settings, "threshold", defaults.threshold()),
            integer(settings, "lock", defaults.lock())));
  }

  private static int integer(Map<String, String> settings, String key, int otherwise) {
    String text = settings.get(key);
    if (text == null) {
      return otherwise;
    }
    try {
      return Integer.parseInt(text.strip());
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(key + " must be a whole number, but is '" + text + "'", e);
    }
  }

  private static double decimal(Map<String, String> settings, String key, double otherwise) {
    String text = settings.get(key);
    if (text == null) {
      return otherwise;
    }
    try {
      return Double.parseDouble(text.strip());
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(key + " must be a number, but is '" + text + "'", e);
    }
  }
}
