package io.poolkeeper.spring.settings;

import io.poolkeeper.Bounds;
import io.poolkeeper.Mode;
import io.poolkeeper.Objective;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * The checked settings of one pool.
 *
 * @param name bean name, or {@code web}
 * @param enabled whether it is tuned or watched
 * @param mode to begin in
 * @param objective value to optimise
 * @param min smallest size, null for 1
 * @param max largest size, null for that of the host
 */
public record PoolSettings(
    String name,
    boolean enabled,
    Mode mode,
    Objective objective,
    @Nullable Integer min,
    @Nullable Integer max) {

  private static final Log LOG = LogFactory.getLog("io.poolkeeper.spring");

  private static final List<String> MODES =
      Arrays.stream(Mode.values()).map(Mode::toString).toList();

  private static final List<String> OBJECTIVES =
      List.of(
          "throughput",
          "mean-response-time",
          "p50-response-time",
          "p90-response-time",
          "p95-response-time",
          "p99-response-time",
          "p999-response-time",
          "goodput:300ms");

  private static final Pattern PERCENTILE = Pattern.compile("p(\\d{2,})-response-time");

  private static final int LARGEST_PORT = 65_535;

  private static final Pattern IGNORED = Pattern.compile("[^a-z0-9]");

  /**
   * Checks all properties.
   *
   * @throws InvalidSettingException for the first value that is invalid
   */
  public static void check(PoolkeeperProperties properties) {
    PoolSettings unused = of(properties, "");
    properties.getPools().keySet().forEach(name -> of(properties, name));
    requirePositive("poolkeeper.web.retry-after", properties.getWeb().getRetryAfter().toSeconds());
    if (properties.getWeb().getPatience().isNegative()) {
      throw new InvalidSettingException(
          "poolkeeper.web.patience",
          properties.getWeb().getPatience(),
          "must not be negative",
          "0s");
    }
    checkPort(properties.getConsole().getPort());
  }

  private static void checkPort(@Nullable Integer port) {
    if (port != null && (port < 0 || port > LARGEST_PORT)) {
      throw new InvalidSettingException(
          "poolkeeper.console.port",
          port,
          "must be 0 to " + LARGEST_PORT,
          port < 0 ? 0 : LARGEST_PORT);
    }
  }

  /**
   * Returns the settings of a pool: its own, or else those of all pools.
   *
   * @param name bean name; case and punctuation do not matter, as environment variables have none
   * @throws InvalidSettingException naming a property with an invalid value
   */
  public static PoolSettings of(PoolkeeperProperties properties, String name) {
    Optional<Map.Entry<String, PoolkeeperProperties.Pool>> entry = entry(properties, name);
    if (entry.isEmpty()) {
      return new PoolSettings(
          name,
          true,
          mode("poolkeeper.mode", properties.getMode()),
          objective("poolkeeper.objective", properties.getObjective()),
          null,
          null);
    }
    String prefix = "poolkeeper.pools." + entry.get().getKey() + ".";
    PoolkeeperProperties.Pool pool = entry.get().getValue();
    Integer min = pool.getMin();
    Integer max = pool.getMax();
    if (min != null) {
      requirePositive(prefix + "min", min);
    }
    if (max != null) {
      requirePositive(prefix + "max", max);
    }
    if (min != null && max != null && max < min) {
      throw new InvalidSettingException(
          prefix + "max", max, "must be >= %smin = %d".formatted(prefix, min), min);
    }
    String mode = pool.getMode();
    String objective = pool.getObjective();
    return new PoolSettings(
        name,
        pool.isEnabled(),
        mode == null ? mode("poolkeeper.mode", properties.getMode()) : mode(prefix + "mode", mode),
        objective == null
            ? objective("poolkeeper.objective", properties.getObjective())
            : objective(prefix + "objective", objective),
        min,
        max);
  }

  /** Returns whether a pool has properties of its own. */
  public static boolean configured(PoolkeeperProperties properties, String name) {
    return entry(properties, name).isPresent();
  }

  /** The properties of a pool's own, with the name that they have there. */
  static Optional<Map.Entry<String, PoolkeeperProperties.Pool>> entry(
      PoolkeeperProperties properties, String name) {
    return properties.getPools().entrySet().stream()
        .filter(each -> same(each.getKey(), name))
        .findFirst();
  }

  /** Returns whether two spellings of a name mean the same pool. */
  static boolean same(String a, String b) {
    return letters(a).equals(letters(b));
  }

  static String letters(String name) {
    return IGNORED.matcher(name.toLowerCase(Locale.ROOT)).replaceAll("");
  }

  private static void requirePositive(String property, long value) {
    if (value < 1) {
      throw new InvalidSettingException(property, value, "must be >= 1", 1);
    }
  }

  /**
   * Returns a mode by its name, in any spelling.
   *
   * @throws InvalidSettingException naming the property if there is no such mode
   */
  public static Mode mode(String property, String value) {
    try {
      return Mode.of(value.replace('_', '-').toLowerCase(Locale.ROOT));
    } catch (IllegalArgumentException e) {
      throw new InvalidSettingException(
          property,
          value,
          "must be active, dry-run or frozen",
          NearestName.of(value, MODES).orElseThrow());
    }
  }

  private static Objective objective(String property, String value) {
    try {
      Objective objective = Objective.named(value);
      if (!objective.equals(Objective.diskThroughput())) {
        return objective;
      }
    } catch (IllegalArgumentException e) {
      // Explained below, with the nearest name.
    }
    throw new InvalidSettingException(
        property,
        value,
        "must be throughput, mean-response-time, a percentile such as p99-response-time,"
            + " or a goodput such as goodput:300ms",
        nearestObjective(value));
  }

  /** The nearest name: of a percentile beyond those that there are, the last one on its side. */
  private static String nearestObjective(String value) {
    Matcher percentile = PERCENTILE.matcher(value);
    if (!percentile.matches()) {
      return NearestName.of(value, OBJECTIVES).orElseThrow();
    }
    String digits = percentile.group(1);
    boolean high = digits.startsWith("100") || digits.startsWith("9");
    return (high ? "p9999" : "p50") + "-response-time";
  }

  /**
   * Returns the sizes that the pool may have. Where the largest exceeds a maximum that was set at
   * the host, that one is taken, which the log says.
   *
   * @throws InvalidSettingException if the smallest is above the maximum of the host
   */
  public Bounds bounds(HostMaximum host) {
    int largest = max == null ? host.size() : within(max, host);
    int smallest = min == null ? 1 : min;
    if (smallest > largest) {
      throw new InvalidSettingException(
          "poolkeeper.pools.%s.min".formatted(name),
          smallest,
          "must be <= %s = %d".formatted(host.name(), host.size())
              + (host.set() ? "" : ", unless poolkeeper.pools.%s.max is set".formatted(name)),
          host.size());
    }
    return new Bounds(smallest, largest);
  }

  private int within(int size, HostMaximum host) {
    if (size <= host.size() || !host.set()) {
      return size;
    }
    LOG.warn(
        "poolkeeper.pools.%s.max = %d is above %s = %d: nearest valid value %d is used"
            .formatted(name, size, host.name(), host.size(), host.size()));
    return host.size();
  }
}
