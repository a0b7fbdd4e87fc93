package io.poolkeeper.testbed.servers;

import io.poolkeeper.Bounds;
import io.poolkeeper.Controller;
import io.poolkeeper.Controllers;
import io.poolkeeper.Mode;
import io.poolkeeper.Objective;
import io.poolkeeper.record.PoolSetup;
import io.poolkeeper.spi.ControllerDescriptor;
import io.poolkeeper.testbed.commands.Names;
import io.poolkeeper.testbed.controllers.Descriptors;
import io.poolkeeper.testbed.controllers.EventPolicy;
import io.poolkeeper.testbed.controllers.Policies;
import io.poolkeeper.testbed.servers.architectures.Architecture;
import io.poolkeeper.testbed.servers.handover.HandOver;
import io.poolkeeper.testbed.servers.handover.LibertyExecutor;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Options that describe the pool behind the server. */
final class PoolOptions {

  private static final String PLAIN = "plain";
  private static final String FIXED = "fixed:";
  private static final String GROUP = "group:";
  private static final String OBJECTIVE = "objective";

  /** Time between two decisions where nothing else is recommended. */
  private static final Duration USUAL_WINDOW = Duration.ofSeconds(1);

  /** Stands for the controller of a pool on which variants take turns. */
  private static final String ALTERNATING = "alternating";

  @Option(
      names = "--pool",
      paramLabel = "POOL",
      description = {
        "fixed:N for N handlers, plain for none (who reads a request processes it), or a controller",
        "or policy by name, such as response-curve, mean-latency or fbos; open-liberty for the",
        "executor of that server, which sizes itself; group:N, of plain-netty, for N threads of",
        "Netty's own that process. Default: response-curve,",
        "or plain where the architecture has no handlers"
      })
  private @Nullable String pool;

  @Mixin private VariantOptions variants = new VariantOptions();

  @Option(
      names = "--objective",
      paramLabel = "OBJECTIVE",
      description = {
        "What the pool is to optimise: throughput, mean-latency, p99-latency (or another",
        "percentile), or goodput:DURATION for the requests answered within it. Default: that of",
        "the controller's name, or throughput"
      })
  private @Nullable String objective;

  @Option(
      names = "--set",
      paramLabel = "SETTING=VALUE",
      description = "A setting of the controller, such as --set step=5; may be repeated")
  private Map<String, String> settings = new LinkedHashMap<>();

  @Option(
      names = "--bounds",
      paramLabel = "MIN..MAX",
      description = "Smallest and largest pool. Default: 1..256, of --admission adaptive 1..1000")
  private @Nullable String bounds;

  @Option(
      names = "--initial",
      paramLabel = "N",
      description = "Size to begin with. Default: as many as processors")
  private @Nullable Integer initial;

  @Option(
      names = "--window",
      paramLabel = "DURATION",
      converter = DurationConverter.class,
      description = "Time between two decisions. Default: what the controller recommends, or 1s")
  private @Nullable Duration window;

  @Option(
      names = "--queue-capacity",
      paramLabel = "N",
      description = "Requests that may wait; more are answered with 503. Default: no bound")
  private @Nullable Integer queueCapacity;

  @Mixin private AdmissionOptions admission = new AdmissionOptions();

  @Option(
      names = "--mode",
      paramLabel = "MODE",
      defaultValue = "active",
      description = "active, dry-run (decides, does not resize) or frozen. Default: active")
  private String mode = "";

  /** The architecture that is meant: without handlers, where none are wanted. */
  Architecture choose(@Nullable String architecture) {
    if (admission.given()) {
      return chooseAdmission(architecture);
    }
    boolean plain = PLAIN.equals(pool);
    if (architecture == null) {
      return Architecture.named(plain ? "netty" : Architecture.DEFAULT);
    }
    Architecture chosen = Architecture.named(architecture);
    boolean alone = chosen.handOver() == HandOver.NONE;
    if (grouped() && !chosen.equals(Architecture.BASELINE)) {
      throw new IllegalArgumentException(
          "pool %s is for architecture %s, not for %s"
              .formatted(pool, Architecture.BASELINE.name(), chosen.name()));
    }
    if (alone && pool != null && !plain && !grouped()) {
      throw new IllegalArgumentException(
          "architecture %s has no handlers: leave out --pool %s".formatted(architecture, pool));
    }
    if (alone && variants.given()) {
      throw new IllegalArgumentException(
          "architecture %s has no handlers: leave out --variant".formatted(architecture));
    }
    if (plain && !alone) {
      throw new IllegalArgumentException(
          "architecture %s has handlers: --pool must say how many, and is plain"
              .formatted(architecture));
    }
    return chosen;
  }

