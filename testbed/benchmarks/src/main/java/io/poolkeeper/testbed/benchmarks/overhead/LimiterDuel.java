package io.poolkeeper.testbed.benchmarks.overhead;

import com.netflix.concurrency.limits.Limiter;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;

/** Permits taken and given back through ours and Netflix's limiter, in turns. */
final class LimiterDuel {

  /**
   * A tenth of a second and more. Threads that wake up together begin on one processor, and it
   * takes the system some milliseconds to give each its own: in shorter turns they hardly meet.
   */
  private static final int OPERATIONS_A_TURN = 3_000_000;

  private LimiterDuel() {}

  /** Arguments: threads, warm-ups, rounds. */
  public static void main(String[] arguments) throws Exception {
    int threads = Integer.parseInt(arguments[0]);
    int warmUps = Integer.parseInt(arguments[1]);
    int rounds = Integer.parseInt(arguments[2]);
    try (var ours = Limiters.poolkeeper()) {
      Limiter<Void> theirs = Limiters.netflix();
      Duel.fight(
          () -> turn(threads, () -> Limiters.use(ours)),
          () -> turn(threads, () -> Limiters.use(theirs)),
          warmUps,
          rounds);
    }
  }

  private interface Use {
    /** Whether a permit was there. */
    boolean permit() throws InterruptedException;
  }

  private static double turn(int threads, Use use) throws InterruptedException {
    CountDownLatch start = new CountDownLatch(1);
    CountDownLatch end = new CountDownLatch(threads);
    AtomicLong done = new AtomicLong();
    for (int i = 0; i < threads; i++) {
      new Thread(
              () -> {
                long granted = 0;
                try {
                  start.await();
                  for (int n = 0; n < OPERATIONS_A_TURN / threads; n++) {
                    granted += use.permit() ? 1 : 0;
                  }
                } catch (InterruptedException e) {
                  Thread.currentThread().interrupt();
                }
                done.addAndGet(granted);
                end.countDown();
              })
          .start();
    }
    long began = System.nanoTime();
    start.countDown();
    end.await();
    return done.get() / ((System.nanoTime() - began) / 1e9);
  }
}
