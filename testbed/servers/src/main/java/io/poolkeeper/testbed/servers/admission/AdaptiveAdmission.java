package io.poolkeeper.testbed.servers.admission;

import io.poolkeeper.AdaptiveLimiter;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * Admission by the library's own limiter, which measures and tunes itself.
 *
 * @param patience longest wait for a permit; zero for none. A wait holds no thread
 */
public record AdaptiveAdmission(AdaptiveLimiter limiter, Duration patience) implements Admission {

  @Override
  public CompletableFuture<Permit> ask() {
    if (patience.isZero()) {
      return limiter
          .tryAcquire()
          .map(permit -> CompletableFuture.<Permit>completedFuture(new Held(permit)))
          .orElseGet(Admission::refusal);
    }
    // On the thread that gives a permit back: what depends on it only starts another one.
    return limiter
        .acquireAsync(Runnable::run)
        .orTimeout(patience.toNanos(), TimeUnit.NANOSECONDS)
        .thenApply(Held::new);
  }

  private record Held(AdaptiveLimiter.Permit permit) implements Permit {

    @Override
    public void success() {
      permit.success();
    }

    @Override
    public void dropped() {
      permit.dropped();
    }

    @Override
    public void ignore() {
      permit.ignore();
    }
  }
}
