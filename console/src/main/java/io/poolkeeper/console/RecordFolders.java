package io.poolkeeper.console;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** Finds the run records at a path: a folder of one, a file in it, or a folder of several. */
final class RecordFolders {

  static final String WINDOWS = "windows.csv";
  static final String DECISIONS = "decisions.jsonl";

  /** Runs that a page can show. */
  static final int LARGEST = 100;

  private static final int RUNS_BELOW = 3;

  private RecordFolders() {}

  /**
   * Returns the folders of the runs, in order of their names.
   *
   * @throws IOException in one line, naming the path, if there is no run or there are too many
   */
  static List<Path> find(Path path) throws IOException {
    if (!Files.exists(path)) {
      throw new IOException(path + ": does not exist; a record is the folder of a run");
    }
    if (Files.isRegularFile(path)) {
      String name = String.valueOf(path.getFileName());
      Path folder = path.toAbsolutePath().getParent();
      if (folder == null || !(name.equals(WINDOWS) || name.equals(DECISIONS))) {
        throw new IOException(
            "%s: is no run record; one is a folder with %s or %s"
                .formatted(path, WINDOWS, DECISIONS));
      }
      return List.of(folder);
    }
    if (isRun(path)) {
      return List.of(path);
    }
    List<Path> runs;
    try (Stream<Path> below = Files.walk(path, RUNS_BELOW)) {
      runs = below.filter(Files::isDirectory).filter(RecordFolders::isRun).sorted().toList();
    } catch (UncheckedIOException e) {
      throw new IOException(path + ": cannot be read", e);
    }
    if (runs.isEmpty()) {
      throw new IOException(
          "%s: is no run record, it has neither %s nor %s".formatted(path, WINDOWS, DECISIONS));
    }
    if (runs.size() > LARGEST) {
      throw new IOException(
          "%s: holds %d runs, a page shows at most %d; choose one, such as %s"
              .formatted(path, runs.size(), LARGEST, runs.get(0)));
    }
    return runs;
  }

  private static boolean isRun(Path folder) {
    return Files.exists(folder.resolve(WINDOWS)) || Files.exists(folder.resolve(DECISIONS));
  }
}
