package io.poolkeeper.testbed.servers.handover;

import static io.poolkeeper.testbed.servers.architectures.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.poolkeeper.Bounds;
import io.poolkeeper.Objective;
import io.poolkeeper.Window;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Work is done once, whoever joins and leaves; a ring and actors alike. */
@Timeout(300)
@SuppressWarnings("NullAway.Init") // Each test starts the pool that it needs.
final class HandlerPoolTest {

  enum Kind {
    RING,
    ACTORS;

    HandlerPool pool(int size) {
      Bounds bounds = new Bounds(1, 64);
      return this == RING
          ? new RingExecutor("test", bounds, size, Objective.throughput())
          : new ActorExecutor("test", bounds, size, Objective.throughput());
    }
  }

  private HandlerPool pool;

  @AfterEach
  void stop() throws InterruptedException {
    pool.shutdownNow();
    assertThat(pool.awaitTermination(300, TimeUnit.SECONDS)).isTrue();
  }

  @ParameterizedTest
  @EnumSource
  void asManyWorkAtOnceAsThereAreHandlers(Kind kind) throws InterruptedException {
    pool = kind.pool(3);
    for (int size : new int[] {3, 10, 2}) {
      pool.resize(size);
      CountDownLatch all = new CountDownLatch(size);
      CountDownLatch release = new CountDownLatch(1);
      Set<Thread> threads = ConcurrentHashMap.newKeySet();
      for (int i = 0; i < size; i++) {
        pool.execute(
            () -> {
              threads.add(Thread.currentThread());
              all.countDown();
              hold(release);
            });
      }
      assertThat(all.await(300, TimeUnit.SECONDS)).as("%d at once", size).isTrue();
      release.countDown();
      assertThat(threads).hasSize(size);
    }
  }

  @ParameterizedTest
  @EnumSource
  void whoWasToldToLeaveTakesNoMore(Kind kind) throws InterruptedException {
    for (int round = 0; round < 20; round++) {
      pool = kind.pool(8);
      pool.resize(1);
      AtomicInteger now = new AtomicInteger();
      AtomicInteger most = new AtomicInteger();
      CountDownLatch done = new CountDownLatch(20);
      for (int i = 0; i < 20; i++) {
        pool.execute(
            () -> {
              most.accumulateAndGet(now.incrementAndGet(), Math::max);
              LockSupport.parkNanos(10_000); // Long enough for another one to come.
              now.decrementAndGet();
              done.countDown();
            });
      }
      assertThat(done.await(300, TimeUnit.SECONDS)).isTrue();
      assertThat(most).hasValue(1);
      stop();
    }
  }

  /** Waits that long at least, whoever wakes the thread meanwhile. */
  private static void sleep(long nanos) {
    long begin = System.nanoTime();
    for (long left = nanos; left > 0; left = nanos - (System.nanoTime() - begin)) {
      LockSupport.parkNanos(left);
    }
  }

  private static void hold(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @ParameterizedTest
  @EnumSource
  void everythingIsDoneOnceWhileHandlersJoinAndLeave(Kind kind) throws Exception {
    pool = kind.pool(1);
    int tasks = 100_000;
    AtomicIntegerArray done = new AtomicIntegerArray(tasks);
    Thread resizing =
        new Thread(
            () -> {
              Random random = new Random(1);
              while (!Thread.currentThread().isInterrupted()) {
                pool.resize(1 + random.nextInt(16));
                LockSupport.parkNanos(200_000);
              }
            });
    resizing.start();
    Thread[] senders = new Thread[2];
    for (int s = 0; s < senders.length; s++) {
      int first = s;
      senders[s] =
          new Thread(
              () -> {
                for (int i = first; i < tasks; i += senders.length) {
                  int task = i;
                  while (!offered(() -> done.incrementAndGet(task))) {
                    Thread.onSpinWait();
                  }
                }
              });
      senders[s].start();
    }
    for (Thread sender : senders) {
      sender.join();
    }
    pool.shutdown();
    assertThat(pool.awaitTermination(300, TimeUnit.SECONDS)).isTrue();
    resizing.interrupt();
    resizing.join();
    for (int i = 0; i < tasks; i++) {
      assertThat(done.get(i)).as("task %d", i).isEqualTo(1);
    }
  }

  private boolean offered(Runnable task) {
    try {
      pool.execute(task);
      return true;
    } catch (RejectedExecutionException e) {
      return false;
    }
  }

  @Test
  void aHandlerThatIsHeldUpHoldsUpNobodyElse() throws InterruptedException {
    pool = Kind.RING.pool(2);
    CountDownLatch release = new CountDownLatch(1);
    pool.execute(() -> hold(release));
    int rings = 3 * 16_384;
    CountDownLatch done = new CountDownLatch(rings);
    for (int i = 0; i < rings; i++) {
      await("there is room", () -> pool.queued() < 1_000);
      pool.execute(done::countDown);
    }
    assertThat(done.await(300, TimeUnit.SECONDS)).isTrue();
    release.countDown();
  }

  @Test
  void executorsShareASystemOfActorsThatEndsWithTheLast() throws InterruptedException {
    Bounds bounds = new Bounds(1, 4);
    ActorExecutor first = new ActorExecutor("whole", bounds, 2, Objective.throughput());
    ActorExecutor second = new ActorExecutor("part", bounds, 2, Objective.throughput(), first);
    pool = second;
    CountDownLatch release = new CountDownLatch(1);
    first.execute(() -> hold(release));
    first.shutdown();
    release.countDown();
    assertThat(first.awaitTermination(300, TimeUnit.SECONDS)).isTrue();
    await("the first one's actors have left", () -> threads("whole-handlers") == 2);
    CountDownLatch works = new CountDownLatch(2);
    second.execute(works::countDown);
    second.execute(works::countDown);
    assertThat(works.await(300, TimeUnit.SECONDS)).isTrue();
    second.shutdown();
    await("the system has ended", () -> threads("whole") == 0);
    assertThatThrownBy(() -> new ActorExecutor("late", bounds, 1, Objective.throughput(), second))
        .isInstanceOf(IllegalStateException.class);
  }

  private static long threads(String prefix) {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().startsWith(prefix))
        .count();
  }

