package io.poolkeeper.testbed.servers;

import io.poolkeeper.AdaptiveExecutor;
import io.poolkeeper.AdaptiveLimiter;
import io.poolkeeper.ControlListener;
import io.poolkeeper.ControlLoop;
import io.poolkeeper.Controller;
import io.poolkeeper.LoopBuilder;
import io.poolkeeper.Mode;
import io.poolkeeper.PoolBuilder;
import io.poolkeeper.record.PoolSetup;
import io.poolkeeper.testbed.controllers.EventPolicy;
import io.poolkeeper.testbed.controllers.PolicyExecutor;
import io.poolkeeper.testbed.servers.admission.AdaptiveAdmission;
import io.poolkeeper.testbed.servers.admission.Admission;
import io.poolkeeper.testbed.servers.admission.AdmissionExecutor;
import io.poolkeeper.testbed.servers.admission.AdmissionThreads;
import io.poolkeeper.testbed.servers.admission.LimitAdmission;
import io.poolkeeper.testbed.servers.architectures.VirtualThreads;
import io.poolkeeper.testbed.servers.handover.ActorExecutor;
import io.poolkeeper.testbed.servers.handover.HandOver;
import io.poolkeeper.testbed.servers.handover.HandlerPool;
import io.poolkeeper.testbed.servers.handover.LibertyExecutor;
import io.poolkeeper.testbed.servers.handover.RingExecutor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ExecutorService;
import org.jspecify.annotations.Nullable;

/**
 * Handlers as described.
 *
 * @param setup how a record tells what was described
 * @param policy what decides the number in place of a controller
 * @param variants hands the pool from variant to variant; null where there is but one
 * @param initial handlers to begin with; 0 for as many as processors
 * @param queueCapacity tasks that may wait; 0 for any number
 * @param admission the limit that takes the place of handlers, if one does
 * @param hangAfter time without progress that is a hang; null for the library's default
 */
record DescribedPool(
    String name,
    PoolSetup setup,
    @Nullable EventPolicy policy,
    @Nullable AlternatingController variants,
    int initial,
    Duration window,
    Mode mode,
    int queueCapacity,
    AdmissionOptions.@Nullable Chosen admission,
    @Nullable Duration hangAfter) {

  /** Returns the same description with another time without progress that is a hang. */
  DescribedPool withHangAfter(Duration patience) {
    return new DescribedPool(
        name, setup, policy, variants, initial, window, mode, queueCapacity, admission, patience);
  }

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
    AdaptiveExecutor pool = builder.controller(controller()).build();
    return new Handlers(pool, pool, pool.control(), pool::queued);
  }

  /** Whether the pool is one that sizes itself. */
  boolean itself() {
    return setup.controller().equals(LibertyExecutor.NAME);
  }

  private Handlers liberty(List<ControlListener> listeners) {
    requireItsOwn();
    LibertyExecutor pool = LibertyExecutor.start(name, setup.bounds(), setup.objective());
    return looped(pool, pool.reporter(), listeners);
  }

  private Handlers looped(
      HandlerPool pool, Controller controller, List<ControlListener> listeners) {
    ControlLoop.Builder loop = looped(ControlLoop.tune(pool).controller(controller), listeners);
    return new Handlers(pool, pool, loop.start(), pool::queued);
  }

  private Handlers tuned(HandlerPool pool, HandOver handOver, List<ControlListener> listeners) {
    requireQueue(handOver);
    return looped(pool, controller(), listeners);
  }

  private Handlers limiter(List<ControlListener> listeners) {
    requireQueue(HandOver.LIMITER);
    ExecutorService threads = VirtualThreads.executor();
    AdaptiveLimiter limiter = adaptiveLimiter(listeners);
    return new Handlers(threads, limiter, limiter.control(), limiter::waiting);
  }

  private AdaptiveLimiter adaptiveLimiter(List<ControlListener> listeners) {
    return configured(AdaptiveLimiter.builder(name), listeners).controller(controller()).build();
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
        looped(ControlLoop.tune(gate).controller(gate.reporter(limit.name())), listeners);
    return new Handlers(admitting(gate), gate, loop.start(), () -> 0);
  }

  private ExecutorService admitting(Admission gate) {
    return new AdmissionExecutor(name, gate, AdmissionThreads.start());
  }

  private Controller controller() {
    return variants == null ? setup.newController() : variants;
  }

  private <B extends PoolBuilder<B>> B configured(B builder, List<ControlListener> listeners) {
    builder.objective(setup.objective()).bounds(setup.bounds().minimum(), setup.bounds().maximum());
    if (initial > 0) {
      builder.initialSize(initial);
    }
    return looped(builder, listeners);
  }

  /** Gives the loop its settings. */
  private <B extends LoopBuilder<B>> B looped(B builder, List<ControlListener> listeners) {
    builder.window(window).mode(mode);
    if (hangAfter != null) {
      builder.hangAfter(hangAfter);
    }
    listeners.forEach(builder::listener);
    return builder;
  }

  /** Handlers to begin with. */
  int size() {
    return initial > 0 ? initial : setup.bounds().clamp(Runtime.getRuntime().availableProcessors());
  }

  /** Rejects options that such a pool does not leave to others. */
  private void requireItsOwn() {
    if (initial > 0) {
      throw new IllegalArgumentException(
          "%s begins with a size of its own: leave out --initial".formatted(setup.controller()));
    }
    if (queueCapacity > 0) {
      throw new IllegalArgumentException(
          "%s has a queue without bound: leave out --queue-capacity".formatted(setup.controller()));
    }
  }

  /** Rejects options that only the queue has. */
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