  private boolean grouped() {
    return pool != null && pool.startsWith(GROUP);
  }

  /**
   * Threads of Netty's own to which plain Netty hands over; 0 for none.
   *
   * @throws IllegalArgumentException naming the value if it is no number from 1 on
   */
  int groupThreads() {
    if (!grouped()) {
      return 0;
    }
    String threads = Objects.requireNonNull(pool).substring(GROUP.length());
    if (!threads.matches("[1-9][0-9]{0,3}")) {
      throw new IllegalArgumentException(
          "pool must be group:N with N from 1 to 9999, but is %s".formatted(pool));
    }
    return Integer.parseInt(threads);
  }

  private Architecture chooseAdmission(@Nullable String architecture) {
    if (architecture != null) {
      throw new IllegalArgumentException(
          "admission is a limit on event loops: leave out --architecture " + architecture);
    }
    if (pool != null) {
      throw new IllegalArgumentException(
          "admission takes the place of a pool: leave out --pool " + pool);
    }
    if (variants.given()) {
      throw new IllegalArgumentException(
          "admission takes the place of a pool: leave out --variant, which needs one");
    }
    return Architecture.ADMISSION;
  }

  private String name() {
    return pool == null ? "response-curve" : pool;
  }

  /**
   * The handlers as described.
   *
   * @throws IllegalArgumentException naming the option that is wrong
   */
  DescribedPool describe(String name) {
    if (admission.given()) {
      return admitted(name, admission.choose());
    }
    admission.requireNone();
    Bounds allowed = parse(bounds == null ? "1..256" : bounds);
    if (variants.given()) {
      return describeVariants(name, allowed);
    }
    String controller = name();
    Map<String, String> given = new LinkedHashMap<>(settings);
    int size = initial == null ? 0 : initial;
    if (controller.startsWith(FIXED)) {
      given.put("size", wholeNumber(controller));
      controller = "fixed";
    }
    EventPolicy policy = null;
    PoolSetup setup;
    Set<String> names = new TreeSet<>(Policies.contestants());
    names.add(LibertyExecutor.NAME);
    Names.require("controller", controller, names);
    if (controller.equals(LibertyExecutor.NAME)) {
      if (!given.isEmpty()) {
        throw new IllegalArgumentException(
            "%s has no setting %s: it runs with its own"
                .formatted(controller, given.keySet().iterator().next()));
      }
      setup = new PoolSetup(controller, given, objective(), allowed);
    } else if (policies().contains(controller)) {
      ControllerDescriptor<EventPolicy> descriptor = Policies.descriptor(controller);
      Descriptors.requireSettings(descriptor, given);
      Map<String, String> complete = descriptor.complete(given);
      policy = descriptor.make(complete);
      setup = new PoolSetup(controller, complete, objective(), allowed);
    } else {
      setup = pursuing(controller, given, allowed);
    }
    if (controller.equals("fixed") && initial == null) {
      size = Integer.parseInt(setup.settings().getOrDefault("size", ""));
      allowed.require("size of the fixed pool", size);
    }
    if (initial != null) {
      allowed.require("initial", initial);
    }
    return new DescribedPool(
        name,
        setup,
        policy,
        null,
        size,
        windowFor(setup),
        Mode.of(mode),
        queueCapacity == null ? 0 : positive("queue-capacity", queueCapacity),
        null,
        null);
  }

  /** A limit in place of a pool; those of others have their own settings and no more. */
  private DescribedPool admitted(String name, AdmissionOptions.Chosen limit) {
    if (queueCapacity != null) {
      throw new IllegalArgumentException(
          "admission has no queue: leave out --queue-capacity " + queueCapacity);
    }
    PoolSetup setup;
    if (limit.adaptive()) {
      Bounds allowed = parse(bounds == null ? "1..1000" : bounds);
      if (initial != null) {
        allowed.require("initial", initial);
      }
      setup = pursuing(name(), settings, allowed);
    } else {
      requireUnset(limit.name(), "initial", initial);
      requireUnset(limit.name(), "bounds", bounds);
      requireUnset(limit.name(), "set", settings.isEmpty() ? null : settings);
      setup = new PoolSetup(limit.name(), Map.of(), objective(), limit.limits());
    }
    return new DescribedPool(
        name,
        setup,
        null,
        null,
        initial == null ? 0 : initial,
        windowFor(setup),
        Mode.of(mode),
        0,
        limit,
        null);
  }

