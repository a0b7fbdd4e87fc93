package io.tidepool.testbed.servers;

import io.tidepool.AdaptiveExecutor;
import io.tidepool.Bounds;
import io.tidepool.Mode;
import io.tidepool.Objective;
import io.tidepool.record.PoolSetup;
import io.tidepool.spi.Blueprint;
import io.tidepool.spi.Names;
import io.tidepool.testbed.controllers.EventPolicy;
import io.tidepool.testbed.controllers.Policies;
import io.tidepool.testbed.controllers.PolicyExecutor;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options that describe the pool behind the server. */
final class PoolOptions {

  private static final String PLAIN = "plain";

  @Option(
      names = "--pool",
      paramLabel = "POOL",
      defaultValue = "response-curve",
      description = {
        "fixed:N for N workers, plain for none (requests run on the event loops), or a controller",
        "or policy by name, such as response-curve, mean-latency or fbos. Default: ${DEFAULT-VALUE}"
      })
  private String pool = "";

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
      defaultValue = "1..256",
      description = "Smallest and largest pool. Default: ${DEFAULT-VALUE}")
  private String bounds = "";

  @Option(
      names = "--initial",
      paramLabel = "N",
      description = "Size to begin with. Default: as many as processors")
  private @Nullable Integer initial;

  @Option(
      names = "--window",
      paramLabel = "DURATION",
      defaultValue = "1s",
      converter = DurationConverter.class,
      description = "Time between two decisions. Default: ${DEFAULT-VALUE}")
  private Duration window = Duration.ZERO;

  @Option(
      names = "--queue-capacity",
      paramLabel = "N",
      description = "Requests that may wait; more are answered with 503. Default: no bound")
  private @Nullable Integer queueCapacity;

  @Option(
      names = "--mode",
      paramLabel = "MODE",
      defaultValue = "active",
      description = "active, dry-run (decides, does not resize) or frozen. Default: active")
  private String mode = "";

  /** Whether requests run on the event loops, without a pool. */
  boolean plain() {
    return pool.equals(PLAIN);
  }

  /**
   * A pool as described, and how a record tells what was described.
   *
   * @param policy what decides the size in place of a controller
   */
  record Described(
      AdaptiveExecutor.Builder builder, PoolSetup setup, @Nullable EventPolicy policy) {

    /** Starts the pool. */
    Running start() {
      if (policy != null) {
        PolicyExecutor executor = PolicyExecutor.start(builder, policy);
        return new Running(executor, executor.pool());
      }
      AdaptiveExecutor pool = builder.build();
      return new Running(pool, pool);
    }
  }

  /**
   * A running pool.
   *
   * @param executor what takes tasks
   * @param pool what runs them, and is measured
   */
  record Running(ExecutorService executor, AdaptiveExecutor pool) {}

  /**
   * The pool as described.
   *
   * @throws IllegalArgumentException naming the option that is wrong
   */
  Described describe(String name) {
    Bounds allowed = parse(bounds);
    String controller = pool;
    Map<String, String> given = new LinkedHashMap<>(settings);
    AdaptiveExecutor.Builder builder = AdaptiveExecutor.builder(name);
    if (pool.startsWith("fixed:")) {
      controller = "fixed";
      given.put("size", pool.substring("fixed:".length()));
    }
    EventPolicy policy = null;
    PoolSetup setup;
    Names.require("controller", controller, Policies.contestants());
    if (policies().contains(controller)) {
      Blueprint<EventPolicy> blueprint = Policies.blueprint(controller);
      Map<String, String> complete = blueprint.complete(given);
      policy = blueprint.make(complete);
      setup = new PoolSetup(controller, complete, objective(), allowed);
    } else {
      setup = PoolSetup.of(controller, given, objective(), allowed);
      builder.controller(setup.newController());
    }
    builder
        .objective(setup.objective())
        .bounds(allowed.minimum(), allowed.maximum())
        .window(window)
        .mode(Mode.of(mode));
    if (controller.equals("fixed")) {
      int size = Integer.parseInt(setup.settings().getOrDefault("size", ""));
      builder.initialSize(allowed.require("size of the fixed pool", size));
    }
    if (initial != null) {
      builder.initialSize(initial);
    }
    if (queueCapacity != null) {
      builder.queueCapacity(queueCapacity);
    }
    return new Described(builder, setup, policy);
  }

  private static Set<String> policies() {
    return Policies.all().stream().map(Blueprint::name).collect(Collectors.toSet());
  }

  private Objective objective() {
    if (objective != null) {
      return Objective.named(objective);
    }
    // The controllers that work for one objective alone are called after it.
    return Objective.names().contains(pool) ? Objective.named(pool) : Objective.throughput();
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
