package io.poolkeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** Values that builders refuse, the call that refuses them, and the messages. */
@SuppressWarnings("NullAway") // Null is what is tried.
final class BuildersTest {

  private static AdaptiveExecutor.Builder executor() {
    return AdaptiveExecutor.builder("orders").jmx(false);
  }

  private static AdaptiveLimiter.Builder limiter() {
    return AdaptiveLimiter.builder("orders").jmx(false);
  }

  private static void assertNullRefused(String setting, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOf(NullPointerException.class)
        .hasMessage(setting + " must not be null");
  }

  @Test
  void nullIsRefusedAtTheCallWithTheNameOfTheSetting() {
    Map<String, Consumer<PoolBuilder<?>>> calls =
        Map.of(
            "objective", builder -> builder.objective(null),
            "controller", builder -> builder.controller(null),
            "window", builder -> builder.window(null),
            "mode", builder -> builder.mode(null),
            "hangAfter", builder -> builder.hangAfter(null),
            "listener", builder -> builder.listener(null),
            "ticker", builder -> builder.ticker(null),
            "timer", builder -> builder.timer(null));
    calls.forEach(
        (setting, call) -> {
          assertNullRefused(setting, () -> call.accept(executor()));
          assertNullRefused(setting, () -> call.accept(limiter()));
        });
    assertNullRefused("name", () -> AdaptiveExecutor.builder(null));
    assertNullRefused("name", () -> AdaptiveLimiter.builder(null));
    assertNullRefused("queue", () -> executor().queue(null));
    assertNullRefused("threadFactory", () -> executor().threadFactory(null));
    assertNullRefused("sensor", () -> executor().sensor(null));
    assertNullRefused("rejectionPolicy", () -> executor().rejectionPolicy(null));
    assertNullRefused("goodput bound", () -> Objective.goodput(null));
    try (AdaptiveExecutor pool = executor().build()) {
      assertNullRefused("unit", () -> pool.setKeepAliveTime(1, null));
    }
  }

  @Test
  void aLoopRefusesNullAtTheCallToo() {
    try (AdaptiveLimiter pool = limiter().build()) {
      assertNullRefused("pool", () -> ControlLoop.tune(null, now -> null));
      assertNullRefused("sensor", () -> ControlLoop.tune(pool, null));
      ControlLoop.Builder loop = ControlLoop.tune(pool, now -> null);
      assertNullRefused("controller", () -> loop.controller(null));
      assertNullRefused("window", () -> loop.window(null));
      assertNullRefused("mode", () -> loop.mode(null));
      assertNullRefused("hangAfter", () -> loop.hangAfter(null));
      assertNullRefused("listener", () -> loop.listener(null));
      assertNullRefused("ticker", () -> loop.ticker(null));
      assertNullRefused("timer", () -> loop.timer(null));
      assertNullRefused("file", () -> loop.remember(null));
      assertNullRefused("mode", () -> pool.control().mode(null));
      assertNullRefused("listener", () -> pool.control().listen(null));
      assertNullRefused("executor", () -> pool.acquireAsync(null));
      assertNullRefused("patience", () -> pool.acquire((Duration) null));
    }
  }

  @Test
  void aDurationLongerThanClocksCountIsRefused() {
    Duration tooLong = Duration.ofDays(200_000);
    String rule = " must be <= 292 years, but is PT4800000H";
    assertThatThrownBy(() -> executor().window(tooLong)).hasMessage("window" + rule);
    assertThatThrownBy(() -> limiter().hangAfter(tooLong)).hasMessage("hangAfter" + rule);
    Duration longest = Duration.ofNanos(Long.MAX_VALUE);
    limiter().window(longest).hangAfter(longest).build().close();
  }

  @Test
  void aLoopThatItsTimerRefusesLeavesNothing() throws Exception {
    ObjectName name = new ObjectName("io.poolkeeper:type=Pool,name=\"refused\"");
    try (AdaptiveLimiter pool = AdaptiveLimiter.builder("refused").jmx(false).build()) {
      ControlLoop.Builder builder =
          ControlLoop.tune(pool, now -> null).controller(Controllers.throughput());
      builder.timer(
          (loop, interval, tick) -> {
            throw new IllegalStateException("no timer is left");
          });
      assertThatThrownBy(builder::start).hasMessage("no timer is left");
      MBeanServer server = ManagementFactory.getPlatformMBeanServer();
      assertThat(server.isRegistered(name)).isFalse();
      try (ControlLoop loop = builder.timer(new HandTimer()).start()) {
        assertThat(server.isRegistered(name)).isTrue();
        assertThat(loop.lastWindow()).isEmpty();
      }
    }
  }

  @Test
  void aFixedSizeOutOfTheBoundsIsRefusedWithBoth() {
    String message = "size of the fixed controller must be within 1..256, but is 500";
    assertThatThrownBy(() -> executor().controller(Controllers.fixed(500)).build())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(message);
    assertThatThrownBy(() -> limiter().bounds(1, 256).controller(Controllers.fixed(500)).build())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(message);
  }

