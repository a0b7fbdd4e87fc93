package io.tidepool.testbed.load.record;

import io.tidepool.testbed.load.measure.Interval;
import io.tidepool.testbed.load.measure.RunListener;
import java.io.PrintStream;
import org.jspecify.annotations.Nullable;

/** Tells when a warm-up begins and how it goes; nothing else is kept of it. */
public final class WarmUpProgress implements RunListener {

  private final @Nullable PrintStream out;
  private @Nullable ProgressLines lines;

  /**
   * @param out where a line is printed for each interval, or null
   */
  public WarmUpProgress(@Nullable PrintStream out) {
    this.out = out;
  }

  @Override
  public void begins(long start, long wall) {
    if (out != null) {
      out.println("{\"event\": \"warms up\"}");
      lines = new ProgressLines(out, start, true);
    }
  }

  @Override
  public void ended(Interval interval) {
    if (lines != null) {
      lines.print(interval);
    }
  }
}
