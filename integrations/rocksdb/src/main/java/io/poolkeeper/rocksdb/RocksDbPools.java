package io.poolkeeper.rocksdb;

import io.poolkeeper.ControlLoop;
import io.poolkeeper.Controllers;
import io.poolkeeper.Mode;
import io.poolkeeper.Objective;
import io.poolkeeper.linux.DiskSensor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.rocksdb.ColumnFamilyDescriptor;
import org.rocksdb.ConfigOptions;
import org.rocksdb.DBOptions;
import org.rocksdb.DBOptionsInterface;
import org.rocksdb.Env;
import org.rocksdb.MutableDBOptionsInterface;
import org.rocksdb.OptionsUtil;
import org.rocksdb.Priority;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;

/**
 * The flush and the compaction threads of a running {@link RocksDB}, each tuned by a loop.
 *
 * <pre>{@code
 * var options = RocksDbPools.allow(new Options().setCreateIfMissing(true), 16, 8);
 * try (var db = RocksDB.open(options, "/data/db");
 *     var pools = RocksDbPools.attach(db)) {
 *   ...
 * }
 * }</pre>
 *
 * <p><b>Ceilings.</b> RocksDB runs no more flushes and compactions at once than its options allow
 * when the database is opened, whatever the number of threads. {@link #allow} sets them; they are
 * the bounds of the pools. What is allowed once only is not tuned.
 *
 * <p><b>One environment.</b> All databases of a process share these threads. So only one attachment
 * exists at a time, it sizes the threads for all of them, and it ends with the database that it was
 * made for: attach to the one that is closed last. An environment of your own is refused, because
 * its threads have the same names.
 *
 * <p><b>Windows.</b> A task is a megabyte that the threads read or wrote: flushes and compactions
 * differ by too much to be counted. The queue holds flushes or compactions that wait for a thread.
 * The usual objective is {@link Objective#diskThroughput}. No {@code setDBOptions} is called.
 *
 * <p>Needs Linux, since the counters are those of its threads.
 */
public final class RocksDbPools implements AutoCloseable {

  /** Nanoseconds between two looks at queues and threads. */
  private static final long BETWEEN_LOOKS = Duration.ofMillis(20).toNanos();

  /** The environment has one attachment at a time. */
  private static final AtomicBoolean ATTACHED = new AtomicBoolean();

  private final RocksDB db;
  private final List<BackgroundThreads> pools = new ArrayList<>();
  private final Object closing = new Object();
  private volatile boolean closed;
  private @Nullable ControlLoop flushes;
  private @Nullable ControlLoop compactions;

  private RocksDbPools(RocksDB db) {
    this.db = db;
  }

  /**
   * Allows a database that is not open yet so many flushes and compactions at once. They cost
   * nothing until threads run them.
   *
   * @param options options to open it with; returned
   * @param flushes largest number of flushes at once, 2 or more to have them tuned
   * @param compactions the same of compactions
   * @throws IllegalArgumentException if one is less than 1
   */
  @SuppressWarnings("deprecation") // There is no other way to set the two apart.
  public static <T extends DBOptionsInterface<T> & MutableDBOptionsInterface<T>> T allow(
      T options, int flushes, int compactions) {
    if (flushes < 1 || compactions < 1) {
      throw new IllegalArgumentException(
          "flushes and compactions must be 1 or more, but are %d and %d"
              .formatted(flushes, compactions));
    }
    options.setMaxBackgroundFlushes(flushes);
    return options.setMaxBackgroundCompactions(compactions);
  }

  /**
   * Tunes flushes and compactions for disk throughput. See {@link #attach(RocksDB, Consumer,
   * Consumer)}.
   */
  public static RocksDbPools attach(RocksDB db) throws RocksDBException {
    return attach(db, loop -> {}, loop -> {});
  }

  /**
   * Tunes the threads of a running database. Both pools begin with as many threads as there are
   * processors; they keep theirs where the mode is not active.
   *
   * @param flushes changes the description of the loop of flushes; the controller is that of disk
   *     throughput unless one is given here
   * @param compactions the same of compactions
   * @throws IllegalArgumentException if the database is closed, allows one flush and one compaction
   *     at once, or has an environment of its own
   * @throws IllegalStateException if there is an attachment already, or the machine has no counters
   *     of threads
   * @throws RocksDBException if the options of the database cannot be read
   */
  public static RocksDbPools attach(
      RocksDB db, Consumer<ControlLoop.Builder> flushes, Consumer<ControlLoop.Builder> compactions)
      throws RocksDBException {
    DiskSensor.unavailable()
        .ifPresent(
            reason -> {
              throw new IllegalStateException("cannot attach: " + reason);
            });
    if (db.isClosed()) {
      throw new IllegalArgumentException("cannot attach: the database is closed");
    }
    if (db.getEnv() != Env.getDefault()) {
      throw new IllegalArgumentException(
          "cannot attach: the database has an environment of its own, whose threads have the same"
              + " names as those of the default one");
    }
    if (!ATTACHED.compareAndSet(false, true)) {
      throw new IllegalStateException(
          "attached already: all databases of the process share the threads; close the first"
              + " attachment, or leave it to size them for all");
    }
    RocksDbPools attached = new RocksDbPools(db);
    try {
      attached.start(flushes, compactions);
      return attached;
    } catch (Throwable e) {
      attached.close();
      throw e;
    }
  }

