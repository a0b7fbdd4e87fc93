package io.poolkeeper.testbed.peers.faults;

import static org.assertj.core.api.Assertions.assertThat;

import com.netflix.concurrency.limits.Limiter;
import com.netflix.concurrency.limits.limit.SettableLimit;
import com.netflix.concurrency.limits.limiter.BlockingLimiter;
import com.netflix.concurrency.limits.limiter.LifoBlockingLimiter;
import com.netflix.concurrency.limits.limiter.SimpleLimiter;
import io.poolkeeper.AdaptiveLimiter;
import io.poolkeeper.Mode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Waiters that are not woken when the limit is raised. */
@Timeout(300)
final class WaitersWakeTest {

  private static final Set<Thread.State> WAITING =
      Set.of(Thread.State.WAITING, Thread.State.TIMED_WAITING);

  /** A limiter whose callers wait. */
  private interface Waitable {
    /** Takes a permit and keeps it. */
    void take() throws InterruptedException;

    void raise(int limit);

    int inUse();
  }

  private static Waitable limiter(String name) {
    return name.equals("poolkeeper") ? ours() : netflix(name);
  }

  private static Waitable ours() {
    AdaptiveLimiter limiter =
        AdaptiveLimiter.builder("waiters")
            .bounds(1, 10)
            .initialSize(1)
            .mode(Mode.FROZEN)
            .hangAfter(Duration.ofDays(1)) // Only the raised limit lets in those that wait.
            .jmx(false)
            .build();
    return new Waitable() {
      private final List<AutoCloseable> kept = new ArrayList<>();

      @Override
      public void take() throws InterruptedException {
        AutoCloseable permit = limiter.acquire();
        synchronized (kept) {
          kept.add(permit);
        }
      }

      @Override
      public void raise(int limit) {
        limiter.resize(limit);
      }

      @Override
      public int inUse() {
        return limiter.inUse();
      }
    };
  }

  private static Waitable netflix(String name) {
    SettableLimit limit = new SettableLimit(1);
    SimpleLimiter<Void> simple = SimpleLimiter.newBuilder().limit(limit).<Void>build();
    Limiter<Void> blocking =
        name.equals("netflix-lifo")
            ? LifoBlockingLimiter.newBuilder(simple).backlogTimeoutMillis(3_600_000).build()
            : BlockingLimiter.wrap(simple);
    return new Waitable() {
      @Override
      public void take() {
        assertThat(blocking.acquire(null)).isPresent();
      }

      @Override
      public void raise(int to) {
        limit.setLimit(to);
      }

      @Override
      public int inUse() {
        return simple.getInflight();
      }
    };
  }

  /** From 1 to 10 with one permit in use and three who wait. */
  @ParameterizedTest(name = "{0}: {1} of 3 woken")
  @CsvSource({"poolkeeper, 3", "netflix, 0", "netflix-lifo, 0"})
  void raisedFrom1To10(String name, int woken) throws InterruptedException {
    Waitable limiter = limiter(name);
    limiter.take();
    List<Thread> waiters = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      Thread waiter = new Thread(() -> takeQuietly(limiter), "waiter");
      waiter.setDaemon(true);
      waiter.start();
      waiters.add(waiter);
    }
    for (Thread waiter : waiters) {
      while (!WAITING.contains(waiter.getState())) {
        Thread.onSpinWait();
      }
    }
    assertThat(limiter.inUse()).as("before").isEqualTo(1);
    limiter.raise(10);
    // Who was woken either holds a permit already or has left the waiting state.
    int awake = (int) waiters.stream().filter(each -> !WAITING.contains(each.getState())).count();
    assertThat(Math.max(awake, limiter.inUse() - 1)).as("woken").isEqualTo(woken);
    if (woken == 3) {
      for (Thread waiter : waiters) {
        waiter.join();
      }
    }
    waiters.forEach(Thread::interrupt);
  }

  private static void takeQuietly(Waitable limiter) {
    try {
      limiter.take();
    } catch (InterruptedException | AssertionError e) {
      Thread.currentThread().interrupt(); // The test is over.
    }
  }
}
