package io.poolkeeper.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.poolkeeper.Await;
import io.poolkeeper.contract.PoolUnderTest.Kind;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionService;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests of invokeAny, invokeAll, and of a completion service on top of the pool. */
final class BulkContractTest extends PoolTest {

  private static final Callable<String> FAILING =
      () -> {
        throw new ArithmeticException("on purpose");
      };

  private String blocked() {
    Await.latch(release);
    return "released";
  }

  // invokeAny

  @ParameterizedTest
  @EnumSource
  void invokeAnyChecksItsArguments(Kind kind) {
    ExecutorService pool = executor(kind, 2);
    Collection<Callable<String>> none = List.of();
    Collection<Callable<String>> tasks = List.of(() -> "value");
    Collection<Callable<String>> withNull = Arrays.asList(this::blocked, nothing());
    Collection<Callable<String>> absent = nothing();
    assertThatNullPointerException().isThrownBy(() -> pool.invokeAny(absent));
    assertThatNullPointerException().isThrownBy(() -> pool.invokeAny(absent, 1, TimeUnit.DAYS));
    assertThatNullPointerException().isThrownBy(() -> pool.invokeAny(withNull));
    assertThatNullPointerException().isThrownBy(() -> pool.invokeAny(withNull, 1, TimeUnit.DAYS));
    assertThatNullPointerException().isThrownBy(() -> pool.invokeAny(tasks, 1, nothing()));
    assertThatIllegalArgumentException().isThrownBy(() -> pool.invokeAny(none));
    assertThatIllegalArgumentException().isThrownBy(() -> pool.invokeAny(none, 1, TimeUnit.DAYS));
  }

  @ParameterizedTest
  @EnumSource
  void invokeAnyReturnsAValueAndCancelsTheOthers(Kind kind) throws Exception {
    ExecutorService pool = executor(kind, 2);
    for (int timed = 0; timed < 2; timed++) {
      CountDownLatch started = new CountDownLatch(1);
      CountDownLatch interrupted = new CountDownLatch(1);
      List<Callable<String>> tasks =
          List.of(
              () -> {
                started.countDown();
                blockUntilInterrupted(interrupted);
                return "interrupted";
              },
              () -> {
                Await.latch(started);
                return "winner";
              });
      String value =
          timed == 0 ? pool.invokeAny(tasks) : pool.invokeAny(tasks, PATIENCE, TimeUnit.SECONDS);
      assertThat(value).isEqualTo("winner");
      Await.latch(interrupted);
    }
  }

  @ParameterizedTest
  @EnumSource
  void invokeAnyPassesOverFailures(Kind kind) throws Exception {
    ExecutorService pool = executor(kind, 1);
    List<Callable<String>> tasks = List.of(FAILING, FAILING, () -> "value", FAILING);
    assertThat(pool.invokeAny(tasks)).isEqualTo("value");
    assertThat(pool.invokeAny(tasks, PATIENCE, TimeUnit.SECONDS)).isEqualTo("value");
  }

  @ParameterizedTest
  @EnumSource
  void invokeAnyTellsWhenAllFail(Kind kind) {
    ExecutorService pool = executor(kind, 2);
    List<Callable<String>> tasks = List.of(FAILING, FAILING);
    assertThatThrownBy(() -> pool.invokeAny(tasks))
        .isInstanceOf(ExecutionException.class)
        .hasCauseInstanceOf(ArithmeticException.class);
    assertThatThrownBy(() -> pool.invokeAny(tasks, PATIENCE, TimeUnit.SECONDS))
        .isInstanceOf(ExecutionException.class)
        .hasCauseInstanceOf(ArithmeticException.class);
  }

  @ParameterizedTest
  @EnumSource
  void invokeAnyTimesOutAndCancels(Kind kind) throws Exception {
    ExecutorService pool = executor(kind, 1);
    CountDownLatch interrupted = new CountDownLatch(1);
    List<Callable<String>> tasks =
        List.of(
            () -> {
              blockUntilInterrupted(interrupted);
              return "interrupted";
            });
    assertThatThrownBy(() -> pool.invokeAny(tasks, 1, TimeUnit.MILLISECONDS))
        .isInstanceOf(TimeoutException.class);
    // Cancelled, it leaves the worker to others whether it had begun or not.
    assertThat(pool.submit(() -> "next").get(PATIENCE, TimeUnit.SECONDS)).isEqualTo("next");
  }

  @ParameterizedTest
  @EnumSource
  void invokeAnyIsInterruptible(Kind kind) {
    ExecutorService pool = executor(kind, 1);
    List<Callable<String>> tasks = List.of(this::blocked);
    Thread.currentThread().interrupt();
    assertThatThrownBy(() -> pool.invokeAny(tasks)).isInstanceOf(InterruptedException.class);
    assertThat(Thread.currentThread().isInterrupted()).isFalse();
  }

  // invokeAll

  @ParameterizedTest
  @EnumSource
  void invokeAllChecksItsArguments(Kind kind) throws Exception {
    ExecutorService pool = executor(kind, 2);
    Collection<Callable<String>> none = List.of();
    Collection<Callable<String>> tasks = List.of(() -> "value");
    Collection<Callable<String>> withNull = Arrays.asList(() -> "value", nothing());
    Collection<Callable<String>> absent = nothing();
    assertThatNullPointerException().isThrownBy(() -> pool.invokeAll(absent));
    assertThatNullPointerException().isThrownBy(() -> pool.invokeAll(absent, 1, TimeUnit.DAYS));
    assertThatNullPointerException().isThrownBy(() -> pool.invokeAll(withNull));
    assertThatNullPointerException().isThrownBy(() -> pool.invokeAll(withNull, 1, TimeUnit.DAYS));
    assertThatNullPointerException().isThrownBy(() -> pool.invokeAll(tasks, 1, nothing()));
    assertThat(pool.invokeAll(none)).isEmpty();
    assertThat(pool.invokeAll(none, 1, TimeUnit.DAYS)).isEmpty();
  }

