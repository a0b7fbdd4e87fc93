package io.poolkeeper.testbed.disk.probe;

import io.poolkeeper.testbed.disk.Storage.BadStorage;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Measures throughput by the number of threads. All numbers take turns within a repetition, every
 * second time in reverse, so that a disk that is slower for a while is slower for all alike.
 */
final class Sweep {

  /** Part of a point in which threads start, and which is not counted. */
  private static final double LEAD = 0.1;

  private final TestFile file;
  private final Path folder;
  private final int blockBytes;
  private final Duration point;

  /**
   * @param point time at one number of threads
   */
  Sweep(TestFile file, Path folder, int blockBytes, Duration point) {
    this.file = file;
    this.folder = folder;
    this.blockBytes = blockBytes;
    this.point = point;
  }

  /**
   * Runs all of it.
   *
   * @param progress gets a line of text before each point
   */
  Map<Access, Curve> run(List<Integer> threads, int repetitions, Consumer<String> progress)
      throws BadStorage {
    Map<Access, Map<Integer, List<Double>>> rates = new EnumMap<>(Access.class);
    int total = Access.values().length * repetitions * threads.size();
    int done = 0;
    for (int repetition = 0; repetition < repetitions; repetition++) {
      for (Access access : Access.values()) {
        for (int i = 0; i < threads.size(); i++) {
          int count = threads.get(repetition % 2 == 0 ? i : threads.size() - 1 - i);
          progress.accept(
              "%d of %d: %s, %d thread%s"
                  .formatted(++done, total, access.text(), count, count == 1 ? "" : "s"));
          double rate = measure(access, count, repetition);
          rates
              .computeIfAbsent(access, key -> new TreeMap<>())
              .computeIfAbsent(count, key -> new ArrayList<>())
              .add(rate);
        }
      }
    }
    Map<Access, Curve> curves = new EnumMap<>(Access.class);
    rates.forEach((access, points) -> curves.put(access, Curve.of(points)));
    return curves;
  }

  private double measure(Access access, int count, int seed) throws BadStorage {
    LongAdder blocks = new LongAdder();
    AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    long start = System.nanoTime();
    long countFrom = start + (long) (LEAD * point.toNanos());
    long end = start + point.toNanos();
    CountDownLatch ended = new CountDownLatch(count);
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      SplittableRandom random = new SplittableRandom(1000L * seed + i);
      Thread thread =
          new Thread(
              () -> {
                try {
                  work(access, random, blocks, countFrom, end);
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
      throw BadStorage.of(folder, io);
    }
    if (failed != null) {
      throw new BadStorage("not enough memory for %d threads".formatted(count));
    }
    return blocks.sum() * (double) blockBytes / ((end - countFrom) / 1e9);
  }

  private void work(
      Access access, SplittableRandom random, LongAdder blocks, long countFrom, long end)
      throws IOException {
    ByteBuffer block = file.block();
    long before = System.nanoTime();
    while (before - end < 0) {
      file.access(access, block, random);
      long now = System.nanoTime();
      if (before - countFrom >= 0 && now - end <= 0) {
        blocks.increment();
      }
      before = now;
    }
  }
}
