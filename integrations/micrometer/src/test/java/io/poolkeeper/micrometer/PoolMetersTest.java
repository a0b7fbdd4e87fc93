package io.poolkeeper.micrometer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.poolkeeper.AdaptiveExecutor;
import io.poolkeeper.Bounds;
import io.poolkeeper.ControlListener;
import io.poolkeeper.Mode;
import io.poolkeeper.Resizable;
import io.poolkeeper.TimeStats;
import io.poolkeeper.Window;
import io.poolkeeper.testkit.Conditions;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Meters in a real registry. */
final class PoolMetersTest {

  private final MeterRegistry registry = new SimpleMeterRegistry();
  private final PoolMeters meters = new PoolMeters(registry);
  private final AtomicInteger size = new AtomicInteger(3);
  private final Resizable pool = Resizable.of("p", new Bounds(1, 9), size::get, size::set);

  private static Window window(int completions, long waitMillis) {
    long wait = TimeUnit.MILLISECONDS.toNanos(waitMillis);
    TimeStats times = new TimeStats(completions, wait, wait, wait, wait, wait, wait, wait);
    return Window.builder(0, 1_000_000_000, 3)
        .busy(2.5)
        .queue(1.5, 4)
        .completions(completions)
        .failures(2)
        .rejections(1)
        .times(times, times, times)
        .build();
  }

  @Test
  void countsAndTimesAddUpOverWindows() {
    meters.onWindow(pool, window(100, 10));
    meters.onWindow(pool, window(300, 20));
    assertThat(counter("arrivals")).isEqualTo(406);
    assertThat(counter("completions")).isEqualTo(400);
    assertThat(counter("failures")).isEqualTo(4);
    assertThat(counter("rejections")).isEqualTo(2);
    var wait = registry.get("poolkeeper.pool.queue.wait").functionTimer();
    assertThat(wait.count()).isEqualTo(400);
    assertThat(wait.mean(TimeUnit.MILLISECONDS)).isCloseTo(17.5, within(1e-9));
  }

  @Test
  void levelsAndPercentilesAreThoseOfTheLastWindow() {
    meters.onWindow(pool, window(100, 10));
    meters.onWindow(pool, window(100, 20));
    size.set(5);
    assertThat(gauge("size")).isEqualTo(5);
    assertThat(gauge("minimum")).isEqualTo(1);
    assertThat(gauge("maximum")).isEqualTo(9);
    assertThat(gauge("busy")).isEqualTo(2.5);
    assertThat(gauge("queued")).isEqualTo(1.5);
    double seconds =
        registry
            .get("poolkeeper.pool.queue.wait.percentile")
            .tag("phi", "0.99")
            .timeGauge()
            .value(TimeUnit.SECONDS);
    assertThat(seconds).isCloseTo(0.02, within(1e-9));
  }

  @Test
  void decisionsCountByWhatCameOfThem() {
    var step =
        new ControlListener.Step(
            window(1, 1), "c", null, Mode.ACTIVE, ControlListener.Action.RESIZED, 3, 4, "why");
    meters.onStep(pool, step);
    meters.onStep(pool, step);
    assertThat(
            registry
                .get("poolkeeper.pool.decisions")
                .tag("action", "resized")
                .functionCounter()
                .count())
        .isEqualTo(2);
  }

  @Test
  void metersDisappearWithTheirPool() {
    meters.onWindow(pool, window(1, 1));
    meters.onClose(pool);
    assertThat(registry.getMeters()).isEmpty();
  }

  @Test
  void newerPoolOfTheSameNameHasTheMeters() {
    Resizable newer = Resizable.of("p", new Bounds(1, 9), () -> 7, s -> {});
    meters.onWindow(pool, window(100, 1));
    meters.onWindow(newer, window(5, 1));
    meters.onWindow(pool, window(100, 1));
    meters.onClose(pool);
    assertThat(gauge("size")).isEqualTo(7);
    assertThat(counter("completions")).isEqualTo(5);
    meters.onClose(newer);
    assertThat(registry.getMeters()).isEmpty();
  }

  @Test
  void executorHasTheMetersOfExecutors() throws InterruptedException {
    CountDownLatch held = new CountDownLatch(1);
    try (AdaptiveExecutor executor =
        AdaptiveExecutor.builder("orders")
            .bounds(2, 9)
            .initialSize(2)
            .mode(Mode.FROZEN)
            .window(Duration.ofMillis(10))
            .listener(meters)
            .build()) {
      for (int i = 0; i < 5; i++) {
        executor.execute(
            () -> {
              try {
                held.await();
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
            });
      }
      Conditions.await("meters", () -> registry.find("executor.completed").meter() != null);
      Conditions.await("both run", () -> executor.getActiveCount() == 2);
      assertThat(registry.get("executor.active").gauge().value()).isEqualTo(2);
      assertThat(registry.get("executor.queued").gauge().value()).isEqualTo(3);
      assertThat(registry.get("executor.pool.size").gauge().value()).isEqualTo(2);
      assertThat(registry.get("executor.pool.max").gauge().value()).isEqualTo(9);
      held.countDown();
      Conditions.await(
          "all", () -> registry.get("executor.completed").functionCounter().count() == 5);
      Conditions.await("their times", () -> responses() == 5);
    }
    Conditions.await("none", () -> registry.getMeters().isEmpty());
  }

  private double responses() {
    return registry.get("poolkeeper.pool.response.time").functionTimer().count();
  }

  private double counter(String name) {
    return registry.get("poolkeeper.pool." + name).functionCounter().count();
  }

  private double gauge(String name) {
    return registry.get("poolkeeper.pool." + name).gauge().value();
  }
}
