package io.poolkeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionHandler;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Counts of an executor, and the windows that they belong to. */
@Timeout(300)
final class ExecutorCountsTest {

  private final VirtualLoop time = new VirtualLoop();
  private final CountDownLatch release = new CountDownLatch(1);
  private AdaptiveExecutor pool = pool(new ThreadPoolExecutor.AbortPolicy());

  private AdaptiveExecutor pool(RejectedExecutionHandler policy) {
    return AdaptiveExecutor.builder("counts")
        .bounds(1, 8)
        .initialSize(1)
        .queueCapacity(2)
        .rejectionPolicy(policy)
        .mode(Mode.FROZEN)
        .jmx(false)
        .ticker(time)
        .timer(time)
        .listener(time)
        .build();
  }

  @AfterEach
  void end() throws InterruptedException {
    release.countDown();
    pool.shutdown();
    assertThat(pool.awaitTermination(300, TimeUnit.SECONDS)).isTrue();
  }

  private Window window() {
    Await.until("nothing runs", () -> pool.getActiveCount() == 0);
    return time.close();
  }

  private void occupy() {
    CountDownLatch begun = new CountDownLatch(1);
    pool.execute(
        () -> {
          begun.countDown();
          Await.latch(release);
        });
    Await.latch(begun);
  }

  private static Integer fail() {
    throw new IllegalStateException("on purpose");
  }

  @Test
  void aTaskCountsInTheWindowInWhichItWasGiven() {
    pool.execute(() -> Await.latch(release)); // Its worker may not have begun yet.
    pool.execute(() -> {});
    assertThat(time.close().arrivals()).isEqualTo(2);
    release.countDown();
    Await.until("both have run", () -> pool.getCompletedTaskCount() == 2);
    Window window = time.close();
    assertThat(window.arrivals()).isZero();
    assertThat(window.completions()).isEqualTo(2);
  }

  @Test
  void failuresOfInvokeAnyAreFailures() throws Exception {
    List<Callable<Integer>> tasks = List.of(ExecutorCountsTest::fail, () -> 5);
    assertThat(pool.invokeAny(tasks)).isEqualTo(5);
    Window window = window();
    assertThat(window.failures()).isEqualTo(1);
    assertThat(window.completions()).isEqualTo(1);
  }

  @Test
  void failuresOfCompletableFuturesAreFailures() throws Exception {
    CompletableFuture<Integer> failed = pool.supplyAsync(ExecutorCountsTest::fail);
    assertThatThrownBy(failed::get)
        .isInstanceOf(ExecutionException.class)
        .hasRootCauseMessage("on purpose");
    assertThat(pool.supplyAsync(() -> 5).get()).isEqualTo(5);
    pool.runAsync(() -> {}).get();
    Window window = window();
    assertThat(window.failures()).isEqualTo(1);
    assertThat(window.completions()).isEqualTo(2);
    assertThat(window.arrivals()).isEqualTo(3);
  }

  @Test
  void laterStagesRunOnThePool() throws Exception {
    Thread ranIn =
        pool.supplyAsync(() -> 5)
            .thenApply(five -> five + 1)
            .thenApplyAsync(six -> Thread.currentThread())
            .get();
    assertThat(pool.workers()).contains(ranIn);
  }

  @Test
  void aCancelledCompletableFutureDoesNotRun() {
    occupy();
    CompletableFuture<Integer> future = pool.supplyAsync(ExecutorCountsTest::fail);
    future.cancel(false);
    release.countDown();
    Await.until("it has been taken", () -> pool.queued() == 0);
    Window window = window();
    assertThat(window.failures()).isZero();
    assertThat(window.completions()).isEqualTo(1);
    assertThat(window.arrivals()).isEqualTo(2);
  }

