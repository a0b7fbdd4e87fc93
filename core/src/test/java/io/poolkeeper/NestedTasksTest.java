package io.poolkeeper;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tasks that wait for tasks of the same pool, and tasks that wait for something else: on real
 * threads with the default controller, in virtual time.
 */
@Timeout(300)
final class NestedTasksTest {

  private static final int WORKERS = 4;
  private static final int MAXIMUM = 64;

  private final VirtualLoop time = new VirtualLoop();
  private final CountDownLatch downstream = new CountDownLatch(1);
  private final AtomicInteger ended = new AtomicInteger();
  private final AtomicInteger blocked = new AtomicInteger();
  private AdaptiveExecutor pool = builder().build();

  private AdaptiveExecutor.Builder builder() {
    return AdaptiveExecutor.builder("nested")
        .bounds(WORKERS, MAXIMUM)
        .initialSize(WORKERS)
        .jmx(false)
        .ticker(time)
        .timer(time)
        .listener(time);
  }

  @AfterEach
  void end() {
    downstream.countDown();
    pool.shutdownNow();
  }

  private void await(Future<?> future) {
    blocked.incrementAndGet();
    try {
      future.get();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException e) {
      throw new IllegalStateException(e);
    } finally {
      blocked.decrementAndGet();
    }
  }

  /**
   * Returns whether tasks wait and all workers are blocked, so that nothing goes on by itself. A
   * worker that is about to begin is none of the active ones; where others are resident, these may
   * be as many as the size without it.
   */
  private boolean stands() {
    int active = pool.getActiveCount();
    return blocked.get() == active
        && active >= pool.size()
        && active == pool.getPoolSize()
        && pool.queued() > 0;
  }

  /** Passes windows until all tasks have ended; returns the seconds that it took. */
  private int secondsUntilEnded(int tasks, int patience) {
    for (int halves = 0; halves < 2 * patience; halves++) {
      Await.until("all have ended or nothing goes on", () -> ended.get() == tasks || stands());
      if (ended.get() == tasks) {
        return halves / 2;
      }
      time.pass(500);
      time.close();
    }
    return patience;
  }

  /** A task that waits for a task of its own, and so on. */
  private void chain(int depth) {
    if (depth > 0) {
      await(pool.submit(() -> chain(depth - 1)));
    }
    ended.incrementAndGet();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void tasksThatWaitForTheirOwnTasksEnd(boolean queueOfTheUser) {
    if (queueOfTheUser) {
      pool = builder().queue(new LinkedBlockingQueue<>()).build();
    }
    CountDownLatch all = new CountDownLatch(1);
    for (int i = 0; i < 20; i++) {
      pool.execute(
          () -> {
            Await.latch(all);
            chain(1);
          });
    }
    all.countDown();
    // The first own task is behind 16 others. Nothing has ended yet, so tasks may as well be slow:
    // the first seconds double the size, then it grows by two workers a second.
    assertThat(secondsUntilEnded(40, 600)).isLessThan(15);
    assertThat(pool.size()).isGreaterThan(WORKERS);
  }

  @Test
  void aChainOfTasksEnds() {
    pool.execute(() -> chain(40));
    assertThat(secondsUntilEnded(41, 600)).isBetween(22, 24);
    assertThat(time.windows())
        .as("one own task waits, as far as a window without an end tells")
        .allMatch(window -> !window.idle() || window.queuedByWorkers() <= 1)
        .anyMatch(window -> window.queuedByWorkers() == 1);
  }

  /** Own tasks that another thread submits are not seen. */
  @Test
  void tasksThatWaitForEachOtherThroughAnotherThreadEndLater() {
    ExecutorService other = Executors.newFixedThreadPool(WORKERS);
    int tasks = 4 * WORKERS; // An idle pool makes room for so many at once.
    CountDownLatch all = new CountDownLatch(tasks);
    try {
      for (int i = 0; i < tasks; i++) {
        boolean waitsForService = i == 0; // Fewer wait in the queue than there are workers.
        pool.execute(
            () -> {
              all.countDown();
              blocked.incrementAndGet();
              Await.latch(all);
              blocked.decrementAndGet();
              if (waitsForService) {
                blocked.incrementAndGet();
                Await.latch(downstream);
              } else {
                await(submittedBy(other));
              }
              ended.incrementAndGet();
            });
      }
      assertThat(secondsUntilEnded(tasks - 1, 600)).isBetween(10, 11);
    } finally {
      other.shutdownNow();
    }
  }

  /** A stage on this pool, which another thread submits when it completes the stage before. */
  private Future<?> submittedBy(ExecutorService other) {
    CountDownLatch attached = new CountDownLatch(1);
    CompletableFuture<Void> next =
        CompletableFuture.runAsync(() -> Await.latch(attached), other).thenRunAsync(() -> {}, pool);
    attached.countDown();
    return next;
  }

  /** Five minutes of a hanging service behind a pool that has worked before. */
  @Test
  void tasksStuckInAHangingServiceAddNoWorkers() {
    for (int i = 0; i < 20; i++) {
      CountDownLatch ran = new CountDownLatch(1);
      pool.execute(ran::countDown);
      Await.latch(ran);
    }
    Await.until("all are counted", () -> pool.getActiveCount() == 0);
    time.pass(500);
    time.close();
    Await.until("no worker is too many", () -> pool.getPoolSize() <= pool.size());
    int before = pool.size();
    for (int i = 0; i < 100; i++) {
      pool.execute(
          () -> {
            blocked.incrementAndGet();
            Await.latch(downstream);
          });
    }
    int seconds = secondsUntilEnded(-1, 9);
    assertThat(pool.size()).as("after %d s", seconds).isEqualTo(before);
    assertThat(time.windows().get(time.windows().size() - 1).queuedByWorkers()).isZero();
    assertThat(pool.control().lastStep().orElseThrow().explanation())
        .contains("no worker of this pool submitted any of them", "the size stays");
    secondsUntilEnded(-1, 291);
    assertThat(pool.size()).as("at 10, 30, 70 and 150 s").isEqualTo(before + 4);
    assertThat(pool.getPoolSize()).as("with residents").isLessThanOrEqualTo(before + 10);
  }
}
