package io.poolkeeper.testbed.tunnel;

import io.poolkeeper.testbed.commands.ProgressLine;
import java.io.PrintStream;
import java.time.Duration;
import java.util.Locale;
import java.util.function.IntSupplier;

/** Progress of the runs of the tunnel. */
final class Progress implements AutoCloseable {

  private static final Duration INTERVAL = Duration.ofSeconds(10);

  private final ProgressLine line;

  /**
   * @param total runs to make
   * @param made runs made so far
   * @param live whether {@code err} is a terminal whose line can be rewritten
   */
  Progress(int total, IntSupplier made, boolean live, PrintStream err) {
    line =
        new ProgressLine(
            seconds -> text(made.getAsInt(), total, seconds), live, Duration.ZERO, INTERVAL, err);
  }

  /** Seconds since the start. */
  double seconds() {
    return line.seconds();
  }

  /** States how far the runs have come, and how much longer they take at the pace so far. */
  static String text(int made, int total, double seconds) {
    String left =
        made == 0 ? "" : ", " + clock(Math.round(seconds / made * (total - made))) + " left";
    return String.format(
        Locale.ROOT, "tunnel: %,d of %,d runs, %.0f %%%s", made, total, 100.0 * made / total, left);
  }

  private static String clock(long seconds) {
    Duration left = Duration.ofSeconds(seconds);
    return String.format(Locale.ROOT, "%d:%02d", left.toMinutes(), left.toSecondsPart());
  }

  @Override
  public void close() {
    line.close();
  }
}
