package io.poolkeeper.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.poolkeeper.Await;
import io.poolkeeper.contract.PoolUnderTest.Kind;
import io.poolkeeper.contract.PoolUnderTest.Settings;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.RejectedExecutionHandler;
import java.util.concurrent.ThreadPoolExecutor.AbortPolicy;
import java.util.concurrent.ThreadPoolExecutor.CallerRunsPolicy;
import java.util.concurrent.ThreadPoolExecutor.DiscardOldestPolicy;
import java.util.concurrent.ThreadPoolExecutor.DiscardPolicy;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Tests of the four policies of the JDK and of policies of users, with a full queue and after
 * shutdown.
 */
final class RejectionContractTest extends PoolTest {

  /** A pool of one worker, which is busy, and a queue of two, which is empty. */
  private PoolUnderTest busy(Kind kind, RejectedExecutionHandler policy) {
    PoolUnderTest pool = build(kind, Settings.ofSize(1).queueCapacity(2).policy(policy));
    occupy(pool.executor(), 1);
    return pool;
  }

  private void finish(ExecutorService pool) throws InterruptedException {
    release.countDown();
    pool.shutdown();
    awaitEnd(pool);
  }

  @ParameterizedTest
  @EnumSource
  void anAbortedTaskNeverRunsAndTheOthersDo(Kind kind) throws Exception {
    ExecutorService pool = busy(kind, new AbortPolicy()).executor();
    List<Integer> ran = new CopyOnWriteArrayList<>();
    pool.execute(() -> ran.add(1));
    pool.execute(() -> ran.add(2));
    assertThatThrownBy(() -> pool.execute(() -> ran.add(3)))
        .isInstanceOf(RejectedExecutionException.class);
    assertThatThrownBy(() -> pool.submit(() -> ran.add(4)))
        .isInstanceOf(RejectedExecutionException.class);
    finish(pool);
    assertThat(ran).containsExactly(1, 2);
  }

  @ParameterizedTest
  @EnumSource
  void theCallerRunsWhatFindsNoPlace(Kind kind) throws Exception {
    ExecutorService pool = busy(kind, new CallerRunsPolicy()).executor();
    List<Thread> ranIn = new CopyOnWriteArrayList<>();
    for (int i = 0; i < 5; i++) {
      pool.execute(() -> ranIn.add(Thread.currentThread()));
    }
    assertThat(ranIn).hasSize(3).containsOnly(Thread.currentThread());
    assertThat(pool.submit(() -> "value").get()).isEqualTo("value");
    finish(pool);
    assertThat(ranIn).hasSize(5);
  }

  @ParameterizedTest
  @EnumSource
  void aDiscardedTaskLeavesItsFutureOpen(Kind kind) throws Exception {
    ExecutorService pool = busy(kind, new DiscardPolicy()).executor();
    List<Future<?>> futures = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      futures.add(pool.submit(() -> {}));
    }
    finish(pool);
    assertThat(futures).extracting(Future::isDone).containsExactly(true, true, false);
  }

  @ParameterizedTest
  @EnumSource
  void theOldestIsDiscardedForTheNewest(Kind kind) throws Exception {
    ExecutorService pool = busy(kind, new DiscardOldestPolicy()).executor();
    List<Integer> ran = new CopyOnWriteArrayList<>();
    for (int i = 1; i <= 5; i++) {
      int number = i;
      pool.execute(() -> ran.add(number));
    }
    finish(pool);
    assertThat(ran).containsExactly(4, 5);
  }

  /** All but the abort policy drop the task; the caller does not run it either. */
  @ParameterizedTest
  @EnumSource
  void afterShutdownTheOtherPoliciesDrop(Kind kind) throws Exception {
    for (RejectedExecutionHandler policy :
        List.of(new CallerRunsPolicy(), new DiscardPolicy(), new DiscardOldestPolicy())) {
      PoolUnderTest pool = build(kind, Settings.ofSize(1).policy(policy));
      CountDownLatch hold = new CountDownLatch(1);
      pool.executor().execute(() -> Await.latch(hold));
      AtomicInteger waiting = new AtomicInteger();
      AtomicInteger dropped = new AtomicInteger();
      pool.executor().execute(waiting::incrementAndGet);
      pool.executor().shutdown();
      pool.executor().execute(dropped::incrementAndGet);
      Future<?> future = pool.executor().submit(dropped::incrementAndGet);
      assertThat(pool.queued()).as("the waiting task stays, %s", policy).isEqualTo(1);
      hold.countDown();
      awaitEnd(pool.executor());
      pool.executor().execute(dropped::incrementAndGet);
      assertThat(future.isDone()).isFalse();
      assertThat(waiting).hasValue(1);
      assertThat(dropped).hasValue(0);
    }
  }

  @ParameterizedTest
  @EnumSource
  void aPolicyIsAskedOnceWithTheUsersTask(Kind kind) throws Exception {
    List<Runnable> refused = new CopyOnWriteArrayList<>();
    List<Boolean> shutdown = new CopyOnWriteArrayList<>();
    ExecutorService pool =
        busy(
                kind,
                (task, executor) -> {
                  refused.add(task);
                  shutdown.add(executor.isShutdown());
                })
            .executor();
    Runnable task = () -> {};
    pool.execute(() -> {});
    pool.execute(() -> {});
    pool.execute(task);
    Future<?> future = pool.submit(task);
    pool.shutdown();
    pool.execute(task);
    assertThat(refused).containsExactly(task, (Runnable) future, task);
    assertThat(shutdown).containsExactly(false, false, true);
  }

  @ParameterizedTest
  @EnumSource
  void whatAPolicyThrowsReachesTheCaller(Kind kind) throws Exception {
    RuntimeException own = new IllegalStateException("the policy's own");
    ExecutorService pool =
        busy(
                kind,
                (task, executor) -> {
                  throw own;
                })
            .executor();
    pool.execute(() -> {});
    pool.execute(() -> {});
    assertThatThrownBy(() -> pool.execute(() -> {})).isSameAs(own);
    assertThatThrownBy(() -> pool.submit(() -> {})).isSameAs(own);
    finish(pool);
  }

  @ParameterizedTest
  @EnumSource
  void thePoolOfAPolicyKnowsTasksAsUsersDo(Kind kind) throws Exception {
    AtomicInteger ran = new AtomicInteger();
    Runnable first = ran::incrementAndGet;
    List<Object> seen = new CopyOnWriteArrayList<>();
    PoolUnderTest pool =
        busy(
            kind,
            (task, executor) -> {
              seen.add(executor.getQueue().contains(first));
              seen.add(executor.getQueue().contains(task));
              seen.add(executor.remove(first));
              seen.add(executor.remove(first));
              executor.execute(task);
            });
    pool.executor().execute(first);
    pool.executor().execute(ran::incrementAndGet);
    pool.executor().execute(ran::incrementAndGet);
    assertThat(seen).containsExactly(true, false, true, false);
    finish(pool.executor());
    assertThat(ran).as("all but the removed one").hasValue(2);
  }
}
