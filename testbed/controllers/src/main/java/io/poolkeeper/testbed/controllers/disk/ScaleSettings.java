package io.poolkeeper.testbed.controllers.disk;

import io.poolkeeper.testbed.commands.Names;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Settings of a {@link ScaleAdapter}.
 *
 * @param interval time between two pieces of advice, 200 ms or more; published 800 to 1500 ms
 * @param stability factor that a change must exceed to count, above 0 and at most 1; published 0.9
 *     to 0.97
 * @param averaging time over which the rate is averaged; zero: over the interval alone, else not
 *     shorter than it; published 3 to 5 s
 * @param passDrops whether a fall to below 0.3 of the rate before is passed over
 * @param watchCalls whether steps down end when the mean time of a call rises
 * @param askedBy way to ask for advice
 */
public record ScaleSettings(
    Duration interval,
    double stability,
    Duration averaging,
    boolean passDrops,
    boolean watchCalls,
    AskedBy askedBy) {

  /** Ways to ask for advice. */
  public enum AskedBy {
    /** Every interval, whatever the workers do. */
    MANAGER,
    /** Between two jobs of a worker, so not while all jobs are longer than the interval. */
    WORKERS;

    /**
     * Returns the way of a name in configurations.
     *
     * @throws IllegalArgumentException with the nearest name if there is none
     */
    public static AskedBy named(String name) {
      List<String> names =
          Arrays.stream(values()).map(each -> each.name().toLowerCase(Locale.ROOT)).toList();
      return values()[names.indexOf(Names.require("asked-by", name, names))];
    }
  }

  /** Length of a window: the counters are read this often. */
  public static final Duration SUBINTERVAL = Duration.ofMillis(200);

  /** Workloads for which settings were published. */
  public static final List<String> WORKLOADS = List.of("pool", "node", "rocksdb");

  private static final Map<String, ScaleSettings> PLAIN =
      Map.of("pool", of(800, 0.97), "node", of(1500, 0.9), "rocksdb", of(1000, 0.9));

  private static final Map<String, ScaleSettings> DROPS =
      Map.of(
          "pool", of(1500, 0.95).passingDrops(),
          "node", of(800, 0.97).passingDrops(),
          "rocksdb", of(1000, 0.9).passingDrops());

  private static final Map<String, ScaleSettings> AVERAGES =
      Map.of(
          "pool", of(1500, 0.95).averagedOver(3000),
          "node", of(1000, 0.95).averagedOver(5000),
          "rocksdb", of(1000, 0.9).averagedOver(5000));

  /**
   * @throws IllegalArgumentException naming the setting that is out of its range
   */
  public ScaleSettings {
    if (interval.compareTo(SUBINTERVAL) < 0) {
      throw new IllegalArgumentException(
          "interval must be >= 200 ms, but is " + interval.toMillis() + " ms");
    }
    if (!(stability > 0 && stability <= 1)) {
      throw new IllegalArgumentException(
          "stability must be a factor above 0 and at most 1, such as 0.9, but is " + stability);
    }
    if (!averaging.isZero() && averaging.compareTo(interval) < 0) {
      throw new IllegalArgumentException(
          "averaging must be 0 or >= interval, but %d ms < %d ms"
              .formatted(averaging.toMillis(), interval.toMillis()));
    }
  }

  /**
   * The published settings of the algorithm without extensions.
   *
   * @param workload pool, node or rocksdb
   * @throws IllegalArgumentException with the nearest of them if it is another word
   */
  public static ScaleSettings plain(String workload) {
    return published(PLAIN, workload);
  }

  /** The published settings with the drop exception. See {@link #plain}. */
  public static ScaleSettings dropException(String workload) {
    return published(DROPS, workload);
  }

  /** The published settings with the moving average. See {@link #plain}. */
  public static ScaleSettings movingAverage(String workload) {
    return published(AVERAGES, workload);
  }

  /**
   * The third variant, which watches the time of calls. None were published for it; these are those
   * of {@link #plain}.
   */
  public static ScaleSettings callTime(String workload) {
    ScaleSettings plain = plain(workload);
    return new ScaleSettings(
        plain.interval, plain.stability, Duration.ZERO, false, true, plain.askedBy);
  }

  /** Returns the same with another way to ask for advice. */
  public ScaleSettings askedBy(AskedBy other) {
    return new ScaleSettings(interval, stability, averaging, passDrops, watchCalls, other);
  }

  private static ScaleSettings published(Map<String, ScaleSettings> settings, String workload) {
    ScaleSettings found = settings.get(workload);
    if (found == null) {
      Names.require("workload", workload, WORKLOADS);
      throw new IllegalStateException("no settings for " + workload);
    }
    return found;
  }

  private static ScaleSettings of(long millis, double stability) {
    return new ScaleSettings(
        Duration.ofMillis(millis), stability, Duration.ZERO, false, false, AskedBy.MANAGER);
  }

  private ScaleSettings passingDrops() {
    return new ScaleSettings(interval, stability, averaging, true, watchCalls, askedBy);
  }

  private ScaleSettings averagedOver(long millis) {
    return new ScaleSettings(
        interval, stability, Duration.ofMillis(millis), passDrops, watchCalls, askedBy);
  }
}
