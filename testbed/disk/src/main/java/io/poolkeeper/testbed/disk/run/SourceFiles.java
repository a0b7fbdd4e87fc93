package io.poolkeeper.testbed.disk.run;

import io.poolkeeper.testbed.disk.Storage;
import io.poolkeeper.testbed.disk.Storage.BadStorage;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Files that jobs read. Those of an earlier run in the same folder are used again.
 *
 * @param folder folder of files and copies
 * @param files files by number
 */
record SourceFiles(Path folder, List<Path> files) {

  /** Part of the free space that files may take. */
  private static final double LARGEST_PART = 0.25;

  /**
   * Makes the files that are missing, and writes them to the device.
   *
   * @param folder existing folder
   * @throws BadStorage in one line, if there is no room for them
   */
  static SourceFiles make(Path folder, int bytes, int count) throws BadStorage {
    List<Path> files = new ArrayList<>(count);
    try {
      for (int i = 0; i < count; i++) {
        files.add(folder.resolve("source-%d-%06d".formatted(bytes, i)));
      }
      List<Path> missing = new ArrayList<>();
      for (Path file : files) {
        if (!Files.exists(file) || Files.size(file) != bytes) {
          missing.add(file);
        }
      }
      requireRoom(folder, (long) missing.size() * bytes);
      ByteBuffer content = ByteBuffer.allocateDirect(bytes);
      byte[] noise = new byte[bytes];
      new SplittableRandom(bytes).nextBytes(noise);
      content.put(noise);
      for (Path file : missing) {
        write(file, content);
      }
    } catch (IOException e) {
      throw BadStorage.of(folder, e);
    }
    return new SourceFiles(folder, files);
  }

  private static void requireRoom(Path folder, long bytes) throws BadStorage {
    long free = Storage.of(folder).freeBytes();
    if (bytes > LARGEST_PART * free) {
      throw new BadStorage(
          "%s: files of %d MB are more than a quarter of the %d MB that are free; use fewer jobs"
              .formatted(folder, bytes >> 20, free >> 20));
    }
  }

  private static void write(Path file, ByteBuffer content) throws IOException {
    try (FileChannel channel =
        FileChannel.open(
            file,
            StandardOpenOption.CREATE,
            StandardOpenOption.TRUNCATE_EXISTING,
            StandardOpenOption.WRITE)) {
      content.clear();
      while (content.hasRemaining()) {
        channel.write(content);
      }
      channel.force(true);
    }
  }

  /** Returns the file of a job; jobs beyond the number of files read some a second time. */
  Path source(int job) {
    return files.get(job % files.size());
  }

  /** Returns the path of the copy of a job. */
  Path copy(int job) {
    return folder.resolve("copy-" + job);
  }
}
