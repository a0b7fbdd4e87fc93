package io.poolkeeper.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.poolkeeper.Await;
import io.poolkeeper.contract.PoolUnderTest.Kind;
import io.poolkeeper.contract.PoolUnderTest.Settings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests of counts, sizes, workers that start and leave, and of tasks that are taken out. */
final class WorkersContractTest extends PoolTest {

  @ParameterizedTest
  @EnumSource
  void activeCountCountsWorkersInTasks(Kind kind) {
    PoolUnderTest pool = build(kind, 3);
    assertThat(pool.activeCount()).isZero();
    occupy(pool.executor(), 2);
    assertThat(pool.activeCount()).isEqualTo(2);
    release.countDown();
    Await.until("no worker is active", () -> pool.activeCount() == 0);
  }

  @ParameterizedTest
  @EnumSource
  void poolSizeCountsWorkersIdleOrNot(Kind kind) throws Exception {
    PoolUnderTest pool = build(kind, 3);
    assertThat(pool.poolSize()).isZero();
    assertThat(pool.largestPoolSize()).isZero();
    occupy(pool.executor(), 2);
    assertThat(pool.poolSize()).isEqualTo(2);
    assertThat(pool.largestPoolSize()).isEqualTo(2);
    release.countDown();
    Await.until("no worker is active", () -> pool.activeCount() == 0);
    assertThat(pool.poolSize()).isEqualTo(2);
    pool.executor().shutdown();
    awaitEnd(pool.executor());
    assertThat(pool.poolSize()).isZero();
    assertThat(pool.largestPoolSize()).isEqualTo(2);
  }

  @ParameterizedTest
  @EnumSource
  void largestPoolSizeRemembersTheSizeBeforeAShrink(Kind kind) {
    PoolUnderTest pool = build(kind, 4);
    occupy(pool.executor(), 4);
    pool.resize(1);
    release.countDown();
    Await.until("the others have left", () -> pool.poolSize() == 1);
    assertThat(pool.largestPoolSize()).isEqualTo(4);
  }

  @ParameterizedTest
  @EnumSource
  void taskCountsAddUp(Kind kind) throws Exception {
    PoolUnderTest pool = build(kind, 2);
    assertThat(pool.taskCount()).isZero();
    assertThat(pool.completedTaskCount()).isZero();
    pool.executor().submit(() -> {}).get(PATIENCE, TimeUnit.SECONDS);
    Await.until("one is complete", () -> pool.completedTaskCount() == 1);
    occupy(pool.executor(), 2);
    pool.executor().execute(() -> {});
    Future<Integer> submitted = pool.executor().submit(() -> 7);
    assertThat(pool.completedTaskCount()).isEqualTo(1);
    assertThat(pool.taskCount()).as("1 complete, 2 running, 2 waiting").isEqualTo(5);
    release.countDown();
    pool.executor().shutdown();
    awaitEnd(pool.executor());
    assertThat(pool.completedTaskCount()).isEqualTo(5);
    assertThat(pool.taskCount()).isEqualTo(5);
    assertThat(submitted.get()).isEqualTo(7);
  }

  @ParameterizedTest
  @EnumSource
  void tasksThatThrowAreCompleteToo(Kind kind) throws Exception {
    PoolUnderTest pool =
        build(
            kind,
            Settings.ofSize(1)
                .threadFactory(
                    body -> {
                      Thread thread = new Thread(body);
                      thread.setUncaughtExceptionHandler((in, thrown) -> {});
                      return thread;
                    }));
    pool.executor()
        .execute(
            () -> {
              throw new IllegalStateException("on purpose");
            });
    pool.executor().shutdown();
    awaitEnd(pool.executor());
    assertThat(pool.completedTaskCount()).isEqualTo(1);
  }

  @ParameterizedTest
  @EnumSource
  void queuedCountsWhatWaits(Kind kind) {
    PoolUnderTest pool = build(kind, 1);
    occupy(pool.executor(), 1);
    assertThat(pool.queued()).isZero();
    pool.executor().execute(() -> {});
    Future<?> submitted = pool.executor().submit(() -> {});
    assertThat(pool.queued()).isEqualTo(2);
    release.countDown();
    Await.until("the queue is empty", () -> pool.queued() == 0);
    Await.until("the last has run", submitted::isDone);
  }

  @ParameterizedTest
  @EnumSource
  void removeTakesOutWhatWaitsAndNothingElse(Kind kind) throws Exception {
    PoolUnderTest pool = build(kind, 1);
    CountDownLatch started = new CountDownLatch(1);
    Runnable running =
        () -> {
          started.countDown();
          Await.latch(release);
        };
    pool.executor().execute(running);
    Await.latch(started);
    AtomicInteger ran = new AtomicInteger();
    Runnable waiting = () -> ran.incrementAndGet();
    Runnable stranger = () -> ran.incrementAndGet();
    pool.executor().execute(waiting);
    Future<?> submitted = pool.executor().submit(waiting);
    assertThat(pool.remove(running)).as("runs already").isFalse();
    assertThat(pool.remove(stranger)).isFalse();
    assertThat(pool.remove(waiting)).isTrue();
    assertThat(pool.remove(waiting)).isFalse();
    assertThat(pool.queued()).isEqualTo(1);
    assertThat(pool.remove((Runnable) submitted)).isTrue();
    assertThat(pool.queued()).isZero();
    release.countDown();
    pool.executor().shutdown();
    awaitEnd(pool.executor());
    assertThat(ran).hasValue(0);
    assertThat(submitted.isDone()).isFalse();
  }