  @Test
  void aBuilderMayBuildPoolsThatShareNothing() throws Exception {
    AdaptiveExecutor.Builder builder = executor().queueCapacity(1);
    try (AdaptiveExecutor first = builder.build();
        AdaptiveExecutor second = builder.build()) {
      first.shutdown();
      assertThat(second.submit(() -> "served").get()).isEqualTo("served");
      assertThatThrownBy(() -> first.execute(() -> {}))
          .isInstanceOf(RejectedExecutionException.class);
    }
  }

  @Test
  void aQueueServesOnePool() {
    AdaptiveExecutor.Builder builder = executor().queue(new LinkedBlockingQueue<>());
    try (AdaptiveExecutor first = builder.build()) {
      assertThatThrownBy(builder::build)
          .isInstanceOf(IllegalStateException.class)
          .hasMessage(
              "the queue of 'orders' is used by the pool that was built first: give this pool its own");
      builder.queue(new LinkedBlockingQueue<>()).build().close();
      assertThat(first.isShutdown()).isFalse();
    }
  }

  @Test
  void aControllerDecidesInOnePool() {
    for (PoolBuilder<?> builder : List.of(executor(), limiter())) {
      builder.controller(Controllers.throughput());
      build(builder);
      assertThatThrownBy(() -> build(builder))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageStartingWith("the controller of 'orders' is used by the pool");
      builder.controller(Controllers.throughput());
      build(builder);
    }
  }

  /** Learns in a list, so two that have learned nothing are equal. */
  private record Learner(List<Integer> sizes) implements Controller {

    @Override
    public Decision decide(Window window) {
      sizes.add(window.size());
      return Decision.keep(window, "learning");
    }

    @Override
    public void requireBounds(Bounds bounds) {
      bounds.require("size of the learner", 20);
    }
  }

  @Test
  void aControllerThatLearnsServesOneLoopAtATime() {
    Controller learner = new Learner(new ArrayList<>());
    try (AdaptiveExecutor first = executor().controller(learner).build()) {
      for (PoolBuilder<?> second :
          List.of(AdaptiveExecutor.builder("mails"), AdaptiveLimiter.builder("mails"))) {
        assertThatThrownBy(() -> build(second.jmx(false).controller(learner)))
            .isInstanceOf(IllegalStateException.class)
            .hasMessage(
                "the controller 'Learner' of 'mails' is used by the pool 'orders', whose windows it"
                    + " learns from: give each pool a controller of its own");
      }
      assertThatThrownBy(ControlLoop.tune(first, now -> null).jmx(false).controller(learner)::start)
          .isInstanceOf(IllegalStateException.class);
      build(limiter().controller(new Learner(new ArrayList<>()))); // Equal, and another one.
    }
    build(limiter().controller(learner));
  }

  @Test
  void aControllerWithoutStateServesManyPools() {
    for (Controller controller :
        List.of(Controllers.fixed(8), window -> Decision.keep(window, "kept"))) {
      try (AdaptiveExecutor first = executor().controller(controller).build()) {
        build(limiter().controller(controller));
        assertThat(first.control().controller()).isEqualTo(controller.name());
      }
    }
  }

  @Test
  void aBuildThatFailedGivesTheControllerFree() {
    Controller learner = new Learner(new ArrayList<>());
    assertThatThrownBy(() -> executor().bounds(1, 10).controller(learner).build())
        .hasMessage("size of the learner must be within 1..10, but is 20");
    build(executor().controller(learner));
  }

  @Test
  void aFailedBuildUsesNothingUp() {
    AdaptiveExecutor.Builder builder =
        executor().queue(new LinkedBlockingQueue<>()).controller(Controllers.fixed(20));
    assertThatThrownBy(() -> builder.bounds(1, 10).build())
        .isInstanceOf(IllegalArgumentException.class);
    builder.bounds(1, 20).build().close();
  }

  @Test
  void aLoopIsStartedOnce() {
    try (AdaptiveLimiter pool = limiter().build()) {
      ControlLoop.Builder builder =
          ControlLoop.tune(pool, now -> null).controller(Controllers.throughput()).jmx(false);
      try (ControlLoop loop = builder.start()) {
        assertThat(loop.controller()).isEqualTo("throughput");
        assertThatThrownBy(builder::start)
            .isInstanceOf(IllegalStateException.class)
            .hasMessage("the loop of 'orders' was started before: a pool has one loop");
      }
    }
  }

  private static void build(PoolBuilder<?> builder) {
    if (builder instanceof AdaptiveExecutor.Builder executor) {
      executor.build().close();
    } else if (builder instanceof AdaptiveLimiter.Builder limiter) {
      limiter.build().close();
    }
  }
}
