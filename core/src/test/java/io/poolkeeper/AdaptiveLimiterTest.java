package io.poolkeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.poolkeeper.AdaptiveLimiter.Permit;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD) // A join goes on.
final class AdaptiveLimiterTest {

  private static final int MANY = 100_000;

  /** Runs what depends on a permit on the thread that gave the permit back. */
  private static final Executor SAME_THREAD = Runnable::run;

  private final AdaptiveLimiter limiter =
      AdaptiveLimiter.builder("limiter")
          .bounds(1, 1000)
          .initialSize(1)
          .mode(Mode.FROZEN)
          .jmx(false)
          .build();

  /** After each test nobody holds a permit, and every permit can be taken. */
  @AfterEach
  void noPermitIsLost() {
    assertThat(limiter.inUse()).as("permits in use").isZero();
    assertThat(limiter.waiting()).as("waiters").isZero();
    List<Permit> all = new ArrayList<>();
    for (int i = 0; i < limiter.size(); i++) {
      all.add(limiter.tryAcquire().orElseThrow());
    }
    assertThat(limiter.tryAcquire()).isEmpty();
    all.forEach(Permit::ignore);
    limiter.close();
  }

  @Test
  void waitersAreServedInTheOrderOfTheirArrivalAndNobodyOvertakesThem() throws Exception {
    List<Integer> served = new ArrayList<>();
    Permit first = limiter.acquire();
    for (int i = 0; i < 5; i++) {
      int waiter = i;
      var unused =
          limiter
              .acquireAsync(SAME_THREAD)
              .thenAccept(
                  permit -> {
                    served.add(waiter);
                    assertThat(limiter.tryAcquire()).isEmpty();
                    permit.success();
                  });
    }
    assertThat(limiter.tryAcquire()).isEmpty();
    first.success();
    assertThat(served).containsExactly(0, 1, 2, 3, 4);
  }

