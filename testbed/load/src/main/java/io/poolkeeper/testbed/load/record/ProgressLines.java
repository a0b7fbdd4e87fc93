package io.poolkeeper.testbed.load.record;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.poolkeeper.testbed.load.measure.Interval;
import io.poolkeeper.testbed.load.measure.Tally;
import java.io.PrintStream;
import java.util.LinkedHashMap;
import java.util.Map;
import org.HdrHistogram.Histogram;

/** Prints one line of JSON for each interval, for a caller who shows how the load goes. */
final class ProgressLines {

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final double NANOS_PER_MILLI = 1e6;
  private static final double NANOS_PER_SECOND = 1e9;

  private final PrintStream out;
  private final long runStart;
  private final boolean warmUp;

  /**
   * @param runStart when the load begins, of {@link System#nanoTime}
   * @param warmUp whether it does not count; each line says so then
   */
  ProgressLines(PrintStream out, long runStart, boolean warmUp) {
    this.out = out;
    this.runStart = runStart;
    this.warmUp = warmUp;
  }

  /** Prints an interval; a caller who does not listen any more is no reason to fail. */
  void print(Interval interval) {
    Tally tally = interval.tally();
    Histogram times = tally.responses();
    boolean measured = times.getTotalCount() > 0;
    Map<String, Object> line = new LinkedHashMap<>();
    line.put("t", rounded((interval.end() - runStart) / NANOS_PER_SECOND));
    if (warmUp) {
      line.put("warm_up", true);
    }
    line.put("phase", interval.phase());
    line.put("users", interval.users());
    if (interval.offered() != Interval.CLOSED) {
      line.put("offered", rounded(interval.offered() / interval.seconds()));
    }
    line.put("throughput", rounded(times.getTotalCount() / interval.seconds()));
    line.put("mean_ms", measured ? rounded(times.getMean() / NANOS_PER_MILLI) : null);
    line.put("p99_ms", measured ? rounded(times.getValueAtPercentile(99) / NANOS_PER_MILLI) : null);
    line.put("errors", tally.errors());
    line.put("cpu", rounded(interval.cpu() / (interval.seconds() * NANOS_PER_SECOND)));
    try {
      out.println(JSON.writeValueAsString(line));
    } catch (JsonProcessingException e) {
      throw new AssertionError("a map of numbers is always JSON", e);
    }
    out.flush();
  }

  private static double rounded(double value) {
    return Math.round(value * 1000) / 1000.0;
  }
}
