package io.poolkeeper;

import java.math.BigDecimal;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The quantity that a controller optimises: its value in a {@link Window}, and whether more is
 * better.
 */
public final class Objective {

  private enum Kind {
    THROUGHPUT,
    MEAN_RESPONSE_TIME,
    PERCENTILE,
    GOODPUT,
    DISK_THROUGHPUT
  }

  private static final Objective THROUGHPUT = new Objective(Kind.THROUGHPUT, 0, null);
  private static final Objective MEAN_RESPONSE_TIME =
      new Objective(Kind.MEAN_RESPONSE_TIME, 0, null);

  private static final Objective DISK_THROUGHPUT = new Objective(Kind.DISK_THROUGHPUT, 0, null);

  private static final Pattern GOODPUT = Pattern.compile("goodput:(\\d{1,18})(ns|us|ms|s)");

  private static final String RESPONSE_TIME = "-response-time";

  /** End of names in earlier configurations and records. */
  private static final String FORMER = "-latency";

  /** At least two digits: p5 could be the 5th percentile or the 50th. */
  private static final Pattern PERCENTILE = Pattern.compile("p(\\d{2,16})" + RESPONSE_TIME);

  /** Units of a bound, the shortest first. */
  private static final Map<String, ChronoUnit> UNITS = units();

  private static final Map<String, Objective> NAMED = named();

  private final Kind kind;
  private final double fraction;
  private final @Nullable Duration bound;

  private Objective(Kind kind, double fraction, @Nullable Duration bound) {
    this.kind = kind;
    this.fraction = fraction;
    this.bound = bound;
  }

  private static Map<String, ChronoUnit> units() {
    Map<String, ChronoUnit> units = new LinkedHashMap<>();
    units.put("ns", ChronoUnit.NANOS);
    units.put("us", ChronoUnit.MICROS);
    units.put("ms", ChronoUnit.MILLIS);
    units.put("s", ChronoUnit.SECONDS);
    return units;
  }

  private static Map<String, Objective> named() {
    Map<String, Objective> named = new LinkedHashMap<>();
    Stream.concat(
            Stream.of(THROUGHPUT, MEAN_RESPONSE_TIME, DISK_THROUGHPUT),
            Stream.of(0.5, 0.9, 0.95, 0.99, 0.999).map(Objective::percentile))
        .forEach(objective -> named.put(objective.name(), objective));
    return named;
  }

  /** Returns the objective of most completions per second. */
  public static Objective throughput() {
    return THROUGHPUT;
  }

  /** Returns the objective of the smallest mean response time. */
  public static Objective meanResponseTime() {
    return MEAN_RESPONSE_TIME;
  }

  /**
   * Returns the objective of the smallest percentile of the response time.
   *
   * @param fraction of the tasks that are to be faster, from 0.5 to 0.9999
   * @throws IllegalArgumentException for any other fraction
   */
  public static Objective percentile(double fraction) {
    if (!(fraction >= 0.5 && fraction <= 0.9999)) {
      throw new IllegalArgumentException(
          "percentile must be a fraction from 0.5 to 0.9999, such as 0.99, but is " + fraction);
    }
    return new Objective(Kind.PERCENTILE, fraction, null);
  }

  /**
   * Returns the objective of most completions per second with a response time within {@code bound}.
   *
   * @throws IllegalArgumentException if {@code bound} is not positive, or above 292 years
   */
  public static Objective goodput(Duration bound) {
    Objects.requireNonNull(bound, "goodput bound must not be null");
    if (bound.isNegative() || bound.isZero()) {
      throw new IllegalArgumentException("goodput bound must be positive, but is " + bound);
    }
    LoopBuilder.requireNanos("goodput bound", bound);
    return new Objective(Kind.GOODPUT, 0, bound);
  }

  /**
   * Returns the objective of most bytes per second that the workers read and write, cached or not.
   * It needs windows with {@link Window#disk}, which the sensor of the module poolkeeper-linux
   * measures. It does not suit workers that also use sockets: their bytes count as well.
   */
  public static Objective diskThroughput() {
    return DISK_THROUGHPUT;
  }