  /** In the JDK's queue of a policy a task that was taken out was missing in the arrivals later. */
  @Test
  void whatIsRemovedCountsOnceAndTakesNothingFromLaterWindows() {
    occupy();
    assertThat(time.close().arrivals()).isEqualTo(1);
    Runnable removed = () -> {};
    pool.execute(removed);
    Future<?> cancelled = pool.submit(() -> {});
    cancelled.cancel(false);
    assertThat(pool.remove(removed)).isTrue();
    assertThat(pool.queued()).isEqualTo(1);
    pool.purge();
    assertThat(pool.queued()).isZero();
    assertThat(time.close().arrivals()).isEqualTo(2);
    pool.execute(() -> {});
    assertThat(time.close().arrivals()).isEqualTo(1);
  }

  @Test
  void theOldestThatMakesRoomTakesNothingFromLaterWindows() throws Exception {
    end();
    pool = pool(new ThreadPoolExecutor.DiscardOldestPolicy());
    CountDownLatch hold = new CountDownLatch(1);
    CountDownLatch begun = new CountDownLatch(1);
    pool.execute(
        () -> {
          begun.countDown();
          Await.latch(hold);
        });
    Await.latch(begun);
    for (int i = 0; i < 2; i++) {
      pool.execute(() -> {});
    }
    time.close();
    for (int i = 0; i < 5; i++) {
      pool.execute(() -> {});
    }
    Window window = time.close();
    assertThat(window.arrivals()).isEqualTo(5);
    assertThat(window.rejections()).as("all got in").isZero();
    hold.countDown();
    Await.until("all three have run", () -> pool.getCompletedTaskCount() == 3);
    window = window();
    assertThat(window.arrivals()).isZero();
    assertThat(window.completions()).isEqualTo(3);
  }

  @Test
  void aPolicyThatWaitsForRoomCountsOneArrival() throws Exception {
    end();
    CountDownLatch asked = new CountDownLatch(1);
    CountDownLatch hold = new CountDownLatch(1);
    pool =
        pool(
            (task, executor) -> {
              asked.countDown();
              try {
                executor.getQueue().put(task);
              } catch (InterruptedException e) {
                throw new IllegalStateException(e);
              }
            });
    for (int i = 0; i < 3; i++) {
      pool.execute(() -> Await.latch(hold));
      Await.until("one runs", () -> pool.getActiveCount() == 1);
    }
    CompletableFuture<Void> caller = CompletableFuture.runAsync(() -> pool.execute(() -> {}));
    Await.latch(asked);
    hold.countDown();
    caller.get(300, TimeUnit.SECONDS);
    Await.until("all have run", () -> pool.getCompletedTaskCount() == 4);
    Window window = window();
    assertThat(window.arrivals()).isEqualTo(4);
    assertThat(window.completions()).isEqualTo(4);
    assertThat(window.rejections()).isZero();
  }

  @Test
  void aPolicyThatTriesAgainCountsOneArrivalAndARefusalOnce() throws Exception {
    end();
    int[] tries = {0};
    pool =
        pool(
            (task, executor) -> {
              if (tries[0]++ < 3) {
                executor.execute(task);
              }
            });
    CountDownLatch hold = new CountDownLatch(1);
    for (int i = 0; i < 4; i++) {
      pool.execute(() -> Await.latch(hold));
      Await.until("one runs", () -> pool.getActiveCount() == 1);
    }
    assertThat(tries[0]).isEqualTo(4);
    Window window = time.close();
    assertThat(window.arrivals()).isEqualTo(4);
    assertThat(window.rejections()).isEqualTo(1);
    hold.countDown();
  }

