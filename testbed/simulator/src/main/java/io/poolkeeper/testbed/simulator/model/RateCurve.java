package io.poolkeeper.testbed.simulator.model;

import io.poolkeeper.testbed.clients.Require;
import java.util.Collections;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.function.IntToDoubleFunction;

/** Rates of a {@link Station.Curve} by the number of tasks at it. */
public final class RateCurve {

  private RateCurve() {}

  /**
   * The universal scalability law (Gunther 2007): {@code rate * k / (1 + contention * (k - 1) +
   * coherence * k * (k - 1))}. It has its peak near {@code sqrt((1 - contention) / coherence)}.
   *
   * @param rate completions per second of one task alone, positive
   * @param contention part of the work that only one task at a time can do, 0 to 1
   * @param coherence cost of each pair of tasks as a part of the work, 0 or more
   */
  public static IntToDoubleFunction usl(double rate, double contention, double coherence) {
    Require.positive("rate", rate);
    Require.fraction("contention", contention);
    Require.notNegative("coherence", coherence);
    return k -> rate * k / (1 + contention * (k - 1) + coherence * k * (k - 1.0));
  }

  /**
   * Through measured points: straight lines between them, in proportion to the number of tasks
   * below the first, and as at the last above it.
   *
   * @param points completions per second by numbers of tasks, 1 or more
   */
  public static IntToDoubleFunction through(Map<Integer, Double> points) {
    if (points.isEmpty()) {
      throw new IllegalArgumentException("points of a rate curve must not be empty");
    }
    points.forEach(
        (tasks, rate) -> {
          Require.atLeast("number of tasks of a rate curve", 1, tasks);
          Require.notNegative("rate of " + tasks + " tasks", rate);
        });
    NavigableMap<Integer, Double> sorted =
        Collections.unmodifiableNavigableMap(new TreeMap<>(points));
    return tasks -> between(sorted, tasks);
  }

  /**
   * From recorded runs: so many jobs, and how long they took with each number of threads.
   *
   * @param jobs jobs of each run, positive
   * @param seconds runtime by number of threads, positive
   */
  public static IntToDoubleFunction recorded(double jobs, Map<Integer, Double> seconds) {
    Require.positive("jobs", jobs);
    Map<Integer, Double> rates = new TreeMap<>();
    seconds.forEach(
        (threads, runtime) ->
            rates.put(
                threads, jobs / Require.positive("runtime with " + threads + " threads", runtime)));
    return through(rates);
  }

  private static double between(NavigableMap<Integer, Double> points, int tasks) {
    Map.Entry<Integer, Double> above = points.ceilingEntry(tasks);
    if (above == null) {
      return points.lastEntry().getValue();
    }
    Map.Entry<Integer, Double> below = points.lowerEntry(tasks);
    int from = below == null ? 0 : below.getKey();
    double low = below == null ? 0 : below.getValue();
    return low + (above.getValue() - low) * (tasks - from) / (above.getKey() - from);
  }
}
