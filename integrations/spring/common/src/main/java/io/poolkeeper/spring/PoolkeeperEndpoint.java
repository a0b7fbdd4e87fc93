package io.poolkeeper.spring;

import io.poolkeeper.Bounds;
import io.poolkeeper.ControlListener.Step;
import io.poolkeeper.ControlLoop;
import io.poolkeeper.Decision;
import io.poolkeeper.Mode;
import io.poolkeeper.TimeStats;
import io.poolkeeper.Window;
import io.poolkeeper.spring.pools.Pools;
import io.poolkeeper.spring.pools.TunedPool;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
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

  /** Names of numbers that belong to a size. */
  private static final Pattern POINT = Pattern.compile("curve\\.(\\d{1,9})\\.(\\w+)");

  private final Pools pools;

  /** Makes the endpoint. */
  public PoolkeeperEndpoint(Pools pools) {
    this.pools = pools;
  }

  /** Returns all pools with their last windows, and the last decision of each. */
  @ReadOperation
  public Map<String, Object> pools() {
    Map<String, Object> described = new LinkedHashMap<>();
    pools.all().forEach(pool -> described.put(pool.name(), describe(pool, 1)));
    return Map.of("pools", described);
  }

  /**
   * Returns one pool with its last decisions, the newest first; null, which is 404, if none.
   *
   * @param poolName from the address; a parameter of the same name would take its place, so that
   *     this is none that anybody sends for the name of a pool
   */
  @ReadOperation
  public @Nullable Map<String, Object> pool(@Selector String poolName) {
    return pools.find(poolName).map(pool -> describe(pool, Integer.MAX_VALUE)).orElse(null);
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
      return refusal("no pool '%s', only %s".formatted(poolName, pools.names()));
    }
    if (mode == null && min == null && max == null && size == null) {
      return refusal("nothing to change: give mode, min, max or size");
    }
    try {
      change(pool, mode, min, max, size);
    } catch (IllegalArgumentException | IllegalStateException e) {
      return refusal(String.valueOf(e.getMessage()));
    }
    LOG.info(
        "pool '%s' changed by the actuator: mode %s, min %s, max %s, size %s (null: unchanged)"
            .formatted(pool.name(), mode, min, max, size));
    return new WebEndpointResponse<>(describe(pool, 1));
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
    Mode wanted = mode == null ? null : Mode.of(mode);
    Bounds before = pool.bounds();
    Bounds bounds =
        new Bounds(min == null ? before.minimum() : min, max == null ? before.maximum() : max);
    pool.require(bounds);
    if (size != null) {
      bounds.require("size", size);
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

  private static Map<String, Object> describe(TunedPool pool, int decisions) {
    Map<String, Object> described = new LinkedHashMap<>();
    described.put("kind", pool.kind().toString().toLowerCase(Locale.ROOT));
    described.put("running", pool.size().isPresent());
    pool.size().ifPresent(size -> described.put("size", size));
    described.put("min", pool.bounds().minimum());
    described.put("max", pool.bounds().maximum());
    described.put("lowestMin", pool.widestBounds().minimum());
    described.put("highestMax", pool.widestBounds().maximum());
    pool.loop().ifPresent(loop -> describe(loop, described));
    List<Map<String, Object>> steps =
        pool.history().stream().limit(decisions).map(PoolkeeperEndpoint::describe).toList();
    described.put("decisions", steps);
    return described;
  }

  private static void describe(ControlLoop loop, Map<String, Object> described) {
    described.put("mode", loop.mode().toString());
    described.put("controller", loop.controller());
    loop.lastWindow().ifPresent(window -> described.put("window", describe(window)));
  }

  private static Map<String, Object> describe(Window window) {
    Map<String, Object> described = new LinkedHashMap<>();
    put(described, "seconds", window.seconds());
    put(described, "throughput", window.throughput());
    put(described, "busy", window.busy());
    put(described, "queued", window.queueMean());
    described.put("arrivals", window.arrivals());
    described.put("completions", window.completions());
    described.put("failures", window.failures());
    described.put("rejections", window.rejections());
    described.put("queueWaitMillis", describe(window.queueWait()));
    described.put("serviceTimeMillis", describe(window.serviceTime()));
    described.put("responseTimeMillis", describe(window.responseTime()));
    return described;
  }

  private static Map<String, Object> describe(TimeStats times) {
    Map<String, Object> described = new LinkedHashMap<>();
    put(described, "mean", times.mean() / 1e6);
    put(described, "p50", times.p50() / 1e6);
    put(described, "p99", times.p99() / 1e6);
    put(described, "max", times.max() / 1e6);
    return described;
  }

  private static Map<String, Object> describe(TunedPool.DatedStep dated) {
    Step step = dated.step();
    Map<String, Object> described = new LinkedHashMap<>();
    described.put("time", dated.time().toString());
    described.put("action", step.action().toString());
    described.put("mode", step.mode().toString());
    described.put("before", step.before());
    described.put("after", step.after());
    described.put("reason", step.explanation());
    if (step.decision() != null) {
      described.put("wanted", step.decision().size());
      describeNumbers(step.decision(), described);
    }
    return described;
  }

  /** Puts the learned curve, which is among the numbers of a decision, under its sizes. */
  private static void describeNumbers(Decision decision, Map<String, Object> described) {
    Map<String, Object> numbers = new LinkedHashMap<>();
    Map<Integer, Map<String, Object>> curve = new TreeMap<>();
    decision
        .numbers()
        .forEach(
            (name, number) -> {
              Matcher point = POINT.matcher(name);
              if (point.matches()) {
                Integer size = Integer.valueOf(point.group(1));
                put(curve.computeIfAbsent(size, any -> new TreeMap<>()), point.group(2), number);
              } else {
                put(numbers, name, number);
              }
            });
    described.put("numbers", numbers);
    if (!curve.isEmpty()) {
      described.put("curve", curve);
    }
  }

  /** JSON has no NaN and no infinity. */
  private static void put(Map<String, Object> described, String name, double number) {
    described.put(name, Double.isFinite(number) ? number : "none");
  }
}
