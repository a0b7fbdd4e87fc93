package io.poolkeeper.testbed.load.record;

import io.poolkeeper.testbed.commands.BadInput;
import io.poolkeeper.testbed.commands.Folders;
import io.poolkeeper.testbed.commands.JsonFile;
import io.poolkeeper.testbed.load.measure.Summary;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The folder that a load is recorded in. Its files never stand in the way of the load: one that
 * cannot be written any more, as on a full disk, stays as it is from then on. The first time this
 * happens is told, and remembered.
 */
final class RecordFolder {

  static final String TABLE = "load.csv";
  static final String LATENCIES = "latency.hlog";
  static final String SUMMARY = "load.json";
  static final String SAMPLES = "samples.jtl";

  private final Path folder;
  private final Consumer<String> warnings;
  private final AtomicReference<@Nullable String> problem = new AtomicReference<>();

  /**
   * Makes the folder if there is none.
   *
   * @param warnings gets the one line about the first file that cannot be written
   * @throws BadInput if it cannot be made, or holds a load already, which is never overwritten
   */
  RecordFolder(Path folder, Consumer<String> warnings) throws BadInput {
    this.folder = folder;
    this.warnings = warnings;
    for (String name : List.of(TABLE, LATENCIES, SUMMARY, SAMPLES)) {
      if (Files.isRegularFile(folder.resolve(name))) {
        throw new BadInput(
            "record '%s' already holds %s; name another folder".formatted(folder, name));
      }
    }
    Folders.make("record", folder);
  }

  /**
   * Makes a file that is written while the load runs.
   *
   * @throws BadInput if it cannot be made
   */
  RecordFile open(String name) throws BadInput {
    Path path = folder.resolve(name);
    try {
      return new RecordFile(Files.newOutputStream(path), e -> failed(path, e));
    } catch (IOException e) {
      throw new BadInput("record '%s' cannot be written: %s".formatted(path, Folders.reason(e)));
    }
  }

  /** Writes {@code load.json}, which is there as a whole or not at all. */
  void write(Summary summary) {
    Path path = folder.resolve(SUMMARY);
    try {
      JsonFile.write(path, summary.document());
    } catch (IOException e) {
      failed(path, e);
    }
  }

  /** Returns the file that could not be written and why, or null if all were. */
  @Nullable String problem() {
    return problem.get();
  }

  private void failed(Path path, IOException e) {
    String line = "record: writing %s failed: %s".formatted(path, Folders.reason(e));
    if (problem.compareAndSet(null, line)) {
      warnings.accept(line + "; the load goes on");
    }
  }
}
