package io.poolkeeper;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The count of waiting tasks that workers submitted, whatever becomes of tasks. */
@Timeout(300)
final class QueuedByWorkersTest {

  private static final int WORKERS = 4;
  private static final int PARENTS = 2_000;

  private final VirtualLoop time = new VirtualLoop();

  private AdaptiveExecutor pool(boolean queueOfTheUser, int capacity) {
    return (queueOfTheUser
            ? builder().queue(new LinkedBlockingQueue<>(capacity))
            : builder().queueCapacity(capacity))
        .build();
  }

  private AdaptiveExecutor.Builder builder() {
    return AdaptiveExecutor.builder("submitters")
        .bounds(1, 8)
        .initialSize(WORKERS)
        .mode(Mode.FROZEN)
        .jmx(false)
        .rejectionPolicy(new ThreadPoolExecutor.DiscardOldestPolicy())
        .ticker(time)
        .timer(time)
        .listener(time);
  }

  /** A window in which nothing ended: a worker records an end a moment after it is free. */
  private Window emptyWindow() {
    Window window;
    do {
      time.close();
      time.pass(500);
      window = time.close();
    } while (window.completions() + window.failures() > 0);
    return window;
  }

  /**
   * Parents submit, remove, cancel and purge tasks, older ones are discarded, and the size changes.
   * Then workers that block submit a known number of tasks.
   */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void theCountNeverDrifts(boolean queueOfTheUser) throws Exception {
    AdaptiveExecutor pool = pool(queueOfTheUser, 50);
    for (int i = 0; i < PARENTS; i++) {
      pool.execute(() -> makeTasks(pool));
      if (i % 100 == 0) {
        pool.resize(1 + i / 100 % 8);
        time.close();
      }
    }
    Await.until("nothing waits", () -> pool.queued() == 0 && pool.getActiveCount() == 0);
    // A worker may have taken a task and not begun it. The last one runs two more behind all tasks
    // and those that they submit.
    pool.resize(1);
    Await.until("one worker is left", () -> pool.getPoolSize() == 1);
    for (int i = 0; i < 2; i++) {
      pool.submit(() -> {}).get(300, TimeUnit.SECONDS);
    }
    assertThat(emptyWindow().queuedByWorkers()).isZero();

    pool.resize(WORKERS);
    CountDownLatch release = new CountDownLatch(1);
    CountDownLatch submitted = new CountDownLatch(WORKERS);
    CountDownLatch all = new CountDownLatch(WORKERS);
    for (int i = 0; i < WORKERS; i++) {
      pool.execute(
          () -> {
            all.countDown();
            Await.latch(all);
            pool.execute(() -> {});
            Runnable removed = () -> {};
            pool.execute(removed);
            pool.remove(removed);
            pool.submit(() -> {}).cancel(false);
            submitted.countDown();
            Await.latch(release);
          });
    }
    Await.latch(submitted);
    for (int i = 0; i < 10; i++) {
      pool.execute(() -> {});
    }
    assertThat(emptyWindow().queuedByWorkers()).as("two of each").isEqualTo(2 * WORKERS);
    pool.purge();
    assertThat(emptyWindow().queuedByWorkers()).isEqualTo(WORKERS);
    assertThat(pool.queued()).isEqualTo(WORKERS + 10);
    assertThat(pool.shutdownNow()).hasSize(WORKERS + 10);
    release.countDown();
    // The pool closes the last window itself, on a thread of its own.
    Await.until(
        "no task of a worker waits",
        () -> pool.control().lastWindow().orElseThrow().queuedByWorkers() <= 0);
  }

  private static void makeTasks(AdaptiveExecutor pool) {
    ThreadLocalRandom random = ThreadLocalRandom.current();
    Runnable child = () -> {};
    switch (random.nextInt(5)) {
      case 0 -> pool.execute(child);
      case 1 -> {
        pool.execute(child);
        pool.remove(child);
      }
      case 2 -> {
        Future<?> future = pool.submit(child);
        future.cancel(false);
        pool.purge();
      }
      case 3 -> {
        Future<?> unused = pool.supplyAsync(() -> 1);
      }
      default -> {} // A task that submits none.
    }
  }

  /** A worker of another pool is no worker of this one, and a task that runs does not wait. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void tasksOfOthersDoNotCount(boolean queueOfTheUser) {
    AdaptiveExecutor other = pool(false, 50);
    AdaptiveExecutor pool = pool(queueOfTheUser, 50); // The one whose windows close.
    CountDownLatch release = new CountDownLatch(1);
    for (int i = 0; i < WORKERS; i++) {
      pool.execute(() -> Await.latch(release));
    }
    CountDownLatch submitted = new CountDownLatch(3);
    for (int i = 0; i < 3; i++) {
      other.execute(
          () -> {
            pool.execute(() -> {});
            submitted.countDown();
          });
    }
    Await.latch(submitted);
    assertThat(pool.queued()).isEqualTo(3);
    assertThat(emptyWindow().queuedByWorkers()).isZero();
    release.countDown();
    pool.close();
    other.close();
  }

  /** Queue out of which another thread takes an element first, and then adds its like. */
  private static final class OvertakenQueue extends LinkedBlockingQueue<Runnable> {
    private static final long serialVersionUID = 1;

    private transient @Nullable Runnable addLike;

    @Override
    public boolean remove(Object element) {
      boolean removed = super.remove(element);
      Runnable next = addLike;
      if (next == null) {
        return removed;
      }
      addLike = null;
      next.run();
      return false;
    }
  }

  @Test
  void aTaskIsRemovedThatCameAfterItsLikeWasTaken() {
    OvertakenQueue queue = new OvertakenQueue();
    AdaptiveExecutor pool = builder().queue(queue).build();
    CountDownLatch release = new CountDownLatch(1);
    for (int i = 0; i < WORKERS; i++) {
      pool.execute(() -> Await.latch(release));
    }
    Runnable like = () -> {};
    pool.execute(like);
    queue.addLike = () -> pool.execute(like);
    assertThat(pool.remove(like)).isTrue();
    assertThat(queue).isEmpty();
    release.countDown();
    pool.close();
  }

  /** Threads that add and remove the same object: each finds one, whoever added it. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aTaskIsRemovedWhileOthersRemoveItsLike(boolean queueOfTheUser) throws InterruptedException {
    AdaptiveExecutor pool = pool(queueOfTheUser, 1000);
    CountDownLatch busy = new CountDownLatch(WORKERS);
    CountDownLatch release = new CountDownLatch(1);
    for (int i = 0; i < WORKERS; i++) {
      pool.execute(
          () -> {
            busy.countDown();
            Await.latch(release);
          });
    }
    Await.latch(busy);
    Runnable like = () -> {};
    AtomicInteger missed = new AtomicInteger();
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      Thread thread =
          new Thread(
              () -> {
                for (int j = 0; j < 20_000; j++) {
                  pool.execute(like);
                  missed.addAndGet(pool.remove(like) ? 0 : 1);
                }
              });
      threads.add(thread);
      thread.start();
    }
    for (Thread thread : threads) {
      thread.join();
    }
    assertThat(missed).hasValue(0);
    assertThat(pool.queued()).isZero();
    release.countDown();
    pool.close();
  }
}
