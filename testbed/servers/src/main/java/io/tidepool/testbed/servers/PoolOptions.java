package io.tidepool.testbed.servers;

import io.tidepool.AdaptiveExecutor;
import io.tidepool.AdaptiveLimiter;
import io.tidepool.Bounds;
import io.tidepool.ControlListener;
import io.tidepool.ControlLoop;
import io.tidepool.Controller;
import io.tidepool.Mode;
import io.tidepool.Objective;
import io.tidepool.PoolBuilder;
import io.tidepool.record.PoolSetup;
import io.tidepool.spi.Blueprint;
import io.tidepool.spi.Names;
import io.tidepool.testbed.controllers.EventPolicy;
import io.tidepool.testbed.controllers.Policies;
import io.tidepool.testbed.controllers.PolicyExecutor;
import io.tidepool.testbed.servers.architectures.Architecture;
import io.tidepool.testbed.servers.architectures.VirtualThreads;
import io.tidepool.testbed.servers.handover.ActorExecutor;
import io.tidepool.testbed.servers.handover.HandOver;
import io.tidepool.testbed.servers.handover.HandlerPool;
import io.tidepool.testbed.servers.handover.LibertyExecutor;
import io.tidepool.testbed.servers.handover.RingExecutor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ExecutorService;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Options that describe the pool behind the server. */
final class PoolOptions {

  private static final String PLAIN = "plain";
  private static final String FIXED = "fixed:";

  /** Stands for the controller of a pool on which variants take turns. */
  private static final String ALTERNATING = "alternating";

