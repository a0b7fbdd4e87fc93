package io.poolkeeper.testbed.disk.run;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/**
 * Virtual threads that sleep for a millisecond again and again, and note how late they wake up: the
 * delay that others cause. Of a delay of many milliseconds each counts, as for threads that would
 * have woken meanwhile.
 */
final class DelayProbe {

  private static final int SLEEPERS = 4;
  private static final long SLEEP = TimeUnit.MILLISECONDS.toNanos(1);

  private final ExecutorService sleepers = JobThreads.virtualThreads();
  private final Histogram delays = new Histogram(3);
  private volatile boolean over;

  DelayProbe() {
    for (int i = 0; i < SLEEPERS; i++) {
      sleepers.execute(this::sleepAgainAndAgain);
    }
  }

  private void sleepAgainAndAgain() {
    try {
      while (!over) {
        long before = System.nanoTime();
        TimeUnit.NANOSECONDS.sleep(SLEEP);
        long late = Math.max(0, System.nanoTime() - before - SLEEP);
        synchronized (delays) {
          delays.recordValueWithExpectedInterval(late, SLEEP);
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Ends the threads, and returns the figures of their delays in milliseconds. */
  Map<String, Double> end() throws InterruptedException {
    over = true;
    sleepers.shutdown();
    if (!sleepers.awaitTermination(1, TimeUnit.MINUTES)) {
      throw new IllegalStateException("virtual threads did not get a turn within a minute");
    }
    Map<String, Double> figures = new LinkedHashMap<>();
    figures.put("delay of other virtual threads, median ms", delays.getValueAtPercentile(50) / 1e6);
    figures.put("their p99, ms", delays.getValueAtPercentile(99) / 1e6);
    figures.put("the longest, ms", delays.getMaxValue() / 1e6);
    return figures;
  }
}
