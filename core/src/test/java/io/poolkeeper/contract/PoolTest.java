package io.poolkeeper.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.poolkeeper.Await;
import io.poolkeeper.contract.PoolUnderTest.Kind;
import io.poolkeeper.contract.PoolUnderTest.Settings;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;

/** Builds pools and ends them after the test. */
@Timeout(300)
abstract class PoolTest {

  /** Longest wait for something that must happen, in seconds. */
  static final long PATIENCE = 300;

  /** Opened at the end of each test; tasks that wait for it keep their workers busy. */
  final CountDownLatch release = new CountDownLatch(1);

  private final List<ExecutorService> built = new ArrayList<>();

  @AfterEach
  void endPools() throws InterruptedException {
    release.countDown();
    for (ExecutorService executor : built) {
      executor.shutdownNow();
      awaitEnd(executor);
    }
  }

  final PoolUnderTest build(Kind kind, Settings settings) {
    PoolUnderTest pool = kind.build(settings);
    built.add(pool.executor());
    return pool;
  }

  final PoolUnderTest build(Kind kind, int size) {
    return build(kind, Settings.ofSize(size));
  }

  final ExecutorService executor(Kind kind, int size) {
    return build(kind, size).executor();
  }

  /** Keeps {@code workers} workers busy until {@link #release} opens. */
  final void occupy(ExecutorService pool, int workers) {
    CountDownLatch started = new CountDownLatch(workers);
    for (int i = 0; i < workers; i++) {
      pool.execute(
          () -> {
            started.countDown();
            Await.latch(release);
          });
    }
    Await.latch(started);
  }

  static void awaitEnd(ExecutorService pool) throws InterruptedException {
    assertThat(pool.awaitTermination(PATIENCE, TimeUnit.SECONDS)).as("terminated").isTrue();
  }

  /** Blocks until it is interrupted, and counts that. */
  static void blockUntilInterrupted(CountDownLatch interrupted) {
    try {
      new CountDownLatch(1).await();
    } catch (InterruptedException e) {
      interrupted.countDown();
    }
  }

  /** Returns null where the type forbids it, as callers without nullness checks can. */
  @SuppressWarnings({"NullAway", "TypeParameterUnusedInFormals"})
  static <T> T nothing() {
    return null;
  }
}
