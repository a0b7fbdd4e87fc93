package io.poolkeeper.spring.settings;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;

/** Settings of all tuned pools. {@link PoolSettings} checks them. */
@ConfigurationProperties("poolkeeper")
public class PoolkeeperProperties {

  /** Whether pools are tuned, or watched, at all. */
  private boolean enabled = true;

  /** Mode of all pools: active resizes, dry-run only logs decisions, frozen only measures. */
  private String mode = "active";

  /**
   * Objective of all pools: throughput, mean-response-time, a percentile such as p99-response-time,
   * or a goodput such as goodput:300ms.
   */
  private String objective = "throughput";

  /** Whether the web server and the data source are sized together. */
  private boolean coordinate;

  /** Settings of single pools, by bean name; the web server's pool is called web. */
  private final Map<String, Pool> pools = new LinkedHashMap<>();

  private final Web web = new Web();

  private final Console console = new Console();

  public boolean isEnabled() {
    return enabled;
  }

  public void setEnabled(boolean enabled) {
    this.enabled = enabled;
  }

  public String getMode() {
    return mode;
  }

  public void setMode(String mode) {
    this.mode = mode;
  }

  public String getObjective() {
    return objective;
  }

  public void setObjective(String objective) {
    this.objective = objective;
  }

  public boolean isCoordinate() {
    return coordinate;
  }

  public void setCoordinate(boolean coordinate) {
    this.coordinate = coordinate;
  }

  public Map<String, Pool> getPools() {
    return pools;
  }

  public Web getWeb() {
    return web;
  }

  public Console getConsole() {
    return console;
  }

  /** Settings of one pool. */
  public static class Pool {

    /** Whether this pool is tuned, or watched, at all. */
    private boolean enabled = true;

    /** Mode of this pool: active, dry-run or frozen. */
    private @Nullable String mode;

    /** Objective of this pool. */
    private @Nullable String objective;

    /** Smallest size. Default 1. */
    private @Nullable Integer min;

    /** Largest size. Default: the maximum of the host, such as maximum-pool-size. */
    private @Nullable Integer max;

    public boolean isEnabled() {
      return enabled;
    }

    public void setEnabled(boolean enabled) {
      this.enabled = enabled;
    }

    public @Nullable String getMode() {
      return mode;
    }

    public void setMode(@Nullable String mode) {
      this.mode = mode;
    }

    public @Nullable String getObjective() {
      return objective;
    }

    public void setObjective(@Nullable String objective) {
      this.objective = objective;
    }

    public @Nullable Integer getMin() {
      return min;
    }

    public void setMin(@Nullable Integer min) {
      this.min = min;
    }

    public @Nullable Integer getMax() {
      return max;
    }

    public void setMax(@Nullable Integer max) {
      this.max = max;
    }
  }

  /** Settings of the limit in front of a web server. */
  public static class Web {

    /**
     * Whether requests of Tomcat are limited instead of its threads being sized. Default: with
     * virtual threads. Requests of Jetty are always limited.
     */
    private @Nullable Boolean admission;

    /** Longest wait of a request for its admission; then it is answered with 503. */
    private Duration patience = Duration.ofSeconds(1);

    /** Value of the header Retry-After of such an answer. */
    private Duration retryAfter = Duration.ofSeconds(1);

    public @Nullable Boolean getAdmission() {
      return admission;
    }

    public void setAdmission(@Nullable Boolean admission) {
      this.admission = admission;
    }

    public Duration getPatience() {
      return patience;
    }

    public void setPatience(Duration patience) {
      this.patience = patience;
    }

    public Duration getRetryAfter() {
      return retryAfter;
    }

    public void setRetryAfter(Duration retryAfter) {
      this.retryAfter = retryAfter;
    }
  }

  /** Settings of the console. */
  public static class Console {

    /** Port of the console on the loopback interface; 0 for a free one. Default: no console. */
    private @Nullable Integer port;

    /**
     * Secret in the address of the console, at least 16 letters, digits, dashes and underscores.
     * Default: drawn at random, and logged with the address.
     */
    private @Nullable String token;

    public @Nullable Integer getPort() {
      return port;
    }

    public void setPort(@Nullable Integer port) {
      this.port = port;
    }

    public @Nullable String getToken() {
      return token;
    }

    public void setToken(@Nullable String token) {
      this.token = token;
    }
  }
}
