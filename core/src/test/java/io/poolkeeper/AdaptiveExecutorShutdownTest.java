package io.poolkeeper;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Shutdown while the loop resizes: the pool's own lock and the loop's turn must not wait for each
 * other.
 */
@Timeout(300)
final class AdaptiveExecutorShutdownTest {

  /** Longest wait of a pool's end for its listeners, nanoseconds; a busy machine may exceed it. */
  private static final long PATIENCE = TimeUnit.SECONDS.toNanos(2);

  @Test
  void endsWhileTheLoopResizes() throws Exception {
    for (int i = 0; i < 300; i++) {
      AtomicInteger turn = new AtomicInteger();
      AdaptiveExecutor pool =
          AdaptiveExecutor.builder("ending")
              .bounds(1, 8)
              .jmx(false)
              .window(Duration.ofMillis(1))
              .controller(w -> Decision.resize(1 + turn.getAndIncrement() % 8, "up and down"))
              .build();
      for (int task = 0; task < 20; task++) {
        pool.execute(() -> {});
      }
      while (turn.get() < 2) {
        Thread.onSpinWait();
      }
      pool.shutdown();
      assertThat(pool.awaitTermination(300, TimeUnit.SECONDS)).isTrue();
    }
  }

  @Test
  void whoHasAwaitedTheEndHasTheLastWindow() throws Exception {
    AtomicInteger completions = new AtomicInteger();
    AtomicBoolean closed = new AtomicBoolean();
    AdaptiveExecutor pool =
        AdaptiveExecutor.builder("last")
            .jmx(false)
            .window(Duration.ofDays(1))
            .listener(
                new ControlListener() {
                  @Override
                  public void onWindow(Resizable pool, Window window) {
                    completions.addAndGet((int) window.completions());
                  }

                  @Override
                  public void onClose(Resizable pool) {
                    closed.set(true);
                  }
                })
            .build();
    for (int task = 0; task < 100; task++) {
      pool.execute(() -> {});
    }
    pool.shutdown();
    long began = System.nanoTime();
    assertThat(pool.awaitTermination(300, TimeUnit.SECONDS)).isTrue();
    boolean complete = closed.get() && completions.get() == 100;
    boolean waitedInFull = System.nanoTime() - began >= PATIENCE;
    assertThat(complete || waitedInFull).as("the last window, or the longest wait").isTrue();
    Await.until("the end is heard", closed::get);
    assertThat(completions).hasValue(100);
  }
}
