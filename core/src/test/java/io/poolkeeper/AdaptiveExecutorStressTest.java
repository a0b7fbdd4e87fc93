package io.poolkeeper;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Invariants under any interleaving of threads. */
@Timeout(300)
final class AdaptiveExecutorStressTest {

  /** Sizes go up and down under tasks that begin, run and end: none is lost, none interrupted. */
  @Test
  void resizesLoseNoTaskAndInterruptNone() throws Exception {
    int producers = 2;
    int tasksEach = 30_000;
    LongAdder ran = new LongAdder();
    LongAdder interrupted = new LongAdder();
    AdaptiveExecutor pool =
        AdaptiveExecutor.builder("resizes")
            .bounds(1, 16)
            .initialSize(4)
            .mode(Mode.FROZEN)
            .window(Duration.ofMillis(5))
            .hangAfter(Duration.ofDays(1)) // Nothing but the size starts workers.
            .jmx(false)
            .build();
    ExecutorService others = Executors.newFixedThreadPool(producers + 1);
    AtomicBoolean producing = new AtomicBoolean(true);
    Future<Integer> resizer =
        others.submit(
            () -> {
              SplittableRandom random = new SplittableRandom(1);
              int resizes = 0;
              while (producing.get() || resizes < 3_000) {
                pool.resize(1 + random.nextInt(16));
                resizes++;
                if (resizes % 4 == 0) {
                  LockSupport.parkNanos(1_000);
                }
              }
              return resizes;
            });
    List<Future<?>> production = new ArrayList<>();
    for (int p = 0; p < producers; p++) {
      production.add(
          others.submit(
              () -> {
                for (int i = 0; i < tasksEach; i++) {
                  pool.execute(
                      () -> {
                        if (Thread.currentThread().isInterrupted()) {
                          interrupted.increment();
                        }
                        ran.increment();
                      });
                  if (i % 64 == 0) {
                    LockSupport.parkNanos(
                        1_000); // Lets the pool run empty, so that workers are idle at times.
                  }
                }
              }));
    }
    for (Future<?> producer : production) {
      producer.get();
    }
    producing.set(false);
    assertThat(resizer.get()).isGreaterThanOrEqualTo(3_000);
    Await.until("all tasks have run", () -> ran.sum() == (long) producers * tasksEach);

    pool.resize(5);
    // One that is on its way to the queue when the size falls may still take a task, as in the JDK.
    Await.until("those too many have left", () -> pool.workers().size() <= 5);
    CountDownLatch occupied = new CountDownLatch(5);
    CountDownLatch release = new CountDownLatch(1);
    for (int i = 0; i < 20; i++) {
      pool.execute(
          () -> {
            occupied.countDown();
            Await.latch(release);
          });
    }
    Await.latch(occupied);
    Await.until("five workers are left", () -> pool.workers().size() == 5);
    assertThat(pool.queued()).isEqualTo(15);
    release.countDown();
    pool.close();
    others.shutdown();
    assertThat(interrupted.sum()).isZero();
  }

  /**
   * Tasks end, fail, are refused, cancelled and drained while windows close as fast as they can.
   */
  @RepeatedTest(3)
  void everyTaskIsInTheSumOfTheWindowsOnce() throws Exception {
    HandTimer timer = new HandTimer();
    Totals totals = new Totals();
    AdaptiveExecutor pool =
        AdaptiveExecutor.builder("sums")
            .bounds(1, 8)
            .initialSize(4)
            .mode(Mode.FROZEN)
            .jmx(false)
            .queueCapacity(40)
            .threadFactory(
                body -> {
                  Thread thread = new Thread(body);
                  thread.setUncaughtExceptionHandler((in, thrown) -> {});
                  return thread;
                })
            .timer(timer)
            .listener(totals)
            .build();
    int producers = 2;
    int tasksEach = 20_000;
    AtomicInteger failed = new AtomicInteger();
    AtomicInteger completed = new AtomicInteger();
    AtomicInteger refused = new AtomicInteger();
    ExecutorService others = Executors.newFixedThreadPool(producers);
    List<Future<?>> production = new ArrayList<>();
    for (int p = 0; p < producers; p++) {
      SplittableRandom random = new SplittableRandom(p);
      production.add(
          others.submit(
              () -> {
                for (int i = 0; i < tasksEach; i++) {
                  boolean fails = random.nextInt(10) == 0;
                  boolean cancels = random.nextInt(10) == 0;
                  Runnable task =
                      () -> {
                        (fails ? failed : completed).incrementAndGet();
                        if (fails) {
                          throw new IllegalStateException("on purpose");
                        }
                      };
                  try {
                    if (random.nextBoolean()) {
                      pool.execute(task);
                    } else {
                      Future<?> future = pool.submit(task);
                      if (cancels) {
                        future.cancel(false);
                      }
                    }
                  } catch (RejectedExecutionException e) {
                    refused.incrementAndGet();
                    LockSupport.parkNanos(1_000);
                  }
                }
              }));
    }
    while (!production.stream().allMatch(Future::isDone)) {
      timer.tick();
    }
    for (Future<?> producer : production) {
      producer.get();
    }
    pool.shutdownNow();
    assertThat(pool.awaitTermination(300, TimeUnit.SECONDS)).isTrue();
    others.shutdown();
    Await.until("the last window is heard", totals::closed);
    assertThat(totals.completions).isEqualTo(completed.get());
    assertThat(totals.failures).isEqualTo(failed.get());
    assertThat(totals.rejections).isEqualTo(refused.get());
    assertThat(totals.arrivals).isEqualTo((long) producers * tasksEach);
    assertThat(totals.leastBusy).isGreaterThanOrEqualTo(0);
    assertThat(refused.get()).as("refusals, so that the queue was full at times").isPositive();
  }

  private static final class Totals implements ControlListener {
    private long arrivals;
    private long completions;
    private long failures;
    private long rejections;
    private double leastBusy;
    private boolean closed;

    @Override
    public synchronized void onWindow(Resizable pool, Window window) {
      arrivals += window.arrivals();
      completions += window.completions();
      failures += window.failures();
      rejections += window.rejections();
      leastBusy = Math.min(leastBusy, window.busy());
    }

    @Override
    public synchronized void onClose(Resizable pool) {
      closed = true;
    }

    synchronized boolean closed() {
      return closed;
    }
  }
}
