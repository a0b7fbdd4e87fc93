package io.poolkeeper.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.poolkeeper.contract.PoolUnderTest.Kind;
import io.poolkeeper.contract.PoolUnderTest.Settings;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Stress of the whole life of a pool: producers, a resizer and a remover work on it while another
 * thread ends it. Each task has one fate: it runs, is rejected, removed, or returned by
 * shutdownNow. The end comes after a number of submissions that differs from round to round, so
 * that it meets every stage of the work however fast the machine is.
 */
final class TaskFateStressTest extends PoolTest {

  private static final int ROUNDS = 120;
  private static final int PRODUCERS = 2;
  private static final int TASKS_EACH = 100;

  /** Task that counts its fates. */
  private static final class Task implements Runnable {

    private final Life life;
    private final AtomicInteger runs = new AtomicInteger();
    private final AtomicInteger withdrawals = new AtomicInteger();
    private volatile boolean rejected;

    Task(Life life) {
      this.life = life;
    }

    @Override
    public void run() {
      if (life.terminated) {
        life.late.incrementAndGet();
      }
      runs.incrementAndGet();
      if (ThreadLocalRandom.current().nextInt(8) == 0) {
        LockSupport.parkNanos(1_000);
      }
      if (Thread.currentThread().isInterrupted()) {
        life.interrupted.incrementAndGet();
      }
    }
  }

  /** Life of one pool, from its first task to its end. */
  private static final class Life {

    private final PoolUnderTest pool;
    private final boolean abrupt;
    private final int submissionsBeforeEnd;
    private final AtomicInteger submissions = new AtomicInteger();
    private final AtomicInteger late = new AtomicInteger();
    private final AtomicInteger interrupted = new AtomicInteger();
    private final Task[] tasks = new Task[PRODUCERS * TASKS_EACH];

    /** Objects that the pool got: a task, or the future that submit made of it. */
    private final AtomicReferenceArray<@Nullable Runnable> accepted =
        new AtomicReferenceArray<>(tasks.length);

    private List<Runnable> returned = List.of();
    private volatile boolean terminated;

    Life(PoolUnderTest pool, SplittableRandom random) {
      this.pool = pool;
      abrupt = random.nextBoolean();
      submissionsBeforeEnd = random.nextInt(tasks.length);
      for (int i = 0; i < tasks.length; i++) {
        tasks[i] = new Task(this);
      }
    }

    @Nullable Void produce(int first) {
      for (int i = first; i < first + TASKS_EACH; i++) {
        try {
          if (i % 2 == 0) {
            pool.executor().execute(tasks[i]);
            accepted.set(i, tasks[i]);
          } else {
            accepted.set(i, (Runnable) pool.executor().submit(tasks[i]));
          }
        } catch (RejectedExecutionException e) {
          tasks[i].rejected = true;
        }
        submissions.incrementAndGet();
      }
      return null;
    }

    @Nullable Void resize() {
      while (!terminated) {
        pool.resize(1 + ThreadLocalRandom.current().nextInt(8));
        LockSupport.parkNanos(1_000);
      }
      return null;
    }

    @Nullable Void remove() {
      while (!terminated) {
        // The latest are those that wait.
        int recent = submissions.get() - ThreadLocalRandom.current().nextInt(20);
        int index = Math.floorMod(recent / 2 + (recent % 2) * TASKS_EACH, tasks.length);
        Runnable task = accepted.get(index);
        if (task != null && pool.remove(task)) {
          tasks[index].withdrawals.incrementAndGet();
        }
        Thread.onSpinWait();
      }
      return null;
    }

    @Nullable Void end() throws InterruptedException {
      while (submissions.get() < submissionsBeforeEnd) {
        Thread.onSpinWait();
      }
      if (abrupt) {
        returned = pool.executor().shutdownNow();
      } else {
        pool.executor().shutdown();
      }
      awaitEnd(pool.executor());
      terminated = true;
      return null;
    }

    void check() {
      IdentityHashMap<Runnable, Task> byAccepted = new IdentityHashMap<>();
      for (int i = 0; i < tasks.length; i++) {
        Runnable task = accepted.get(i);
        if (task != null) {
          byAccepted.put(task, tasks[i]);
        }
      }
      for (Runnable task : returned) {
        Objects.requireNonNull(byAccepted.get(task), "a returned task that was not accepted")
            .withdrawals
            .incrementAndGet();
      }
      for (Task task : tasks) {
        assertThat(task.runs.get() + task.withdrawals.get())
            .as("runs %s, withdrawals %s of a task", task.runs, task.withdrawals)
            .isEqualTo(task.rejected ? 0 : 1);
      }
      assertThat(late).as("tasks that ran after the end").hasValue(0);
      if (!abrupt) {
        assertThat(interrupted).as("tasks that were interrupted").hasValue(0);
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void everyTaskHasOneFate(Kind kind) throws Exception {
    SplittableRandom random = new SplittableRandom(166);
    List<Life> lives = new ArrayList<>();
    ExecutorService threads = Executors.newFixedThreadPool(PRODUCERS + 3);
    try {
      for (int round = 0; round < ROUNDS; round++) {
        Settings settings = Settings.ofSize(1 + random.nextInt(4));
        PoolUnderTest pool =
            build(kind, random.nextBoolean() ? settings : settings.queueCapacity(16));
        Life life = new Life(pool, random);
        List<Callable<@Nullable Void>> parts =
            List.of(
                () -> life.produce(0),
                () -> life.produce(TASKS_EACH),
                life::resize,
                life::remove,
                life::end);
        for (Future<@Nullable Void> part : threads.invokeAll(parts)) {
          part.get();
        }
        lives.add(life);
      }
    } finally {
      threads.shutdownNow();
    }
    lives.forEach(Life::check);
    assertThat(lives).as("lives with removals").anyMatch(life -> removals(life) > 0);
  }

  private static int removals(Life life) {
    int withdrawals = 0;
    for (Task task : life.tasks) {
      withdrawals += task.withdrawals.get();
    }
    return withdrawals - life.returned.size();
  }
}
