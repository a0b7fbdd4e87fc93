package io.poolkeeper.testbed.benchmarks.overhead;

import com.netflix.concurrency.limits.Limiter;
import io.poolkeeper.AdaptiveLimiter;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** A permit taken and given back, with nothing in between, by one thread. */
public class LimiterBenchmark {

  /** Ours. */
  @State(Scope.Benchmark)
  public static class Poolkeeper {
    private final AdaptiveLimiter limiter = Limiters.poolkeeper();

    /** Stops the loop. */
    @TearDown
    public void stop() {
      limiter.close();
    }
  }

  /** Netflix's. */
  @State(Scope.Benchmark)
  public static class Netflix {
    private final Limiter<Void> limiter = Limiters.netflix();
  }

  /** One reading of the clock; both limiters need two. */
  @Benchmark
  public long nanoTime() {
    return System.nanoTime();
  }

  /** Ours. */
  @Benchmark
  public boolean poolkeeper(Poolkeeper state) throws InterruptedException {
    return Limiters.use(state.limiter);
  }

  /** Netflix's. */
  @Benchmark
  public boolean netflix(Netflix state) {
    return Limiters.use(state.limiter);
  }
}