  /** A task that was executed twice is in the queue twice. */
  @ParameterizedTest
  @EnumSource
  void removeTakesOutOneOfTwo(Kind kind) throws Exception {
    PoolUnderTest pool = build(kind, 1);
    occupy(pool.executor(), 1);
    AtomicInteger ran = new AtomicInteger();
    Runnable task = ran::incrementAndGet;
    pool.executor().execute(task);
    pool.executor().execute(task);
    assertThat(pool.remove(task)).isTrue();
    assertThat(pool.queued()).isEqualTo(1);
    release.countDown();
    pool.executor().shutdown();
    awaitEnd(pool.executor());
    assertThat(ran).hasValue(1);
  }

  @ParameterizedTest
  @EnumSource
  void purgeTakesOutWhatWasCancelled(Kind kind) throws Exception {
    PoolUnderTest pool = build(kind, 1);
    occupy(pool.executor(), 1);
    AtomicInteger ran = new AtomicInteger();
    List<Future<?>> futures = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      futures.add(pool.executor().submit(ran::incrementAndGet));
    }
    pool.purge();
    assertThat(pool.queued()).isEqualTo(10);
    for (int i = 0; i < 10; i += 2) {
      futures.get(i).cancel(false);
    }
    pool.purge();
    assertThat(pool.queued()).isEqualTo(5);
    release.countDown();
    pool.executor().shutdown();
    awaitEnd(pool.executor());
    assertThat(ran).hasValue(5);
  }

  @ParameterizedTest
  @EnumSource
  void purgeDoesNothingOnceThePoolHasEnded(Kind kind) throws Exception {
    PoolUnderTest pool = build(kind, 1);
    occupy(pool.executor(), 1);
    pool.executor().submit(() -> {}).cancel(false);
    pool.executor().shutdownNow();
    pool.purge();
    assertThat(pool.queued()).isZero();
    release.countDown();
    awaitEnd(pool.executor());
    pool.purge();
    assertThat(pool.queued()).isZero();
  }

  @ParameterizedTest
  @EnumSource
  void prestartStartsWorkersWithoutTasks(Kind kind) {
    PoolUnderTest pool = build(kind, 3);
    assertThat(pool.prestartOne()).isTrue();
    assertThat(pool.poolSize()).isEqualTo(1);
    assertThat(pool.prestartAll()).isEqualTo(2);
    assertThat(pool.poolSize()).isEqualTo(3);
    assertThat(pool.prestartOne()).isFalse();
    assertThat(pool.prestartAll()).isZero();
    assertThat(pool.poolSize()).isEqualTo(3);
    Await.until("all are idle", () -> pool.activeCount() == 0);
  }

  @ParameterizedTest
  @EnumSource
  void prestartAfterShutdownStartsNothing(Kind kind) {
    PoolUnderTest pool = build(kind, 3);
    pool.executor().shutdown();
    assertThat(pool.prestartOne()).isFalse();
    assertThat(pool.prestartAll()).isZero();
    assertThat(pool.poolSize()).isZero();
  }

  @ParameterizedTest
  @EnumSource
  void idleWorkersLeaveAfterTheKeepAliveAndComeBack(Kind kind) throws Exception {
    PoolUnderTest pool = build(kind, 3);
    pool.keepIdleWorkers(Duration.ofMillis(5));
    occupy(pool.executor(), 3);
    assertThat(pool.poolSize()).isEqualTo(3);
    release.countDown();
    Await.until("all have left", () -> pool.poolSize() == 0);
    assertThat(pool.executor().submit(() -> "back").get(PATIENCE, TimeUnit.SECONDS))
        .isEqualTo("back");
  }

  @ParameterizedTest
  @EnumSource
  void growthStartsWorkersForWhatWaits(Kind kind) {
    PoolUnderTest pool = build(kind, 1);
    ExecutorService executor = pool.executor();
    CountDownLatch started = new CountDownLatch(4);
    for (int i = 0; i < 10; i++) {
      executor.execute(
          () -> {
            started.countDown();
            Await.latch(release);
          });
    }
    pool.resize(4);
    Await.latch(started);
    Await.until("six wait", () -> pool.queued() == 6);
  }

  @ParameterizedTest
  @EnumSource
  void shrinkingInterruptsNoTaskAndLosesNone(Kind kind) throws Exception {
    PoolUnderTest pool = build(kind, 4);
    AtomicInteger interrupted = new AtomicInteger();
    AtomicInteger ran = new AtomicInteger();
    CountDownLatch started = new CountDownLatch(4);
    for (int i = 0; i < 10; i++) {
      pool.executor()
          .execute(
              () -> {
                started.countDown();
                Await.latch(release);
                ran.incrementAndGet();
                if (Thread.currentThread().isInterrupted()) {
                  interrupted.incrementAndGet();
                }
              });
    }
    Await.latch(started);
    pool.resize(1);
    release.countDown();
    pool.executor().shutdown();
    awaitEnd(pool.executor());
    assertThat(ran).hasValue(10);
    assertThat(interrupted).hasValue(0);
  }

  @ParameterizedTest
  @EnumSource
  void afterAShrinkFewerRunAtATime(Kind kind) {
    PoolUnderTest pool = build(kind, 4);
    occupy(pool.executor(), 4);
    pool.resize(2);
    CountDownLatch hold = new CountDownLatch(1);
    AtomicInteger started = new AtomicInteger();
    for (int i = 0; i < 6; i++) {
      pool.executor()
          .execute(
              () -> {
                started.incrementAndGet();
                Await.latch(hold);
              });
    }
    release.countDown();
    try {
      Await.until("two run and four wait", () -> started.get() == 2 && pool.queued() == 4);
    } finally {
      hold.countDown();
    }
  }
}
