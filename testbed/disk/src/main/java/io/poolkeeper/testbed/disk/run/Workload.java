package io.poolkeeper.testbed.disk.run;

import io.poolkeeper.testbed.commands.Names;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** Published workloads (Timm 2021, chapter 5): jobs that read a file, and most write a copy. */
enum Workload {
  READ_2MB(2_000_000, 2_000_000, false, false),
  RW_2MB(2_000_000, 2_000_000, true, true),
  /** Synced after each piece of 4 KB. */
  RW_BUF_2MB(2_000_000, 4096, true, true),
  RW_NOSYNC_2MB(2_000_000, 2_000_000, true, false),
  RW_100KB(100_000, 100_000, true, true),
  RW_4KB(4096, 4096, true, true);

  /** One for each worker; a heap of garbage would be measured otherwise. */
  private static final ThreadLocal<byte[]> BUFFER = ThreadLocal.withInitial(() -> new byte[0]);

  private final int fileBytes;
  private final int pieceBytes;
  private final boolean writes;
  private final boolean syncs;

  Workload(int fileBytes, int pieceBytes, boolean writes, boolean syncs) {
    this.fileBytes = fileBytes;
    this.pieceBytes = pieceBytes;
    this.writes = writes;
    this.syncs = syncs;
  }

  /**
   * Returns the workload of a name in configurations, such as {@code rw_2mb}.
   *
   * @throws IllegalArgumentException with the nearest name if there is none
   */
  static Workload named(String name) {
    List<String> names = Arrays.stream(values()).map(Workload::text).toList();
    return values()[names.indexOf(Names.require("workload", name, names))];
  }

  /** Returns the name in configurations. */
  String text() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Returns the size of a file in bytes. */
  int fileBytes() {
    return fileBytes;
  }

  /**
   * Does one job.
   *
   * @param source file to read
   * @param copy path of the copy, which is deleted again
   */
  void run(Path source, Path copy) throws IOException {
    byte[] buffer = BUFFER.get();
    if (buffer.length < pieceBytes) {
      buffer = new byte[pieceBytes];
      BUFFER.set(buffer);
    }
    try (FileInputStream in = new FileInputStream(source.toFile())) {
      if (writes) {
        copy(in, copy, buffer);
      } else {
        int read;
        do {
          read = in.readNBytes(buffer, 0, pieceBytes);
        } while (read == pieceBytes);
      }
    }
  }

  private void copy(FileInputStream in, Path copy, byte[] buffer) throws IOException {
    try (FileOutputStream out = new FileOutputStream(copy.toFile())) {
      int read = in.readNBytes(buffer, 0, pieceBytes);
      while (read > 0) {
        out.write(buffer, 0, read);
        if (syncs) {
          out.getFD().sync();
        }
        read = in.readNBytes(buffer, 0, pieceBytes);
      }
    } finally {
      Files.deleteIfExists(copy);
    }
  }
}
