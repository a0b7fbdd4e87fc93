package io.poolkeeper.rocksdb;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.rocksdb.ColumnFamilyDescriptor;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.ColumnFamilyOptions;
import org.rocksdb.CompressionType;
import org.rocksdb.DBOptions;
import org.rocksdb.FlushOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.WriteOptions;

/** A database with four column families and small memtables. */
final class Store implements AutoCloseable {

  private static final int FAMILIES = 4;
  private static final byte[] VALUE = new byte[1000];

  final RocksDB db;
  private final List<ColumnFamilyHandle> families = new ArrayList<>();
  private final WriteOptions write = new WriteOptions().setDisableWAL(true);
  private final DBOptions options;
  private final ColumnFamilyOptions family =
      new ColumnFamilyOptions()
          .setCompressionType(CompressionType.NO_COMPRESSION)
          .setWriteBufferSize(1 << 20)
          .setMaxWriteBufferNumber(8);
  private long key;

  private Store(DBOptions options, Path folder) throws RocksDBException {
    this.options = options.setCreateIfMissing(true).setCreateMissingColumnFamilies(true);
    List<ColumnFamilyDescriptor> descriptors = new ArrayList<>();
    descriptors.add(new ColumnFamilyDescriptor(RocksDB.DEFAULT_COLUMN_FAMILY, family));
    for (int i = 1; i < FAMILIES; i++) {
      descriptors.add(new ColumnFamilyDescriptor(new byte[] {(byte) ('a' + i)}, family));
    }
    db = RocksDB.open(options, folder.toString(), descriptors, families);
  }

  /** Opens one that allows so many flushes and compactions at once. */
  static Store open(Path folder, int flushes, int compactions) throws RocksDBException {
    return new Store(RocksDbPools.allow(new DBOptions(), flushes, compactions), folder);
  }

  /** Opens one with options of its own. */
  static Store open(Path folder, DBOptions options) throws RocksDBException {
    return new Store(options, folder);
  }

  /** Writes values of 1000 bytes into all families in turn. */
  void put(int count) throws RocksDBException {
    for (int i = 0; i < count; i++) {
      ByteBuffer bytes = ByteBuffer.allocate(Long.BYTES).putLong(0, key++);
      db.put(families.get(i % FAMILIES), write, bytes.array(), VALUE);
    }
  }

  /** Writes all memtables to tables, and waits for that. */
  void flush() throws RocksDBException {
    try (FlushOptions waiting = new FlushOptions().setWaitForFlush(true)) {
      db.flush(waiting, families);
    }
  }

  @Override
  public void close() {
    families.forEach(ColumnFamilyHandle::close);
    db.close();
    write.close();
    options.close();
    family.close();
  }
}
