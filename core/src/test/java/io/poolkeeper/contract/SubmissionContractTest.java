package io.poolkeeper.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.poolkeeper.Await;
import io.poolkeeper.contract.PoolUnderTest.Kind;
import io.poolkeeper.contract.PoolUnderTest.Settings;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests of execute and submit, and of the futures that submit returns. */
final class SubmissionContractTest extends PoolTest {

  @ParameterizedTest
  @EnumSource
  void executeRunsTheTaskOnAThreadOfTheFactory(Kind kind) throws Exception {
    Set<Thread> made = ConcurrentHashMap.newKeySet();
    ExecutorService pool =
        build(
                kind,
                Settings.ofSize(2)
                    .threadFactory(
                        body -> {
                          Thread thread = new Thread(body);
                          made.add(thread);
                          return thread;
                        }))
            .executor();
    assertThat(made).as("threads before the first task").isEmpty();
    FutureTask<Thread> task = new FutureTask<>(Thread::currentThread);
    pool.execute(task);
    assertThat(made).contains(task.get(PATIENCE, TimeUnit.SECONDS));
  }

  @ParameterizedTest
  @EnumSource
  void aRunnableGivesNullOrItsResult(Kind kind) throws Exception {
    ExecutorService pool = executor(kind, 1);
    AtomicInteger runs = new AtomicInteger();
    Future<?> plain = pool.submit(() -> increment(runs));
    assertThat(plain.get(PATIENCE, TimeUnit.SECONDS)).isNull();
    assertThat(plain.isDone()).isTrue();
    assertThat(plain.isCancelled()).isFalse();
    Future<String> withResult = pool.submit(() -> increment(runs), "result");
    assertThat(withResult.get(PATIENCE, TimeUnit.SECONDS)).isEqualTo("result");
    assertThat(runs).hasValue(2);
  }

  private static void increment(AtomicInteger runs) {
    runs.incrementAndGet();
  }

  @ParameterizedTest
  @EnumSource
  void aCallableGivesItsValueAndMayGiveNull(Kind kind) throws Exception {
    ExecutorService pool = executor(kind, 1);
    assertThat(pool.submit(() -> "value").get(PATIENCE, TimeUnit.SECONDS)).isEqualTo("value");
    Callable<String> returnsNull = PoolTest::nothing;
    assertThat(pool.submit(returnsNull).get(PATIENCE, TimeUnit.SECONDS)).isNull();
  }

  @ParameterizedTest
  @EnumSource
  void nullIsRefusedWhateverTheState(Kind kind) throws Exception {
    ExecutorService pool = executor(kind, 1);
    for (int state = 0; state < 2; state++) {
      assertThatNullPointerException().isThrownBy(() -> pool.execute(nothing()));
      assertThatNullPointerException().isThrownBy(() -> pool.submit((Runnable) nothing()));
      assertThatNullPointerException().isThrownBy(() -> pool.submit((Callable<?>) nothing()));
      assertThatNullPointerException().isThrownBy(() -> pool.submit(nothing(), "result"));
      pool.shutdown();
      awaitEnd(pool);
    }
  }

  @ParameterizedTest
  @EnumSource
  void aFutureTellsWhatTheTaskThrew(Kind kind) {
    ExecutorService pool = executor(kind, 1);
    for (Throwable thrown :
        List.of(new IOException("x"), new ArithmeticException("x"), new AssertionError("x"))) {
      Future<?> future =
          pool.submit(
              () -> {
                if (thrown instanceof Error error) {
                  throw error;
                }
                throw (Exception) thrown;
              });
      assertThatThrownBy(() -> future.get(PATIENCE, TimeUnit.SECONDS))
          .isInstanceOf(ExecutionException.class)
          .hasCause(thrown);
      assertThat(future.isDone()).isTrue();
      assertThat(future.isCancelled()).isFalse();
    }
  }