  @ParameterizedTest
  @EnumSource
  void whatTasksThrowCostsNoHandler(Kind kind) throws InterruptedException {
    pool = kind.pool(2);
    for (int i = 0; i < 20; i++) {
      pool.execute(
          () -> {
            throw new StackOverflowError("deep");
          });
    }
    CountDownLatch works = new CountDownLatch(2);
    pool.execute(works::countDown);
    pool.execute(works::countDown);
    assertThat(works.await(300, TimeUnit.SECONDS)).isTrue();
    pool.shutdown();
    assertThat(pool.awaitTermination(300, TimeUnit.SECONDS)).isTrue();
    assertThat(pool.closeWindow(System.nanoTime()).failures()).isEqualTo(20);
  }

  @ParameterizedTest
  @EnumSource
  void aWindowTellsWhatWentThrough(Kind kind) throws InterruptedException {
    pool = kind.pool(4);
    for (int i = 0; i < 100; i++) {
      pool.execute(() -> sleep(100_000));
    }
    pool.shutdown();
    assertThat(pool.awaitTermination(300, TimeUnit.SECONDS)).isTrue();
    assertThatThrownBy(() -> pool.execute(() -> {})).isInstanceOf(RejectedExecutionException.class);
    Window window = pool.closeWindow(System.nanoTime());
    assertThat(window.completions()).isEqualTo(100);
    assertThat(window.arrivals()).isEqualTo(100);
    assertThat(window.size()).isEqualTo(4);
    assertThat(window.busy()).isBetween(0.0, 4.0);
    assertThat(window.serviceTime().mean()).isGreaterThan(90_000);
    assertThat(window.queueMax()).isBetween(1, 100);
    assertThat(pool.closeWindow(System.nanoTime()).idle()).isTrue();
  }

  @ParameterizedTest
  @EnumSource
  void aSuddenEndTellsWhatWasNotBegun(Kind kind) throws InterruptedException {
    pool = kind.pool(1);
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch never = new CountDownLatch(1);
    AtomicInteger done = new AtomicInteger();
    pool.execute(
        () -> {
          begun.countDown();
          hold(never);
        });
    assertThat(begun.await(300, TimeUnit.SECONDS)).isTrue();
    for (int i = 0; i < 10; i++) {
      pool.execute(done::incrementAndGet);
    }
    assertThat(pool.shutdownNow(TimeUnit.SECONDS.toNanos(300))).hasSize(10);
    assertThat(done).hasValue(0);
  }

  @ParameterizedTest
  @EnumSource
  void aSizeOutOfBoundsIsNamed(Kind kind) {
    pool = kind.pool(1);
    assertThatThrownBy(() -> pool.resize(65))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("size");
    assertThat(pool.size()).isEqualTo(1);
  }

  @Test
  void whatIsNotCarriedIsNotAwaited() throws InterruptedException {
    pool =
        new HandlerPool("test", new Bounds(1, 1), 1, Objective.throughput()) {
          @Override
          boolean carry(Work work) {
            throw new IllegalStateException("the carrier is broken");
          }

          @Override
          void handlers(int count) {}

          @Override
          void end() {}
        };
    assertThatThrownBy(() -> pool.execute(() -> {})).hasMessage("the carrier is broken");
    assertThat(pool.queued()).isZero();
    pool.shutdown();
    assertThat(pool.awaitTermination(300, TimeUnit.SECONDS)).isTrue();
    Window window = pool.closeWindow(System.nanoTime());
    assertThat(window.rejections()).isEqualTo(1);
    assertThat(window.arrivals()).isEqualTo(1);
  }
}
