package io.poolkeeper.testbed.peers.faults;

import static org.assertj.core.api.Assertions.assertThat;

import com.alibaba.csp.sentinel.SphU;
import com.alibaba.csp.sentinel.slots.block.BlockException;
import com.alibaba.csp.sentinel.slots.block.RuleConstant;
import com.alibaba.csp.sentinel.slots.block.flow.FlowRule;
import com.alibaba.csp.sentinel.slots.block.flow.FlowRuleManager;
import com.netflix.concurrency.limits.MetricRegistry;
import com.netflix.concurrency.limits.MetricRegistry.SampleListener;
import com.netflix.concurrency.limits.limit.FixedLimit;
import com.netflix.concurrency.limits.limiter.AbstractPartitionedLimiter;
import com.netflix.concurrency.limits.limiter.SimpleLimiter;
import io.poolkeeper.AdaptiveLimiter;
import io.poolkeeper.Mode;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * An admission check that lets in more than the limit when several come at once, because it looks
 * first and counts later.
 *
 * <p>Where others can run code of ours between the look and the count, four threads meet there: the
 * interleaving that chance finds now and then is found at once. Where there is no such place, four
 * threads try 2000 times.
 */
@Timeout(300)
final class AdmissionTest {

  private static final int THREADS = 4;

  /** Returns how many of four that come at once a limit of 1 lets in, at most. */
  private static int letIn(int rounds, Supplier<Callable<Boolean>> newRound) throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(THREADS);
    try {
      int most = 0;
      for (int round = 0; round < rounds; round++) {
        Callable<Boolean> tryAcquire = newRound.get();
        CyclicBarrier together = new CyclicBarrier(THREADS);
        List<Future<Boolean>> tries = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
          tries.add(
              threads.submit(
                  () -> {
                    meet(together);
                    return tryAcquire.call();
                  }));
        }
        int admitted = 0;
        for (Future<Boolean> each : tries) {
          admitted += each.get(300, TimeUnit.SECONDS) ? 1 : 0;
        }
        most = Math.max(most, admitted);
      }
      return most;
    } finally {
      threads.shutdownNow();
    }
  }

  private static void meet(CyclicBarrier barrier) {
    try {
      barrier.await(300, TimeUnit.SECONDS);
    } catch (InterruptedException | BrokenBarrierException | TimeoutException e) {
      throw new IllegalStateException("the four did not meet", e);
    }
  }

  @Test
  void oursLetsInOne() throws Exception {
    int most =
        letIn(
            2000,
            () -> {
              AdaptiveLimiter limiter =
                  AdaptiveLimiter.builder("admission")
                      .bounds(1, 10)
                      .initialSize(1)
                      .mode(Mode.FROZEN)
                      .jmx(false)
                      .build();
              limiter.control().close();
              return () -> limiter.tryAcquire().isPresent();
            });
    assertThat(most).isEqualTo(1);
  }

  @Test
  void theSimpleLimiterOfNetflixLetsInOne() throws Exception {
    int most =
        letIn(
            2000,
            () -> {
              SimpleLimiter<Void> limiter =
                  SimpleLimiter.newBuilder().limit(FixedLimit.of(1)).<Void>build();
              return () -> limiter.acquire(null).isPresent();
            });
    assertThat(most).isEqualTo(1);
  }

  private static final class Partitioned extends AbstractPartitionedLimiter<String> {
    Partitioned(Builder settings) {
      super(settings);
    }

    static final class Builder extends AbstractPartitionedLimiter.Builder<Builder, String> {
      @Override
      protected Builder self() {
        return this;
      }
    }
  }

  /** It tells a metric of a partition between the look at all permits and the count of them. */
  @Test
  void thePartitionedLimiterOfNetflixLetsInFour() throws Exception {
    CyclicBarrier between = new CyclicBarrier(THREADS);
    MetricRegistry metrics =
        new MetricRegistry() {
          @Override
          public SampleListener distribution(String id, String... tags) {
            return id.equals("inflight") && List.of(tags).contains("partition")
                ? value -> meet(between)
                : value -> {};
          }

          @Override
          public void gauge(String id, Supplier<Number> supplier, String... tags) {}

          @Override
          public Counter counter(String id, String... tags) {
            return () -> {};
          }
        };
    int most =
        letIn(
            1,
            () -> {
              Partitioned limiter =
                  new Partitioned(
                      new Partitioned.Builder()
                          .metricRegistry(metrics)
                          .limit(FixedLimit.of(1))
                          .partitionResolver(context -> context)
                          .partition("all", 1.0));
              return () -> limiter.acquire("all").isPresent();
            });
    assertThat(most).isEqualTo(4);
  }

  /** A slot of ours stands behind the rule, and before the slot that counts threads has counted. */
  @Test
  void sentinelsLimitOfThreadsLetsInFour() throws Exception {
    FlowRule rule = new FlowRule("admission");
    rule.setGrade(RuleConstant.FLOW_GRADE_THREAD);
    rule.setCount(1);
    FlowRuleManager.loadRules(List.of(rule));
    CyclicBarrier between = new CyclicBarrier(THREADS);
    BetweenSlot.hook(() -> meet(between));
    try {
      int most =
          letIn(
              1,
              () ->
                  () -> {
                    try {
                      SphU.entry("admission");
                      return true;
                    } catch (BlockException e) {
                      return false;
                    }
                  });
      assertThat(most).isEqualTo(4);
    } finally {
      BetweenSlot.hook(() -> {});
      FlowRuleManager.loadRules(List.of());
    }
  }
}
