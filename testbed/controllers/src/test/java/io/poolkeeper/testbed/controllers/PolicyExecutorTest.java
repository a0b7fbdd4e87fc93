package io.poolkeeper.testbed.controllers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.entry;

import io.poolkeeper.AdaptiveExecutor;
import io.poolkeeper.ControlListener;
import io.poolkeeper.Mode;
import io.poolkeeper.testbed.controllers.reactive.Fbos;
import io.poolkeeper.testkit.VirtualClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A policy on real threads; time is virtual where it matters. */
@Timeout(300)
final class PolicyExecutorTest {

  private final VirtualClock clock = new VirtualClock();

  @Test
  void fbosGrowsToTheFrequencyAndShrinksWhenWorkersAreIdle() throws Exception {
    Watched policy = new Watched(new Fbos(Fbos.Settings.PUBLISHED));
    PolicyExecutor pool = start(settings().bounds(1, 8), policy);
    Semaphore begun = new Semaphore(0);
    List<Semaphore> ends = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      Semaphore end = new Semaphore(0);
      ends.add(end);
      pool.execute(
          () -> {
            begun.release();
            end.acquireUninterruptibly();
          });
    }
    begun.acquire(2);
    assertThat(pool.pool().size()).isEqualTo(2);
    clock.advance(Duration.ofSeconds(1));
    ends.subList(0, 2).forEach(Semaphore::release);
    policy.awaitEnded(2);
    assertThat(pool.pool().size()).as("the first two did not wait").isEqualTo(2);
    ends.subList(2, 4).forEach(Semaphore::release);
    policy.awaitEnded(4);
    awaitSize(pool, 6);
    assertThat(pool.reason())
        .isEqualTo("the 2 tasks of a phase waited 2000 ms; 6 arrived in the last interval");
    ends.subList(4, 6).forEach(Semaphore::release);
    policy.awaitEnded(6);
    clock.advance(Duration.ofSeconds(5));
    awaitSize(pool, 2);
    pool.close();
    assertThat(clock.timers()).as("timers").isZero();
  }

  @Test
  void thePoolIsResizedInTheActiveModeAlone() {
    try (PolicyExecutor pool = start(settings().mode(Mode.FROZEN), new Scripted(1, 3, 4))) {
      pool.execute(() -> {});
      assertThat(pool.pool().size()).as("frozen").isEqualTo(1);
      pool.pool().control().mode(Mode.ACTIVE);
      pool.execute(() -> {});
      assertThat(pool.pool().size()).as("active").isEqualTo(4);
    }
  }

  @Test
  void everyWindowTellsWhatThePolicyWantsAndWhy() {
    try (PolicyExecutor pool = start(settings().timer(clock), new Scripted(1, 3))) {
      pool.execute(() -> {});
      clock.advance(Duration.ofSeconds(1));
      ControlListener.Step step = pool.pool().control().lastStep().orElseThrow();
      assertThat(step.controller()).isEqualTo("scripted");
      assertThat(step.action()).isEqualTo(ControlListener.Action.KEPT);
      assertThat(step.after()).isEqualTo(3);
      assertThat(step.explanation()).isEqualTo(pool.reason());
    }
  }

  @Test
  void theInitialSizeAndEveryAnswerAreHeldWithinTheBounds() {
    try (PolicyExecutor pool = start(settings().bounds(2, 4), new Scripted(50, 0, -7, 99, 3))) {
      assertThat(pool.pool().size()).isEqualTo(4);
      List<Integer> sizes = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        pool.execute(() -> {});
        sizes.add(pool.pool().size());
      }
      assertThat(sizes).containsExactly(2, 2, 4, 3);
    }
  }

  @Test
  void everyTaskArrivesOnceAndEndsOnceHoweverItEnds() throws Exception {
    Scripted policy = new Scripted(1);
    PolicyExecutor pool = start(settings().bounds(1, 4).queueCapacity(3), policy);
    CountDownLatch release = new CountDownLatch(1);
    Future<?> failing =
        pool.submit(
            () -> {
              release.await();
              throw new IllegalStateException("on purpose");
            });
    pool.execute(
        () -> {
          throw new StackOverflowError("on purpose");
        });
    Future<Integer> returning = pool.submit(() -> 5);
    pool.execute(() -> {});
    assertThatThrownBy(() -> pool.execute(() -> {}))
        .isInstanceOf(RejectedExecutionException.class)
        .hasMessage("tried: the queue is full");
    release.countDown();
    assertThat(returning.get()).isEqualTo(5);
    assertThatThrownBy(failing::get).isInstanceOf(ExecutionException.class);
    pool.shutdown();
    assertThatThrownBy(() -> pool.execute(() -> {}))
        .isInstanceOf(RejectedExecutionException.class)
        .hasMessage("tried is shut down");
    pool.close();
    assertThat(policy.arrived).isEqualTo(6);
    assertThat(policy.ended)
        .containsExactly(
            entry(Outcome.COMPLETED, 2), entry(Outcome.FAILED, 2), entry(Outcome.DROPPED, 2));
  }

  @Test
  void whatShutdownNowTakesOutIsGivenBackAsItCameAndEndsDropped() throws Exception {
    Scripted policy = new Scripted(1);
    PolicyExecutor pool = start(settings().bounds(1, 4), policy);
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch never = new CountDownLatch(1);
    pool.execute(
        () -> {
          begun.countDown();
          try {
            never.await();
          } catch (InterruptedException e) {
            // It ends; that is what it is for.
          }
        });
    begun.await();
    Runnable waiting = () -> {};
    pool.execute(waiting);
    clock.advance(Duration.ofMillis(7));
    assertThat(pool.shutdownNow()).containsExactly(waiting);
    assertThat(pool.awaitTermination(300, TimeUnit.SECONDS)).isTrue();
    pool.close();
    assertThat(policy.ended)
        .containsExactly(entry(Outcome.COMPLETED, 1), entry(Outcome.DROPPED, 1));
    assertThat(policy.longestWait).isEqualTo(7_000_000);
  }

  /** A JDK pool loses nothing either; three such tasks are known to jam a limit of three. */
  @Test
  void tasksThatThrowErrorsCostNoWorker() throws Exception {
    try (PolicyExecutor pool = start(settings().bounds(1, 3), new Scripted(3))) {
      for (int i = 0; i < 30; i++) {
        pool.execute(
            () -> {
              throw new AssertionError("on purpose");
            });
      }
      CountDownLatch three = new CountDownLatch(3);
      for (int i = 0; i < 3; i++) {
        pool.execute(
            () -> {
              three.countDown();
              try {
                three.await();
              } catch (InterruptedException e) {
                throw new IllegalStateException(e);
              }
            });
      }
      assertThat(three.await(300, TimeUnit.SECONDS)).as("three run at once").isTrue();
    }
  }

  @Test
  void aPolicyThatThrowsLeavesTheSizeAndTheTasksAlone() throws Exception {
    EventPolicy broken =
        new Scripted(2) {
          @Override
          public int ended(PoolState pool, long wait, long service, Outcome outcome) {
            throw new AssertionError("on purpose");
          }
        };
    try (PolicyExecutor pool = start(settings().bounds(1, 4), broken)) {
      for (int i = 0; i < 5; i++) {
        assertThat(pool.submit(() -> 1).get()).isEqualTo(1);
      }
      assertThat(pool.pool().size()).isEqualTo(2);
    }
  }

  /**
   * While a new worker is being made, which a resize of the policy caused, another thread submits a
   * task and waits until that is done: with the lock held it would wait for ever.
   */
  @Test
  void theLockIsNotHeldWhileAThreadFactoryRuns() throws Exception {
    BlockingQueue<PolicyExecutor> made = new ArrayBlockingQueue<>(1);
    List<Thread> helpers = new ArrayList<>();
    PolicyExecutor pool =
        start(
            settings()
                .bounds(1, 8)
                .threadFactory(
                    body -> {
                      PolicyExecutor inside = made.peek();
                      if (inside != null && helpers.size() < 2) {
                        Thread helper = new Thread(() -> inside.execute(() -> {}));
                        helpers.add(helper);
                        helper.start();
                        joinUninterruptibly(helper);
                      }
                      return new Thread(body);
                    }),
            new Scripted(1, 1, 1, 3, 3, 3, 3, 3));
    CountDownLatch release = new CountDownLatch(1);
    for (int i = 0; i < 2; i++) {
      pool.execute(
          () -> {
            try {
              release.await();
            } catch (InterruptedException e) {
              throw new IllegalStateException(e);
            }
          });
    }
    made.add(pool);
    pool.execute(() -> {});
    assertThat(helpers).hasSize(2);
    release.countDown();
    pool.close();
  }

  @Test
  void aTaskThatMayBeTakenAtOnceCountsAsBusyBeforeItsWorkerHasIt() {
    Scripted policy = new Scripted(2);
    CountDownLatch release = new CountDownLatch(1);
    PolicyExecutor pool = start(settings().bounds(1, 4), policy);
    for (int i = 0; i < 3; i++) {
      pool.execute(
          () -> {
            try {
              release.await();
            } catch (InterruptedException e) {
              throw new IllegalStateException(e);
            }
          });
    }
    release.countDown();
    pool.close();
    assertThat(policy.states.subList(0, 3)).containsExactly("1+0 of 2", "2+0 of 2", "2+1 of 2");
    assertThat(policy.states.subList(3, 6)).containsExactly("2+0 of 2", "1+0 of 2", "0+0 of 2");
  }

  @Test
  void directHandoffTakesTheTransferQueue() throws Exception {
    EventPolicy direct = Policies.named("static-handoff", Map.of("size", "2"));
    try (PolicyExecutor pool = start(settings().bounds(1, 4), direct)) {
      List<Future<Integer>> answers = new ArrayList<>();
      for (int i = 0; i < 100; i++) {
        int answer = i;
        answers.add(pool.submit(() -> answer));
      }
      for (int i = 0; i < 100; i++) {
        assertThat(answers.get(i).get()).isEqualTo(i);
      }
    }
  }

  private PolicyExecutor start(AdaptiveExecutor.Builder settings, EventPolicy policy) {
    return PolicyExecutor.start(settings, policy, clock, clock);
  }

  private static AdaptiveExecutor.Builder settings() {
    return AdaptiveExecutor.builder("tried")
        .jmx(false)
        .threadFactory(
            body -> {
              Thread thread = new Thread(body);
              thread.setUncaughtExceptionHandler((in, thrown) -> {});
              return thread;
            });
  }

  private static void awaitSize(PolicyExecutor pool, int size) {
    while (pool.pool().size() != size) {
      Thread.onSpinWait();
    }
  }

  private static void joinUninterruptibly(Thread thread) {
    try {
      thread.join();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /** A policy of which a test can await that it heard of the end of tasks. */
  private static final class Watched extends ForwardingPolicy {
    private volatile int ended;

    Watched(EventPolicy policy) {
      super(policy);
    }

    void awaitEnded(int tasks) {
      while (ended < tasks) {
        Thread.onSpinWait();
      }
    }

    @Override
    @SuppressWarnings("NonAtomicVolatileUpdate") // One caller at a time.
    public int ended(PoolState pool, long wait, long service, Outcome outcome) {
      int answer = policy.ended(pool, wait, service, outcome);
      ended++;
      return answer;
    }
  }

  /** Answers arrivals with sizes in their order, then keeps the size; counts what it is told. */
  private static class Scripted implements EventPolicy {
    private final int initial;
    private final int[] answers;
    private final Map<Outcome, Integer> ended = new EnumMap<>(Outcome.class);
    private final List<String> states = new ArrayList<>();
    private int arrived;
    private long longestWait;

    Scripted(int initial, int... answers) {
      this.initial = initial;
      this.answers = answers;
    }

    @Override
    public String name() {
      return "scripted";
    }

    @Override
    public int initialSize() {
      return initial;
    }

    @Override
    public int arrived(PoolState pool) {
      note(pool);
      arrived++;
      return arrived <= answers.length ? answers[arrived - 1] : pool.size();
    }

    @Override
    public int ended(PoolState pool, long wait, long service, Outcome outcome) {
      note(pool);
      ended.merge(outcome, 1, Integer::sum);
      longestWait = Math.max(longestWait, wait);
      return pool.size();
    }

    private void note(PoolState pool) {
      states.add("%d+%d of %d".formatted(pool.busy(), pool.queued(), pool.size()));
    }

    @Override
    public String reason() {
      return "as scripted";
    }
  }
}
