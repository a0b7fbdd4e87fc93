package io.tidepool;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;

/** The limiter on virtual threads, where the machine that runs the tests has them. */
@Timeout(60)
@EnabledForJreRange(min = JRE.JAVA_21)
final class VirtualThreadTest {

  /** Many times the carriers there are: one processor, one carrier. */
  private final int waiters = 200 * Runtime.getRuntime().availableProcessors();

  /** If a waiter held its carrier, no more than there are carriers would come to wait. */
  @Test
  void whoWaitsForAPermitHoldsNoCarrier() throws Exception {
    AtomicInteger served = new AtomicInteger();
    try (AdaptiveLimiter limiter =
        AdaptiveLimiter.builder("virtual")
            .bounds(1, 10)
            .initialSize(1)
            .mode(Mode.FROZEN)
            .jmx(false)
            .build()) {
      AdaptiveLimiter.Permit held = limiter.acquire();
      ExecutorService threads = virtualThreads();
      for (int i = 0; i < waiters; i++) {
        boolean patient = i % 2 == 0;
        var unused =
            threads.submit(
                () -> {
                  try (AdaptiveLimiter.Permit permit =
                      patient
                          ? limiter.acquire()
                          : limiter.acquire(Duration.ofHours(1)).orElseThrow()) {
                    served.incrementAndGet();
                    permit.success();
                  }
                  return null;
                });
      }
      Await.until("all wait", () -> limiter.waiting() == waiters);
      held.success();
      threads.shutdown();
      assertThat(threads.awaitTermination(30, TimeUnit.SECONDS)).isTrue();
      assertThat(served).hasValue(waiters);
      assertThat(limiter.inUse()).isZero();
    }
  }

  /** By its name, because the class is compiled for Java 17. */
  private static ExecutorService virtualThreads() throws ReflectiveOperationException {
    return (ExecutorService)
        Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
  }
}
