package io.poolkeeper.internal;

import java.lang.System.Logger.Level;
import org.jspecify.annotations.Nullable;

/** The logger {@code io.poolkeeper}, for threads that must survive a log handler that throws. */
public final class Log {

  private static final System.Logger LOG = System.getLogger("io.poolkeeper");

  private Log() {}

  /**
   * Logs a warning. The message is lost if logging fails: the heap may be full, or the handler or
   * the exception's message may throw.
   *
   * @param name of the pool
   */
  public static void warn(String name, String message, @Nullable Throwable thrown) {
    log(Level.WARNING, name, message, thrown);
  }

  /** Logs a message. It is lost if logging fails. */
  public static void info(String name, String message) {
    log(Level.INFO, name, message, null);
  }

  /** Loads the logger, which takes memory. */
  public static void load() {
    boolean unused = LOG.isLoggable(Level.WARNING);
  }

  private static void log(Level level, String name, String message, @Nullable Throwable thrown) {
    try {
      LOG.log(level, name + ": " + message, thrown);
    } catch (Throwable lost) { // See above.
    }
  }
}
