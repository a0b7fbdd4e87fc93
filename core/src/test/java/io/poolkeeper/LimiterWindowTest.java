package io.poolkeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.poolkeeper.AdaptiveLimiter.Permit;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;

/** Windows of a limiter, in virtual time. */
final class LimiterWindowTest {

  private static final double MILLIS = 1e6;
  private static final Offset<Double> EXACTLY = within(1e-9);

  private final VirtualLoop time = new VirtualLoop();

  private AdaptiveLimiter limiter(int size, Objective objective) {
    return AdaptiveLimiter.builder("limiter")
        .bounds(1, 100)
        .initialSize(size)
        .objective(objective)
        .mode(Mode.FROZEN)
        .jmx(false)
        .ticker(time)
        .timer(time)
        .listener(time)
        .build();
  }

  @Test
  void busyIsTheTimeWeightedMeanOfThePermitsInUse() throws Exception {
    AdaptiveLimiter limiter = limiter(4, Objective.throughput());
    Permit permit = limiter.acquire();
    time.pass(100);
    Permit two = limiter.acquire();
    time.pass(100);
    permit.success();
    time.pass(100);
    two.success();
    time.pass(700);
    // 1 for 100 ms, 2 for 100 ms, 1 for 100 ms, none for 700 ms.
    Window window = time.close();
    assertThat(window.busy()).isCloseTo(0.4, EXACTLY);
    assertThat(window.utilisation()).isCloseTo(0.1, EXACTLY);
    time.pass(1000);
    assertThat(time.close().busy()).isZero();
  }

  @Test
  void aPermitThatOutlastsWindowsIsBusyInEachOfThem() throws Exception {
    AdaptiveLimiter limiter = limiter(4, Objective.throughput());
    time.pass(250);
    Permit permit = limiter.acquire();
    time.pass(750);
    assertThat(time.close().busy()).isCloseTo(0.75, EXACTLY);
    time.pass(1000);
    assertThat(time.close().busy()).isCloseTo(1, EXACTLY);
    time.pass(500);
    permit.success();
    time.pass(500);
    Window last = time.close();
    assertThat(last.busy()).isCloseTo(0.5, EXACTLY);
    assertThat(last.serviceTime().mean()).isEqualTo(2250 * MILLIS);
  }

  @Test
  void waitersMakeTheQueueAndTheirWaitsTheQueueWait() throws Exception {
    AdaptiveLimiter limiter = limiter(1, Objective.throughput());
    Permit first = limiter.acquire();
    CompletableFuture<Permit> second = limiter.acquireAsync(Runnable::run);
    time.pass(200);
    CompletableFuture<Permit> third = limiter.acquireAsync(Runnable::run);
    time.pass(200);
    first.success(); // Service 400, no wait.
    time.pass(300);
    second.join().success(); // Wait 400, service 300.
    time.pass(100);
    third.join().success(); // Wait 500, service 100.
    Window window = time.close(); // After 800 ms; one waited for 200 + 300 ms, two for 200 ms.
    assertThat(window.queueMean()).isCloseTo(900 / 800.0, EXACTLY);
    assertThat(window.queueMax()).isEqualTo(2);
    assertThat(window.busy()).isCloseTo(1, EXACTLY);
    assertThat(window.queueWait().count()).isEqualTo(3);
    assertThat(window.queueWait().mean()).isEqualTo(300 * MILLIS);
    assertThat(window.queueWait().max()).isEqualTo((long) (500 * MILLIS));
    assertThat(window.serviceTime().mean()).isCloseTo(800 * MILLIS / 3, within(1e-3));
    assertThat(window.responseTime().mean()).isCloseTo(1700 * MILLIS / 3, within(1e-3));
    assertThat(window.responseTime().max()).isEqualTo((long) (700 * MILLIS));
    time.pass(100);
    assertThat(time.close().queueMax()).isZero();
  }