  /**
   * Returns an objective by its name in configurations.
   *
   * @param name {@code throughput}, {@code mean-response-time}, {@code disk-throughput}, a
   *     percentile such as {@code p99-response-time} (from p50 to p9999), or {@code goodput:} with
   *     its bound, such as {@code goodput:300ms} (unit ns, us, ms or s)
   * @throws IllegalArgumentException with the usual names if there is no objective of that name, or
   *     if the bound is not positive
   */
  public static Objective named(String name) {
    if (name.endsWith(FORMER)) {
      return named(name.substring(0, name.length() - FORMER.length()) + RESPONSE_TIME);
    }
    Matcher goodput = GOODPUT.matcher(name);
    if (goodput.matches()) {
      ChronoUnit unit = Objects.requireNonNull(UNITS.get(goodput.group(2)));
      return goodput(Duration.of(Long.parseLong(goodput.group(1)), unit));
    }
    if (name.startsWith("goodput")) {
      throw new IllegalArgumentException(
          "objective goodput must have a bound, such as goodput:300ms, but is '" + name + "'");
    }
    Matcher percentile = PERCENTILE.matcher(name);
    if (percentile.matches()) {
      return percentile(Double.parseDouble("0." + percentile.group(1)));
    }
    Objective usual = NAMED.get(name);
    if (usual == null) {
      throw new IllegalArgumentException(
          "unknown objective '%s'; known: %s".formatted(name, String.join(", ", NAMED.keySet())));
    }
    return usual;
  }

  /** Returns the common names that {@link #named} accepts. */
  public static Set<String> names() {
    return Collections.unmodifiableSet(NAMED.keySet());
  }

  /** Returns the name in configurations, which {@link #named} accepts. */
  public String name() {
    return switch (kind) {
      case THROUGHPUT -> "throughput";
      case MEAN_RESPONSE_TIME -> "mean-response-time";
      case PERCENTILE -> "p" + percentileName().replace(".", "") + RESPONSE_TIME;
      case DISK_THROUGHPUT -> "disk-throughput";
      case GOODPUT -> "goodput:" + shortest(requireBound().toNanos());
    };
  }

  private static String shortest(long nanos) {
    String text = nanos + "ns";
    for (Map.Entry<String, ChronoUnit> unit : UNITS.entrySet()) {
      long length = unit.getValue().getDuration().toNanos();
      if (nanos % length == 0) {
        text = nanos / length + unit.getKey();
      }
    }
    return text;
  }

  /**
   * Returns the value in a window: a rate per second, or nanoseconds; NaN if the window lacks disk
   * stats.
   */
  public double value(Window window) {
    return switch (kind) {
      case THROUGHPUT -> window.throughput();
      case MEAN_RESPONSE_TIME -> window.responseTime().mean();
      case PERCENTILE -> window.responseTime().percentile(fraction);
      case GOODPUT -> window.goodput();
      case DISK_THROUGHPUT ->
          window.disk().measured() ? window.disk().logicalBytes() / window.seconds() : Double.NaN;
    };
  }

  /** Returns whether a larger value is better: true for rates, false for response times. */
  public boolean higherIsBetter() {
    return kind != Kind.MEAN_RESPONSE_TIME && kind != Kind.PERCENTILE;
  }

  /** Returns the fraction of a percentile, such as 0.99; empty for other objectives. */
  public OptionalDouble fraction() {
    return kind == Kind.PERCENTILE ? OptionalDouble.of(fraction) : OptionalDouble.empty();
  }

  /** Returns the bound of a goodput objective; empty for other objectives. */
  public Optional<Duration> bound() {
    return Optional.ofNullable(bound);
  }

  /** Returns the reason why a window has no value of this objective; empty if it has one. */
  public Optional<String> problem(Window window) {
    return kind == Kind.DISK_THROUGHPUT ? window.disk().problem() : Optional.empty();
  }

  /**
   * Returns a value of this objective as text with its unit, such as {@code 45.1 ms}, {@code
   * 812.0/s} or {@code 93.4 MB/s}.
   */
  public String format(double value) {
    if (kind == Kind.DISK_THROUGHPUT) {
      return String.format(Locale.ROOT, "%.1f MB/s", value / 1e6);
    }
    return higherIsBetter()
        ? String.format(Locale.ROOT, "%.1f/s", value)
        : String.format(Locale.ROOT, value < 1e6 ? "%.3f ms" : "%.1f ms", value / 1e6);
  }

  /** Returns whether the other objective has the same name. */
  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Objective objective && objective.name().equals(name());
  }

  @Override
  public int hashCode() {
    return name().hashCode();
  }

  /** Returns the name in sentences, such as {@code p99 response time}. */
  @Override
  public String toString() {
    return switch (kind) {
      case THROUGHPUT -> "throughput";
      case DISK_THROUGHPUT -> "disk throughput";
      case MEAN_RESPONSE_TIME -> "mean response time";
      case PERCENTILE -> String.format(Locale.ROOT, "p%s response time", percentileName());
      case GOODPUT ->
          "goodput within %s ms".formatted(requireBound().toNanos() / 1e6).replace(".0 ms", " ms");
    };
  }

  private String percentileName() {
    return BigDecimal.valueOf(fraction).movePointRight(2).stripTrailingZeros().toPlainString();
  }

  private Duration requireBound() {
    return bound().orElseThrow();
  }
}