  @Test
  void waitersWakeWhenTheLimitRises() throws Exception {
    Permit held = limiter.acquire();
    CountDownLatch awake = new CountDownLatch(3);
    List<Thread> waiters = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      waiters.add(
          started(
              () -> {
                try (Permit permit = limiter.acquire()) {
                  awake.countDown();
                  awake.await();
                  permit.success();
                }
              }));
    }
    await(() -> limiter.waiting() == 3);
    limiter.resize(10);
    assertThat(awake.await(300, TimeUnit.SECONDS)).as("all three waiters are awake").isTrue();
    join(waiters);
    held.success();
  }

  @Test
  void aLimitLoweredBelowThePermitsInUseGrantsNoneUntilEnoughCameBack() throws Exception {
    limiter.resize(3);
    List<Permit> held = List.of(limiter.acquire(), limiter.acquire(), limiter.acquire());
    CompletableFuture<Permit> waiter = limiter.acquireAsync(SAME_THREAD);
    limiter.resize(1);
    assertThat(limiter.inUse()).isEqualTo(3);
    held.get(0).success();
    held.get(1).success();
    assertThat(waiter).isNotDone();
    assertThat(limiter.tryAcquire()).isEmpty();
    held.get(2).success();
    waiter.join().success();
  }

  @Test
  void aPermitComesBackOnceHoweverOftenAndByWhomeverItIsReturned() throws Exception {
    limiter.resize(2);
    Permit permit = limiter.acquire();
    Permit other = limiter.acquire();
    join(List.of(started(permit::success)));
    permit.success();
    permit.dropped();
    permit.ignore();
    permit.close();
    assertThat(limiter.inUse()).isEqualTo(1);
    other.success();
  }

  @Test
  void anErrorInTheGuardedCallReturnsThePermit() {
    for (int i = 0; i < 3; i++) {
      assertThatThrownBy(
              () -> {
                try (Permit permit = limiter.acquire()) {
                  assertThat(limiter.inUse()).isEqualTo(1);
                  fail(new StackOverflowError("on purpose"));
                  permit.success();
                }
              })
          .isInstanceOf(StackOverflowError.class);
    }
  }

  @Test
  void anInterruptedWaiterLeavesTheQueue() throws Exception {
    Permit held = limiter.acquire();
    AtomicInteger interrupted = new AtomicInteger();
    Thread waiter =
        started(
            () -> {
              try {
                limiter.acquire().success();
              } catch (InterruptedException e) {
                interrupted.incrementAndGet();
              }
            });
    await(() -> limiter.waiting() == 1);
    waiter.interrupt();
    join(List.of(waiter));
    assertThat(interrupted).hasValue(1);
    assertThat(limiter.waiting()).isZero();
    held.success();
  }

  @Test
  void aThreadThatIsInterruptedAlreadyTakesNoPermit() throws Exception {
    limiter.resize(2);
    Thread.currentThread().interrupt();
    assertThatThrownBy(limiter::acquire).isInstanceOf(InterruptedException.class);
    assertThat(Thread.interrupted()).as("the flag is cleared").isFalse();
    Thread.currentThread().interrupt();
    assertThatThrownBy(() -> limiter.acquire(Duration.ofSeconds(1)))
        .isInstanceOf(InterruptedException.class);
    assertThat(Thread.interrupted()).as("the flag is cleared").isFalse();
    assertThat(limiter.inUse()).isZero();
    Thread.currentThread().interrupt();
    assertThat(limiter.tryAcquire().map(AdaptiveLimiterTest::ended))
        .as("does not wait")
        .isPresent();
    assertThat(Thread.interrupted()).as("the flag stays").isTrue();
  }

  private static boolean ended(Permit permit) {
    permit.success();
    return true;
  }

  /** Grants and timeouts that meet: the permit goes to the waiter or to the next one. */
  @Test
  void aPermitThatComesWhenPatienceEndsIsNotLost() throws Exception {
    for (int i = 0; i < 2_000; i++) {
      Permit held = limiter.acquire();
      int spins = i % 50;
      Thread giver =
          started(
              () -> {
                for (int s = 0; s < 100 * spins; s++) {
                  Thread.onSpinWait();
                }
                held.success();
              });
      limiter.acquire(Duration.ofNanos(60_000)).ifPresent(Permit::success);
      giver.join();
      assertThat(limiter.inUse()).isZero();
      assertThat(limiter.waiting()).isZero();
    }
  }

  @Test
  void anExecutorThatRunsATaskAndThrowsGivesThePermitOnce() throws Exception {
    Permit held = limiter.acquire();
    CompletableFuture<Permit> served =
        limiter.acquireAsync(
            task -> {
              task.run();
              task.run();
              throw new RejectedExecutionException("after all");
            });
    held.success();
    assertThat(limiter.inUse()).isEqualTo(1);
    served.join().success();
    assertThat(limiter.inUse()).isZero();
  }

  @Test
  void aWaitEndsWhenPatienceDoes() throws Exception {
    Permit held = limiter.acquire();
    assertThat(limiter.acquire(Duration.ofMillis(1))).isEmpty();
    assertThat(limiter.acquire(Duration.ZERO)).isEmpty();
    assertThat(limiter.acquire(Duration.ofMillis(-1))).isEmpty();
    assertThat(limiter.waiting()).isZero();
    held.success();
  }

  @Test
  void patienceMayBeLongerThanNanosecondsCanSay() throws Exception {
    Permit held = limiter.acquire();
    Thread waiter =
        started(() -> limiter.acquire(Duration.ofSeconds(Long.MAX_VALUE)).orElseThrow().success());
    await(() -> limiter.waiting() == 1);
    held.success();
    join(List.of(waiter));
  }

  @Test
  void aCancelledFutureLeavesTheQueue() throws Exception {
    Permit held = limiter.acquire();
    CompletableFuture<Permit> gone = limiter.acquireAsync(SAME_THREAD);
    CompletableFuture<Permit> next = limiter.acquireAsync(SAME_THREAD);
    gone.cancel(false);
    assertThat(limiter.waiting()).isEqualTo(1);
    held.success();
    next.join().success();
  }

  @Test
  void aFutureThatTimesOutLeavesTheQueue() throws Exception {
    Permit held = limiter.acquire();
    CompletableFuture<Permit> impatient =
        limiter.acquireAsync(SAME_THREAD).orTimeout(1, TimeUnit.MILLISECONDS);
    await(impatient::isDone);
    await(() -> limiter.waiting() == 0);
    held.success();
  }

  @Test
  void anExecutorThatRefusesCostsNoPermit() throws Exception {
    Permit held = limiter.acquire();
    CompletableFuture<Permit> refused =
        limiter.acquireAsync(
            task -> {
              throw new RejectedExecutionException("full");
            });
    CompletableFuture<Permit> next = limiter.acquireAsync(SAME_THREAD);
    held.success();
    assertThatThrownBy(refused::join)
        .isInstanceOf(CompletionException.class)
        .hasRootCauseInstanceOf(RejectedExecutionException.class);
    next.join().success();
  }

  @Test
  void anExecutorThatThrowsAnErrorCostsNoPermit() throws Exception {
    Permit held = limiter.acquire();
    CompletableFuture<Permit> refused =
        limiter.acquireAsync(
            task -> {
              throw new InternalError("no thread for it (on purpose)");
            });
    CompletableFuture<Permit> next = limiter.acquireAsync(SAME_THREAD);
    held.success();
    assertThat(refused).isCompletedExceptionally();
    next.join().success();
  }

  /** Admitted, its task lost by an executor that was shut down: cancelling it frees the permit. */
  @Test
  void anExecutorThatForgetsATaskCostsNoPermitOnceTheFutureIsGivenUp() throws Exception {
    Permit held = limiter.acquire();
    CompletableFuture<Permit> forgotten = limiter.acquireAsync(task -> {});
    held.success();
    assertThat(limiter.inUse()).as("held for whom the executor forgot").isEqualTo(1);
    forgotten.cancel(false);
  }

  /** Given up, then run by its executor after all: the permit comes back once, not twice. */
  @Test
  void aTaskThatRunsAfterItsFutureWasGivenUpDoesNotReturnThePermitAgain() throws Exception {
    Queue<Runnable> later = new ArrayDeque<>();
    Permit held = limiter.acquire();
    CompletableFuture<Permit> late = limiter.acquireAsync(later::add);
    held.success();
    late.cancel(false);
    Permit next = limiter.acquire();
    later.remove().run();
    assertThat(limiter.inUse()).isEqualTo(1);
    next.success();
  }

  /** Its turn on the thread that granted the permit is still to come. */
  @Test
  void aFutureThatIsGivenUpAfterItsGrantCostsNoOtherWaiterItsPlace() throws Exception {
    Permit held = limiter.acquire();
    CompletableFuture<Permit> first = limiter.acquireAsync(SAME_THREAD);
    CompletableFuture<Permit> second = limiter.acquireAsync(SAME_THREAD);
    CompletableFuture<Permit> third = limiter.acquireAsync(SAME_THREAD);
    CompletableFuture<Permit> fourth = limiter.acquireAsync(SAME_THREAD);
    CompletableFuture<Void> done =
        first.thenAccept(
            permit -> {
              permit.success();
              second.cancel(false);
              assertThat(limiter.waiting()).isEqualTo(1);
            });
    held.success();
    done.join();
    third.join().success();
    fourth.join().success();
  }

  @Test
  void aChainOfManyWaitersNeedsNoMoreStackThanOne() throws Exception {
    Permit first = limiter.acquire();
    AtomicInteger served = new AtomicInteger();
    for (int i = 0; i < MANY; i++) {
      var unused =
          limiter
              .acquireAsync(SAME_THREAD)
              .thenAccept(
                  permit -> {
                    served.incrementAndGet();
                    permit.success();
                  });
    }
    first.success();
    assertThat(served).hasValue(MANY);
  }

  @Test
  void manyRefusalsInARowNeedNoMoreStackThanOne() throws Exception {
    Permit first = limiter.acquire();
    AtomicInteger refused = new AtomicInteger();
    for (int i = 0; i < MANY; i++) {
      var unused =
          limiter
              .acquireAsync(
                  task -> {
                    throw new RejectedExecutionException("full");
                  })
              .exceptionally(
                  e -> {
                    refused.incrementAndGet();
                    return null;
                  });
    }
    first.success();
    assertThat(refused).hasValue(MANY);
  }

  /**
   * Code that depends on one permit may wait for the holder of another, if that has its own thread.
   */
  @Test
  void aThreadThatWaitsIsNotHeldUpByWhatDependsOnAPermit() throws Exception {
    Permit first = limiter.acquire();
    CountDownLatch threadWasServed = new CountDownLatch(1);
    CompletableFuture<Void> dependent =
        limiter
            .acquireAsync(SAME_THREAD)
            .thenAccept(
                permit -> {
                  permit.success(); // Lets the thread in.
                  latch(threadWasServed);
                });
    Thread waiter =
        started(
            () -> {
              limiter.acquire().success();
              threadWasServed.countDown();
            });
    await(() -> limiter.waiting() == 2);
    first.success();
    dependent.join();
    join(List.of(waiter));
  }

  @Test
  void aSizeOutOfBoundsIsRefused() {
    assertThatThrownBy(() -> limiter.resize(1001))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("size must be within 1..1000, but is 1001");
  }

  private static void fail(Error error) {
    throw error;
  }

  private interface Body {
    void run() throws Exception;
  }

  private static Thread started(Body body) {
    Thread thread =
        new Thread(
            () -> {
              try {
                body.run();
              } catch (Exception e) {
                throw new AssertionError(e);
              }
            });
    thread.start();
    return thread;
  }

  private static void join(List<Thread> threads) throws InterruptedException {
    for (Thread thread : threads) {
      thread.join(300_000);
      assertThat(thread.isAlive()).as("%s is still waiting", thread).isFalse();
    }
  }

  private static void latch(CountDownLatch latch) {
    try {
      assertThat(latch.await(300, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static void await(BooleanSupplier condition) {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(300);
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime()).as("waited in vain").isLessThan(deadline);
      LockSupport.parkNanos(100_000);
    }
  }

  /** Of two who resize at a time one is the last, and size and limit are as it wanted. */
  @Test
  void resizesAtATimeLeaveTheLimitAtTheSize() throws Exception {
    CyclicBarrier both = new CyclicBarrier(2);
    ExecutorService other = Executors.newFixedThreadPool(1);
    for (int round = 0; round < 5_000; round++) {
      Future<?> resized = other.submit(() -> resizeAfter(both, 4));
      both.await(300, TimeUnit.SECONDS);
      limiter.resize(2);
      resized.get(300, TimeUnit.SECONDS);
      List<Permit> all = new ArrayList<>();
      for (int i = 0; i < 6; i++) {
        limiter.tryAcquire().ifPresent(all::add);
      }
      assertThat(all).hasSize(limiter.size());
      all.forEach(Permit::ignore);
    }
    other.shutdown();
  }

  private Object resizeAfter(CyclicBarrier barrier, int size) throws Exception {
    barrier.await(300, TimeUnit.SECONDS);
    limiter.resize(size);
    return "resized";
  }
}