  @Test
  void outcomesAreCountedApart() throws Exception {
    AdaptiveLimiter limiter = limiter(1, Objective.goodput(Duration.ofMillis(100)));
    served(limiter, 50).success();
    served(limiter, 150).success();
    served(limiter, 20).dropped();
    served(limiter, 30).ignore();
    Permit held = limiter.acquire();
    assertThat(limiter.tryAcquire()).isEmpty();
    assertThat(limiter.acquire(Duration.ZERO)).isEmpty();
    CompletableFuture<Permit> timedOut = limiter.acquireAsync(Runnable::run);
    timedOut.completeExceptionally(new TimeoutException());
    CompletableFuture<Permit> cancelled = limiter.acquireAsync(Runnable::run);
    cancelled.cancel(false);
    held.success();
    Window window = time.close();
    assertThat(window.completions()).isEqualTo(3);
    assertThat(window.withinBound()).as("completions within 100 ms").isEqualTo(2);
    assertThat(window.failures()).isEqualTo(1);
    assertThat(window.rejections()).isEqualTo(3);
    assertThat(window.arrivals()).isEqualTo(9);
    assertThat(window.responseTime().count()).as("ignored ones are not timed").isEqualTo(4);
  }

  /** Over all windows what arrived is what ended, was refused or given up, whenever it did. */
  @Test
  void arrivalsAreCountedOnceWhateverBecomesOfThem() throws Exception {
    AdaptiveLimiter limiter = limiter(1, Objective.throughput());
    Permit held = limiter.acquire();
    CompletableFuture<Permit> cancelled = limiter.acquireAsync(Runnable::run);
    CompletableFuture<Permit> served = limiter.acquireAsync(Runnable::run);
    time.pass(10);
    assertThat(time.close().arrivals()).isEqualTo(3);
    cancelled.cancel(false);
    time.pass(10);
    assertThat(time.close().arrivals()).isZero();
    held.success();
    served.join().ignore();
    assertThat(limiter.tryAcquire().isPresent()).isTrue();
    time.pass(10);
    assertThat(time.close().arrivals()).isEqualTo(1);
  }

  @Test
  void aWindowWithoutLengthSaysWhatIsNow() throws Exception {
    AdaptiveLimiter limiter = limiter(1, Objective.throughput());
    Permit held = limiter.acquire();
    CompletableFuture<Permit> waiter = limiter.acquireAsync(Runnable::run);
    Window window = time.close();
    assertThat(window.busy()).isEqualTo(1);
    assertThat(window.queueMean()).isEqualTo(1);
    held.success();
    waiter.join().success();
  }

  private Permit served(AdaptiveLimiter limiter, long millis) throws InterruptedException {
    Permit permit = limiter.acquire();
    time.pass(millis);
    return permit;
  }

  /** A window in which nobody joins the queue, or else a limit that hangs would seem unwanted. */
  @Test
  void whoWaitsYetIsInTheLargestQueueOfLaterWindowsToo() throws Exception {
    AdaptiveLimiter limiter = limiter(1, Objective.throughput());
    Permit held = limiter.acquire();
    CompletableFuture<Permit> first = limiter.acquireAsync(Runnable::run);
    CompletableFuture<Permit> second = limiter.acquireAsync(Runnable::run);
    time.pass(1000);
    assertThat(time.close().queueMax()).isEqualTo(2);
    for (int i = 0; i < 3; i++) {
      time.pass(1000);
      Window window = time.close();
      assertThat(window.queueMax()).isEqualTo(2);
      assertThat(window.queueMean()).isCloseTo(2, EXACTLY);
    }
    held.success();
    first.join().success();
    second.join().success();
  }

  /** Each window has its own share of the counts. */
  @Test
  void completionsBeyondTheBoundAreTakenFromTheirWindowAlone() throws Exception {
    AdaptiveLimiter limiter = limiter(1, Objective.goodput(Duration.ofMillis(100)));
    served(limiter, 150).success();
    assertThat(time.close().withinBound()).isZero();
    served(limiter, 50).success();
    assertThat(time.close().withinBound()).isEqualTo(1);
    served(limiter, 50).success();
    assertThat(time.close().withinBound()).isEqualTo(1);
  }
}
