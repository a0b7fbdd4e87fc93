package io.poolkeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The moments at which a task could be forgotten: workers fall asleep, leave, or are shut down. */
@Timeout(300)
final class ExecutorHandoverTest {

  private enum Queue {
    /** The pool's own. */
    OWN,
    /** One of the JDK. */
    FOREIGN;

    AdaptiveExecutor.Builder pool(int size) {
      AdaptiveExecutor.Builder builder =
          AdaptiveExecutor.builder("handover")
              .bounds(1, 8)
              .initialSize(size)
              .mode(Mode.FROZEN)
              .window(Duration.ofDays(1)) // So that nothing but the hand-over starts workers.
              .jmx(false);
      return this == OWN ? builder : builder.queue(new LinkedBlockingQueue<>());
    }
  }

  private static void pause(SplittableRandom random) {
    int length = random.nextInt(4);
    if (length == 3) {
      LockSupport.parkNanos(1_000);
    } else {
      for (int spins = random.nextInt(1 << (4 * length + 1)); spins > 0; spins--) {
        Thread.onSpinWait();
      }
    }
  }

  private static void awaitAll(List<Future<?>> all) throws Exception {
    for (Future<?> each : all) {
      each.get(300, TimeUnit.SECONDS);
    }
  }

  /** Each waits for its task before it gives the next, just as workers fall asleep. */
  @ParameterizedTest
  @EnumSource
  void everyTaskFindsAWorker(Queue queue) throws Exception {
    AdaptiveExecutor pool = queue.pool(2).build();
    ExecutorService callers = Executors.newFixedThreadPool(3);
    List<Future<?>> calls = new ArrayList<>();
    for (int c = 0; c < 3; c++) {
      SplittableRandom random = new SplittableRandom(c);
      calls.add(
          callers.submit(
              () -> {
                for (int i = 0; i < 3_000; i++) {
                  CountDownLatch ran = new CountDownLatch(1);
                  pool.execute(ran::countDown);
                  assertThat(ran.await(300, TimeUnit.SECONDS)).as("task %d", i).isTrue();
                  pause(random);
                }
                return null;
              }));
    }
    awaitAll(calls);
    callers.shutdown();
    pool.close();
  }

  /**
   * Tasks that wait for each other need as many workers as there are, all of them asleep before.
   */
  @ParameterizedTest
  @EnumSource
  void aBurstWakesAsManyWorkersAsItNeeds(Queue queue) throws Exception {
    int workers = 4;
    AdaptiveExecutor pool = queue.pool(workers).build();
    pool.prestartAllCoreThreads();
    SplittableRandom random = new SplittableRandom(7);
    for (int i = 0; i < 1_000; i++) {
      CyclicBarrier all = new CyclicBarrier(workers + 1);
      for (int task = 0; task < workers; task++) {
        pool.execute(
            () -> {
              try {
                all.await(300, TimeUnit.SECONDS);
              } catch (Exception e) {
                throw new IllegalStateException(e);
              }
            });
      }
      all.await(300, TimeUnit.SECONDS);
      pause(random);
    }
    pool.close();
  }

  /** Workers leave after a moment, just as tasks come. */
  @ParameterizedTest
  @EnumSource
  void noTaskIsLeftBehindByAWorkerThatLeavesForIdleness(Queue queue) throws Exception {
    AdaptiveExecutor pool = queue.pool(2).keepAlive(Duration.ofNanos(20_000)).build();
    SplittableRandom random = new SplittableRandom(11);
    for (int i = 0; i < 2_000; i++) {
      CountDownLatch ran = new CountDownLatch(3);
      for (int task = 0; task < 3; task++) {
        pool.execute(ran::countDown);
      }
      assertThat(ran.await(300, TimeUnit.SECONDS)).as("round %d", i).isTrue();
      LockSupport.parkNanos(random.nextInt(60_000));
    }
    Await.until("all have left", () -> pool.getPoolSize() == 0);
    assertThat(pool.getLargestPoolSize()).isLessThanOrEqualTo(2);
    pool.close();
  }

  /** Two callers execute tasks until the pool refuses one; returns once both have begun. */
  private static List<Future<?>> executeUntilRefused(
      ExecutorService callers, AdaptiveExecutor pool, AtomicInteger ran, AtomicInteger accepted) {
    CountDownLatch begun = new CountDownLatch(2);
    List<Future<?>> calls = new ArrayList<>();
    for (int c = 0; c < 2; c++) {
      calls.add(
          callers.submit(
              () -> {
                try {
                  while (true) {
                    pool.execute(ran::incrementAndGet);
                    accepted.incrementAndGet();
                    begun.countDown();
                  }
                } catch (RejectedExecutionException e) {
                  begun.countDown();
                }
              }));
    }
    Await.latch(begun);
    return calls;
  }

