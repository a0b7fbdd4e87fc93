package io.poolkeeper.record;

import io.poolkeeper.ControlListener;
import io.poolkeeper.Resizable;
import io.poolkeeper.Window;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Writes {@code windows.csv} and {@code decisions.jsonl} of a run record while pools run. Add it as
 * a listener to one pool or to several; close it when they have ended.
 *
 * <p>Every row is on its way to the disk when the call returns, so a process that is killed loses
 * nothing but the row it was writing. A disk that is full stops the recording, with one warning,
 * and nothing else: what was written stays.
 */
public final class RunRecorder implements ControlListener, AutoCloseable {

  private static final System.Logger LOG = System.getLogger("io.poolkeeper.record");

  private final Path folder;
  // Without buffers: a line is one write, and nothing is left to be written later.
  private final OutputStream windows;
  private final OutputStream decisions;
  private boolean stopped;

  /**
   * Makes the folder if needed, and both files in it.
   *
   * @throws IOException naming the folder if they cannot be made
   */
  public RunRecorder(Path folder) throws IOException {
    this.folder = folder;
    try {
      Files.createDirectories(folder);
      windows = Files.newOutputStream(folder.resolve(RecordFolder.WINDOWS));
      decisions = openSecond(windows, folder.resolve(RecordFolder.DECISIONS));
    } catch (IOException e) {
      throw new IOException("cannot record in " + folder + ": " + why(e), e);
    }
    line(windows, WindowColumns.header());
  }

  /** Opens a second file, and closes the first if that fails. */
  private static OutputStream openSecond(OutputStream first, Path second) throws IOException {
    try {
      return Files.newOutputStream(second);
    } catch (IOException e) {
      first.close();
      throw e;
    }
  }

  private static String why(IOException e) {
    if (e instanceof FileSystemException failed && failed.getReason() != null) {
      return failed.getReason();
    }
    if (e instanceof AccessDeniedException) {
      return "permission denied";
    }
    return e instanceof FileSystemException
        ? "no folder can be made there"
        : String.valueOf(e.getMessage());
  }

  @Override
  public synchronized void onWindow(Resizable pool, Window window) {
    line(windows, WindowColumns.row(pool.name(), window));
  }

  @Override
  public synchronized void onStep(Resizable pool, Step step) {
    write(PoolDecision.of(pool, step));
  }

  /** Writes a decision that no control loop made. */
  public synchronized void write(PoolDecision decision) {
    line(decisions, DecisionLine.write(decision));
  }

  private void line(OutputStream file, String text) {
    if (stopped) {
      return;
    }
    try {
      file.write((text + "\n").getBytes(StandardCharsets.UTF_8));
    } catch (IOException e) {
      stopped = true;
      LOG.log(Level.WARNING, "the recording in " + folder + " has stopped: " + e.getMessage());
    }
  }

  /** Closes the files. */
  @Override
  public synchronized void close() {
    stopped = true;
    for (OutputStream file : List.of(windows, decisions)) {
      try {
        file.close();
      } catch (IOException e) {
        LOG.log(Level.WARNING, "a file in " + folder + " was not closed: " + e.getMessage());
      }
    }
  }
}
