package io.poolkeeper.internal.heap;

import static org.assertj.core.api.Assertions.assertThat;

import io.poolkeeper.internal.SharedTimer;
import io.poolkeeper.spi.LoopTimer;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The thread of the checks of the heap, which nothing may stop. */
@Timeout(300)
final class CheckThreadTest {

  private static final long MILLISECOND = 1_000_000;

  @Test
  void outlivesErrorsAndInterruptsAndEndsWhenItIsStopped() throws Exception {
    BlockingQueue<Thread> checks = new LinkedBlockingQueue<>();
    LoopTimer.Stop stop =
        CheckThread.start(
            () -> MILLISECOND,
            () -> {
              checks.add(Thread.currentThread());
              throw new OutOfMemoryError("thrown by the test");
            });
    Thread thread = checks.take();
    thread.interrupt();
    checks.clear();
    assertThat(checks.take()).isSameAs(thread);
    assertThat(checks.take()).isSameAs(thread);
    assertThat(thread.isDaemon()).isTrue();
    stop.stop();
    thread.join();
  }

  /** In a full heap the thread of the loops stands still in a turn. */
  @Test
  void theHeapIsCheckedWhileALoopStandsStill() throws Exception {
    CountDownLatch turn = new CountDownLatch(1);
    CountDownLatch release = new CountDownLatch(1);
    LoopTimer.Stop loop =
        SharedTimer.ofProcess()
            .start(
                "stands still",
                Duration.ofMillis(1),
                () -> {
                  turn.countDown();
                  awaitUninterrupted(release);
                });
    turn.await();
    AtomicReference<@Nullable String> alarmed = new AtomicReference<>();
    LoopTimer.Stop watch =
        HeapWatch.ofProcess()
            .add((collecting, filling) -> alarmed.set(Thread.currentThread().getName()));
    try {
      long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
      while (alarmed.get() == null && System.nanoTime() - end < 0) {
        System.gc();
      }
      assertThat(alarmed.get()).isEqualTo("poolkeeper-heap");
    } finally {
      watch.stop();
      release.countDown();
      loop.stop();
    }
  }

  private static void awaitUninterrupted(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