  /**
   * The caller runs what the pool refuses, on a worker here: that is no failure of its own task.
   */
  @Test
  void whatTheCallerRunsIsNoFailureOfTheTaskThatCalls() throws Exception {
    end();
    pool = pool(new ThreadPoolExecutor.CallerRunsPolicy());
    CountDownLatch full = new CountDownLatch(1);
    pool.execute(
        () -> {
          Await.latch(full);
          assertThat(pool.submit(ExecutorCountsTest::fail).isDone()).isTrue();
        });
    Await.until("it runs", () -> pool.getActiveCount() == 1);
    pool.execute(() -> {});
    pool.execute(() -> {});
    full.countDown();
    Await.until("all have run", () -> pool.getCompletedTaskCount() == 3);
    Window window = window();
    assertThat(window.failures()).isZero();
    assertThat(window.completions()).isEqualTo(3);
    assertThat(window.rejections()).isEqualTo(1);
    assertThat(window.arrivals()).isEqualTo(4);
  }

  @Test
  void aPolicyCannotLeaveTheBounds() throws Exception {
    end();
    pool =
        pool(
            (task, executor) -> {
              assertThatThrownBy(() -> executor.setCorePoolSize(9))
                  .hasMessage("size must be within 1..8, but is 9");
              assertThatThrownBy(() -> executor.setMaximumPoolSize(0))
                  .hasMessage("size must be within 1..8, but is 0");
              executor.setCorePoolSize(2);
              Await.until(
                  "the second worker has taken a task",
                  () -> executor.getQueue().remainingCapacity() > 0);
              executor.execute(task);
            });
    CountDownLatch hold = new CountDownLatch(1);
    for (int i = 0; i < 4; i++) {
      pool.execute(() -> Await.latch(hold));
    }
    assertThat(pool.size()).isEqualTo(2);
    hold.countDown();
    Await.until("all have run", () -> pool.getCompletedTaskCount() == 4);
  }

  @Test
  void aTaskThatIsLateCountsAgainstItsOwnWindowAlone() throws Exception {
    AdaptiveExecutor bounded =
        AdaptiveExecutor.builder("bounded")
            .bounds(1, 8)
            .objective(Objective.goodput(Duration.ofMillis(100)))
            .mode(Mode.FROZEN)
            .jmx(false)
            .ticker(time)
            .timer(time)
            .listener(time)
            .build();
    for (int window = 0; window < 3; window++) {
      long millis = window == 0 ? 150 : 50;
      bounded.submit(() -> time.pass(millis)).get();
      Await.until("nothing runs", () -> bounded.getActiveCount() == 0);
      assertThat(time.close().withinBound()).isEqualTo(window == 0 ? 0 : 1);
    }
    bounded.close();
  }

  /** The failure was that of a task which another one had wrapped. */
  @Test
  void afterAWrappedFailureOtherTasksOfTheWorkerSucceed() throws Exception {
    assertThatThrownBy(() -> pool.invokeAny(List.of(ExecutorCountsTest::fail)))
        .isInstanceOf(ExecutionException.class);
    assertThat(window().failures()).isEqualTo(1);
    CountDownLatch ran = new CountDownLatch(1);
    pool.execute(ran::countDown);
    Await.latch(ran);
    Window window = window();
    assertThat(window.failures()).isZero();
    assertThat(window.completions()).isEqualTo(1);
  }

  @Test
  void aWorkerThatLeftIsBusyInTheWindowOfItsTasksAlone() {
    pool.resize(2);
    CountDownLatch over = new CountDownLatch(1);
    CountDownLatch begun = new CountDownLatch(2);
    for (int i = 0; i < 2; i++) {
      pool.execute(
          () -> {
            begun.countDown();
            Await.latch(over);
          });
    }
    Await.latch(begun);
    time.pass(1000);
    over.countDown();
    Await.until("nothing runs", () -> pool.getActiveCount() == 0);
    pool.resize(1);
    Await.until("one has left", () -> pool.getPoolSize() == 1);
    Await.until(
        "the other one is idle", () -> pool.workers().get(0).getState() == Thread.State.WAITING);
    assertThat(time.close().busy()).isEqualTo(2);
    for (int i = 0; i < 3; i++) {
      time.pass(1000);
      assertThat(time.close().busy()).isZero();
    }
  }
}
