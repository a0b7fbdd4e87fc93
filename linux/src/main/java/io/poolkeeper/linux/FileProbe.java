package io.poolkeeper.linux;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Locale;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A probe of one file. An interrupt of the reading thread is kept for whoever waits for it. */
final class FileProbe<T> implements Probe<T> {

  /** Bytes of a file about one task, at most. */
  static final int OF_TASK = 4096;

  /** Bytes of a file about a control group with some hundred devices. */
  static final int OF_GROUP = 64 * 1024;

  /** The kernel gives a file that is shorter than this in one piece. */
  private static final int PIECE = 2048;

  private final Path file;
  private final Supplier<String> whyAbsent;
  private final Function<Fields, T> format;
  private final ByteBuffer buffer;
  private final Fields fields;
  private @Nullable FileChannel channel;
  private boolean closed;

  /**
   * @param room bytes that the file has at most
   * @param whyAbsent reason where the file, or the thread it is of, is not there
   * @param format reads the content; throws {@link IllegalArgumentException} for any other
   */
  FileProbe(Path file, int room, Supplier<String> whyAbsent, Function<Fields, T> format) {
    this.file = file;
    this.whyAbsent = whyAbsent;
    this.format = format;
    buffer = ByteBuffer.allocate(room);
    fields = new Fields(buffer.array());
  }

  @Override
  public Sample<T> read() {
    if (closed) {
      return Sample.missing(file + ": the probe is closed");
    }
    boolean interrupted = Thread.interrupted(); // It would close the channel.
    try {
      return parse(readWhole());
    } catch (NoSuchFileException e) {
      return Sample.missing(whyAbsent.get());
    } catch (AccessDeniedException e) {
      return denied();
    } catch (IOException e) {
      return failed(e);
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private int readWhole() throws IOException {
    try {
      return readOnce();
    } catch (ClosedByInterruptException e) {
      boolean cleared = Thread.interrupted();
      channel = null;
      try {
        return readOnce();
      } finally {
        if (cleared) {
          Thread.currentThread().interrupt();
        }
      }
    }
  }

  private int readOnce() throws IOException {
    FileChannel open = channel;
    if (open == null) {
      open = FileChannel.open(file, StandardOpenOption.READ);
      channel = open;
    }
    buffer.clear();
    int length = 0;
    int read;
    do {
      read = open.read(buffer, length);
      length += Math.max(0, read);
    } while (read >= PIECE && buffer.hasRemaining());
    return length;
  }

  private Sample<T> parse(int length) {
    if (length <= 0) {
      return Sample.missing(file + " is empty");
    }
    try {
      return Sample.of(format.apply(fields.reset(length)));
    } catch (IllegalArgumentException e) {
      return Sample.missing(file + ": " + e.getMessage());
    }
  }

  private Sample<T> denied() {
    return Sample.missing(file + ": permission denied");
  }

  private Sample<T> failed(IOException e) {
    String message = String.valueOf(e.getMessage());
    String text = message.toLowerCase(Locale.ROOT);
    if (text.contains("no such process")) {
      return Sample.missing(whyAbsent.get());
    }
    if (text.contains("permission denied") || text.contains("not permitted")) {
      return denied();
    }
    return Sample.missing(file + ": " + message);
  }

  @Override
  public void close() {
    closed = true;
    FileChannel open = channel;
    channel = null;
    if (open != null) {
      try {
        open.close();
      } catch (IOException e) { // It was read only.
        return;
      }
    }
  }
}
