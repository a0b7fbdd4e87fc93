package io.poolkeeper.spring;

import io.poolkeeper.Bounds;
import io.poolkeeper.Mode;
import io.poolkeeper.console.PoolMonitor;
import io.poolkeeper.spring.pools.Pools;
import io.poolkeeper.spring.pools.TunedPool;
import io.poolkeeper.spring.settings.InvalidSettingException;
import io.poolkeeper.spring.settings.NearestName;
import io.poolkeeper.spring.settings.PoolSettings;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.lang.Nullable;

/**
 * Shows tuned pools, and changes them where {@code management.endpoint.poolkeeper.access} is {@code
 * unrestricted}: by default it may only be read. Each change is logged.
 */
@Endpoint(id = "poolkeeper", defaultAccess = Access.READ_ONLY)
public class PoolkeeperEndpoint {

  private static final Log LOG = LogFactory.getLog("io.poolkeeper.spring");

  private final Pools pools;
  private final PoolMonitor monitor;

  /** Makes the endpoint. */
  public PoolkeeperEndpoint(Pools pools, PoolMonitor monitor) {
    this.pools = pools;
    this.monitor = monitor;
  }

  /**
   * Returns all pools with their last windows, and the last decision of each: the lines of the
   * console, with {@code kind} and {@code running}.
   */
  @ReadOperation
  public Map<String, Object> pools() {
    Map<Object, Map<String, Object>> lines =
        monitor.pools().stream()
            .collect(Collectors.toMap(line -> line.get("name"), Function.identity()));
    return Map.of(
        "pools",
        pools.all().stream()
            .map(pool -> complete(pool, lines.getOrDefault(pool.name(), notRunning(pool))))
            .toList());
  }

  /**
   * Returns all that the console knows of a pool, with {@code kind} and {@code running}; null,
   * which is 404, if there is none.
   *
   * @param poolName from the address; a parameter of the same name would take its place, so that
   *     this is none that anybody sends for the name of a pool
   */
  @ReadOperation
  public @Nullable Map<String, Object> pool(@Selector String poolName) {
    return pools.find(poolName).map(this::describe).orElse(null);
  }

  /**
   * Changes a pool; what is not given stays.
   *
   * @param poolName from the address, as above
   * @param mode active, dry-run or frozen
   * @param min smallest size that decisions may choose
   * @param max largest size that decisions may choose
   * @param size size from now on; in active mode the next decision may change it
   */
  @WriteOperation
  public WebEndpointResponse<Map<String, Object>> change(
      @Selector String poolName,
      @Nullable String mode,
      @Nullable Integer min,
      @Nullable Integer max,
      @Nullable Integer size) {
    TunedPool pool = pools.find(poolName).orElse(null);
    if (pool == null) {
      return refusal(
          "no pool '%s', only %s%s"
              .formatted(
                  poolName,
                  pools.names(),
                  NearestName.of(poolName, pools.names())
                      .map(": did you mean '%s'?"::formatted)
                      .orElse("")));
    }
    if (mode == null && min == null && max == null && size == null) {
      return refusal("nothing to change: give mode, min, max or size");
    }
    try {
      change(pool, mode, min, max, size);
    } catch (IllegalArgumentException | IllegalStateException | InvalidSettingException e) {
      return refusal(String.valueOf(e.getMessage()));
    }
    String changed =
        "changed by the actuator: mode %s, min %s, max %s, size %s (null: unchanged)"
            .formatted(mode, min, max, size);
    LOG.info("pool '%s' %s".formatted(pool.name(), changed));
    monitor.note(pool.name(), changed);
    return new WebEndpointResponse<>(describe(pool));
  }

  /** Makes the answer 400 with the reason, which Spring Boot keeps back for an exception. */
  static WebEndpointResponse<Map<String, Object>> refusal(String reason) {
    return new WebEndpointResponse<>(
        Map.of("error", reason), WebEndpointResponse.STATUS_BAD_REQUEST);
  }

  /**
   * Checks all values before it applies the first one. The mode comes first: in active mode a
   * decision could change the size before the mode does.
   */
  private static void change(
      TunedPool pool,
      @Nullable String mode,
      @Nullable Integer min,
      @Nullable Integer max,
      @Nullable Integer size) {
    Mode wanted = mode == null ? null : PoolSettings.mode("mode", mode);
    Bounds before = pool.bounds();
    Bounds widest = pool.widestBounds();
    int smallest = require("min", min == null ? before.minimum() : min, widest);
    int largest = require("max", max == null ? before.maximum() : max, widest);
    if (smallest > largest) {
      throw new InvalidSettingException("min", smallest, "must be <= max = " + largest, largest);
    }
    Bounds bounds = new Bounds(smallest, largest);
    if (size != null) {
      require("size", size, bounds);
      pool.requireRunning();
    }
    if (wanted != null) {
      pool.mode(wanted);
    }
    pool.bounds(bounds);
    if (size != null) {
      pool.resize(size);
    }
  }

  private static int require(String field, int value, Bounds bounds) {
    if (!bounds.contain(value)) {
      throw new InvalidSettingException(
          field,
          value,
          "must be %d to %d".formatted(bounds.minimum(), bounds.maximum()),
          bounds.clamp(value));
    }
    return value;
  }

  /** Describes a pool as the console does; one that does not run yet by what is known of it. */
  private Map<String, Object> describe(TunedPool pool) {
    return monitor
        .pool(pool.name())
        .map(document -> complete(pool, document))
        .orElseGet(() -> complete(pool, notRunning(pool)));
  }

  private static Map<String, Object> notRunning(TunedPool pool) {
    Map<String, Object> document = new LinkedHashMap<>();
    document.put("name", pool.name());
    document.put("min", pool.bounds().minimum());
    document.put("max", pool.bounds().maximum());
    document.put("lowestMin", pool.widestBounds().minimum());
    document.put("highestMax", pool.widestBounds().maximum());
    return document;
  }

  /** Adds facts that the console does not know. */
  private static Map<String, Object> complete(TunedPool pool, Map<String, Object> document) {
    Map<String, Object> complete = new LinkedHashMap<>(document);
    complete.put("kind", pool.kind().toString().toLowerCase(Locale.ROOT));
    complete.put("running", pool.size().isPresent());
    return complete;
  }
}
