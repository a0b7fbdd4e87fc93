package io.poolkeeper.testbed.commands;

import java.io.PrintStream;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.DoubleFunction;

/**
 * Progress of a command: on a terminal a line that is rewritten, elsewhere a line now and then. A
 * command that is over at once prints none.
 */
public final class ProgressLine implements AutoCloseable {

  private static final String CLEAR = "\r\033[K";

  private final DoubleFunction<String> line;
  private final boolean terminal;
  private final PrintStream err;
  private final long start = System.nanoTime();
  private boolean closed;
  private final ScheduledExecutorService timer =
      Executors.newSingleThreadScheduledExecutor(
          task -> {
            Thread thread = new Thread(task, "progress");
            thread.setDaemon(true);
            return thread;
          });

  /**
   * Begins to print.
   *
   * @param line makes the line from the seconds since the start
   * @param terminal whether {@code err} is a terminal
   * @param first time until the first line, at the earliest
   * @param interval time between lines elsewhere than on a terminal
   */
  public ProgressLine(
      DoubleFunction<String> line,
      boolean terminal,
      Duration first,
      Duration interval,
      PrintStream err) {
    this.line = line;
    this.terminal = terminal;
    this.err = err;
    long millis = terminal ? 500 : interval.toMillis();
    var unused =
        timer.scheduleAtFixedRate(
            this::show, Math.max(first.toMillis(), millis), millis, TimeUnit.MILLISECONDS);
  }

  /** Whether a person looks at standard error; the launcher knows. */
  public static boolean onTerminal() {
    return Boolean.getBoolean("poolkeeper.terminal");
  }

  /** Returns the seconds since the start. */
  public double seconds() {
    return (System.nanoTime() - start) / 1e9;
  }

  private synchronized void show() {
    if (closed) {
      return;
    }
    String text = line.apply(seconds());
    err.print(terminal ? CLEAR + text : text + System.lineSeparator());
    err.flush();
  }

  /** Ends it, and takes the line of a terminal away. */
  @Override
  public synchronized void close() {
    closed = true;
    timer.shutdownNow();
    if (terminal) {
      err.print(CLEAR);
      err.flush();
    }
  }
}
