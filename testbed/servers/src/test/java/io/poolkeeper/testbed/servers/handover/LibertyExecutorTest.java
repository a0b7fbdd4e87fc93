package io.poolkeeper.testbed.servers.handover;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.poolkeeper.Bounds;
import io.poolkeeper.Controller;
import io.poolkeeper.Objective;
import io.poolkeeper.Window;
import io.poolkeeper.testbed.servers.liberty.OpenLiberty;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Open Liberty's own executor, where it is on the machine. */
@Timeout(300)
@SuppressWarnings("NullAway.Init") // Each test starts it anew.
final class LibertyExecutorTest {

  private LibertyExecutor pool;

  @BeforeEach
  void start() {
    try {
      OpenLiberty.archive();
    } catch (IllegalArgumentException e) {
      Assumptions.abort(e.getMessage());
    }
    pool = LibertyExecutor.start("test", new Bounds(1, 64), Objective.throughput());
  }

  @AfterEach
  void stop() throws InterruptedException {
    if (pool != null) {
      pool.shutdownNow();
      assertThat(pool.awaitTermination(300, TimeUnit.SECONDS)).isTrue();
    }
  }

  @Test
  void itsWorkIsMeasuredLikeThatOfOthers() throws InterruptedException {
    CountDownLatch done = new CountDownLatch(100);
    for (int task = 0; task < 100; task++) {
      pool.execute(done::countDown);
    }
    assertThat(done.await(300, TimeUnit.SECONDS)).isTrue();
    pool.shutdown();
    assertThat(pool.awaitTermination(300, TimeUnit.SECONDS)).isTrue();
    Window window = pool.closeWindow(System.nanoTime());
    assertThat(window.completions()).isEqualTo(100);
    assertThat(window.arrivals()).isEqualTo(100);
  }

  @Test
  void itSizesItselfFromWhenItIsLetGoOn() throws InterruptedException {
    int first = pool.size();
    Controller reporter = pool.reporter();
    Semaphore users = new Semaphore(200);
    Window window = pool.closeWindow(System.nanoTime());
    assertThat(reporter.decide(window).size()).isEqualTo(first);
    // Tasks that only wait: every worker more brings as much as the one before.
    while (pool.size() <= first) {
      users.acquire();
      pool.execute(
          () -> {
            try {
              TimeUnit.MILLISECONDS.sleep(5);
            } catch (InterruptedException e) {
              Thread.currentThread().interrupt();
            }
            users.release();
          });
      pool.closeWindow(System.nanoTime());
    }
    assertThat(reporter.decide(window).reason())
        .isEqualTo(
            "it went from %d to %d, as its own controller decided".formatted(first, pool.size()));
    assertThat(reporter.decide(window).reason()).startsWith("it stays");
  }

  @Test
  void nobodyElseSizesIt() {
    int size = pool.size();
    assertThatIllegalArgumentException()
        .isThrownBy(() -> pool.resize(30))
        .withMessage("size cannot be set to 30: Open Liberty's executor sizes itself");
    assertThat(pool.size()).isEqualTo(size);
  }
}