  /** Accepted tasks run, however close to the shutdown they came. */
  @ParameterizedTest
  @EnumSource
  void shutdownRunsAllThatWasAccepted(Queue queue) throws Exception {
    ExecutorService callers = Executors.newFixedThreadPool(2);
    for (int i = 0; i < 300; i++) {
      AdaptiveExecutor pool = queue.pool(2).build();
      AtomicInteger ran = new AtomicInteger();
      AtomicInteger accepted = new AtomicInteger();
      List<Future<?>> calls = executeUntilRefused(callers, pool, ran, accepted);
      pool.shutdown();
      assertThat(pool.awaitTermination(300, TimeUnit.SECONDS)).isTrue();
      awaitAll(calls);
      assertThat(ran).hasValue(accepted.get());
      Await.until("the last window is there", () -> pool.control().lastWindow().isPresent());
      Window last = pool.control().lastWindow().orElseThrow();
      assertThat(last.completions()).isEqualTo(accepted.get());
    }
    callers.shutdown();
  }

  /** Accepted tasks have run or come back, and none twice. */
  @ParameterizedTest
  @EnumSource
  void shutdownNowReturnsWhatDoesNotRun(Queue queue) throws Exception {
    ExecutorService callers = Executors.newFixedThreadPool(2);
    for (int i = 0; i < 300; i++) {
      AdaptiveExecutor pool = queue.pool(2).build();
      AtomicInteger ran = new AtomicInteger();
      AtomicInteger accepted = new AtomicInteger();
      List<Future<?>> calls = executeUntilRefused(callers, pool, ran, accepted);
      List<Runnable> unrun = pool.shutdownNow();
      assertThat(pool.awaitTermination(300, TimeUnit.SECONDS)).isTrue();
      awaitAll(calls);
      assertThat(ran.get() + unrun.size()).isEqualTo(accepted.get());
    }
    callers.shutdown();
  }

  /** Each task runs or is removed, never both. */
  @ParameterizedTest
  @EnumSource
  void whatIsRemovedDoesNotRun(Queue queue) throws Exception {
    AdaptiveExecutor pool = queue.pool(2).build();
    ExecutorService callers = Executors.newFixedThreadPool(2);
    AtomicInteger ran = new AtomicInteger();
    AtomicInteger removed = new AtomicInteger();
    int each = 5_000;
    List<Future<?>> calls = new ArrayList<>();
    for (int c = 0; c < 2; c++) {
      SplittableRandom random = new SplittableRandom(c);
      calls.add(
          callers.submit(
              () -> {
                for (int i = 0; i < each; i++) {
                  Runnable task = () -> ran.incrementAndGet();
                  pool.execute(task);
                  if (random.nextInt(3) == 0 && pool.remove(task)) {
                    removed.incrementAndGet();
                  }
                  if (i % 50 == 0) {
                    pause(random);
                  }
                }
              }));
    }
    awaitAll(calls);
    callers.shutdown();
    pool.shutdown();
    assertThat(pool.awaitTermination(300, TimeUnit.SECONDS)).isTrue();
    assertThat(ran.get() + removed.get()).isEqualTo(2 * each);
    assertThat(pool.getCompletedTaskCount()).isEqualTo(ran.get());
  }

  /** A bounded queue never holds more than it may, and refuses nothing while it has room. */
  @Test
  void aBoundedQueueHoldsAsMuchAsItMay() throws Exception {
    int capacity = 3;
    AdaptiveExecutor pool = Queue.OWN.pool(1).queueCapacity(capacity).build();
    for (int i = 0; i < 500; i++) {
      CountDownLatch begun = new CountDownLatch(1);
      CountDownLatch hold = new CountDownLatch(1);
      pool.execute(
          () -> {
            begun.countDown();
            Await.latch(hold);
          });
      Await.latch(begun);
      List<Future<?>> waiting = new ArrayList<>();
      for (int task = 0; task < capacity; task++) {
        waiting.add(pool.submit(() -> {}));
      }
      AtomicInteger refused = new AtomicInteger();
      try {
        pool.execute(() -> {});
      } catch (RejectedExecutionException e) {
        refused.incrementAndGet();
      }
      assertThat(refused).hasValue(1);
      waiting.get(i % capacity).cancel(false);
      pool.purge();
      waiting.add(pool.submit(() -> {}));
      assertThat(pool.queued()).isEqualTo(capacity);
      hold.countDown();
      waiting.remove(i % capacity);
      awaitAll(waiting);
      Await.until("the worker is free", () -> pool.getActiveCount() == 0);
    }
    pool.close();
  }

