package io.tidepool.testbed.servers;

import io.tidepool.AdaptiveExecutor;
import io.tidepool.Bounds;
import io.tidepool.Controller;
import io.tidepool.Controllers;
import io.tidepool.Mode;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options that describe the pool behind the server. */
final class PoolOptions {

  private static final String PLAIN = "plain";

  @Option(
      names = "--pool",
      paramLabel = "POOL",
      defaultValue = "throughput",
      description = {
        "fixed:N for N workers, plain for none (requests run on the event loops), or a controller:",
        "throughput, mean-latency, p99-latency. Default: ${DEFAULT-VALUE}"
      })
  private String pool = "";

  @Option(
      names = "--set",
      paramLabel = "SETTING=VALUE",
      description = "A setting of the controller, such as --set step=5; may be repeated")
  private Map<String, String> settings = new LinkedHashMap<>();

  @Option(
      names = "--bounds",
      paramLabel = "MIN..MAX",
      defaultValue = "1..256",
      description = "Smallest and largest pool. Default: ${DEFAULT-VALUE}")
  private String bounds = "";

  @Option(
      names = "--initial",
      paramLabel = "N",
      description = "Size to begin with. Default: as many as processors")
  private @Nullable Integer initial;

  @Option(
      names = "--window",
      paramLabel = "DURATION",
      defaultValue = "1s",
      converter = DurationConverter.class,
      description = "Time between two decisions. Default: ${DEFAULT-VALUE}")
  private Duration window = Duration.ZERO;

  @Option(
      names = "--queue-capacity",
      paramLabel = "N",
      description = "Requests that may wait; more are answered with 503. Default: no bound")
  private @Nullable Integer queueCapacity;

  @Option(
      names = "--mode",
      paramLabel = "MODE",
      defaultValue = "active",
      description = "active, dry-run (decides, does not resize) or frozen. Default: active")
  private String mode = "";

  /** Whether requests run on the event loops, without a pool. */
  boolean plain() {
    return pool.equals(PLAIN);
  }

  /**
   * The pool as described.
   *
   * @throws IllegalArgumentException naming the option that is wrong
   */
  AdaptiveExecutor.Builder describe(String name) {
    Bounds allowed = parse(bounds);
    AdaptiveExecutor.Builder builder =
        AdaptiveExecutor.builder(name)
            .bounds(allowed.minimum(), allowed.maximum())
            .window(window)
            .mode(Mode.of(mode));
    if (pool.startsWith("fixed:")) {
      String size = pool.substring("fixed:".length());
      Map<String, String> sized = new LinkedHashMap<>(settings);
      sized.put("size", size);
      builder.controller(Controllers.named("fixed", sized));
      builder.initialSize(allowed.require("size of the fixed pool", Integer.parseInt(size)));
    } else {
      Controller controller = Controllers.named(pool, settings);
      builder.controller(controller);
    }
    if (initial != null) {
      builder.initialSize(initial);
    }
    if (queueCapacity != null) {
      builder.queueCapacity(queueCapacity);
    }
    return builder;
  }

  private static Bounds parse(String text) {
    String[] ends = text.split("\\.\\.", -1);
    try {
      if (ends.length == 2) {
        return new Bounds(Integer.parseInt(ends[0]), Integer.parseInt(ends[1]));
      }
    } catch (NumberFormatException e) {
      // The same message serves.
    }
    throw new IllegalArgumentException("bounds must be MIN..MAX, such as 1..256, but is " + text);
  }
}
