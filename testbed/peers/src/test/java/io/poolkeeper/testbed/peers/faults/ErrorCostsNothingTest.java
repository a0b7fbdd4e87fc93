package io.poolkeeper.testbed.peers.faults;

import static org.assertj.core.api.Assertions.assertThat;

import com.netflix.concurrency.limits.executors.BlockingAdaptiveExecutor;
import com.netflix.concurrency.limits.limit.FixedLimit;
import com.netflix.concurrency.limits.limiter.SimpleLimiter;
import io.poolkeeper.AdaptiveLimiter;
import io.poolkeeper.Mode;
import io.poolkeeper.testbed.peers.pools.PeerPool;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.function.IntSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A permit or a worker that is lost when a task throws an Error: three of them jam a limit of 3.
 */
@Timeout(300)
final class ErrorCostsNothingTest {

  private static final class OnPurpose extends Error {
    private static final long serialVersionUID = 1;
  }

  private static void fail() {
    throw new OnPurpose();
  }

  /** A thread a task, so that one knows when a task has ended with all that comes after it. */
  private static final class Threads implements Executor {
    private final List<Thread> started = new ArrayList<>();

    @Override
    public void execute(Runnable task) {
      Thread thread = new Thread(task, "task");
      thread.setDaemon(true);
      thread.setUncaughtExceptionHandler((dying, thrown) -> {});
      started.add(thread);
      thread.start();
    }

    void join() throws InterruptedException {
      for (Thread thread : started) {
        thread.join();
      }
    }
  }

  private static String threeErrors(Executor limited, Threads threads, IntSupplier inUse)
      throws InterruptedException {
    for (int i = 0; i < 3; i++) {
      limited.execute(ErrorCostsNothingTest::fail);
      threads.join();
    }
    return inUse.getAsInt() + " of 3 permits in use by nobody";
  }

  @Test
  void threeErrorsJamTheBlockingExecutorOfNetflix() throws InterruptedException {
    SimpleLimiter<Void> limiter = SimpleLimiter.newBuilder().limit(FixedLimit.of(3)).<Void>build();
    Threads threads = new Threads();
    Executor limited =
        BlockingAdaptiveExecutor.newBuilder().limiter(limiter).executor(threads).build();
    assertThat(threeErrors(limited, threads, limiter::getInflight))
        .isEqualTo("3 of 3 permits in use by nobody");
    assertThat(limiter.acquire(null)).as("a permit for the fourth").isEmpty();
  }

  @Test
  void ourLimiterGetsItsPermitsBack() throws InterruptedException {
    try (AdaptiveLimiter limiter =
        AdaptiveLimiter.builder("errors")
            .bounds(1, 10)
            .initialSize(3)
            .mode(Mode.FROZEN)
            .jmx(false)
            .build()) {
      Threads threads = new Threads();
      Executor limited =
          task ->
              threads.execute(
                  () -> {
                    try (var permit = limiter.tryAcquire().orElseThrow()) {
                      task.run();
                      permit.success();
                    }
                  });
      assertThat(threeErrors(limited, threads, limiter::inUse))
          .isEqualTo("0 of 3 permits in use by nobody");
      assertThat(limiter.tryAcquire()).as("a permit for the fourth").isPresent();
    }
  }

  /** Pools of threads all pass: after 30 Errors three tasks still run at once. */
  @ParameterizedTest
  @ValueSource(
      strings = {"poolkeeper", "jdk", "fork-join", "jboss", "jetty", "tomcat", "virtual-threads"})
  void aPoolKeepsItsWorkers(String name) {
    try (PeerPool pool = Pools.named(name, 3)) {
      for (int i = 0; i < 30; i++) {
        pool.execute(ErrorCostsNothingTest::fail);
      }
      CountDownLatch atOnce = new CountDownLatch(3);
      CountDownLatch done = new CountDownLatch(3);
      for (int i = 0; i < 3; i++) {
        pool.execute(
            () -> {
              atOnce.countDown();
              Pools.await(atOnce);
              done.countDown();
            });
      }
      Pools.await(done);
    }
  }
}