  @ParameterizedTest
  @EnumSource
  void aWaitThatTimesOutLeavesTheTaskRunning(Kind kind) throws Exception {
    ExecutorService pool = executor(kind, 1);
    Future<String> future =
        pool.submit(
            () -> {
              Await.latch(release);
              return "late";
            });
    for (long millis : new long[] {-1, 0, 1}) {
      assertThatThrownBy(() -> future.get(millis, TimeUnit.MILLISECONDS))
          .isInstanceOf(TimeoutException.class);
    }
    assertThat(future.isDone()).isFalse();
    release.countDown();
    assertThat(future.get(PATIENCE, TimeUnit.SECONDS)).isEqualTo("late");
  }

  @ParameterizedTest
  @EnumSource
  void anInterruptedWaitLeavesTheTaskRunning(Kind kind) throws Exception {
    ExecutorService pool = executor(kind, 1);
    AtomicBoolean taskInterrupted = new AtomicBoolean();
    Future<?> future =
        pool.submit(
            () -> {
              Await.latch(release);
              taskInterrupted.set(Thread.currentThread().isInterrupted());
            });
    Thread.currentThread().interrupt();
    assertThatThrownBy(future::get).isInstanceOf(InterruptedException.class);
    Thread.currentThread().interrupt();
    assertThatThrownBy(() -> future.get(PATIENCE, TimeUnit.SECONDS))
        .isInstanceOf(InterruptedException.class);
    assertThat(Thread.currentThread().isInterrupted()).as("flag after the throw").isFalse();
    release.countDown();
    future.get(PATIENCE, TimeUnit.SECONDS);
    assertThat(taskInterrupted).isFalse();
  }

  @ParameterizedTest
  @EnumSource
  void aTaskCancelledInTheQueueNeverRuns(Kind kind) throws Exception {
    ExecutorService pool = executor(kind, 1);
    occupy(pool, 1);
    AtomicInteger runs = new AtomicInteger();
    for (boolean interrupt : new boolean[] {true, false}) {
      Future<?> future = pool.submit(runs::incrementAndGet);
      assertThat(future.cancel(interrupt)).isTrue();
      assertThat(future.isCancelled()).isTrue();
      assertThat(future.isDone()).isTrue();
      assertThatThrownBy(future::get).isInstanceOf(CancellationException.class);
    }
    release.countDown();
    pool.shutdown();
    awaitEnd(pool);
    assertThat(runs).hasValue(0);
  }

  @ParameterizedTest
  @EnumSource
  void cancellingWithInterruptReachesTheRunningTaskAlone(Kind kind) throws Exception {
    ExecutorService pool = executor(kind, 2);
    CountDownLatch bothStarted = new CountDownLatch(2);
    CountDownLatch interrupted = new CountDownLatch(1);
    Future<?> cancelled =
        pool.submit(
            () -> {
              bothStarted.countDown();
              blockUntilInterrupted(interrupted);
            });
    Future<Boolean> other =
        pool.submit(
            () -> {
              bothStarted.countDown();
              Await.latch(release);
              return Thread.currentThread().isInterrupted();
            });
    Await.latch(bothStarted);
    assertThat(cancelled.cancel(true)).isTrue();
    Await.latch(interrupted);
    release.countDown();
    assertThat(other.get(PATIENCE, TimeUnit.SECONDS)).isFalse();
  }

  @ParameterizedTest
  @EnumSource
  void cancellingWithoutInterruptLetsTheTaskEnd(Kind kind) throws Exception {
    ExecutorService pool = executor(kind, 1);
    CountDownLatch started = new CountDownLatch(1);
    CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
    Future<?> future =
        pool.submit(
            () -> {
              started.countDown();
              Await.latch(release);
              interrupted.complete(Thread.currentThread().isInterrupted());
            });
    Await.latch(started);
    assertThat(future.cancel(false)).isTrue();
    assertThatThrownBy(future::get).isInstanceOf(CancellationException.class);
    release.countDown();
    assertThat(interrupted.get(PATIENCE, TimeUnit.SECONDS)).isFalse();
  }

  @ParameterizedTest
  @EnumSource
  void aCompletedTaskCannotBeCancelled(Kind kind) throws Exception {
    ExecutorService pool = executor(kind, 1);
    Future<Integer> future = pool.submit(() -> 7);
    assertThat(future.get(PATIENCE, TimeUnit.SECONDS)).isEqualTo(7);
    assertThat(future.cancel(true)).isFalse();
    assertThat(future.isCancelled()).isFalse();
    assertThat(future.get()).isEqualTo(7);
  }

