package io.poolkeeper.testbed.commands;

import java.time.Duration;
import java.util.Locale;
import java.util.function.Consumer;

/**
 * Progress of a command that goes from step to step: a {@link ProgressLine} with the seconds so far
 * and the step.
 */
public final class ProgressText implements AutoCloseable, Consumer<String> {

  private static final Duration FIRST = Duration.ofSeconds(1);
  private static final Duration INTERVAL = Duration.ofSeconds(10);

  private final ProgressLine line;
  private volatile String step;

  /** Begins to print to standard error, with a first step. */
  public ProgressText(String step) {
    this.step = step;
    line = new ProgressLine(this::text, ProgressLine.onTerminal(), FIRST, INTERVAL, System.err);
  }

  private String text(double seconds) {
    return String.format(Locale.ROOT, "%4.0f s  %s", seconds, step);
  }

  /** Sets the step. */
  @Override
  public void accept(String step) {
    this.step = step;
  }

  @Override
  public void close() {
    line.close();
  }
}