  @Option(
      names = "--pool",
      paramLabel = "POOL",
      description = {
        "fixed:N for N handlers, plain for none (who reads a request processes it), or a controller",
        "or policy by name, such as response-curve, mean-latency or fbos; open-liberty for the",
        "executor of that server, which sizes itself. Default: response-curve,",
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

  /** The architecture that is meant: without handlers, where none are wanted. */
  Architecture choose(@Nullable String architecture) {
    boolean plain = PLAIN.equals(pool);
    if (architecture == null) {
      return Architecture.named(plain ? "netty" : Architecture.DEFAULT);
    }
    Architecture chosen = Architecture.named(architecture);
    boolean alone = chosen.handOver() == HandOver.NONE;
    if (alone && pool != null && !plain) {
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

  private String name() {
    return pool == null ? "response-curve" : pool;
  }

  /**
   * Handlers as described.
   *
   * @param setup how a record tells what was described
   * @param policy what decides the number in place of a controller
   * @param variants hands the pool from variant to variant; null where there is but one
   * @param initial handlers to begin with; 0 for as many as processors
   * @param queueCapacity tasks that may wait; 0 for any number
   */
  record Described(
      String name,
      PoolSetup setup,
      @Nullable EventPolicy policy,
      @Nullable AlternatingController variants,
      int initial,
      Duration window,
      Mode mode,
      int queueCapacity) {

    /**
     * Starts the handlers.
     *
     * @throws IllegalArgumentException if a setting does not go with the hand-over
     */
    Handlers start(HandOver handOver, List<ControlListener> listeners) {
      if (variants == null) {
        return begin(handOver, listeners);
      }
      List<ControlListener> all = new ArrayList<>(listeners);
      all.add(variants);
      Handlers begun = begin(handOver, all);
      variants.attach(begun.pool());
      return new Handlers(begun.executor(), begun.pool(), begun.loop(), begun.queued(), variants);
    }

    private Handlers begin(HandOver handOver, List<ControlListener> listeners) {
      return switch (handOver) {
        case NONE -> throw new IllegalArgumentException("nothing is handed over");
        case QUEUE -> itself() ? liberty(listeners) : queue(listeners);
        case DISRUPTOR ->
            tuned(
                new RingExecutor(name, setup.bounds(), size(), setup.objective()),
                handOver,
                listeners);
        case ACTOR ->
            tuned(
                new ActorExecutor(name, setup.bounds(), size(), setup.objective()),
                handOver,
                listeners);
        case LIMITER -> limiter(listeners);
      };
    }

    private Handlers queue(List<ControlListener> listeners) {
      AdaptiveExecutor.Builder builder = configured(AdaptiveExecutor.builder(name), listeners);
      if (queueCapacity > 0) {
        builder.queueCapacity(queueCapacity);
      }
      if (policy != null) {
        PolicyExecutor executor = PolicyExecutor.start(builder, policy);
        AdaptiveExecutor pool = executor.pool();
        return new Handlers(executor, pool, pool.control(), pool::queued);
      }
      AdaptiveExecutor pool = builder.controller(controller()).build();
      return new Handlers(pool, pool, pool.control(), pool::queued);
    }

    /** Whether the pool is one that sizes itself. */
    private boolean itself() {
      return setup.controller().equals(LibertyExecutor.NAME);
    }

    private Handlers liberty(List<ControlListener> listeners) {
      requireItsOwn();
      LibertyExecutor pool = LibertyExecutor.start(name, setup.bounds(), setup.objective());
      return looped(pool, pool.reporter(), listeners);
    }

    private Handlers looped(
        HandlerPool pool, Controller controller, List<ControlListener> listeners) {
      ControlLoop.Builder loop = ControlLoop.tune(pool).with(controller).every(window).mode(mode);
      listeners.forEach(loop::listener);
      return new Handlers(pool, pool, loop.start(), pool::queued);
    }

    private Handlers tuned(HandlerPool pool, HandOver handOver, List<ControlListener> listeners) {
      requireQueue(handOver);
      return looped(pool, controller(), listeners);
    }

    private Handlers limiter(List<ControlListener> listeners) {
      requireQueue(HandOver.LIMITER);
      ExecutorService threads = VirtualThreads.executor();
      AdaptiveLimiter limiter =
          configured(AdaptiveLimiter.builder(name), listeners).controller(controller()).build();
      return new Handlers(threads, limiter, limiter.control(), limiter::waiting);
    }

    private Controller controller() {
      return variants == null ? setup.newController() : variants;
    }

    private <B extends PoolBuilder<B>> B configured(B builder, List<ControlListener> listeners) {
      builder
          .objective(setup.objective())
          .bounds(setup.bounds().minimum(), setup.bounds().maximum())
          .window(window)
          .mode(mode);
      if (initial > 0) {
        builder.initialSize(initial);
      }
      listeners.forEach(builder::listener);
      return builder;
    }

    private int size() {
      return initial > 0
          ? initial
          : setup.bounds().clamp(Runtime.getRuntime().availableProcessors());
    }

    /** What such a pool does not let others say. */
    private void requireItsOwn() {
      if (initial > 0) {
        throw new IllegalArgumentException(
            "%s begins with a size of its own: leave out --initial".formatted(setup.controller()));
      }
      if (queueCapacity > 0) {
        throw new IllegalArgumentException(
            "%s has a queue without bound: leave out --queue-capacity"
                .formatted(setup.controller()));
      }
    }

    /** What is known of the queue alone. */
    private void requireQueue(HandOver handOver) {
      String word = handOver.name().toLowerCase(Locale.ROOT);
      if (itself()) {
        throw new IllegalArgumentException(
            "%s takes work out of a queue of its own, and the hand-over is a %s: choose a controller"
                .formatted(setup.controller(), word));
      }
      if (policy != null) {
        throw new IllegalArgumentException(
            "policy %s decides at the events of a queue, and the hand-over is a %s: choose a controller"
                .formatted(setup.controller(), word));
      }
      if (queueCapacity > 0) {
        throw new IllegalArgumentException(
            "queue-capacity is for a queue, and the hand-over is a %s".formatted(word));
      }
    }
  }

  /**
   * The handlers as described.
   *
   * @throws IllegalArgumentException naming the option that is wrong
   */
  Described describe(String name) {
    if (variants.given()) {
      return describeVariants(name);
    }
    Bounds allowed = parse(bounds);
    String controller = name();
    Map<String, String> given = new LinkedHashMap<>(settings);
    int size = initial == null ? 0 : initial;
    if (controller.startsWith(FIXED)) {
      given.put("size", wholeNumber(controller));
      controller = "fixed";
    }
    EventPolicy policy = null;
    PoolSetup setup;
    Set<String> known = new TreeSet<>(Policies.contestants());
    known.add(LibertyExecutor.NAME);
    Names.require("controller", controller, known);
    if (controller.equals(LibertyExecutor.NAME)) {
      if (!given.isEmpty()) {
        throw new IllegalArgumentException(
            "%s has no setting %s: it runs with its own"
                .formatted(controller, given.keySet().iterator().next()));
      }
      setup = new PoolSetup(controller, given, objective(), allowed);
    } else if (policies().contains(controller)) {
      Blueprint<EventPolicy> blueprint = Policies.blueprint(controller);
      Map<String, String> complete = blueprint.complete(given);
      policy = blueprint.make(complete);
      setup = new PoolSetup(controller, complete, objective(), allowed);
    } else {
      setup = PoolSetup.of(controller, given, objective(), allowed);
    }
    if (controller.equals("fixed") && initial == null) {
      size = Integer.parseInt(setup.settings().getOrDefault("size", ""));
      allowed.require("size of the fixed pool", size);
    }
    if (initial != null) {
      allowed.require("initial", initial);
    }
    return new Described(
        name,
        setup,
        policy,
        null,
        size,
        window,
        Mode.of(mode),
        queueCapacity == null ? 0 : positive("queue-capacity", queueCapacity));
  }

  private Described describeVariants(String name) {
    VariantOptions.refuseBeside("pool", pool != null);
    VariantOptions.refuseBeside("set", !settings.isEmpty());
    VariantOptions.refuseBeside("initial", initial != null);
    AlternatingController alternating = variants.controller(this::describeVariant);
    return new Described(
        name,
        new PoolSetup(ALTERNATING, variants.written(), objective(), parse(bounds)),
        null,
        alternating,
        alternating.initialSize(),
        window,
        Mode.of(mode),
        queueCapacity == null ? 0 : positive("queue-capacity", queueCapacity));
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
    Described described = own.describe(variant.name());
    if (described.policy() != null || described.itself()) {
      throw new IllegalArgumentException(
          "variant %s cannot take turns: %s does not decide once a window"
              .formatted(variant.name(), described.setup().controller()));
    }
    return new AlternatingController.Variant(
        variant.name(), described.setup().newController(), described.size());
  }

  /** What stands behind the word, as it was written. */
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
    return Policies.all().stream().map(Blueprint::name).collect(Collectors.toSet());
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
