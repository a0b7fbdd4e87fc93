package io.poolkeeper.testbed.applications.downstream;

import java.math.BigDecimal;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Service of one path of the downstream server. {@code capacity} requests are served at once; the
 * others wait in the order of their arrival. The service of a request that begins while {@code k}
 * requests are present takes {@code latency × (1 + degradation × max(0, k − capacity) / capacity)},
 * so throughput falls once more requests are present than are served at once.
 *
 * @param latencyNanos service time up to the capacity, nanoseconds, positive, at most an hour
 * @param capacity requests served at once, 1 or more
 * @param degradation relative growth of the service time for each further {@code capacity} of
 *     requests, 0 or more; 0 for a server that does not slow
 */
public record Profile(long latencyNanos, int capacity, double degradation) {

  private static final Pattern LATENCY = Pattern.compile("(\\d+(?:\\.\\d+)?)(us|ms|s)");
  private static final long MOST_NANOS = 3_600_000_000_000L;

  public Profile {
    if (latencyNanos < 1 || latencyNanos > MOST_NANOS) {
      throw new IllegalArgumentException(
          "latency must be above 0 and at most 3600s, but is " + latencyNanos / 1e9 + "s");
    }
    if (capacity < 1) {
      throw new IllegalArgumentException("capacity must be >= 1, but is " + capacity);
    }
    if (!(degradation >= 0) || Double.isInfinite(degradation)) {
      throw new IllegalArgumentException("degradation must be >= 0, but is " + degradation);
    }
  }

  /**
   * Returns the service time of a request that begins while {@code present} are here, itself too.
   */
  long serviceNanos(int present) {
    double over = Math.max(0, present - capacity) / (double) capacity;
    return Math.round(latencyNanos * (1 + degradation * over));
  }

  /**
   * Returns this profile with settings changed by name: {@code latency} (such as {@code 20ms}),
   * {@code capacity} and {@code degradation}.
   *
   * @throws IllegalArgumentException naming the setting and the value
   */
  Profile with(Map<String, String> changes) {
    long latency = latencyNanos;
    int slots = capacity;
    double slowing = degradation;
    for (Map.Entry<String, String> change : changes.entrySet()) {
      String value = change.getValue();
      switch (change.getKey()) {
        case "latency" -> latency = nanos(value);
        case "capacity" -> slots = whole(value);
        case "degradation" -> slowing = number(value);
        default ->
            throw new IllegalArgumentException(
                "unknown setting '"
                    + change.getKey()
                    + "'; there are latency, capacity, degradation and fault");
      }
    }
    return new Profile(latency, slots, slowing);
  }

  /** Returns the settings by name, as {@link #with} reads them. */
  Map<String, Object> document() {
    Map<String, Object> document = new LinkedHashMap<>();
    document.put(
        "latency", BigDecimal.valueOf(latencyNanos, 6).stripTrailingZeros().toPlainString() + "ms");
    document.put("capacity", capacity);
    document.put("degradation", degradation);
    return document;
  }

  private static long nanos(String text) {
    Matcher matcher = LATENCY.matcher(text);
    if (!matcher.matches()) {
      throw new IllegalArgumentException(
          "latency must be a number and a unit, such as 20ms, but is '" + text + "'");
    }
    int exponent =
        switch (matcher.group(2)) {
          case "us" -> 3;
          case "ms" -> 6;
          default -> 9;
        };
    BigDecimal nanos = new BigDecimal(matcher.group(1)).scaleByPowerOfTen(exponent);
    return nanos.min(BigDecimal.valueOf(Long.MAX_VALUE)).longValue();
  }

  private static int whole(String text) {
    try {
      return Integer.parseInt(text);
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(
          "capacity must be a whole number, but is '" + text + "'", e);
    }
  }

  private static double number(String text) {
    try {
      return Double.parseDouble(text);
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException("degradation must be a number, but is '" + text + "'", e);
    }
  }
}
