package io.poolkeeper.testbed.disk.probe;

import io.poolkeeper.testbed.disk.Storage.BadStorage;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Measures the throughput of several threads that access a file at random places.
 *
 * <p>A block counts if it ends within the time that is measured, wherever it began. If it had to
 * begin there as well, each thread would lose about one, which on a slow disk is most of them.
 */
public final class ThroughputMeter {

  /** Part of the time in which threads start, and which is not counted. */
  private static final double LEAD = 0.1;

  private final TestFile file;
  private final Duration time;
  private final LongSupplier clock;

  /** Each thread of each measurement has places of its own, which no cache has seen before. */
  private final SplittableRandom random = new SplittableRandom(1);

  /**
   * @param time length of a measurement, {@link #lead} included
   */
  public ThroughputMeter(TestFile file, Duration time) {
    this(file, time, System::nanoTime);
  }

  ThroughputMeter(TestFile file, Duration time, LongSupplier clock) {
    this.file = file;
    this.time = time;
    this.clock = clock;
  }

  /** Returns the time at the beginning of a measurement that is not counted. */
  public Duration lead() {
    return Duration.ofNanos((long) (LEAD * time.toNanos()));
  }

  /**
   * Measures once.
   *
   * @return bytes per second
   * @throws BadStorage in one line, if the file cannot be accessed or there is no room for so many
   *     threads
   */
  public double measure(Access access, int count) throws BadStorage {
    LongAdder blocks = new LongAdder();
    AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    long start = clock.getAsLong();
    long countFrom = start + lead().toNanos();
    long end = start + time.toNanos();
    CountDownLatch ended = new CountDownLatch(count);
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      SplittableRandom places = random.split();
      Thread thread =
          new Thread(
              () -> {
                try {
                  work(access, places, blocks, countFrom, end);
                } catch (IOException | OutOfMemoryError e) {
                  failure.compareAndSet(null, e);
                } finally {
                  ended.countDown();
                }
              },
              "disk-" + i);
      thread.setDaemon(true);
      threads.add(thread);
    }
    try {
      threads.forEach(Thread::start);
      ended.await();
    } catch (OutOfMemoryError e) {
      throw new BadStorage("the system allows no %d threads: %s".formatted(count, e.getMessage()));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    Throwable failed = failure.get();
    if (failed instanceof IOException io) {
      throw BadStorage.of(file.folder(), io);
    }
    if (failed != null) {
      throw new BadStorage("not enough memory for %d threads".formatted(count));
    }
    return blocks.sum() * (double) file.blockBytes() / ((end - countFrom) / 1e9);
  }

  private void work(
      Access access, SplittableRandom places, LongAdder blocks, long countFrom, long end)
      throws IOException {
    ByteBuffer block = file.block();
    long now = clock.getAsLong();
    while (now - end < 0) {
      file.access(access, block, places);
      now = clock.getAsLong();
      if (now - countFrom >= 0 && now - end <= 0) {
        blocks.increment();
      }
    }
  }
}
