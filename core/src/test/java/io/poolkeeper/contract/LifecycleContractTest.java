package io.poolkeeper.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.poolkeeper.Await;
import io.poolkeeper.contract.PoolUnderTest.Kind;
import io.poolkeeper.contract.PoolUnderTest.Settings;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests of shutdown, shutdownNow, awaitTermination, and of the states between them. */
final class LifecycleContractTest extends PoolTest {

  @ParameterizedTest
  @EnumSource
  void theStatesFollowEachOther(Kind kind) throws Exception {
    ExecutorService pool = executor(kind, 1);
    assertThat(pool.isShutdown()).isFalse();
    assertThat(pool.isTerminated()).isFalse();
    occupy(pool, 1);
    pool.shutdown();
    assertThat(pool.isShutdown()).isTrue();
    assertThat(pool.isTerminated()).isFalse();
    release.countDown();
    awaitEnd(pool);
    assertThat(pool.isShutdown()).isTrue();
    assertThat(pool.isTerminated()).isTrue();
  }

  @ParameterizedTest
  @EnumSource
  void isTerminatingHoldsBetweenShutdownAndTheEnd(Kind kind) throws Exception {
    PoolUnderTest pool = build(kind, 1);
    occupy(pool.executor(), 1);
    assertThat(pool.isTerminating()).isFalse();
    pool.executor().shutdown();
    assertThat(pool.isTerminating()).isTrue();
    release.countDown();
    awaitEnd(pool.executor());
    assertThat(pool.isTerminating()).isFalse();
  }

  @ParameterizedTest
  @EnumSource
  void theDescriptionNamesTheState(Kind kind) throws Exception {
    PoolUnderTest pool = build(kind, 1);
    occupy(pool.executor(), 1);
    assertThat(pool.describe().toLowerCase(Locale.ROOT)).contains("running");
    pool.executor().shutdown();
    assertThat(pool.describe().toLowerCase(Locale.ROOT)).contains("shutting down");
    release.countDown();
    awaitEnd(pool.executor());
    assertThat(pool.describe().toLowerCase(Locale.ROOT)).contains("terminated");
  }

  @ParameterizedTest
  @EnumSource
  void aPoolWithoutTasksEndsAtOnce(Kind kind) {
    ExecutorService orderly = executor(kind, 2);
    orderly.shutdown();
    assertThat(orderly.isTerminated()).isTrue();
    ExecutorService abrupt = executor(kind, 2);
    assertThat(abrupt.shutdownNow()).isEmpty();
    assertThat(abrupt.isTerminated()).isTrue();
  }

