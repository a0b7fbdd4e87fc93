package io.tidepool.testbed.servers;

import io.tidepool.AdaptiveExecutor;
import io.tidepool.AdaptiveLimiter;
import io.tidepool.Bounds;
import io.tidepool.ControlListener;
import io.tidepool.ControlLoop;
import io.tidepool.Controller;
import io.tidepool.Controllers;
import io.tidepool.Mode;
import io.tidepool.Objective;
import io.tidepool.PoolBuilder;
import io.tidepool.record.PoolSetup;
import io.tidepool.spi.Blueprint;
import io.tidepool.spi.Names;
import io.tidepool.testbed.controllers.EventPolicy;
import io.tidepool.testbed.controllers.Policies;
import io.tidepool.testbed.controllers.PolicyExecutor;
import io.tidepool.testbed.servers.admission.AdaptiveAdmission;
import io.tidepool.testbed.servers.admission.Admission;
import io.tidepool.testbed.servers.admission.AdmissionExecutor;
import io.tidepool.testbed.servers.admission.AdmissionThreads;
import io.tidepool.testbed.servers.admission.LimitAdmission;
import io.tidepool.testbed.servers.architectures.Architecture;
import io.tidepool.testbed.servers.architectures.VirtualThreads;
import io.tidepool.testbed.servers.handover.ActorExecutor;
import io.tidepool.testbed.servers.handover.HandOver;
import io.tidepool.testbed.servers.handover.HandlerPool;
import io.tidepool.testbed.servers.handover.LibertyExecutor;
import io.tidepool.testbed.servers.handover.RingExecutor;
import java.time.Duration;
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
  private static final String OBJECTIVE = "objective";

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
      defaultValue = "1s",
      converter = DurationConverter.class,
      description = "Time between two decisions. Default: ${DEFAULT-VALUE}")
  private Duration window = Duration.ZERO;

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
    if (alone && pool != null && !plain) {
      throw new IllegalArgumentException(
          "architecture %s has no handlers: leave out --pool %s".formatted(architecture, pool));
    }
    if (plain && !alone) {
      throw new IllegalArgumentException(
          "architecture %s has handlers: --pool must say how many, and is plain"
              .formatted(architecture));
    }
    return chosen;
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
    return Architecture.ADMISSION;
  }

  private String name() {
    return pool == null ? "response-curve" : pool;
  }

  /**
   * Handlers as described.
   *
   * @param setup how a record tells what was described
   * @param policy what decides the number in place of a controller
   * @param initial handlers to begin with; 0 for as many as processors
   * @param queueCapacity tasks that may wait; 0 for any number
   * @param admission the limit that takes the place of handlers, if one does
   */
  record Described(
      String name,
      PoolSetup setup,
      @Nullable EventPolicy policy,
      int initial,
      Duration window,
      Mode mode,
      int queueCapacity,
      AdmissionOptions.@Nullable Chosen admission) {

    /**
     * Starts the handlers.
     *
     * @throws IllegalArgumentException if a setting does not go with the hand-over
     */
    Handlers start(HandOver handOver, List<ControlListener> listeners) {
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
        case LIMITER -> admission == null ? limiter(listeners) : admitted(admission, listeners);
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
      AdaptiveExecutor pool = builder.controller(setup.newController()).build();
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
      return looped(pool, setup.newController(), listeners);
    }

    private Handlers limiter(List<ControlListener> listeners) {
      requireQueue(HandOver.LIMITER);
      ExecutorService threads = VirtualThreads.executor();
      AdaptiveLimiter limiter = adaptiveLimiter(listeners);
      return new Handlers(threads, limiter, limiter.control(), limiter::waiting);
    }

    private AdaptiveLimiter adaptiveLimiter(List<ControlListener> listeners) {
      return configured(AdaptiveLimiter.builder(name), listeners)
          .controller(setup.newController())
          .build();
    }

    private Handlers admitted(AdmissionOptions.Chosen limit, List<ControlListener> listeners) {
      if (limit.adaptive()) {
        AdaptiveLimiter limiter = adaptiveLimiter(listeners);
        return new Handlers(
            admitting(new AdaptiveAdmission(limiter, limit.patience())),
            limiter,
            limiter.control(),
            limiter::waiting);
      }
      LimitAdmission gate =
          new LimitAdmission(name, setup.bounds(), limit.limit(), setup.objective());
      ControlLoop.Builder loop =
          ControlLoop.tune(gate).with(gate.reporter(limit.name())).every(window).mode(mode);
      listeners.forEach(loop::listener);
      return new Handlers(admitting(gate), gate, loop.start(), () -> 0);
    }

    private ExecutorService admitting(Admission gate) {
      return new AdmissionExecutor(name, gate, AdmissionThreads.start());
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
    if (admission.given()) {
      return admitted(name, admission.choose());
    }
    admission.requireNone();
    Bounds allowed = parse(bounds == null ? "1..256" : bounds);
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
      setup = pursuing(controller, given, allowed);
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
        size,
        window,
        Mode.of(mode),
        queueCapacity == null ? 0 : positive("queue-capacity", queueCapacity),
        null);
  }

  /** A limit in place of a pool; those of others have their own settings and no more. */
  private Described admitted(String name, AdmissionOptions.Chosen limit) {
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
    return new Described(
        name, setup, null, initial == null ? 0 : initial, window, Mode.of(mode), 0, limit);
  }

  /**
   * The setup of a controller. One that has the objective among its settings pursues that of the
   * pool, whichever of the two was given: it would not measure the one and pursue the other.
   *
   * @throws IllegalArgumentException if both were given and differ
   */
  private PoolSetup pursuing(String controller, Map<String, String> given, Bounds allowed) {
    boolean chooses =
        Controllers.blueprint(controller).settings().stream()
            .anyMatch(setting -> setting.name().equals(OBJECTIVE));
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
