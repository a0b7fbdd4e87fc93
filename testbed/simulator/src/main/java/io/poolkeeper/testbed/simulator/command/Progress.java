package io.poolkeeper.testbed.simulator.command;

import io.poolkeeper.testbed.commands.ProgressLine;
import java.io.PrintStream;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicReferenceArray;

/** Progress of the runs of a model. */
final class Progress implements AutoCloseable {

  private static final Duration FIRST = Duration.ofMillis(1500);
  private static final Duration INTERVAL = Duration.ofSeconds(15);

  private final String name;
  private final double seconds;
  private final AtomicReferenceArray<Double> reached;
  private final ProgressLine line;

  /**
   * @param runs number of runs
   * @param seconds virtual length of each
   */
  Progress(String name, int runs, double seconds, PrintStream err) {
    this.name = name;
    this.seconds = seconds;
    reached = new AtomicReferenceArray<>(runs);
    line = new ProgressLine(this::text, ProgressLine.onTerminal(), FIRST, INTERVAL, err);
  }

  /** A run has come so far, in virtual seconds. */
  void reached(int run, double at) {
    reached.set(run, at);
  }

  private String text(double elapsed) {
    double sum = 0;
    int whole = 0;
    for (int run = 0; run < reached.length(); run++) {
      Double at = reached.get(run);
      sum += at == null ? 0 : Math.min(at, seconds);
      whole += at != null && at >= seconds ? 1 : 0;
    }
    double part = sum / (seconds * reached.length());
    String left = part > 0 ? ", about %.0f s left".formatted(elapsed / part - elapsed) : "";
    return String.format(
        Locale.ROOT,
        "%s: %.0f %%, %d of %d runs, %.0f s%s",
        name,
        part * 100,
        whole,
        reached.length(),
        elapsed,
        left);
  }

  @Override
  public void close() {
    line.close();
  }
}
