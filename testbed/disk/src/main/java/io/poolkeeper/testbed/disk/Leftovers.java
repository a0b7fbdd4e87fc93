package io.poolkeeper.testbed.disk;

import io.poolkeeper.testbed.commands.Folders;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Files of the commands for disks. Their names hold the process, so that those of one that was
 * killed can be removed by the next.
 */
public final class Leftovers {

  private static final String PREFIX = ".poolkeeper-disk-";

  private Leftovers() {}

  /** Returns the path of a file or folder of this process. */
  public static Path named(Path folder, String kind) {
    return folder.resolve(PREFIX + ProcessHandle.current().pid() + "-" + kind);
  }

  /** Removes what processes have left behind that are no more; returns how many things. */
  public static int remove(Path folder) throws IOException {
    int removed = 0;
    try (DirectoryStream<Path> found = Files.newDirectoryStream(folder, PREFIX + "*")) {
      for (Path path : found) {
        String[] parts = path.getFileName().toString().substring(PREFIX.length()).split("-", 2);
        if (parts[0].matches("\\d{1,9}") && ProcessHandle.of(Long.parseLong(parts[0])).isEmpty()) {
          Folders.delete(path);
          removed++;
        }
      }
    }
    return removed;
  }
}
