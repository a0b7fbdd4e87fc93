package io.poolkeeper;

import io.poolkeeper.controllers.FixedController;
import io.poolkeeper.controllers.ResponseCurveController;
import io.poolkeeper.controllers.StepController;
import io.poolkeeper.controllers.StepSettings;
import io.poolkeeper.spi.ControllerDescriptor;
import io.poolkeeper.spi.ControllerProvider;
import io.poolkeeper.spi.Setting;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.TreeSet;

/**
 * Factories of the controllers of the library.
 *
 * <p>Code chooses a controller by its objective and gets the published settings. A configuration
 * file chooses it by name, with settings as text.
 */
public final class Controllers {

  private static final List<ControllerDescriptor<Controller>> OWN =
      List.of(
          new ControllerDescriptor<>(
              "fixed",
              "baseline of all comparisons",
              "none",
              "none",
              "the load or the work changes",
              Duration.ofSeconds(1),
              List.of(Setting.required("size", "workers, 1 or more")),
              settings -> fixed(settings.integer("size"))),
          stepping("throughput", Objective.throughput()),
          stepping("mean-latency", Objective.meanResponseTime()),
          stepping("p99-latency", Objective.percentile(0.99)),
          responseCurveDescriptor());

  private static final double TOLERANCE = 0.03;

  private Controllers() {}

  /** Returns a controller that keeps the size at {@code size}. */
  public static Controller fixed(int size) {
    return new FixedController(size);
  }

  /** Returns a controller that steps towards more completions per second. */
  public static Controller throughput() {
    return stepping(Objective.throughput());
  }

  /** Returns a controller that steps towards a smaller mean response time. */
  public static Controller meanResponseTime() {
    return stepping(Objective.meanResponseTime());
  }

  /** Returns a controller that steps towards a smaller 99th percentile of the response time. */
  public static Controller p99ResponseTime() {
    return stepping(Objective.percentile(0.99));
  }

  /** Returns a controller that learns the throughput at each size. */
  public static Controller responseCurve() {
    return responseCurve(Objective.throughput());
  }

  /**
   * Returns a controller that learns the objective at each size and keeps the smallest good size.
   */
  public static Controller responseCurve(Objective objective) {
    return new ResponseCurveController(
        objective, TOLERANCE, Runtime.getRuntime().availableProcessors());
  }

  /** Returns the default controller of an objective. */
  public static Controller forObjective(Objective objective) {
    return responseCurve(objective);
  }

  private static Controller stepping(Objective objective) {
    return new StepController(objective.toString(), objective, StepSettings.of(objective));
  }

  /** Returns the descriptors of all controllers, those of other modules included. */
  public static List<ControllerDescriptor<Controller>> all() {
    List<ControllerDescriptor<Controller>> all = new ArrayList<>(OWN);
    ServiceLoader.load(ControllerProvider.class)
        .forEach(provider -> all.addAll(provider.controllers()));
    return List.copyOf(all);
  }

  /**
   * Returns a controller by name, with settings as text; a missing setting has its published
   * default.
   *
   * @param name {@code fixed}, {@code throughput}, {@code mean-latency}, {@code p99-latency},
   *     {@code response-curve}, or a name that a {@link ControllerProvider} adds
   * @param settings by name; {@link #all} lists them
   * @throws IllegalArgumentException naming the unknown name with the valid names, or the wrong
   *     setting and its value
   * @throws IllegalStateException if two modules provide the same name
   */
  public static Controller named(String name, Map<String, String> settings) {
    return descriptor(name).make(settings);
  }

  /**
   * Returns the descriptor of a controller: its settings, and the way to make one.
   *
   * @throws IllegalArgumentException with the valid names, if there is none of that name
   * @throws IllegalStateException if two modules provide the same name
   */
  public static ControllerDescriptor<Controller> descriptor(String name) {
    Map<String, ControllerDescriptor<Controller>> byName = new LinkedHashMap<>();
    for (ControllerDescriptor<Controller> descriptor : all()) {
      if (byName.put(descriptor.name(), descriptor) != null) {
        throw new IllegalStateException("two controllers are called " + descriptor.name());
      }
    }
    ControllerDescriptor<Controller> descriptor = byName.get(name);
    if (descriptor == null) {
      throw new IllegalArgumentException(
          "unknown controller '%s'; known: %s"
              .formatted(name, String.join(", ", new TreeSet<>(byName.keySet()))));
    }
    return descriptor;
  }

  private static ControllerDescriptor<Controller> stepping(String name, Objective objective) {
    StepSettings standard = StepSettings.of(objective);
    return new ControllerDescriptor<>(
        name,
        "Costa 2019, chapter 4",
        objective + " of two windows",
        "a step every second window, undone if it brought less than the threshold",
        "noise above the threshold; optimum far from the start, or between two steps; idle windows",
        Duration.ofSeconds(1),
        List.of(
            Setting.of("step", "workers added or taken away at once, 1 or more", standard.step()),
            Setting.of(
                "threshold",
                "gain that a step must bring, a fraction above 0 and below 1",
                standard.threshold()),
            Setting.of(
                "lock",
                "windows for which a failed direction is barred, 0 or more",
                standard.lock())),
        settings ->
            new StepController(
                name,
                objective,
                new StepSettings(
                    settings.integer("step"),
                    settings.decimal("threshold"),
                    settings.integer("lock"))));
  }

  private static ControllerDescriptor<Controller> responseCurveDescriptor() {
    return new ControllerDescriptor<>(
        ResponseCurveController.NAME,
        "Poolkeeper",
        "throughput at each size, and with it response times by Little's law",
        "the expected loss of a size, or what a window at another size would teach",
        "work that changes within seconds; fewer than some ten completions a second",
        Duration.ofMillis(500),
        List.of(
            Setting.of(
                "objective",
                "throughput, mean-response-time, a percentile such as p99-response-time,"
                    + " goodput:DURATION, or disk-throughput",
                Objective.throughput().name()),
            Setting.of(
                "tolerance",
                "fraction of the best that may be missing for fewer workers, above 0, below 0.5",
                TOLERANCE),
            Setting.ofProcessors("processors", "processors that the work may use, 1 or more")),
        settings ->
            new ResponseCurveController(
                Objective.named(settings.text("objective")),
                settings.decimal("tolerance"),
                settings.integer("processors")));
  }
}
