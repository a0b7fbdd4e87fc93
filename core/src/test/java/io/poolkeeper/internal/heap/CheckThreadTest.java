package io.poolkeeper.internal.heap;

import static org.assertj.core.api.Assertions.assertThat;

import io.poolkeeper.internal.SharedTimer;
import io.poolkeeper.spi.LoopTimer;
import io.poolkeeper.spi.Ticker;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The thread of the checks of the heap, which nothing may stop. */
@Timeout(300)
final class CheckThreadTest {

  private static final long MILLISECOND = 1_000_000;

  private static final Heap FULL =
      new Heap() {
        @Override
        public long used() {
          return most();
        }

        @Override
        public long most() {
          return 1_000_000;
        }
      };

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
    BlockingQueue<String> alarmed = new LinkedBlockingQueue<>();
    LoopTimer.Stop watch =
        new HeapWatch(CheckThread::start, Ticker.system(), () -> System.nanoTime() / 2, FULL)
            .add((collecting, filling) -> alarmed.add(Thread.currentThread().getName()));
    try {
      assertThat(alarmed.poll(60, TimeUnit.SECONDS)).isEqualTo("poolkeeper-heap");
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
