package io.poolkeeper.spring.pools;

import io.poolkeeper.AdaptiveLimiter;
import io.poolkeeper.Bounds;
import io.poolkeeper.Mode;
import io.poolkeeper.PoolBuilder;
import io.poolkeeper.spring.pools.TunedPool.Kind;
import io.poolkeeper.spring.settings.HostMaximum;
import io.poolkeeper.spring.settings.PoolSettings;
import java.time.Duration;

/** Limits in front of web servers, as they are described for Tomcat and Jetty alike. */
final class RequestLimits {

  /** Largest limit where neither host nor user names one. */
  static final HostMaximum NO_MAXIMUM = HostMaximum.none(1000);

  /** Limit of a limiter that only watches: no request shall wait for it. */
  private static final int NO_LIMIT = 10_000;

  private RequestLimits() {}

  /** Adds the pool of a limiter. It admits as much as it may at first, and learns from there. */
  static TunedPool add(Pools pools, PoolSettings settings, HostMaximum host) {
    int current = settings.mode() == Mode.ACTIVE ? 0 : NO_LIMIT;
    return pools.add(settings, Kind.REQUESTS, host, current);
  }

  /** Describes a limiter. */
  static void describe(Pools pools, TunedPool pool, AdaptiveLimiter.Builder builder) {
    int largest = pool.range().widest().maximum();
    builder.initialSize(pool.startingSize(largest, largest));
    describePool(pools, pool, builder);
  }

  /** Describes what limiters and pools of threads have in common. */
  static void describePool(Pools pools, TunedPool pool, PoolBuilder<?> builder) {
    Bounds bounds = pool.range().widest();
    builder.objective(pool.settings().objective()).bounds(bounds.minimum(), bounds.maximum());
    pool.configure(builder, pools.jmx());
  }

  /** Seconds after which a refused client is asked to come back. */
  static int retryAfter(Pools pools) {
    return Math.toIntExact(pools.properties().getWeb().getRetryAfter().toSeconds());
  }

  /** Longest wait of a request. */
  static Duration patience(Pools pools) {
    return pools.properties().getWeb().getPatience();
  }
}
