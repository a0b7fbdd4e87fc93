package io.poolkeeper.record;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads the decisions of a run record, for a replay or for an analysis in Java.
 *
 * <p>Fields are found by name, and unknown ones are ignored. A last line that was cut off is
 * ignored with a warning.
 */
public final class DecisionReader {

  private DecisionReader() {}

  /**
   * The decisions in {@code decisions.jsonl} of a folder, in the order of the file. A {@code
   * run.json} beside it must be of a version that this reader knows; without one it is taken for
   * the latest.
   *
   * @throws IOException if a file cannot be read; naming the file and the version if that is a
   *     later one, or the line and the field that is missing or wrong
   */
  public static List<PoolDecision> read(Path folder) throws IOException {
    RecordFolder run = new RecordFolder(folder);
    run.readRun(); // For its version.
    Path file = run.file(RecordFolder.DECISIONS);
    List<String> lines = run.wholeLines(RecordFolder.DECISIONS);
    List<PoolDecision> decisions = new ArrayList<>(lines.size());
    for (int i = 0; i < lines.size(); i++) {
      decisions.add(DecisionLine.read(file + ", line " + (i + 1), lines.get(i)));
    }
    return decisions;
  }
}