  private void start(
      Consumer<ControlLoop.Builder> flushSettings, Consumer<ControlLoop.Builder> compactionSettings)
      throws RocksDBException {
    Ceilings ceilings = Ceilings.of(db);
    if (ceilings.flushes == 1 && ceilings.compactions == 1) {
      throw new IllegalArgumentException(
          "cannot attach: the database was opened for one flush and one compaction at once; open it"
              + " with RocksDbPools.allow(options, 16, 8), for example");
    }
    flushes = tune("rocksdb-flushes", Priority.HIGH, ceilings.flushes, flushSettings);
    compactions =
        tune("rocksdb-compactions", Priority.LOW, ceilings.compactions, compactionSettings);
    Thread looks = new Thread(null, this::look, "poolkeeper-rocksdb", 0, false);
    looks.setDaemon(true);
    looks.start();
  }

  private @Nullable ControlLoop tune(
      String name, Priority priority, int ceiling, Consumer<ControlLoop.Builder> settings) {
    if (ceiling == 1) {
      return null;
    }
    BackgroundThreads pool = new BackgroundThreads(name, priority, ceiling);
    pools.add(pool);
    ControlLoop.Builder loop =
        ControlLoop.tune(pool).controller(Controllers.forObjective(Objective.diskThroughput()));
    settings.accept(loop);
    ControlLoop started = loop.start();
    if (started.mode() != Mode.ACTIVE) {
      pool.giveBack();
    }
    return started;
  }

  private void look() {
    while (true) {
      synchronized (closing) {
        if (closed) {
          return;
        }
        pools.forEach(BackgroundThreads::look);
      }
      LockSupport.parkNanos(BETWEEN_LOOKS);
      if (db.isClosed()) { // Asks Java alone, not the database.
        close();
      }
    }
  }

  /** The loop of the flush threads; empty if the database allows one flush at once. */
  public Optional<ControlLoop> flushes() {
    return Optional.ofNullable(flushes);
  }

  /** The loop of the compaction threads; empty if the database allows one compaction at once. */
  public Optional<ControlLoop> compactions() {
    return Optional.ofNullable(compactions);
  }

  /**
   * Returns whether it still tunes. Once it or its database is closed it ends, and then another
   * attachment may be made.
   */
  public boolean active() {
    return !closed;
  }

  /**
   * Stops tuning. Pools that shrank get back the threads that they had. Whoever calls this while
   * somebody else closes it, as its own thread does when the database was closed, waits for that.
   */
  @Override
  public void close() {
    synchronized (closing) {
      if (!closed) {
        flushes().ifPresent(ControlLoop::close);
        compactions().ifPresent(ControlLoop::close);
        pools.forEach(BackgroundThreads::close);
        ATTACHED.set(false);
        closed = true;
      }
    }
  }

  /** Flushes and compactions that a database runs at once at most. */
  private record Ceilings(int flushes, int compactions) {

    /** Reads them as RocksDB does: a quarter of the jobs are flushes unless both are set apart. */
    @SuppressWarnings("deprecation")
    static Ceilings of(RocksDB db) throws RocksDBException {
      List<ColumnFamilyDescriptor> families = new ArrayList<>();
      try (ConfigOptions config = new ConfigOptions();
          DBOptions options = new DBOptions()) {
        // The running database does not tell; Java's mutable options lack the flushes.
        OptionsUtil.loadLatestOptions(config, db.getName(), options, families);
        int jobs = options.maxBackgroundJobs();
        boolean together =
            options.maxBackgroundFlushes() == -1 && options.maxBackgroundCompactions() == -1;
        int flushes = Math.max(1, together ? jobs / 4 : options.maxBackgroundFlushes());
        int compactions =
            Math.max(1, together ? jobs - flushes : options.maxBackgroundCompactions());
        return new Ceilings(flushes, compactions);
      } finally {
        families.forEach(family -> family.getOptions().close());
      }
    }
  }
}
