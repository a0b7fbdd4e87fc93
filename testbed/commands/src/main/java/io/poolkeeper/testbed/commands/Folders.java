package io.poolkeeper.testbed.commands;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** Folders that programs make, and leave nothing behind of. */
public final class Folders {

  private Folders() {}

  /**
   * Makes a folder, and those it stands in.
   *
   * @param option name of the option that gave it, for the message
   * @throws BadInput with the reason if it cannot be made
   */
  public static void make(String option, Path folder) throws BadInput {
    try {
      Files.createDirectories(folder);
    } catch (IOException e) {
      throw new BadInput(
          "%s: the folder '%s' cannot be made: %s".formatted(option, folder, reason(e)));
    }
  }

  /** Returns the reason of a failure, without the path that such messages repeat. */
  public static String reason(IOException e) {
    if (e instanceof FileAlreadyExistsException) {
      return "there is a file of that name";
    }
    if (e instanceof AccessDeniedException) {
      return "permission denied";
    }
    if (e instanceof NoSuchFileException) {
      return "no such file or folder";
    }
    String reason = e instanceof FileSystemException failed ? failed.getReason() : e.getMessage();
    return reason == null ? e.getClass().getSimpleName() : reason;
  }

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