  /** A shut-down pool ends though its workers wait inside a queue that gave the task to another. */
  @Test
  void workersInAForeignQueueHearOfTheEnd() throws Exception {
    for (int i = 0; i < 200; i++) {
      AdaptiveExecutor pool = Queue.OWN.pool(3).queue(new SynchronousQueue<>()).build();
      CountDownLatch ran = new CountDownLatch(3);
      for (int task = 0; task < 3; task++) {
        pool.execute(ran::countDown);
      }
      pool.shutdown();
      assertThat(pool.awaitTermination(300, TimeUnit.SECONDS)).isTrue();
      assertThat(ran.getCount()).isZero();
    }
  }

  /** While the caller finds no room for a worker and adds its task, the size grows. */
  @Test
  void aTaskThatIsAddedWhileTheSizeGrowsFindsAWorker() {
    Runnable[] beforeAdding = {() -> {}};
    AdaptiveExecutor pool =
        Queue.OWN
            .pool(1)
            .queue(
                new LinkedBlockingQueue<>() {
                  private static final long serialVersionUID = 1;

                  @Override
                  public boolean offer(Runnable task) {
                    beforeAdding[0].run();
                    return super.offer(task);
                  }
                })
            .build();
    CountDownLatch release = new CountDownLatch(1);
    pool.execute(() -> Await.latch(release));
    beforeAdding[0] = () -> pool.resize(2);
    CountDownLatch ran = new CountDownLatch(1);
    pool.execute(ran::countDown);
    Await.latch(ran); // The first worker is busy for longer than this waits.
    assertThat(pool.getPoolSize()).isEqualTo(2);
    release.countDown();
    pool.close();
  }

  /** The slot of a worker that was never started hid from others that there was none. */
  @ParameterizedTest
  @EnumSource
  void aTaskThatWaitsForAWorkerThatShutdownKeptFromStartingIsRun(Queue queue) throws Exception {
    CountDownLatch making = new CountDownLatch(1);
    CountDownLatch made = new CountDownLatch(1);
    AdaptiveExecutor pool =
        queue
            .pool(1)
            .threadFactory(
                body -> {
                  making.countDown();
                  Await.latch(made);
                  return new Thread(body);
                })
            .build();
    ExecutorService callers = Executors.newFixedThreadPool(1);
    AtomicInteger ran = new AtomicInteger();
    Future<?> refused =
        callers.submit(
            () ->
                assertThatThrownBy(() -> pool.execute(ran::incrementAndGet))
                    .isInstanceOf(RejectedExecutionException.class));
    Await.latch(making);
    pool.execute(ran::incrementAndGet);
    pool.shutdown();
    made.countDown();
    refused.get(300, TimeUnit.SECONDS);
    assertThat(pool.awaitTermination(300, TimeUnit.SECONDS)).isTrue();
    assertThat(ran).hasValue(1);
    callers.shutdown();
  }

  /** The worker has found the queue empty, and leaves; the task comes before it has left. */
  @Test
  void aTaskThatComesWhileTheLastWorkerLeavesFindsAnother() throws Exception {
    CountDownLatch ran = new CountDownLatch(2);
    Thread[] caller = new Thread[1];
    AdaptiveExecutor pool =
        Queue.OWN
            .pool(1)
            .keepAlive(Duration.ofMillis(1))
            .queue(
                new LinkedBlockingQueue<>() {
                  private static final long serialVersionUID = 1;

                  @Override
                  public boolean isEmpty() {
                    boolean empty = super.isEmpty();
                    if (caller[0].getState() == Thread.State.NEW) {
                      caller[0].start();
                      Await.until("it has added its task, or waits", () -> isOver(caller[0]));
                    }
                    return empty;
                  }
                })
            .build();
    caller[0] = new Thread(() -> pool.execute(ran::countDown));
    pool.execute(ran::countDown);
    Await.latch(ran);
    pool.shutdownNow();
    assertThat(pool.awaitTermination(300, TimeUnit.SECONDS)).isTrue();
  }

  private static boolean isOver(Thread thread) {
    return thread.getState() == Thread.State.BLOCKED || !thread.isAlive();
  }
}
