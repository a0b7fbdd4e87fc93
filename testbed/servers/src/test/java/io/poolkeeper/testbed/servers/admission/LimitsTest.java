package io.poolkeeper.testbed.servers.admission;

import static org.assertj.core.api.Assertions.assertThat;

import com.netflix.concurrency.limits.limit.VegasLimit;
import io.poolkeeper.testbed.controllers.rules.SampleRule;
import io.poolkeeper.testbed.servers.admission.Admission.Permit;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Limits by themselves. */
@Timeout(300)
final class LimitsTest {

  /** A rule of a constant limit that writes down what it is told. */
  private static final class Notebook implements SampleRule {
    private final List<String> samples = new ArrayList<>();

    @Override
    public String name() {
      return "notebook";
    }

    @Override
    public int limit() {
      return 3;
    }

    @Override
    public void sample(long start, long time, int inFlight, boolean dropped) {
      samples.add("%d+%d, %d in flight%s".formatted(start, time, inFlight, dropped ? ", x" : ""));
    }

    @Override
    public String reason() {
      return samples.size() + " samples";
    }
  }

  @Test
  void aRuleHearsOfTheTimesAndOfWhatIsInFlight() {
    Notebook rule = new Notebook();
    long[] now = {100};
    RuleLimit limit = new RuleLimit(rule, () -> now[0]);
    Permit first = Objects.requireNonNull(limit.tryAcquire());
    now[0] = 110;
    Permit second = Objects.requireNonNull(limit.tryAcquire());
    Permit third = Objects.requireNonNull(limit.tryAcquire());
    assertThat(limit.tryAcquire()).isNull();
    now[0] = 130;
    first.success();
    second.dropped();
    third.ignore();
    assertThat(rule.samples).containsExactly("100+30, 3 in flight", "110+20, 2 in flight, x");
    assertThat(limit.tryAcquire()).isNotNull();
    assertThat(limit.reason()).isEqualTo("2 samples");
  }

  @Test
  void netflixGetsItsPermitsBack() {
    NetflixLimit limit = new NetflixLimit(VegasLimit.newBuilder().initialLimit(2).build());
    Permit first = Objects.requireNonNull(limit.tryAcquire());
    Permit second = Objects.requireNonNull(limit.tryAcquire());
    assertThat(limit.tryAcquire()).isNull();
    first.ignore();
    second.ignore();
    assertThat(limit.tryAcquire()).isNotNull();
    assertThat(limit.value()).isEqualTo(2);
  }

  /** Eight threads that admit and give back: never more than the limit at once. */
  @ParameterizedTest
  @ValueSource(strings = {"fixed", "rule"})
  void neverMoreThanTheLimit(String kind) throws InterruptedException {
    Limit limit =
        kind.equals("fixed") ? FixedLimit.of(3) : new RuleLimit(new Notebook(), System::nanoTime);
    AtomicInteger running = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    CountDownLatch start = new CountDownLatch(1);
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      Thread thread =
          new Thread(
              () -> {
                try {
                  start.await();
                } catch (InterruptedException e) {
                  return;
                }
                for (int round = 0; round < 2_000; round++) {
                  Permit permit = limit.tryAcquire();
                  if (permit != null) {
                    most.accumulateAndGet(running.incrementAndGet(), Math::max);
                    running.decrementAndGet();
                    permit.ignore();
                  }
                }
              });
      threads.add(thread);
      thread.start();
    }
    start.countDown();
    for (Thread thread : threads) {
      thread.join();
    }
    assertThat(most.get()).isBetween(1, 3);
    assertThat(running).hasValue(0);
  }

  @Test
  void withoutALimitTheValueIsWhatRuns() {
    FixedLimit none = FixedLimit.none();
    assertThat(none.value()).isEqualTo(1);
    Permit first = Objects.requireNonNull(none.tryAcquire());
    Objects.requireNonNull(none.tryAcquire());
    assertThat(none.value()).isEqualTo(2);
    first.success();
    assertThat(none.value()).isEqualTo(1);
  }
}
