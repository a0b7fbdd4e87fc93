package io.poolkeeper.testbed.load.measure;

import java.util.LinkedHashMap;
import java.util.Map;
import org.HdrHistogram.Histogram;

/**
 * Punctuality of a load of clients who arrive.
 *
 * @param offered requests that should have been sent
 * @param seconds over which they lay
 * @param waited requests that found no free connection when their time came
 * @param lags nanoseconds for which requests could have been sent before, one for each that was
 */
public record Schedule(long offered, double seconds, long waited, Histogram lags) {

  /** Requests that were sent. */
  public long sent() {
    return lags.getTotalCount();
  }

  /** Requests that were not, because none of the connections became free for them in time. */
  public long unsent() {
    return offered - sent();
  }

  /** Requests a second that should have been sent. */
  public double rate() {
    return seconds == 0 ? 0 : offered / seconds;
  }

  /** Returns its part of {@code load.json}. */
  Map<String, Object> document() {
    Map<String, Object> document = new LinkedHashMap<>();
    document.put("offered", offered);
    document.put("offered_per_s", rate());
    document.put("sent", sent());
    document.put("unsent", unsent());
    document.put("waited_for_connection", waited);
    document.put("lag_p50_ns", lags.getValueAtPercentile(50));
    document.put("lag_p99_ns", lags.getValueAtPercentile(99));
    document.put("lag_max_ns", lags.getMaxValue());
    return document;
  }
}
