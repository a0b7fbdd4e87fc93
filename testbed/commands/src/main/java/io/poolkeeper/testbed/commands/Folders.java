package io.poolkeeper.testbed.commands;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** Folders of programs that leave nothing behind. */
public final class Folders {

  private Folders() {}

  /**
   * Deletes a file, or a folder with all in it; nothing if it is not there.
   *
   * @throws IOException if a part of it cannot be deleted
   */
  public static void delete(Path path) throws IOException {
    if (!Files.exists(path)) {
      return;
    }
    List<Path> all;
    try (Stream<Path> walk = Files.walk(path)) {
      all = walk.sorted(Comparator.reverseOrder()).toList(); // Contents first.
    }
    for (Path each : all) {
      Files.deleteIfExists(each);
    }
  }
}