  /** The interrupt of a cancellation that comes as the task ends must not reach the next one. */
  @ParameterizedTest
  @EnumSource
  void aLateCancellationDoesNotInterruptTheNextTask(Kind kind) throws Exception {
    ExecutorService pool = executor(kind, 1);
    for (int i = 0; i < 500; i++) {
      CountDownLatch started = new CountDownLatch(1);
      Future<?> first = pool.submit(started::countDown);
      Future<Boolean> next = pool.submit(() -> Thread.currentThread().isInterrupted());
      Await.latch(started);
      first.cancel(true);
      assertThat(next.get(PATIENCE, TimeUnit.SECONDS)).isFalse();
    }
  }

  @ParameterizedTest
  @EnumSource
  void oneWorkerKeepsTheOrder(Kind kind) throws Exception {
    ExecutorService pool = executor(kind, 1);
    occupy(pool, 1);
    List<Integer> ran = new CopyOnWriteArrayList<>();
    List<Integer> expected = new ArrayList<>();
    List<Future<?>> futures = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      int number = i;
      expected.add(number);
      if (i % 2 == 0) {
        pool.execute(() -> ran.add(number));
      } else {
        futures.add(pool.submit(() -> ran.add(number)));
      }
    }
    release.countDown();
    pool.shutdown();
    awaitEnd(pool);
    assertThat(ran).isEqualTo(expected);
    assertThat(futures).allMatch(Future::isDone);
  }

  @ParameterizedTest
  @EnumSource
  void aWorkerIsStartedForEachTaskUntilThereAreEnough(Kind kind) throws Exception {
    AtomicInteger made = new AtomicInteger();
    ExecutorService pool =
        build(
                kind,
                Settings.ofSize(3)
                    .threadFactory(
                        body -> {
                          made.incrementAndGet();
                          return new Thread(body);
                        }))
            .executor();
    for (int i = 1; i <= 10; i++) {
      pool.submit(() -> {}).get(PATIENCE, TimeUnit.SECONDS);
      assertThat(made).as("threads after %d tasks, one at a time", i).hasValue(Math.min(i, 3));
    }
  }

  @ParameterizedTest
  @EnumSource
  void aTaskMayWaitForAnotherWhileAWorkerIsFree(Kind kind) throws Exception {
    ExecutorService pool = executor(kind, 2);
    Future<Integer> outer =
        pool.submit(() -> 1 + pool.submit(() -> 2).get(PATIENCE, TimeUnit.SECONDS));
    assertThat(outer.get(PATIENCE, TimeUnit.SECONDS)).isEqualTo(3);
  }

  @ParameterizedTest
  @EnumSource
  void tasksThatThrowCostNothing(Kind kind) throws Exception {
    ExecutorService pool =
        build(
                kind,
                Settings.ofSize(2)
                    .threadFactory(
                        body -> {
                          Thread thread = new Thread(body);
                          thread.setUncaughtExceptionHandler((in, thrown) -> {});
                          return thread;
                        }))
            .executor();
    for (int i = 0; i < 100; i++) {
      pool.execute(
          () -> {
            throw new IllegalStateException("on purpose");
          });
    }
    occupy(pool, 2); // Both workers are there.
    release.countDown();
    assertThat(pool.submit(() -> "alive").get(PATIENCE, TimeUnit.SECONDS)).isEqualTo("alive");
  }

  @ParameterizedTest
  @EnumSource
  void completableFuturesRunOnIt(Kind kind) throws Exception {
    ExecutorService pool = executor(kind, 2);
    CompletableFuture<Integer> chain =
        CompletableFuture.supplyAsync(() -> 20, pool)
            .thenApplyAsync(x -> x + 1, pool)
            .thenCombineAsync(CompletableFuture.supplyAsync(() -> 2, pool), (a, b) -> a * b, pool);
    assertThat(chain.get(PATIENCE, TimeUnit.SECONDS)).isEqualTo(42);
  }
}
