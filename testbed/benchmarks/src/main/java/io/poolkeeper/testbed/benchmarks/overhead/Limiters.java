package io.poolkeeper.testbed.benchmarks.overhead;

import com.netflix.concurrency.limits.Limiter;
import com.netflix.concurrency.limits.limit.VegasLimit;
import com.netflix.concurrency.limits.limiter.SimpleLimiter;
import io.poolkeeper.AdaptiveLimiter;
import io.poolkeeper.Mode;

/** The limiters that are compared, each with more permits than threads. */
final class Limiters {

  private static final int PERMITS = 100;

  private Limiters() {}

  /** Ours, with its loop and all its measuring; frozen, so that every run has the same limit. */
  static AdaptiveLimiter poolkeeper() {
    return AdaptiveLimiter.builder("benchmark")
        .bounds(PERMITS, PERMITS)
        .initialSize(PERMITS)
        .mode(Mode.FROZEN)
        .build();
  }

  /** Netflix's simplest limiter with its Vegas limit. */
  static Limiter<Void> netflix() {
    return SimpleLimiter.newBuilder()
        .limit(VegasLimit.newBuilder().initialLimit(PERMITS).maxConcurrency(PERMITS).build())
        .build();
  }

  /** Takes a permit and gives it back as a success. */
  static boolean use(AdaptiveLimiter limiter) throws InterruptedException {
    limiter.acquire().success();
    return true;
  }

  /** Takes a permit, if there is one, and gives it back as a success. */
  static boolean use(Limiter<Void> limiter) {
    var permit = limiter.acquire(null);
    permit.ifPresent(Limiter.Listener::onSuccess);
    return permit.isPresent();
  }
}
