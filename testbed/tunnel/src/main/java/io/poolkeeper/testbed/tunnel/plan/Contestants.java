package io.poolkeeper.testbed.tunnel.plan;

import io.poolkeeper.Controller;
import io.poolkeeper.Controllers;
import io.poolkeeper.spi.ControllerDescriptor;
import io.poolkeeper.spi.Setting;
import io.poolkeeper.testbed.commands.Names;
import io.poolkeeper.testbed.controllers.EventPolicy;
import io.poolkeeper.testbed.controllers.Policies;
import io.poolkeeper.testbed.tunnel.flight.Pilot;
import io.poolkeeper.testbed.tunnel.plan.Contestant.About;
import io.poolkeeper.testbed.tunnel.plan.Contestant.Kind;
import io.poolkeeper.testbed.tunnel.plant.Curve;
import io.poolkeeper.testbed.tunnel.plant.Plants;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Contestants that may be judged: every controller and every policy of the modules on the class
 * path that needs no setting, with its default settings and its recommended window, and fixed
 * sizes.
 */
public final class Contestants {

  /** The fixed size that would have been best had it been known before. */
  public static final String BEST_FIXED = "best-fixed";

  private static final List<Integer> FIXED_SIZES = List.of(2, 10, 100);
  private static final Pattern FIXED = Pattern.compile("fixed-([1-9][0-9]{0,2})");
  private static final Pattern NUMBERED = Pattern.compile("fixed-[+-]?[0-9]+");

  /** Fixed sizes need windows only to be seen. */
  private static final Duration FIXED_WINDOW = Duration.ofSeconds(1);

  private final Map<String, Contestant> byName = new LinkedHashMap<>();

  private final int largest;

  /** All that the catalogues of controllers and policies know, and some fixed sizes. */
  public Contestants() {
    this(Curve.LARGEST);
  }

  /**
   * The same for pools that are bounded.
   *
   * @param largest size of a pool
   */
  public Contestants(int largest) {
    this.largest = largest;
    for (ControllerDescriptor<Controller> descriptor : Controllers.all()) {
      if (needsNothing(descriptor)) {
        add(controller(descriptor));
      }
    }
    for (ControllerDescriptor<EventPolicy> descriptor : Policies.all()) {
      if (needsNothing(descriptor)) {
        add(policy(descriptor));
      }
    }
    add(bestFixed());
    FIXED_SIZES.stream().filter(size -> size <= largest).forEach(size -> add(fixed(size)));
  }

  /** All, in the order in which they are known. */
  public Collection<Contestant> all() {
    return List.copyOf(byName.values());
  }

  /**
   * One by name; {@code fixed-N} is known for every size.
   *
   * @throws IllegalArgumentException with the nearest name, if there is none such
   */
  public Contestant named(String name) {
    Matcher fixed = FIXED.matcher(name);
    if (fixed.matches() && Integer.parseInt(fixed.group(1)) <= largest) {
      return fixed(Integer.parseInt(fixed.group(1)));
    }
    if (NUMBERED.matcher(name).matches()) {
      throw new IllegalArgumentException(
          "unknown controller '%s'; fixed-N is known for N from 1 to %d".formatted(name, largest));
    }
    Names.require("controller", name, byName.keySet());
    return Objects.requireNonNull(byName.get(name));
  }

  private void add(Contestant contestant) {
    if (byName.put(contestant.name(), contestant) != null) {
      throw new IllegalStateException("two controllers are called " + contestant.name());
    }
  }

  private static boolean needsNothing(ControllerDescriptor<?> descriptor) {
    return descriptor.settings().stream().allMatch(setting -> setting.standard() != null);
  }

  /**
   * Settings that tell what the pool's machine is; they describe it, whatever machine the tunnel
   * runs on. All others have their defaults.
   */
  public static Map<String, String> machine(ControllerDescriptor<?> descriptor) {
    Map<String, String> settings = new LinkedHashMap<>();
    for (Setting setting : descriptor.settings()) {
      if (setting.ofMachine().equals("processors")) {
        settings.put(setting.name(), Integer.toString(Plants.PROCESSORS));
      }
    }
    return settings;
  }

  private static About about(ControllerDescriptor<?> descriptor) {
    return new About(
        descriptor.source(),
        descriptor.signal(),
        descriptor.trigger(),
        descriptor.weakness(),
        descriptor.window().toNanos() / 1e9);
  }

  private static Contestant controller(ControllerDescriptor<Controller> descriptor) {
    return new Contestant(
        descriptor.name(),
        Kind.CONTROLLER,
        about(descriptor),
        course ->
            new Pilot.ByWindows(
                descriptor.make(machine(descriptor)), descriptor.window(), Pilot.FIRST_SIZE));
  }

  private static Contestant policy(ControllerDescriptor<EventPolicy> descriptor) {
    return new Contestant(
        descriptor.name(),
        Kind.POLICY,
        about(descriptor),
        course -> new Pilot.ByEvents(descriptor.make(machine(descriptor))));
  }

  private static Contestant fixed(int size) {
    return new Contestant(
        "fixed-" + size,
        Kind.FIXED,
        new About("a setting", "nothing", "nothing", "the optimum is elsewhere", 0),
        course -> fixedPilot(size));
  }

  private static Contestant bestFixed() {
    return new Contestant(
        BEST_FIXED,
        Kind.FIXED,
        new About(
            "hindsight",
            "the closed form of the plant",
            "nothing",
            "nobody knows it beforehand; the optimum changes",
            0),
        course -> fixedPilot(course.bestFixed()));
  }

  /** Keeps a size. */
  public static Pilot fixedPilot(int size) {
    return new Pilot.ByWindows(Controllers.fixed(size), FIXED_WINDOW, size);
  }
}
