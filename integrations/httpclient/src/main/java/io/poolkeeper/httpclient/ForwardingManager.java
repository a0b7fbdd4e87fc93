package io.poolkeeper.httpclient;

import java.io.IOException;
import java.util.Set;
import org.apache.hc.client5.http.HttpRoute;
import org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManager;
import org.apache.hc.client5.http.io.ConnectionEndpoint;
import org.apache.hc.client5.http.io.HttpClientConnectionManager;
import org.apache.hc.core5.http.protocol.HttpContext;
import org.apache.hc.core5.pool.ConnPoolControl;
import org.apache.hc.core5.pool.PoolStats;
import org.apache.hc.core5.util.TimeValue;

/**
 * Passes on what is not measured. It keeps the manager's {@link ConnPoolControl}: without that a
 * client that evicts idle connections would cease to, and metrics of the pool would be missing.
 */
abstract class ForwardingManager
    implements HttpClientConnectionManager, ConnPoolControl<HttpRoute> {

  final PoolingHttpClientConnectionManager manager;

  ForwardingManager(PoolingHttpClientConnectionManager manager) {
    this.manager = manager;
  }

  @Override
  public void connect(ConnectionEndpoint endpoint, TimeValue timeout, HttpContext context)
      throws IOException {
    manager.connect(endpoint, timeout, context);
  }

  @Override
  public void upgrade(ConnectionEndpoint endpoint, HttpContext context) throws IOException {
    manager.upgrade(endpoint, context);
  }

  @Override
  public PoolStats getTotalStats() {
    return manager.getTotalStats();
  }

  @Override
  public PoolStats getStats(HttpRoute route) {
    return manager.getStats(route);
  }

  @Override
  public void setMaxTotal(int max) {
    manager.setMaxTotal(max);
  }

  @Override
  public int getMaxTotal() {
    return manager.getMaxTotal();
  }

  @Override
  public void setDefaultMaxPerRoute(int max) {
    manager.setDefaultMaxPerRoute(max);
  }

  @Override
  public int getDefaultMaxPerRoute() {
    return manager.getDefaultMaxPerRoute();
  }

  @Override
  public void setMaxPerRoute(HttpRoute route, int max) {
    manager.setMaxPerRoute(route, max);
  }

  @Override
  public int getMaxPerRoute(HttpRoute route) {
    return manager.getMaxPerRoute(route);
  }

  @Override
  public void closeIdle(TimeValue idleTime) {
    manager.closeIdle(idleTime);
  }

  @Override
  public void closeExpired() {
    manager.closeExpired();
  }

  @Override
  public Set<HttpRoute> getRoutes() {
    return manager.getRoutes();
  }
}
