package io.poolkeeper.record;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.poolkeeper.record.WindowReader.PoolWindow;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/**
 * A run record as a zip file of one folder: windows and decisions that are held in memory, in the
 * lines that {@link RunRecorder} writes.
 *
 * @param folder its name in the zip file
 * @param run content of {@code run.json}, ready to be written as JSON
 * @param windows in the order in which they closed
 * @param decisions in the order in which they were made
 */
public record RecordArchive(
    String folder,
    Map<String, Object> run,
    List<PoolWindow> windows,
    List<PoolDecision> decisions) {

  /**
   * Writes the file.
   *
   * @param out is left open
   */
  public void write(OutputStream out) throws IOException {
    ZipOutputStream zip = new ZipOutputStream(out, StandardCharsets.UTF_8);
    entry(
        zip,
        RecordFolder.RUN,
        Stream.of(new ObjectMapper().writerWithDefaultPrettyPrinter().writeValueAsString(run)));
    entry(
        zip,
        RecordFolder.WINDOWS,
        Stream.concat(
            Stream.of(WindowColumns.header()),
            windows.stream().map(row -> WindowColumns.row(row.pool(), row.window()))));
    entry(zip, RecordFolder.DECISIONS, decisions.stream().map(DecisionLine::write));
    zip.finish();
  }

  private void entry(ZipOutputStream zip, String file, Stream<String> lines) throws IOException {
    zip.putNextEntry(new ZipEntry(folder + "/" + file));
    for (String line : (Iterable<String>) lines::iterator) {
      zip.write((line + "\n").getBytes(StandardCharsets.UTF_8));
    }
    zip.closeEntry();
  }
}
