package io.poolkeeper.testbed.controllers;

import static org.assertj.core.api.Assertions.assertThat;

import io.poolkeeper.AdaptiveExecutor;
import io.poolkeeper.testkit.VirtualClock;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Timeout;

/** Tests of what holds whatever policy and threads do meanwhile. */
@Timeout(300)
final class PolicyExecutorStressTest {

  private static final int LEAST = 2;
  private static final int MOST = 9;

  /**
   * A policy that wants another size at most events, tasks that throw Errors, a queue that is full
   * at times: every task that was accepted runs once, and each is told of as often as it should be.
   */
  @RepeatedTest(3)
  void noTaskIsLostAndTheSizeStaysWithinBounds() throws Exception {
    Restless policy = new Restless();
    PolicyExecutor pool =
        PolicyExecutor.start(
            AdaptiveExecutor.builder("stress")
                .bounds(LEAST, MOST)
                .queueCapacity(50)
                .jmx(false)
                .threadFactory(
                    body -> {
                      Thread thread = new Thread(body);
                      thread.setUncaughtExceptionHandler((in, thrown) -> {});
                      return thread;
                    }),
            policy);
    int producers = 3;
    int each = 20_000;
    AtomicInteger ran = new AtomicInteger();
    AtomicInteger threw = new AtomicInteger();
    AtomicInteger refused = new AtomicInteger();
    AtomicBoolean outside = new AtomicBoolean();
    ExecutorService others = Executors.newFixedThreadPool(producers);
    List<Future<?>> production = new ArrayList<>();
    for (int producer = 0; producer < producers; producer++) {
      SplittableRandom random = new SplittableRandom(producer);
      production.add(
          others.submit(
              () -> {
                for (int i = 0; i < each; i++) {
                  boolean fails = random.nextInt(20) == 0;
                  Runnable task =
                      () -> {
                        ran.incrementAndGet();
                        if (fails) {
                          threw.incrementAndGet();
                          throw new AssertionError("on purpose");
                        }
                      };
                  try {
                    if (random.nextBoolean()) {
                      pool.execute(task);
                    } else {
                      Future<?> unused = pool.submit(task);
                    }
                  } catch (RejectedExecutionException e) {
                    refused.incrementAndGet();
                  }
                  int size = pool.pool().size();
                  if (size < LEAST || size > MOST) {
                    outside.set(true);
                  }
                }
              }));
    }
    for (Future<?> producer : production) {
      producer.get();
    }
    others.shutdown();
    pool.shutdown();
    assertThat(pool.awaitTermination(300, TimeUnit.SECONDS)).isTrue();
    pool.close();

    assertThat(ran.get() + refused.get()).isEqualTo(producers * each);
    assertThat(outside).isFalse();
    assertThat(policy.together).as("two events at once").isFalse();
    assertThat(policy.wrong).as("a state that cannot be").isFalse();
    assertThat(policy.arrived).isEqualTo(producers * each);
    assertThat(policy.dropped).isEqualTo(refused.get());
    assertThat(policy.failed).isEqualTo(threw.get());
    assertThat(policy.completed).isEqualTo(ran.get() - threw.get());
    assertThat(policy.changes).as("resizes wanted").isGreaterThan(1_000);
  }

  /** Checks that the size that the policy gave last stays, whatever threads wanted it last. */
  @RepeatedTest(20)
  void theLastAnswerIsTheSizeInTheEnd() throws Exception {
    VirtualClock clock = new VirtualClock();
    Restless policy = new Restless();
    try (PolicyExecutor pool =
        PolicyExecutor.start(
            AdaptiveExecutor.builder("last").bounds(LEAST, MOST).jmx(false),
            policy,
            clock,
            clock)) {
      ExecutorService others = Executors.newFixedThreadPool(3);
      List<Future<?>> production = new ArrayList<>();
      for (int producer = 0; producer < 3; producer++) {
        production.add(
            others.submit(
                () -> {
                  for (int i = 0; i < 200; i++) {
                    pool.execute(() -> {});
                  }
                }));
      }
      for (Future<?> producer : production) {
        producer.get();
      }
      others.shutdown();
      pool.shutdown();
      assertThat(pool.awaitTermination(300, TimeUnit.SECONDS)).isTrue();
      assertThat(pool.pool().size()).isEqualTo(policy.last);
    }
  }

  /** Wants sizes from below the least to above the most, and looks at what it is shown. */
  private static final class Restless implements EventPolicy {
    private final SplittableRandom random = new SplittableRandom(5);
    private final AtomicBoolean inside = new AtomicBoolean();
    private boolean together;
    private boolean wrong;
    private long before = Long.MIN_VALUE;
    private int arrived;
    private int completed;
    private int failed;
    private int dropped;
    private int changes;
    private volatile int last;

    @Override
    public String name() {
      return "restless";
    }

    @Override
    public int initialSize() {
      return 4;
    }

    @Override
    public long interval() {
      return TimeUnit.MILLISECONDS.toNanos(1);
    }

    @Override
    public int arrived(PoolState pool) {
      arrived++;
      return answer(pool);
    }

    @Override
    public int ended(PoolState pool, long wait, long service, Outcome outcome) {
      switch (outcome) {
        case COMPLETED -> completed++;
        case FAILED -> failed++;
        case DROPPED -> dropped++;
      }
      wrong |= wait < 0 || service < 0;
      return answer(pool);
    }

    @Override
    public int elapsed(PoolState pool) {
      return answer(pool);
    }

    private int answer(PoolState pool) {
      together |= !inside.compareAndSet(false, true);
      int present = arrived - completed - failed - dropped;
      wrong |= pool.now() < before && before != Long.MIN_VALUE;
      wrong |= pool.busy() + pool.queued() != present || pool.busy() < 0 || pool.queued() < 0;
      wrong |= pool.size() < LEAST || pool.size() > MOST;
      before = pool.now();
      int answer = random.nextBoolean() ? pool.size() : random.nextInt(MOST + 5);
      changes += answer == pool.size() ? 0 : 1;
      last = Math.max(LEAST, Math.min(MOST, answer));
      inside.set(false);
      return answer;
    }

    @Override
    public String reason() {
      return "restless";
    }
  }
}
