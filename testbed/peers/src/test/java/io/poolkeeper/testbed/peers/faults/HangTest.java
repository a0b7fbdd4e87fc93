package io.poolkeeper.testbed.peers.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.poolkeeper.AdaptiveExecutor;
import io.poolkeeper.Controllers;
import io.poolkeeper.testbed.controllers.PolicyExecutor;
import io.poolkeeper.testbed.controllers.rules.SampledPolicy;
import io.poolkeeper.testkit.Conditions;
import io.poolkeeper.testkit.VirtualClock;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * All workers are blocked until three more tasks have begun, which wait in the queue for a worker.
 * On the real executor, in virtual time.
 */
@Timeout(300)
final class HangTest {

  private static final Duration PATIENCE = Duration.ofMinutes(10);
  private static final int MORE = 3;

  private final VirtualClock clock = new VirtualClock();

  @ParameterizedTest(name = "{0}: {1}")
  @CsvSource({
    "fixed,             never resolved",
    "netflix-vegas,     never resolved",
    "netflix-gradient2, never resolved",
    "netflix-aimd,      never resolved",
    "envoy-style,       never resolved",
    "scale-adapter,     never resolved",
    "failsafe-style, never resolved",
    "incremental-steps, never resolved",
    "parabola-approximation, never resolved",
    "sql-anywhere-hybrid, never resolved",
    "half-and-half, never resolved",
    "dotnet-style,      resolved",
    "liberty-style,     resolved",
    "response-curve,    resolved",
  })
  void workersThatWaitForTasksInTheQueue(String name, String outcome) {
    if (Contestants.isRule(name)) {
      PolicyExecutor pool =
          PolicyExecutor.start(settings(), new SampledPolicy(Contestants.rule(name)), clock, clock);
      assertThat(blocked(pool, pool.pool())).isEqualTo(outcome);
    } else {
      var descriptor = Controllers.descriptor(name);
      var needed =
          name.equals("fixed") ? java.util.Map.of("size", "4") : java.util.Map.<String, String>of();
      AdaptiveExecutor pool =
          settings().controller(descriptor.make(needed)).window(descriptor.window()).build();
      assertThat(blocked(pool, pool)).isEqualTo(outcome);
    }
  }

  private AdaptiveExecutor.Builder settings() {
    return AdaptiveExecutor.builder("hang")
        .bounds(1, 64)
        .initialSize(4)
        .hangAfter(Duration.ofDays(1)) // From then on the pool itself would add workers.
        .jmx(false)
        .ticker(clock)
        .timer(clock);
  }

  private String blocked(ExecutorService executor, AdaptiveExecutor pool) {
    int workers = pool.size();
    CountDownLatch begun = new CountDownLatch(workers);
    CountDownLatch more = new CountDownLatch(MORE);
    CountDownLatch ended = new CountDownLatch(workers);
    try {
      for (int i = 0; i < workers; i++) {
        executor.execute(
            () -> {
              begun.countDown();
              Pools.await(more);
              ended.countDown();
            });
      }
      Pools.await(begun);
      for (int i = 0; i < MORE; i++) {
        executor.execute(
            () -> {
              more.countDown();
              Pools.await(more);
            });
      }
      for (long passed = 0; passed < PATIENCE.toMillis(); passed += 50) {
        clock.advance(Duration.ofMillis(50));
        // Virtual time waits for the threads that were started.
        int room = Math.min(MORE, pool.size() - workers);
        Conditions.await("workers for " + room, () -> MORE - more.getCount() >= room);
        if (pool.size() >= workers + MORE) {
          Pools.await(ended);
          return "resolved";
        }
      }
      assertThat(more.getCount()).as("tasks that have not begun").isPositive();
      return "never resolved";
    } finally {
      executor.shutdownNow();
    }
  }
}
