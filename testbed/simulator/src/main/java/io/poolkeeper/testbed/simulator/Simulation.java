package io.poolkeeper.testbed.simulator;

import io.poolkeeper.ControlLoop;
import io.poolkeeper.Controllers;
import io.poolkeeper.Mode;
import io.poolkeeper.testbed.commands.Names;
import io.poolkeeper.testbed.controllers.EventPolicy;
import io.poolkeeper.testbed.simulator.engine.Engine;
import io.poolkeeper.testbed.simulator.engine.Settings;
import io.poolkeeper.testbed.simulator.engine.measure.ResponseListener;
import io.poolkeeper.testbed.simulator.engine.pool.ResizeListener;
import io.poolkeeper.testbed.simulator.engine.pool.SimulatedPool;
import io.poolkeeper.testbed.simulator.model.Model;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A run of a model in virtual time, with controllers on its pools.
 *
 * <pre>{@code
 * Result result = Simulation.of(model)
 *     .seed(7)
 *     .control("web", loop -> loop.controller(Controllers.throughput()).window(ofSeconds(1)))
 *     .run(600);
 * }</pre>
 *
 * <p>The loop is the library's own {@link ControlLoop}, called at its interval of virtual time; its
 * listeners hear what they would hear of a real pool. A loop that begins with a controller has seen
 * nothing before, so a simulation runs once.
 *
 * <p>Of what happens at one instant, tasks end first, then controllers and policies have their
 * turn, then phases begin and requests arrive. So a window holds what ended at its end, and what
 * arrives there belongs to the next.
 *
 * <p>Runs are independent of each other and may go on as many threads as there are processors.
 */
public final class Simulation {

  private static final int LOOKS = 500;
  private static final double NANOS_PER_SECOND = 1e9;

  private final Model model;
  private final Map<String, UnaryOperator<ControlLoop.Builder>> control = new LinkedHashMap<>();
  private final Set<String> observed = new HashSet<>();
  private final Map<String, Supplier<EventPolicy>> policies = new LinkedHashMap<>();
  private final Map<String, Duration> bounds = new LinkedHashMap<>();
  private long seed = 1;
  private double warmup;
  private int batches = 20;
  private boolean statistics = true;
  private List<Long> responseBounds = List.of();
  private int digits = 3;
  private @Nullable ResponseListener listener;
  private @Nullable ResizeListener resizes;
  private @Nullable Watch watch;

  /** Sees how far a run has come. */
  @FunctionalInterface
  public interface Watch {

    /**
     * Called some hundred times in a run, and every million events.
     *
     * @param seconds virtual time since its start, warm-up included
     * @return whether the run goes on
     */
    boolean goesOn(double seconds);
  }

  private Simulation(Model model) {
    this.model = model;
  }

  /** A run of this model. */
  public static Simulation of(Model model) {
    return new Simulation(model);
  }

  /** Any number, default 1. The same seed, model and controllers give the same run, bit by bit. */
  public Simulation seed(long seed) {
    this.seed = seed;
    return this;
  }

  /** Time whose statistics are forgotten, seconds, 0 or more; default 0. Windows show it. */
  public Simulation warmup(double seconds) {
    if (!(seconds >= 0 && seconds < Double.POSITIVE_INFINITY)) {
      throw new IllegalArgumentException("warmup must be >= 0 and finite, but is " + seconds);
    }
    warmup = seconds;
    return this;
  }

  /**
   * Batches into which the measured time is cut for the standard errors, 2 to 1000; default 20.
   * Each should be long against the time that the system remembers.
   */
  public Simulation batches(int batches) {
    if (batches < 2 || batches > 1000) {
      throw new IllegalArgumentException("batches must be within 2..1000, but is " + batches);
    }
    this.batches = batches;
    return this;
  }

  /**
   * Significant digits of the times of requests and pools, 1 to 5; default 3. A digit less needs an
   * eighth of the memory, which short runs notice.
   */
  public Simulation digits(int digits) {
    if (digits < 1 || digits > 5) {
      throw new IllegalArgumentException("digits must be within 1..5, but is " + digits);
    }
    this.digits = digits;
    return this;
  }

  /** Whether the result has the times of the tasks of each pool; default yes. */
  public Simulation poolTimes(boolean kept) {
    statistics = kept;
    return this;
  }

