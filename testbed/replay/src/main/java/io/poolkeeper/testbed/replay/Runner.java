package io.poolkeeper.testbed.replay;

import io.poolkeeper.testbed.commands.Commands;
import java.io.IOException;
import java.io.PrintStream;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** Runs the commands of this module: what a reader of records left out is a line of errors, too. */
final class Runner {

  /** Kept, or the JDK would forget its handlers. */
  private static final Logger RECORDS = Logger.getLogger("io.poolkeeper.record");

  private Runner() {}

  /**
   * Runs a command. Wrong input, whatever a file says included, gets exit code 2.
   *
   * @return its exit code
   */
  static int execute(Object command, PrintStream out, PrintStream err, String... args) {
    Handler warnings = warnings(err);
    try {
      return Commands.of(
              command,
              out,
              err,
              e -> e instanceof IllegalArgumentException || e instanceof IOException)
          .execute(args);
    } finally {
      RECORDS.removeHandler(warnings);
    }
  }

  /** Adds and returns a handler that prints a line of errors for whatever a reader left out. */
  private static Handler warnings(PrintStream errors) {
    Handler handler =
        new Handler() {
          @Override
          public void publish(LogRecord warning) {
            errors.println("poolkeeper: " + warning.getMessage());
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
