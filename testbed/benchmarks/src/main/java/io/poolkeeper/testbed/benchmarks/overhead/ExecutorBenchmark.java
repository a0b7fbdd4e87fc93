package io.poolkeeper.testbed.benchmarks.overhead;

import io.poolkeeper.AdaptiveExecutor;
import io.poolkeeper.Mode;
import io.poolkeeper.Objective;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** Cost of an empty task for the thread that submits it and the only worker together. */
@State(Scope.Benchmark)
public class ExecutorBenchmark {

  private static final int BATCH = 20_000;

  /** The JDK's pool; ours; ours where every task is timed, whatever their rate. */
  @Param({"jdk", "poolkeeper", "every-task-timed"})
  public String pool = "";

  private ExecutorService executor = jdk();

  /** Starts the pool. */
  @Setup
  public void start() {
    executor.shutdown();
    executor =
        switch (pool) {
          case "jdk" -> jdk();
          case "poolkeeper" -> poolkeeper(Objective.throughput());
          // A goodput objective counts tasks by their response time, so it needs all of them.
          case "every-task-timed" -> poolkeeper(Objective.goodput(Duration.ofSeconds(1)));
          default -> throw new IllegalArgumentException("unknown pool " + pool);
        };
  }

  private static ExecutorService jdk() {
    return new ThreadPoolExecutor(
        1, 1, 0, TimeUnit.NANOSECONDS, new LinkedBlockingQueue<>(2 * BATCH));
  }

  private static ExecutorService poolkeeper(Objective objective) {
    return AdaptiveExecutor.builder("benchmark")
        .bounds(1, 1)
        .queueCapacity(2 * BATCH)
        .objective(objective)
        .mode(Mode.FROZEN)
        .build();
  }

  /** Ends the pool. */
  @TearDown
  public void stop() {
    executor.shutdown();
  }

  /**
   * Fills the queue while the worker is held, then lets it drain, so that the two threads never
   * meet at the queue and the time is the work of both.
   */
  @Benchmark
  @OperationsPerInvocation(BATCH)
  public void fillThenDrain() throws InterruptedException {
    Semaphore hold = new Semaphore(0);
    CountDownLatch done = new CountDownLatch(1);
    executor.execute(hold::acquireUninterruptibly);
    for (int i = 1; i < BATCH; i++) {
      executor.execute(ExecutorBenchmark::empty);
    }
    executor.execute(done::countDown);
    hold.release();
    done.await();
  }

  private static void empty() {}
}