  /**
   * Puts a control loop onto a pool; onto one of each replica, and then this is called for each of
   * them and must give each a controller of its own. A later call for the same pool replaces this.
   *
   * @param pool a tier's name for its workers, {@code tier.pool} for another of its pools, or the
   *     name of a pool that tiers share
   * @param settings completes the description of the loop: controller, interval, listeners
   */
  public Simulation control(String pool, UnaryOperator<ControlLoop.Builder> settings) {
    control.remove(pool); // So that loops have their turns in the order of these calls.
    control.put(pool, settings);
    observed.remove(pool);
    return this;
  }

  /**
   * Has a policy decide on the size of a pool at the events of its tasks; of each replica, one of
   * its own. It begins with its own initial size. The pool may be observed as well, not controlled.
   *
   * @param pool as in {@link #control}
   * @param policy gives a policy that has seen no event, at each call another
   */
  public Simulation policy(String pool, Supplier<EventPolicy> policy) {
    policies.put(pool, policy);
    return this;
  }

  /** Puts a loop onto a pool that only measures: its listeners hear of the windows. */
  public Simulation observe(String pool, UnaryOperator<ControlLoop.Builder> settings) {
    control(pool, loop -> settings.apply(loop.controller(Controllers.fixed(1)).mode(Mode.FROZEN)));
    observed.add(pool);
    return this;
  }

  /** Bound within which the completions of a pool count, as with a goodput objective. */
  public Simulation goodputBound(String pool, Duration bound) {
    bounds.put(pool, bound);
    return this;
  }

  /** Response times within which answers count as goodput, batch by batch, seconds. */
  public Simulation responseBounds(List<Double> seconds) {
    responseBounds = seconds.stream().map(each -> Math.round(each * NANOS_PER_SECOND)).toList();
    return this;
  }

  /** Hears of every request that ended. */
  public Simulation onResponse(ResponseListener listener) {
    this.listener = listener;
    return this;
  }

  /** Hears of every size that a policy set. */
  public Simulation onResize(ResizeListener listener) {
    resizes = listener;
    return this;
  }

  /** Lets the run be watched, and stopped: its result is then that of the batches that ended. */
  public Simulation watch(Watch watch) {
    this.watch = watch;
    return this;
  }

  /**
   * Runs.
   *
   * @param seconds virtual time after the warm-up; positive
   * @throws IllegalArgumentException naming a setting that is wrong, or a load that memory cannot
   *     hold
   * @throws IllegalStateException if requests pile up beyond what memory holds
   */
  public Result run(double seconds) {
    if (!(seconds > 0 && seconds < Double.POSITIVE_INFINITY)) {
      throw new IllegalArgumentException("seconds must be > 0 and finite, but is " + seconds);
    }
    Engine engine =
        new Engine(
            model, new Settings(seed, statistics, digits, batches, responseBounds, listener));
    bounds.forEach(
        (name, bound) -> pools(engine, name).forEach(pool -> pool.bound(bound.toNanos())));
    for (String name : policies.keySet()) {
      if (control.containsKey(name) && !observed.contains(name)) {
        throw new IllegalArgumentException(
            "pool '%s' must have a controller or a policy, but has both".formatted(name));
      }
    }
    policies.forEach(
        (name, policy) ->
            pools(engine, name).forEach(pool -> engine.follow(policy.get(), pool, resizes)));
    List<ControlLoop> loops = new ArrayList<>();
    control.forEach(
        (name, settings) -> {
          for (SimulatedPool pool : pools(engine, name)) {
            pool.observe();
            loops.add(
                settings
                    .apply(ControlLoop.tune(pool).jmx(false).quiet())
                    .ticker(engine)
                    .timer(engine)
                    .start());
          }
        });
    Watch watching = watch;
    if (watching != null) {
      long turn = Math.max(1, (long) ((warmup + seconds) / LOOKS * NANOS_PER_SECOND));
      engine.watch(turn, () -> watching.goesOn(engine.nanoTime() / NANOS_PER_SECOND));
    }
    engine.run(warmup, seconds);
    loops.forEach(ControlLoop::close);
    return new Result(
        engine.requests(),
        engine.poolStats(),
        engine.stations(),
        engine.count(),
        engine.measured());
  }

  private static List<SimulatedPool> pools(Engine engine, String name) {
    Map<String, List<SimulatedPool>> pools = engine.poolsByRole();
    if (pools.isEmpty()) {
      throw new IllegalArgumentException("the model has no pool, so not '" + name + "' either");
    }
    Names.require("pool", name, pools.keySet());
    return pools.getOrDefault(name, List.of());
  }
}