  @ParameterizedTest
  @EnumSource
  void idleWorkersEndWithThePool(Kind kind) throws Exception {
    for (boolean abrupt : new boolean[] {false, true}) {
      Set<Thread> made = ConcurrentHashMap.newKeySet();
      ExecutorService pool =
          build(
                  kind,
                  Settings.ofSize(3)
                      .threadFactory(
                          body -> {
                            Thread thread = new Thread(body);
                            made.add(thread);
                            return thread;
                          }))
              .executor();
      for (int i = 0; i < 3; i++) {
        pool.submit(() -> {}).get(PATIENCE, TimeUnit.SECONDS);
      }
      if (abrupt) {
        assertThat(pool.shutdownNow()).isEmpty();
      } else {
        pool.shutdown();
      }
      awaitEnd(pool);
      for (Thread thread : made) {
        thread.join(TimeUnit.SECONDS.toMillis(PATIENCE));
        assertThat(thread.isAlive()).isFalse();
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void shutdownInterruptsNoTaskAndRunsWhatWaits(Kind kind) throws Exception {
    ExecutorService pool = executor(kind, 2);
    AtomicInteger ran = new AtomicInteger();
    AtomicInteger interrupted = new AtomicInteger();
    Runnable task =
        () -> {
          Await.latch(release);
          ran.incrementAndGet();
          if (Thread.currentThread().isInterrupted()) {
            interrupted.incrementAndGet();
          }
        };
    for (int i = 0; i < 10; i++) {
      pool.execute(task);
    }
    pool.shutdown();
    pool.shutdown();
    release.countDown();
    awaitEnd(pool);
    assertThat(ran).hasValue(10);
    assertThat(interrupted).hasValue(0);
  }

  @ParameterizedTest
  @EnumSource
  void afterShutdownEverythingIsRejected(Kind kind) throws Exception {
    ExecutorService pool = executor(kind, 1);
    occupy(pool, 1);
    pool.shutdown();
    AtomicInteger ran = new AtomicInteger();
    for (int state = 0; state < 2; state++) {
      assertThatThrownBy(() -> pool.execute(ran::incrementAndGet))
          .isInstanceOf(RejectedExecutionException.class);
      assertThatThrownBy(() -> pool.submit(ran::incrementAndGet))
          .isInstanceOf(RejectedExecutionException.class);
      assertThatThrownBy(() -> pool.submit(ran::incrementAndGet, "result"))
          .isInstanceOf(RejectedExecutionException.class);
      release.countDown();
      awaitEnd(pool);
    }
    assertThat(ran).hasValue(0);
  }

  @ParameterizedTest
  @EnumSource
  void shutdownNowReturnsWhatWaitedInOrderAndInterruptsWhatRuns(Kind kind) throws Exception {
    ExecutorService pool = executor(kind, 2);
    CountDownLatch started = new CountDownLatch(2);
    CountDownLatch interrupted = new CountDownLatch(2);
    for (int i = 0; i < 2; i++) {
      pool.execute(
          () -> {
            started.countDown();
            blockUntilInterrupted(interrupted);
          });
    }
    Await.latch(started);
    AtomicInteger ran = new AtomicInteger();
    List<Runnable> waiting = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      if (i % 2 == 0) {
        Runnable task = () -> ran.incrementAndGet();
        pool.execute(task);
        waiting.add(task);
      } else {
        waiting.add((Runnable) pool.submit(() -> ran.incrementAndGet()));
      }
    }
    assertThat(pool.shutdownNow()).isEqualTo(waiting);
    assertThat(pool.shutdownNow()).isEmpty();
    assertThat(pool.isShutdown()).isTrue();
    Await.latch(interrupted);
    awaitEnd(pool);
    assertThat(ran).hasValue(0);
    waiting.forEach(Runnable::run);
    assertThat(ran).as("returned tasks can be run").hasValue(10);
  }

  @ParameterizedTest
  @EnumSource
  void futuresOfReturnedTasksAreNotDone(Kind kind) throws Exception {
    ExecutorService pool = executor(kind, 1);
    occupy(pool, 1);
    Future<String> future = pool.submit(() -> "value");
    assertThat(pool.shutdownNow()).hasSize(1);
    assertThat(future.isDone()).isFalse();
    assertThat(future.cancel(true)).isTrue();
  }

  @ParameterizedTest
  @EnumSource
  void shutdownNowAfterShutdownEmptiesTheQueue(Kind kind) throws Exception {
    PoolUnderTest pool = build(kind, 1);
    occupy(pool.executor(), 1);
    Runnable waiting = () -> {};
    pool.executor().execute(waiting);
    pool.executor().shutdown();
    assertThat(pool.queued()).isEqualTo(1);
    assertThat(pool.executor().shutdownNow()).containsExactly(waiting);
    assertThat(pool.queued()).isZero();
    awaitEnd(pool.executor());
  }

  @ParameterizedTest
  @EnumSource
  void aTaskThatIgnoresInterruptsHoldsTheEnd(Kind kind) throws Exception {
    ExecutorService pool = executor(kind, 1);
    CountDownLatch started = new CountDownLatch(1);
    AtomicBoolean stop = new AtomicBoolean();
    pool.execute(
        () -> {
          started.countDown();
          while (!stop.get()) {
            Thread.onSpinWait();
          }
        });
    Await.latch(started);
    pool.shutdownNow();
    assertThat(pool.awaitTermination(1, TimeUnit.MILLISECONDS)).isFalse();
    assertThat(pool.isTerminated()).isFalse();
    stop.set(true);
    awaitEnd(pool);
  }

  @ParameterizedTest
  @EnumSource
  void awaitTerminationTellsWhetherItEnded(Kind kind) throws Exception {
    ExecutorService pool = executor(kind, 1);
    for (long nanos : new long[] {-1, 0, 1, 1_000}) {
      assertThat(pool.awaitTermination(nanos, TimeUnit.NANOSECONDS)).isFalse();
    }
    assertThatNullPointerException().isThrownBy(() -> pool.awaitTermination(1, nothing()));
    pool.shutdown();
    awaitEnd(pool);
    for (long nanos : new long[] {-1, 0, 1, Long.MAX_VALUE}) {
      assertThat(pool.awaitTermination(nanos, TimeUnit.NANOSECONDS)).isTrue();
    }
  }

  @ParameterizedTest
  @EnumSource
  void awaitTerminationIsInterruptible(Kind kind) {
    ExecutorService pool = executor(kind, 1);
    occupy(pool, 1);
    Thread.currentThread().interrupt();
    assertThatThrownBy(() -> pool.awaitTermination(PATIENCE, TimeUnit.SECONDS))
        .isInstanceOf(InterruptedException.class);
    assertThat(Thread.currentThread().isInterrupted()).isFalse();
    assertThat(pool.isShutdown()).isFalse();
  }

  @ParameterizedTest
  @EnumSource
  void allWhoWaitForTheEndAreWoken(Kind kind) throws Exception {
    ExecutorService pool = executor(kind, 1);
    occupy(pool, 1);
    ExecutorService others = Executors.newFixedThreadPool(4);
    try {
      List<Future<Boolean>> waits = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        waits.add(others.submit(() -> pool.awaitTermination(PATIENCE, TimeUnit.SECONDS)));
      }
      pool.shutdown();
      release.countDown();
      for (Future<Boolean> wait : waits) {
        assertThat(wait.get()).isTrue();
      }
    } finally {
      others.shutdownNow();
    }
  }

  @ParameterizedTest
  @EnumSource
  void aTaskMayShutItsOwnPoolDown(Kind kind) throws Exception {
    ExecutorService orderly = executor(kind, 2);
    orderly.execute(orderly::shutdown);
    awaitEnd(orderly);
    ExecutorService abrupt = executor(kind, 2);
    AtomicBoolean interrupted = new AtomicBoolean();
    abrupt.execute(
        () -> {
          abrupt.shutdownNow();
          interrupted.set(Thread.currentThread().isInterrupted());
        });
    awaitEnd(abrupt);
    assertThat(interrupted).isTrue();
  }

  @ParameterizedTest
  @EnumSource
  void removingTheLastWaitingTaskLetsThePoolEnd(Kind kind) throws Exception {
    PoolUnderTest pool = build(kind, 1);
    occupy(pool.executor(), 1);
    AtomicInteger ran = new AtomicInteger();
    Runnable waiting = ran::incrementAndGet;
    pool.executor().execute(waiting);
    pool.executor().shutdown();
    assertThat(pool.remove(waiting)).isTrue();
    release.countDown();
    awaitEnd(pool.executor());
    assertThat(ran).hasValue(0);
  }

  @ParameterizedTest
  @EnumSource
  void resizesAfterShutdownLoseNothing(Kind kind) throws Exception {
    PoolUnderTest pool = build(kind, 4);
    AtomicInteger ran = new AtomicInteger();
    for (int i = 0; i < 20; i++) {
      pool.executor()
          .execute(
              () -> {
                Await.latch(release);
                ran.incrementAndGet();
              });
    }
    pool.executor().shutdown();
    pool.resize(1);
    pool.resize(8);
    release.countDown();
    awaitEnd(pool.executor());
    assertThat(ran).hasValue(20);
    pool.resize(2);
    assertThat(pool.executor().isTerminated()).isTrue();
  }
}
