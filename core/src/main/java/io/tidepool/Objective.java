package io.tidepool;

import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What is optimised. An objective reads its value from a {@link Window} and says which direction is
 * better.
 */
public final class Objective {

  private enum Kind {
    THROUGHPUT,
    MEAN_RESPONSE_TIME,
    PERCENTILE,
    GOODPUT
  }

  private static final Objective THROUGHPUT = new Objective(Kind.THROUGHPUT, 0, null);
  private static final Objective MEAN_RESPONSE_TIME =
      new Objective(Kind.MEAN_RESPONSE_TIME, 0, null);

  private final Kind kind;
  private final double fraction;
  private final @Nullable Duration bound;

  private Objective(Kind kind, double fraction, @Nullable Duration bound) {
    this.kind = kind;
    this.fraction = fraction;
    this.bound = bound;
  }

  /** Most completions per second. */
  public static Objective throughput() {
    return THROUGHPUT;
  }

  /** Smallest mean response time. */
  public static Objective meanResponseTime() {
    return MEAN_RESPONSE_TIME;
  }

  /**
   * Smallest percentile of the response time.
   *
   * @param fraction 0.5, 0.9, 0.95, 0.99 or 0.999
   * @throws IllegalArgumentException for any other fraction
   */
  public static Objective percentile(double fraction) {
    TimeStats.EMPTY.percentile(fraction);
    return new Objective(Kind.PERCENTILE, fraction, null);
  }

  /**
   * Most completions per second whose response time is within {@code bound}.
   *
   * @throws IllegalArgumentException if {@code bound} is not positive
   */
  public static Objective goodput(Duration bound) {
    if (bound.isNegative() || bound.isZero()) {
      throw new IllegalArgumentException("goodput bound must be positive, but is " + bound);
    }
    return new Objective(Kind.GOODPUT, 0, bound);
  }

  /** Value of the objective in a window: per second, or nanoseconds. */
  public double value(Window window) {
    return switch (kind) {
      case THROUGHPUT -> window.throughput();
      case MEAN_RESPONSE_TIME -> window.responseTime().mean();
      case PERCENTILE -> window.responseTime().percentile(fraction);
      case GOODPUT -> window.goodput();
    };
  }

  /** Whether a larger value is better: yes for rates, no for response times. */
  public boolean higherIsBetter() {
    return kind == Kind.THROUGHPUT || kind == Kind.GOODPUT;
  }

  /** The bound within which a completion counts, for goodput only. */
  public Optional<Duration> bound() {
    return Optional.ofNullable(bound);
  }

  /** A value of this objective for a person, with its unit: {@code 45.1 ms} or {@code 812.0/s}. */
  public String format(double value) {
    return higherIsBetter()
        ? String.format(Locale.ROOT, "%.1f/s", value)
        : String.format(Locale.ROOT, value < 1e6 ? "%.3f ms" : "%.1f ms", value / 1e6);
  }

  /** Name of what is optimised, as a person would say it in a sentence. */
  @Override
  public String toString() {
    return switch (kind) {
      case THROUGHPUT -> "throughput";
      case MEAN_RESPONSE_TIME -> "mean response time";
      case PERCENTILE -> String.format(Locale.ROOT, "p%s response time", percentileName());
      case GOODPUT ->
          "goodput within %s ms".formatted(requireBound().toNanos() / 1e6).replace(".0 ms", " ms");
    };
  }

  private String percentileName() {
    String digits = Double.toString(fraction * 100);
    return digits.endsWith(".0") ? digits.substring(0, digits.length() - 2) : digits;
  }

  private Duration requireBound() {
    return bound().orElseThrow();
  }
}
