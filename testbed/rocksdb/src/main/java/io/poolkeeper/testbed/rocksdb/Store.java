package io.poolkeeper.testbed.rocksdb;

import io.poolkeeper.rocksdb.RocksDbPools;
import io.poolkeeper.testbed.commands.Folders;
import io.poolkeeper.testbed.disk.Leftovers;
import io.poolkeeper.testbed.disk.Storage.BadStorage;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.rocksdb.ColumnFamilyDescriptor;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.ColumnFamilyOptions;
import org.rocksdb.CompressionType;
import org.rocksdb.DBOptions;
import org.rocksdb.FlushOptions;
import org.rocksdb.HistogramData;
import org.rocksdb.HistogramType;
import org.rocksdb.RateLimiter;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksObject;
import org.rocksdb.Statistics;
import org.rocksdb.TickerType;
import org.rocksdb.WriteOptions;

/**
 * A database that is made for one run, without compression and write-ahead log, and deleted when it
 * is closed.
 */
final class Store implements AutoCloseable {

  /** Bytes of a value. */
  static final int VALUE_BYTES = 1000;

  private final Path folder;
  private final byte[] value = new byte[VALUE_BYTES];
  private final List<RocksObject> resources = new ArrayList<>();
  private final List<ColumnFamilyHandle> families = new ArrayList<>();
  private final Statistics statistics = keep(new Statistics());
  private final WriteOptions write = keep(new WriteOptions().setDisableWAL(true));
  private final Layout layout;
  private final RocksDB db;

  /**
   * Opens one.
   *
   * @param parent existing folder
   * @param ceiling flushes and compactions that may run at once; 0 for RocksDB's default
   * @param limiter limit of writes in the background, closed with the store; null for none
   * @throws BadStorage in one line, if none can be made there
   */
  Store(Path parent, Layout layout, int ceiling, @Nullable RateLimiter limiter) throws BadStorage {
    this.layout = layout;
    folder = Leftovers.named(parent, "rocksdb");
    new SplittableRandom(1).nextBytes(value);
    DBOptions options = keep(new DBOptions());
    options
        .setCreateIfMissing(true)
        .setCreateMissingColumnFamilies(true)
        .setStatistics(statistics)
        .setUseDirectIoForFlushAndCompaction(layout.direct());
    if (ceiling > 0) {
      RocksDbPools.allow(options, ceiling, ceiling);
    }
    if (limiter != null) {
      options.setRateLimiter(keep(limiter));
    }
    ColumnFamilyOptions family =
        keep(
            new ColumnFamilyOptions()
                .setCompressionType(CompressionType.NO_COMPRESSION)
                .setWriteBufferSize((long) layout.memtableMegabytes() << 20)
                .setMaxWriteBufferNumber(layout.memtables())
                .setDisableAutoCompactions(!layout.compact())
                .setLevel0SlowdownWritesTrigger(layout.slowdown())
                .setLevel0StopWritesTrigger(2 * layout.slowdown()));
    List<ColumnFamilyDescriptor> descriptors = new ArrayList<>();
    descriptors.add(new ColumnFamilyDescriptor(RocksDB.DEFAULT_COLUMN_FAMILY, family));
    for (int i = 1; i < layout.families(); i++) {
      descriptors.add(
          new ColumnFamilyDescriptor(("family" + i).getBytes(StandardCharsets.UTF_8), family));
    }
    try {
      db = RocksDB.open(options, folder.toString(), descriptors, families);
    } catch (RocksDBException e) {
      throw new BadStorage(parent + ": no database can be opened there: " + e.getMessage());
    }
  }

  private <T extends RocksObject> T keep(T resource) {
    resources.add(resource);
    return resource;
  }

  /** Returns the database. */
  RocksDB db() {
    return db;
  }

  /** Returns the number of column families. */
  int families() {
    return families.size();
  }

  /** Writes a value. */
  void put(int family, long key) throws RocksDBException {
    db.put(families.get(family), write, bytes(key), value);
  }

  /** Reads a value; returns whether there is one. */
  boolean get(int family, long key) throws RocksDBException {
    return db.get(families.get(family), bytes(key)) != null;
  }

  private static byte[] bytes(long key) {
    return ByteBuffer.allocate(2 * Long.BYTES).putLong(Long.BYTES, key).array();
  }

  /** Writes all memtables to tables, and waits for that. */
  void flush() throws RocksDBException {
    try (FlushOptions waiting = new FlushOptions().setWaitForFlush(true)) {
      db.flush(waiting, families);
    }
  }

  /** Seconds for which writes were slowed down or stopped, summed over the writers. */
  double stallSeconds() {
    return statistics.getTickerCount(TickerType.STALL_MICROS) / 1e6;
  }

  /** Bytes that users wrote. */
  long userBytes() {
    return statistics.getTickerCount(TickerType.BYTES_WRITTEN);
  }

  /** Bytes that flushes wrote. */
  long flushedBytes() {
    return statistics.getTickerCount(TickerType.FLUSH_WRITE_BYTES);
  }

  /** Thread-seconds of all flushes that have ended. */
  double flushSeconds() {
    HistogramData times = statistics.getHistogramData(HistogramType.FLUSH_TIME);
    return times.getSum() / 1e6;
  }

  /** Memtables that wait for a flush or are being flushed. */
  long immutables() throws RocksDBException {
    return db.getAggregatedLongProperty("rocksdb.num-immutable-mem-table");
  }

  /** Compactions that run. */
  long compactions() throws RocksDBException {
    return db.getLongProperty("rocksdb.num-running-compactions");
  }

  /** Tables of level 0 in the fullest family, as a fraction of those that slow writes down. */
  double level0() throws RocksDBException {
    int most = 0;
    for (ColumnFamilyHandle family : families) {
      most =
          Math.max(most, Integer.parseInt(db.getProperty(family, "rocksdb.num-files-at-level0")));
    }
    return (double) most / layout.slowdown();
  }

  /** Closes the database, without waiting for compactions, and deletes it. */
  @Override
  public void close() throws IOException {
    db.cancelAllBackgroundWork(true);
    families.forEach(ColumnFamilyHandle::close);
    db.close();
    resources.forEach(RocksObject::close);
    Folders.delete(folder);
  }
}
