package io.poolkeeper.testbed.benchmarks.overhead;

import io.poolkeeper.AdaptiveExecutor;
import io.poolkeeper.Mode;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** Empty tasks through our pool and the JDK's, with queues of the same capacity, in turns. */
final class ExecutorDuel {

  private static final int BATCH = 20_000;
  private static final int BATCHES_A_TURN = 24;
  private static final int QUEUE = 16 * BATCH;

  private ExecutorDuel() {}

  /** Arguments: producers, workers, warm-ups, rounds. */
  public static void main(String[] arguments) throws Exception {
    int producers = Integer.parseInt(arguments[0]);
    int workers = Integer.parseInt(arguments[1]);
    int warmUps = Integer.parseInt(arguments[2]);
    int rounds = Integer.parseInt(arguments[3]);
    ExecutorService theirs =
        new ThreadPoolExecutor(
            workers, workers, 0, TimeUnit.NANOSECONDS, new LinkedBlockingQueue<>(QUEUE));
    try (AdaptiveExecutor ours =
        AdaptiveExecutor.builder("benchmark")
            .bounds(workers, workers)
            .queueCapacity(QUEUE)
            .mode(Mode.FROZEN)
            .build()) {
      Duel.fight(() -> turn(ours, producers), () -> turn(theirs, producers), warmUps, rounds);
    } finally {
      theirs.shutdown();
    }
  }

  private static double turn(ExecutorService pool, int producers) throws InterruptedException {
    CountDownLatch start = new CountDownLatch(1);
    CountDownLatch end = new CountDownLatch(producers);
    int batches = Math.max(1, BATCHES_A_TURN / producers);
    for (int i = 0; i < producers; i++) {
      new Thread(
              () -> {
                try {
                  start.await();
                  for (int batch = 0; batch < batches; batch++) {
                    handOver(pool);
                  }
                } catch (InterruptedException e) {
                  Thread.currentThread().interrupt();
                }
                end.countDown();
              })
          .start();
    }
    long began = System.nanoTime();
    start.countDown();
    end.await();
    return (double) producers * batches * BATCH / (System.nanoTime() - began) * 1e9;
  }

  /** A batch, so that the queue stays bounded: the next one begins when its last task has run. */
  private static void handOver(ExecutorService pool) throws InterruptedException {
    CountDownLatch done = new CountDownLatch(1);
    for (int i = 1; i < BATCH; i++) {
      pool.execute(ExecutorDuel::empty);
    }
    pool.execute(done::countDown);
    done.await();
  }

  private static void empty() {}
}
