package io.poolkeeper.httpclient;

import io.poolkeeper.Bounds;
import java.util.Objects;
import java.util.Set;
import org.apache.hc.client5.http.HttpRoute;
import org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManager;
import org.apache.hc.core5.pool.PoolStats;

/**
 * One of the two limits of a connection manager: on all its connections, or on those of a route.
 */
interface Limit {

  int size();

  void set(int size);

  PoolStats stats();

  boolean covers(HttpRoute route);

  Set<HttpRoute> routes();

  /** The connections that it limits, in words. */
  String subject();

  /** The limit on all connections. */
  static Limit ofAll(PoolingHttpClientConnectionManager manager, Bounds bounds) {
    requireNotNull(manager, bounds);
    if (manager.getMaxTotal() == 0) {
      throw new IllegalArgumentException(
          "maxTotal must be within %d..%d, but this manager has none, since its"
                  .formatted(bounds.minimum(), bounds.maximum())
              + " PoolConcurrencyPolicy is LAX: use STRICT, or tune one route");
    }
    bounds.require("maxTotal", manager.getMaxTotal());
    return new AllConnections(manager, manager.getDefaultMaxPerRoute() >= manager.getMaxTotal());
  }

  /** The limit on the connections of a route. */
  static Limit ofRoute(PoolingHttpClientConnectionManager manager, HttpRoute route, Bounds bounds) {
    requireNotNull(manager, bounds);
    Objects.requireNonNull(route, "route must not be null");
    int total = manager.getMaxTotal();
    if (total != 0 && total < bounds.maximum()) { // A LAX manager says 0, and has no total.
      throw new IllegalArgumentException(
          "maxTotal must be at least %d, the largest size of route %s, but is %d"
              .formatted(bounds.maximum(), route, total));
    }
    bounds.require("maxPerRoute", manager.getMaxPerRoute(route));
    return new ConnectionsOfRoute(manager, route);
  }

  private static void requireNotNull(PoolingHttpClientConnectionManager manager, Bounds bounds) {
    Objects.requireNonNull(manager, "manager must not be null");
    Objects.requireNonNull(bounds, "bounds must not be null");
  }

  /**
   * The limit on all connections.
   *
   * @param routeFollows whether each route may use all connections, so that its limit goes along
   */
  record AllConnections(PoolingHttpClientConnectionManager manager, boolean routeFollows)
      implements Limit {

    @Override
    public int size() {
      return manager.getMaxTotal();
    }

    @Override
    public void set(int size) {
      manager.setMaxTotal(size);
      if (routeFollows) {
        manager.setDefaultMaxPerRoute(size);
      }
    }

    @Override
    public PoolStats stats() {
      return manager.getTotalStats();
    }

    @Override
    public boolean covers(HttpRoute route) {
      return true;
    }

    @Override
    public Set<HttpRoute> routes() {
      return manager.getRoutes();
    }

    @Override
    public String subject() {
      return "all connections";
    }
  }

  /** The limit on the connections of a route. */
  record ConnectionsOfRoute(PoolingHttpClientConnectionManager manager, HttpRoute route)
      implements Limit {

    @Override
    public int size() {
      return manager.getMaxPerRoute(route);
    }

    @Override
    public void set(int size) {
      manager.setMaxPerRoute(route, size);
    }

    @Override
    public PoolStats stats() {
      return manager.getStats(route);
    }

    @Override
    public boolean covers(HttpRoute other) {
      return route.equals(other);
    }

    @Override
    public Set<HttpRoute> routes() {
      return Set.of(route);
    }

    @Override
    public String subject() {
      return "the connections of route " + route;
    }
  }
}