  private Duration windowFor(PoolSetup setup) {
    if (window != null) {
      return window;
    }
    boolean recommends =
        Controllers.all().stream().anyMatch(each -> each.name().equals(setup.controller()));
    return recommends ? setup.newController().window() : USUAL_WINDOW;
  }

  /**
   * The setup of a controller. One that has the objective among its settings pursues that of the
   * pool, whichever of the two was given: it would not measure the one and pursue the other.
   *
   * @throws IllegalArgumentException if both were given and differ
   */
  private PoolSetup pursuing(String controller, Map<String, String> given, Bounds allowed) {
    ControllerDescriptor<Controller> descriptor = Descriptors.controller(controller);
    Descriptors.requireSettings(descriptor, given);
    boolean chooses =
        descriptor.settings().stream().anyMatch(setting -> setting.name().equals(OBJECTIVE));
    if (!chooses) {
      return PoolSetup.of(controller, given, objective(), allowed);
    }
    Map<String, String> complete = new LinkedHashMap<>(given);
    String set = complete.putIfAbsent(OBJECTIVE, objective().name());
    Objective pursued = Objective.named(set == null ? objective().name() : set);
    if (objective != null && !pursued.name().equals(objective().name())) {
      throw new IllegalArgumentException(
          "objective %s differs from --set objective=%s: give one of them"
              .formatted(objective, set));
    }
    return PoolSetup.of(controller, complete, pursued, allowed);
  }

  private static void requireUnset(String limit, String option, @Nullable Object value) {
    if (value != null) {
      throw new IllegalArgumentException(
          "%s has settings of its own: leave out --%s %s".formatted(limit, option, value));
    }
  }

  private DescribedPool describeVariants(String name, Bounds allowed) {
    VariantOptions.refuseBeside("pool", pool != null);
    VariantOptions.refuseBeside("set", !settings.isEmpty());
    VariantOptions.refuseBeside("initial", initial != null);
    AlternatingController alternating = variants.controller(this::describeVariant);
    return new DescribedPool(
        name,
        new PoolSetup(ALTERNATING, variants.written(), objective(), allowed),
        null,
        alternating,
        alternating.initialSize(),
        window == null ? USUAL_WINDOW : window,
        Mode.of(mode),
        queueCapacity == null ? 0 : positive("queue-capacity", queueCapacity),
        null,
        null);
  }

  private AlternatingController.Variant describeVariant(VariantOptions.Stated variant) {
    if (PLAIN.equals(variant.pool())) {
      throw new IllegalArgumentException(
          "variant %s has no handlers: plain cannot take turns".formatted(variant.name()));
    }
    PoolOptions own = new PoolOptions();
    own.pool = variant.pool();
    own.settings = variant.settings();
    own.initial = variant.initial();
    own.objective = objective;
    own.bounds = bounds;
    own.window = window;
    own.mode = mode;
    DescribedPool described = own.describe(variant.name());
    if (described.policy() != null || described.itself()) {
      throw new IllegalArgumentException(
          "variant %s cannot take turns: %s does not decide once a window"
              .formatted(variant.name(), described.setup().controller()));
    }
    return new AlternatingController.Variant(
        variant.name(), described.setup().newController(), described.size());
  }

  /** Returns the text behind the colon, as it was written. */
  private static String wholeNumber(String fixed) {
    String size = fixed.substring(FIXED.length());
    if (!size.matches("[0-9]{1,9}")) {
      throw new IllegalArgumentException(
          "pool must be fixed:N with a whole number, such as fixed:4, but is '%s'"
              .formatted(fixed));
    }
    return size;
  }

  private static int positive(String option, int value) {
    if (value < 1) {
      throw new IllegalArgumentException(option + " must be >= 1, but is " + value);
    }
    return value;
  }

  private static Set<String> policies() {
    return Policies.all().stream().map(ControllerDescriptor::name).collect(Collectors.toSet());
  }

  private Objective objective() {
    if (objective != null) {
      return Objective.named(objective);
    }
    // The controllers that work for one objective alone are called after it.
    return Objective.names().contains(name()) ? Objective.named(name()) : Objective.throughput();
  }

  private static Bounds parse(String text) {
    String[] ends = text.split("\\.\\.", -1);
    try {
      if (ends.length == 2) {
        return new Bounds(Integer.parseInt(ends[0]), Integer.parseInt(ends[1]));
      }
    } catch (NumberFormatException e) {
      // The same message serves.
    }
    throw new IllegalArgumentException("bounds must be MIN..MAX, such as 1..256, but is " + text);
  }
}
