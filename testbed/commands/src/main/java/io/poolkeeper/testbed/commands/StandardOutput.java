package io.poolkeeper.testbed.commands;

import java.io.BufferedOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Standard output of a command that fails if it cannot be written; a {@link PrintStream} hides it.
 */
public final class StandardOutput {

  private static final int FAILED = 1;

  /** Whoever reads a pipe, such as {@code head}, may have had enough: nothing is lost. */
  private static final String ENOUGH = "Broken pipe";

  private StandardOutput() {}

  /**
   * Runs a command with standard output.
   *
   * @param err gets a line if output is lost
   * @param command takes standard output, UTF-8, and returns its exit code
   * @return the exit code of the command, or 1 in place of 0 if output is lost
   */
  public static int guard(PrintStream err, ToIntFunction<PrintStream> command) {
    return guard(new FileOutputStream(FileDescriptor.out), err, command);
  }

  static int guard(OutputStream to, PrintStream err, ToIntFunction<PrintStream> command) {
    Watched watched = new Watched(to);
    PrintStream out =
        new PrintStream(new BufferedOutputStream(watched), true, StandardCharsets.UTF_8);
    int code = command.applyAsInt(out);
    out.flush();
    IOException lost = watched.lost;
    if (lost == null || ENOUGH.equals(lost.getMessage())) {
      return code;
    }
    err.println("poolkeeper: standard output cannot be written: " + lost.getMessage());
    return code == 0 ? FAILED : code;
  }

  /** Remembers the first error. */
  private static final class Watched extends FilterOutputStream {
    private volatile @Nullable IOException lost;

    Watched(OutputStream out) {
      super(out);
    }

    @Override
    public void write(int b) throws IOException {
      write(new byte[] {(byte) b}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int from, int length) throws IOException {
      try {
        out.write(bytes, from, length);
      } catch (IOException e) {
        if (lost == null) {
          lost = e;
        }
        throw e;
      }
    }
  }
}
