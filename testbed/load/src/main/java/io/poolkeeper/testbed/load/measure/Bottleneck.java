package io.poolkeeper.testbed.load.measure;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/**
 * Judges whether the load generator itself may have limited what was measured.
 *
 * <p>The rule: it may have if one of these held in at least a tenth of the intervals, and in at
 * least {@value #FEWEST} of them, so that the first second of a cold process is no reason:
 *
 * <ul>
 *   <li>a load thread had a CPU for at least 90 % of the interval: then more requests could not
 *       have been sent;
 *   <li>of the probes of the delay between a descriptor's becoming ready and the end of its being
 *       handled, more than a tenth took longer than 10 % of the mean response time, and longer than
 *       1 ms: then the response times are too long, because answers lay there unread. Such delays
 *       come from too few CPUs for generator and server together, too.
 *   <li>of the requests of clients who arrive, more than a hundredth were sent more than 1 ms and
 *       more than 10 % of the 99th percentile of response times too late, although there were
 *       connections for them: then the generator did not keep to the times of the load. What they
 *       were late is part of their response times;
 *   <li>load threads waited for {@code samples.jtl} to be written, for 1 % of the interval.
 * </ul>
 */
final class Bottleneck {

  private static final int FEWEST = 2;
  private static final double PART_OF_INTERVALS = 0.1;
  private static final double BUSY = 0.9;
  private static final double DELAY_PERCENTILE = 90;
  private static final double LAG_PERCENTILE = 99;
  private static final double PART_OF_RESPONSE = 0.1;
  private static final long SHORTEST_DELAY = TimeUnit.MILLISECONDS.toNanos(1);
  private static final double HELD = 0.01;

  /** Of a CPU; a thread that uses less is not late because of its own work. */
  private static final double HALF = 0.5;

  private int intervals;
  private int busy;
  private int delayed;
  private int late;
  private int held;
  private double busiest;
  private double longestDelay;
  private double longestLag;

  /** Largest share of a CPU that a load thread had while it sent late. */
  private double busiestLate;

  void add(Interval interval) {
    intervals++;
    if (interval.busiest() >= BUSY) {
      busy++;
    }
    busiest = Math.max(busiest, interval.busiest());
    Tally tally = interval.tally();
    double delay = tally.delays().getValueAtPercentile(DELAY_PERCENTILE);
    double mean = tally.responses().getMean();
    if (delay > SHORTEST_DELAY && mean > 0 && delay > PART_OF_RESPONSE * mean) {
      delayed++;
      longestDelay = Math.max(longestDelay, delay);
    }
    double lag = tally.lags().getValueAtPercentile(LAG_PERCENTILE);
    double slow = tally.responses().getValueAtPercentile(LAG_PERCENTILE);
    if (lag > SHORTEST_DELAY && lag > PART_OF_RESPONSE * slow) {
      late++;
      longestLag = Math.max(longestLag, lag);
      busiestLate = Math.max(busiestLate, interval.busiest());
    }
    if (interval.held() > HELD * (interval.end() - interval.start())) {
      held++;
    }
  }

  /** One line for each way in which the generator may have limited the result. */
  List<String> warnings() {
    List<String> warnings = new ArrayList<>();
    if (often(busy)) {
      warnings.add(
          format(
              "a load thread used up to %.0f %% of a CPU, 90 %% or more in %d of %d intervals:"
                  + " the generator may have limited the throughput; try more --threads",
              100 * busiest, busy, intervals));
    }
    if (often(delayed)) {
      warnings.add(
          format(
              "answers lay unread for up to %.1f ms, in %d of %d intervals for more than a tenth"
                  + " of the mean response time: response times are too long by that",
              longestDelay / TimeUnit.MILLISECONDS.toNanos(1), delayed, intervals));
    }
    if (often(late)) {
      warnings.add(
          format(
              "the generator did not keep to the times of the load: requests were sent up to %.1f ms"
                  + " late (99th percentile) in %d of %d intervals; %s",
              longestLag / TimeUnit.MILLISECONDS.toNanos(1), late, intervals, remedy()));
    }
    if (often(held)) {
      warnings.add(
          format(
              "samples.jtl was written too slowly and held the load back in %d of %d intervals",
              held, intervals));
    }
    return warnings;
  }

  private String remedy() {
    return busiestLate >= HALF
        ? "try more --threads"
        : format(
            "a load thread used %.0f %% of a CPU at most, so others took the processors from it",
            100 * busiestLate);
  }

  private boolean often(int count) {
    return count >= FEWEST && count >= PART_OF_INTERVALS * intervals;
  }

  private static String format(String text, Object... values) {
    return String.format(Locale.ROOT, text, values);
  }
}