  @ParameterizedTest
  @EnumSource
  void invokeAllReturnsAllInOrderAndDone(Kind kind) throws Exception {
    ExecutorService pool = executor(kind, 3);
    List<Callable<Integer>> tasks = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      int number = i;
      tasks.add(() -> number);
    }
    for (int timed = 0; timed < 2; timed++) {
      List<Future<Integer>> futures =
          timed == 0 ? pool.invokeAll(tasks) : pool.invokeAll(tasks, PATIENCE, TimeUnit.SECONDS);
      assertThat(futures).hasSize(20).allMatch(Future::isDone);
      for (int i = 0; i < 20; i++) {
        assertThat(futures.get(i).get()).isEqualTo(i);
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void invokeAllLeavesFailuresInTheirFutures(Kind kind) throws Exception {
    ExecutorService pool = executor(kind, 1);
    List<Callable<String>> tasks = List.of(FAILING, () -> "value");
    List<Future<String>> futures = pool.invokeAll(tasks);
    assertThatThrownBy(() -> futures.get(0).get())
        .isInstanceOf(ExecutionException.class)
        .hasCauseInstanceOf(ArithmeticException.class);
    assertThat(futures.get(1).get()).isEqualTo("value");
  }

  @ParameterizedTest
  @EnumSource
  void invokeAllCancelsWhatIsNotDoneInTime(Kind kind) throws Exception {
    ExecutorService pool = executor(kind, 1);
    occupy(pool, 1);
    List<Future<String>> futures =
        pool.invokeAll(List.of(() -> "one", () -> "two"), 1, TimeUnit.MILLISECONDS);
    assertThat(futures).hasSize(2).allMatch(Future::isDone).allMatch(Future::isCancelled);
    assertThatThrownBy(() -> futures.get(1).get()).isInstanceOf(CancellationException.class);
  }

  @ParameterizedTest
  @EnumSource
  void invokeAllIsInterruptibleAndCancels(Kind kind) throws Exception {
    ExecutorService pool = executor(kind, 1);
    CountDownLatch interrupted = new CountDownLatch(1);
    Thread caller = Thread.currentThread();
    List<Callable<String>> tasks =
        List.of(
            () -> {
              caller.interrupt();
              blockUntilInterrupted(interrupted);
              return "interrupted";
            });
    assertThatThrownBy(() -> pool.invokeAll(tasks)).isInstanceOf(InterruptedException.class);
    Await.latch(interrupted);
  }

  @ParameterizedTest
  @EnumSource
  void bulkCallsAreRejectedAfterShutdown(Kind kind) {
    ExecutorService pool = executor(kind, 1);
    pool.shutdown();
    List<Callable<String>> tasks = List.of(() -> "value");
    assertThatThrownBy(() -> pool.invokeAll(tasks)).isInstanceOf(RejectedExecutionException.class);
    assertThatThrownBy(() -> pool.invokeAny(tasks)).isInstanceOf(RejectedExecutionException.class);
  }

  // ExecutorCompletionService

  @ParameterizedTest
  @EnumSource
  void aCompletionServiceReturnsFuturesAsTheyEnd(Kind kind) throws Exception {
    CompletionService<String> service = new ExecutorCompletionService<>(executor(kind, 2));
    assertThat(service.poll()).isNull();
    assertThat(service.poll(1, TimeUnit.MILLISECONDS)).isNull();
    Future<String> slow = service.submit(this::blocked);
    Future<String> quick = service.submit(() -> "quick");
    assertThat(service.take()).isSameAs(quick);
    assertThat(quick.isDone()).isTrue();
    assertThat(service.poll()).isNull();
    release.countDown();
    assertThat(service.poll(PATIENCE, TimeUnit.SECONDS)).isSameAs(slow);
    assertThat(slow.get()).isEqualTo("released");
  }

  @ParameterizedTest
  @EnumSource
  void aCompletionServiceReturnsFailedAndCancelledFuturesToo(Kind kind) throws Exception {
    ExecutorService pool = executor(kind, 1);
    CompletionService<String> service = new ExecutorCompletionService<>(pool);
    Future<String> failed = service.submit(FAILING);
    assertThat(service.take()).isSameAs(failed);
    assertThatThrownBy(failed::get).hasCauseInstanceOf(ArithmeticException.class);
    occupy(pool, 1);
    Future<String> cancelled = service.submit(() -> {}, "never");
    cancelled.cancel(false);
    release.countDown();
    assertThat(service.take()).isSameAs(cancelled);
    assertThat(cancelled.isCancelled()).isTrue();
  }

  @ParameterizedTest
  @EnumSource
  void aCompletionServiceRefusesNullAndPassesRejectionsOn(Kind kind) {
    ExecutorService pool = executor(kind, 1);
    CompletionService<String> service = new ExecutorCompletionService<>(pool);
    assertThatNullPointerException().isThrownBy(() -> service.submit(nothing()));
    assertThatNullPointerException().isThrownBy(() -> service.submit(nothing(), "result"));
    pool.shutdown();
    assertThatThrownBy(() -> service.submit(() -> "late"))
        .isInstanceOf(RejectedExecutionException.class);
  }
}
