package io.poolkeeper.testbed.simulate;

import java.io.PrintStream;
import java.util.Locale;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * Says how far the runs of a model have come: on a terminal by a line that changes, elsewhere by a
 * line now and then, and nothing of what is over at once. The launcher knows which it is.
 */
final class Progress implements AutoCloseable {

  private static final long PATIENCE_MILLIS = 1500;
  private static final long TERMINAL_MILLIS = 500;
  private static final long ELSEWHERE_MILLIS = 15_000;

  private final String name;
  private final double seconds;
  private final AtomicReferenceArray<Double> reached;
  private final PrintStream err;
  private final boolean terminal;
  private final ScheduledExecutorService timer;
  private final long began = System.nanoTime();

  /**
   * @param runs number of runs
   * @param seconds virtual length of each
   */
  Progress(String name, int runs, double seconds, PrintStream err) {
    this.name = name;
    this.seconds = seconds;
    this.err = err;
    reached = new AtomicReferenceArray<>(runs);
    terminal = Boolean.getBoolean("poolkeeper.terminal");
    timer =
        Executors.newSingleThreadScheduledExecutor(
            task -> {
              Thread thread = new Thread(task, "progress");
              thread.setDaemon(true);
              return thread;
            });
    long every = terminal ? TERMINAL_MILLIS : ELSEWHERE_MILLIS;
    var ignored =
        timer.scheduleAtFixedRate(
            this::say, Math.max(PATIENCE_MILLIS, every), every, TimeUnit.MILLISECONDS);
  }

  /** A run has come so far, in virtual seconds. */
  void reached(int run, double at) {
    reached.set(run, at);
  }

  private void say() {
    double sum = 0;
    int whole = 0;
    for (int run = 0; run < reached.length(); run++) {
      Double at = reached.get(run);
      sum += at == null ? 0 : Math.min(at, seconds);
      whole += at != null && at >= seconds ? 1 : 0;
    }
    double part = sum / (seconds * reached.length());
    double elapsed = (System.nanoTime() - began) / 1e9;
    String left = part > 0 ? ", about %.0f s left".formatted(elapsed / part - elapsed) : "";
    String line =
        String.format(
            Locale.ROOT,
            "%s: %.0f %%, %d of %d runs, %.0f s%s",
            name,
            part * 100,
            whole,
            reached.length(),
            elapsed,
            left);
    if (terminal) {
      err.print("\r\033[K" + line);
      err.flush();
    } else {
      err.println(line);
    }
  }

  /** Ends it, and takes the line away. */
  @Override
  public void close() {
    timer.shutdownNow();
    if (terminal) {
      err.print("\r\033[K");
      err.flush();
    }
  }
}
