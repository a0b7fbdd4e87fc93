package io.poolkeeper.testbed.load.record;

import static java.io.OutputStream.nullOutputStream;

import io.poolkeeper.testbed.commands.BadInput;
import io.poolkeeper.testbed.load.description.LoadDescription;
import io.poolkeeper.testbed.load.http.Target;
import io.poolkeeper.testbed.load.measure.Interval;
import io.poolkeeper.testbed.load.measure.RunListener;
import io.poolkeeper.testbed.load.measure.Summary;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The places where a run is shown and recorded, all of them optional. */
public final class Outputs implements RunListener, AutoCloseable {

  private final @Nullable RecordFolder folder;
  private final @Nullable LoadRecord record;

  /** Writes a warm-up to nowhere, so that the code is warm that writes what is measured. */
  private final @Nullable LoadRecord rehearsal;

  private final @Nullable SampleLog samples;
  private final @Nullable PrintStream progress;
  private final @Nullable ProgressPrinter spoken;
  private @Nullable ProgressLines warmUpLines;
  private @Nullable ProgressLines lines;

  /**
   * @param path the folder of the record, or null for none
   * @param jtl whether every single request is recorded, too
   * @param progress where a line of JSON is printed for each interval, or null
   * @param spoken tells a person, or is null
   * @param warnings gets one line if the record cannot be written to its end
   * @throws BadInput if the record cannot be begun
   */
  public Outputs(
      @Nullable Path path,
      boolean jtl,
      @Nullable PrintStream progress,
      @Nullable ProgressPrinter spoken,
      LoadDescription load,
      Target target,
      Consumer<String> warnings)
      throws BadInput {
    this.progress = progress;
    this.spoken = spoken;
    if (path == null) {
      folder = null;
      record = null;
      rehearsal = null;
      samples = null;
    } else {
      folder = new RecordFolder(path, warnings);
      record =
          new LoadRecord(
              load, folder.open(RecordFolder.TABLE), folder.open(RecordFolder.LATENCIES));
      rehearsal = new LoadRecord(load, nullOutputStream(), nullOutputStream());
      samples = jtl ? new SampleLog(folder.open(RecordFolder.SAMPLES), load, target) : null;
    }
  }

  public @Nullable SampleLog samples() {
    return samples;
  }

  @Override
  public void warmsUp(long start, long wall) {
    if (rehearsal != null) {
      rehearsal.begin(start, wall);
    }
    if (samples != null) {
      samples.start();
    }
    if (progress != null) {
      progress.println("{\"event\": \"warms up\"}");
      warmUpLines = new ProgressLines(progress, start, true);
    }
  }

  @Override
  public void warmedUp(Interval interval) {
    if (rehearsal != null) {
      rehearsal.write(interval);
    }
    if (warmUpLines != null) {
      warmUpLines.print(interval);
    }
  }

  @Override
  public void begins(long start, long wall) {
    if (record != null) {
      record.begin(start, wall);
    }
    if (samples != null) {
      samples.begin(start, wall);
    }
    if (progress != null) {
      progress.println("{\"event\": \"begins\", \"start_ns\": " + start + "}");
      lines = new ProgressLines(progress, start, false);
    }
    if (spoken != null) {
      spoken.begins(start);
    }
  }

  @Override
  public void ended(Interval interval) {
    if (record != null) {
      record.write(interval);
    }
    if (lines != null) {
      lines.print(interval);
    }
    if (spoken != null) {
      spoken.ended(interval);
    }
  }

  /** Writes the summary, after everything else has been written. */
  public void finish(Summary summary) throws InterruptedException {
    if (spoken != null) {
      spoken.clear();
    }
    if (samples != null) {
      samples.finish();
    }
    if (folder != null) {
      folder.write(summary);
    }
  }

  /** Returns the reason why something could not be recorded, or null if everything was. */
  public @Nullable String problem() {
    return folder == null ? null : folder.problem();
  }

  @Override
  public void close() {
    if (record != null) {
      record.close();
    }
  }
}
