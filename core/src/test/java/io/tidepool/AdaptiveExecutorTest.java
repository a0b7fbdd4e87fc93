package io.tidepool;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
final class AdaptiveExecutorTest {

  @Test
  void growthStartsWorkersWhileABacklogWaits() throws Exception {
    try (AdaptiveExecutor pool =
        AdaptiveExecutor.builder("growth").bounds(1, 8).initialSize(1).mode(Mode.FROZEN).build()) {
      CountDownLatch running = new CountDownLatch(8);
      CountDownLatch release = new CountDownLatch(1);
      for (int i = 0; i < 8; i++) {
        pool.execute(
            () -> {
              running.countDown();
              awaitUninterruptibly(release);
            });
      }
      pool.resize(8);
      assertThat(running.await(10, TimeUnit.SECONDS)).isTrue();
      release.countDown();
    }
  }

  @Test
  void anErrorCostsNoWorker() throws Exception {
    try (AdaptiveExecutor pool =
        AdaptiveExecutor.builder("errors")
            .bounds(1, 3)
            .initialSize(3)
            .window(Duration.ofDays(1))
            .threadFactory(
                body -> {
                  Thread thread = new Thread(body);
                  thread.setUncaughtExceptionHandler((t, e) -> {});
                  return thread;
                })
            .build()) {
      for (int i = 0; i < 100; i++) {
        pool.execute(
            () -> {
              throw new StackOverflowError("on purpose");
            });
      }
      assertThat(pool.submit(() -> "alive").get(10, TimeUnit.SECONDS)).isEqualTo("alive");
      assertThat(pool.workers()).hasSize(3);
    }
  }

  private static void awaitUninterruptibly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
