package io.poolkeeper.testbed.tunnel;

import java.io.PrintStream;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;

/**
 * A line that says how far the tunnel is and how long it will take; on a terminal it is rewritten.
 */
final class Progress implements AutoCloseable {

  private static final long LIVE_MILLIS = 500;
  private static final long PLAIN_MILLIS = 10_000;

  private final int total;
  private final IntSupplier made;
  private final boolean live;
  private final PrintStream out;
  private final long start = System.nanoTime();
  private final ScheduledExecutorService timer =
      Executors.newSingleThreadScheduledExecutor(
          task -> {
            Thread thread = new Thread(task, "progress");
            thread.setDaemon(true);
            return thread;
          });

  /**
   * @param total runs to make
   * @param made runs made so far
   * @param live whether {@code out} is a terminal whose line can be rewritten
   */
  Progress(int total, IntSupplier made, boolean live, PrintStream out) {
    this.total = total;
    this.made = made;
    this.live = live;
    this.out = out;
    long every = live ? LIVE_MILLIS : PLAIN_MILLIS;
    var unused = timer.scheduleAtFixedRate(this::show, every, every, TimeUnit.MILLISECONDS);
  }

  /** Seconds since the start. */
  double seconds() {
    return (System.nanoTime() - start) / 1e9;
  }

  private void show() {
    String line = line(made.getAsInt(), total, seconds());
    out.print(live ? "\r\u001b[K" + line : line + System.lineSeparator());
    out.flush();
  }

  /** Tells how far the runs have come, and how much longer they take at the pace so far. */
  static String line(int made, int total, double seconds) {
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
    timer.shutdownNow();
    if (live) {
      out.print("\r\u001b[K");
      out.flush();
    }
  }
}
