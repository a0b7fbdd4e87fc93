package io.tidepool.testbed.replay;

import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import picocli.CommandLine;

/** What the commands of this module have in common: one line for whatever is wrong. */
final class Commands {

  /** Kept, or the JDK would forget its handlers. */
  private static final Logger RECORDS = Logger.getLogger("io.tidepool.record");

  private Commands() {}

  /**
   * Runs a command. Wrong input, whatever a file says included, gets exit code 2.
   *
   * @return its exit code
   */
  static int execute(Object command, PrintStream out, PrintStream err, String... args) {
    PrintWriter errors = new PrintWriter(err, true, StandardCharsets.UTF_8);
    Handler warnings = warnings(errors);
    try {
      CommandLine line = new CommandLine(command);
      line.setOut(new PrintWriter(out, true, StandardCharsets.UTF_8));
      line.setErr(errors);
      line.setParameterExceptionHandler(
          (e, given) -> {
            errors.println("tidepool: " + e.getMessage() + " (--help explains)");
            return CommandLine.ExitCode.USAGE;
          });
      line.setExecutionExceptionHandler(
          (e, given, result) -> {
            errors.println("tidepool: " + (e.getMessage() == null ? e : e.getMessage()));
            return e instanceof IllegalArgumentException || e instanceof IOException
                ? CommandLine.ExitCode.USAGE
                : CommandLine.ExitCode.SOFTWARE;
          });
      return line.execute(args);
    } finally {
      RECORDS.removeHandler(warnings);
    }
  }

  /** What a reader left out is a line of errors. */
  private static Handler warnings(PrintWriter errors) {
    Handler handler =
        new Handler() {
          @Override
          public void publish(LogRecord warning) {
            errors.println("tidepool: " + warning.getMessage());
          }

          @Override
          public void flush() {
            errors.flush();
          }

          @Override
          public void close() {
            errors.flush();
          }
        };
    RECORDS.setUseParentHandlers(false);
    RECORDS.addHandler(handler);
    return handler;
  }
}
