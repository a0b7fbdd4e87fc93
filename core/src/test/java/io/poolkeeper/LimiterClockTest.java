package io.poolkeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.poolkeeper.AdaptiveLimiter.Permit;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A clock that throws whenever it is read between a permit's grant and its return, or at once. */
final class LimiterClockTest {

  private final HandTimer timer = new HandTimer();
  private long now;
  private boolean broken;
  private long arrivals;

  private final AdaptiveLimiter limiter =
      AdaptiveLimiter.builder("limiter")
          .bounds(1, 10)
          .initialSize(1)
          .mode(Mode.FROZEN)
          .jmx(false)
          .ticker(this::read)
          .timer(timer)
          .listener(
              new ControlListener() {
                @Override
                public void onWindow(Resizable pool, Window window) {
                  arrivals += window.arrivals();
                }
              })
          .build();

  private long read() {
    if (broken) {
      throw new IllegalStateException("no time (on purpose)");
    }
    return now++;
  }

  private enum Outcome {
    SUCCESS,
    DROPPED,
    IGNORED,
    CLOSED;

    void tell(Permit permit) {
      switch (this) {
        case SUCCESS -> permit.success();
        case DROPPED -> permit.dropped();
        case IGNORED -> permit.ignore();
        case CLOSED -> permit.close();
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void aPermitComesBackAndTheNextWaiterIsServedWithoutAClock(Outcome outcome) throws Exception {
    Permit held = limiter.acquire();
    CompletableFuture<Permit> first = limiter.acquireAsync(Runnable::run);
    CompletableFuture<Permit> gone = limiter.acquireAsync(Runnable::run);
    CompletableFuture<Permit> second = limiter.acquireAsync(Runnable::run);
    broken = true;
    outcome.tell(held);
    gone.cancel(false);
    outcome.tell(first.join());
    outcome.tell(second.join());
    assertThat(limiter.inUse()).isZero();
    assertThat(limiter.waiting()).isZero();
    broken = false;
    timer.tick();
    assertThat(arrivals).isEqualTo(4);
  }

  @Test
  void whoAsksWithoutAClockHoldsNoPermitAndDoesNotWait() throws Exception {
    for (int permits = 1; permits >= 0; permits--) { // One free, and none.
      broken = true;
      assertThatThrownBy(limiter::acquire).hasMessageStartingWith("no time");
      assertThatThrownBy(() -> limiter.acquire(Duration.ofSeconds(1)))
          .hasMessageStartingWith("no time");
      assertThatThrownBy(() -> limiter.acquireAsync(Runnable::run))
          .hasMessageStartingWith("no time");
      assertThatThrownBy(() -> limiter.resize(5)).hasMessageStartingWith("no time");
      assertThat(limiter.size()).isEqualTo(1);
      assertThat(limiter.waiting()).isZero();
      assertThat(limiter.inUse()).isEqualTo(1 - permits);
      broken = false;
      assertThat(limiter.tryAcquire().isPresent()).isEqualTo(permits == 1);
    }
  }
}
