package io.poolkeeper.testbed.simulator;

import static io.poolkeeper.testbed.clients.Distribution.lognormal;
import static java.time.Duration.ofHours;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.data.Offset.offset;

import io.poolkeeper.AdaptiveExecutor;
import io.poolkeeper.Mode;
import io.poolkeeper.Objective;
import io.poolkeeper.Window;
import io.poolkeeper.testbed.clients.Clients;
import io.poolkeeper.testbed.clients.Phase;
import io.poolkeeper.testbed.controllers.EventPolicy;
import io.poolkeeper.testbed.controllers.Outcome;
import io.poolkeeper.testbed.controllers.PoolState;
import io.poolkeeper.testbed.simulator.model.Model;
import io.poolkeeper.testbed.simulator.model.Pool;
import io.poolkeeper.testbed.simulator.model.Step;
import io.poolkeeper.testbed.simulator.model.Tier;
import io.poolkeeper.testkit.Conditions;
import io.poolkeeper.testkit.VirtualClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A simulated pool and a real one that do the same tasks in the same order have one window. */
@Timeout(300)
final class ExecutorWindowsTest {

  private static final int TASKS = 200;
  private static final Duration BOUND = Duration.ofSeconds(1);

  /** Notes how long each task took, in the order of their ends. */
  private static final class ServiceTimes implements EventPolicy {
    final List<Long> all = new ArrayList<>();

    @Override
    public String name() {
      return "service times";
    }

    @Override
    public int initialSize() {
      return 1;
    }

    @Override
    public int ended(PoolState pool, long wait, long service, Outcome outcome) {
      all.add(service);
      return pool.size();
    }

    @Override
    public String reason() {
      return "";
    }
  }

  @Test
  void sameTasksSameWindow() throws Exception {
    ServiceTimes times = new ServiceTimes();
    Windows simulated = new Windows();
    Tier tier =
        Tier.named("pool").workers(Pool.of(1)).serve(Step.sleep(lognormal(0.01, 4))).build();
    // All send at once, and leave when they are answered.
    Clients clients = Clients.closed(List.of(new Phase(1e-9, TASKS)));
    Simulation.of(Model.of(tier, clients))
        .policy("pool", () -> times)
        .goodputBound("pool", BOUND)
        .observe("pool", loop -> loop.window(ofHours(1)).listener(simulated))
        .run(100);

    Windows real = new Windows();
    VirtualClock clock = new VirtualClock();
    CountDownLatch submitted = new CountDownLatch(1);
    try (AdaptiveExecutor pool =
        AdaptiveExecutor.builder("pool")
            .bounds(1, 8)
            .initialSize(1)
            .mode(Mode.FROZEN)
            .objective(Objective.goodput(BOUND))
            .ticker(clock)
            .timer(clock)
            .window(ofHours(1))
            .listener(real)
            .build()) {
      for (long service : times.all) {
        pool.execute(
            () -> {
              awaitQuietly(submitted);
              clock.advance(Duration.ofNanos(service));
            });
      }
      submitted.countDown();
    }
    // In virtual time the last worker may deliver it, and close() waits only two seconds for that.
    Conditions.await("the last window is delivered", real::closed);

    assertThat(times.all).hasSize(TASKS);
    Window window = simulated.all.get(0);
    Window other = real.all.get(0);
    assertThat(window.queueWait()).isEqualTo(other.queueWait());
    assertThat(window.serviceTime()).isEqualTo(other.serviceTime());
    assertThat(window.responseTime()).isEqualTo(other.responseTime());
    assertThat(window.arrivals()).isEqualTo(other.arrivals()).isEqualTo(TASKS);
    assertThat(window.completions()).isEqualTo(other.completions());
    assertThat(window.failures()).isEqualTo(other.failures());
    assertThat(window.rejections()).isEqualTo(other.rejections());
    assertThat(window.withinBound()).isEqualTo(other.withinBound()).isLessThan(TASKS);
    assertThat(window.size()).isEqualTo(other.size());
    assertThat(window.start()).isEqualTo(other.start());
    // The real one ended with its last task, the simulated one idled until 100 s.
    assertThat(window.busy() * window.seconds())
        .isCloseTo(other.busy() * other.seconds(), offset(1e-6));
    // Samples at the start of each task: a real pool does not see the first moment of its queue.
    assertThat(window.queueMax() - other.queueMax()).isBetween(0, 1);
    assertThat(window.queueMean() * window.seconds() / (other.queueMean() * other.seconds()))
        .isCloseTo(1, offset(0.02));
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
