package io.poolkeeper.testbed.rocksdb;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import org.rocksdb.RocksDBException;

/** Writers of a store, each with families of its own, and readers beside them. */
final class Load {

  /** Keys of a family that are overwritten at least. */
  static final long LEAST_KEYS = 100_000;

  private static final int WRITERS = 2;

  private final Store store;

  /** Keys that were written in ascending order, by family. */
  private final long[] written;

  private final AtomicReference<@Nullable RocksDBException> failure = new AtomicReference<>();
  private final BooleanSupplier stopped;

  /**
   * Result of a phase.
   *
   * @param operations writes
   * @param seconds from the first write to the end of the last
   * @param reads reads meanwhile
   * @param times response times of the writes in nanoseconds
   */
  record Result(long operations, double seconds, long reads, Histogram times) {

    double operationsPerSecond() {
      return operations / seconds;
    }
  }

  /**
   * @param stopped whether the load is to end early
   */
  Load(Store store, BooleanSupplier stopped) {
    this.store = store;
    this.stopped = stopped;
    written = new long[store.families()];
  }

  /**
   * Writes until there were so many writes, or so much time has passed.
   *
   * @param gapNanos time between two writes; 0 for as fast as they go
   * @throws RocksDBException the first that a write has thrown
   */
  Result run(Workload workload, long operations, long gapNanos, long mostNanos)
      throws RocksDBException, InterruptedException {
    AtomicLong reads = new AtomicLong();
    AtomicBoolean over = new AtomicBoolean();
    List<Thread> readers = new ArrayList<>();
    for (int i = 0; i < workload.readers(); i++) {
      int number = i;
      readers.add(start("reader", () -> read(number, over, reads)));
    }
    Histogram times = new Histogram(3);
    AtomicLong ended = new AtomicLong();
    long start = System.nanoTime();
    List<Thread> writers = new ArrayList<>();
    for (int i = 0; i < WRITERS; i++) {
      Writer writer = new Writer(i, workload, operations, gapNanos, start, start + mostNanos);
      writers.add(
          start(
              "writer",
              () -> {
                ended.addAndGet(writer.run());
                synchronized (times) {
                  times.add(writer.times);
                }
              }));
    }
    for (Thread writer : writers) {
      writer.join();
    }
    double seconds = (System.nanoTime() - start) / 1e9;
    over.set(true);
    for (Thread reader : readers) {
      reader.join();
    }
    RocksDBException thrown = failure.get();
    if (thrown != null) {
      throw thrown;
    }
    return new Result(ended.get(), seconds, reads.get(), times);
  }

  private static Thread start(String name, Runnable body) {
    Thread thread = new Thread(body, name);
    thread.setDaemon(true);
    thread.start();
    return thread;
  }

  private void read(int number, AtomicBoolean over, AtomicLong reads) {
    SplittableRandom random = new SplittableRandom(100 + number);
    try {
      while (!over.get()) {
        int family = random.nextInt(written.length);
        if (store.get(family, random.nextLong(keys(family, Workload.OVERWRITE)))) {
          reads.incrementAndGet();
        }
      }
    } catch (RocksDBException e) {
      failure.compareAndSet(null, e);
    }
  }

  private long keys(int family, Workload workload) {
    return Math.max(workload.leastKeys(), written[family]);
  }

  private final class Writer {
    private final Histogram times = new Histogram(3);
    private final int number;
    private final Workload workload;
    private final long operations;
    private final long gap;
    private final long start;
    private final long end;
    private final SplittableRandom random;

    Writer(int number, Workload workload, long operations, long gap, long start, long end) {
      this.number = number;
      this.workload = workload;
      this.operations = operations;
      this.gap = gap;
      this.start = start;
      this.end = end;
      random = new SplittableRandom(number);
    }

    /** Returns the number of its writes. */
    long run() {
      long done = 0;
      try {
        int family = number % written.length;
        for (long i = number; i < operations && failure.get() == null; i += WRITERS) {
          waitUntil(start + i * gap);
          long key =
              workload.random() ? random.nextLong(keys(family, workload)) : written[family]++;
          long before = System.nanoTime();
          store.put(family, key);
          long after = System.nanoTime();
          times.recordValue(after - before);
          done++;
          if (after - end > 0 || stopped.getAsBoolean()) {
            break;
          }
          family = family + WRITERS < written.length ? family + WRITERS : number % written.length;
        }
      } catch (RocksDBException e) {
        failure.compareAndSet(null, e);
      }
      return done;
    }

    private void waitUntil(long due) {
      if (gap > 0) {
        for (long left = due - System.nanoTime(); left > 0; left = due - System.nanoTime()) {
          LockSupport.parkNanos(left);
        }
      }
    }
  }
}
