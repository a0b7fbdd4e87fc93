package io.poolkeeper.httpclient;

import io.poolkeeper.Bounds;
import io.poolkeeper.ControlLoop;
import io.poolkeeper.Controllers;
import io.poolkeeper.Objective;
import io.poolkeeper.Resizable;
import io.poolkeeper.Sensor;
import io.poolkeeper.Window;
import io.poolkeeper.spi.TaskMeter;
import java.io.IOException;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.apache.hc.client5.http.HttpRoute;
import org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManager;
import org.apache.hc.client5.http.io.ConnectionEndpoint;
import org.apache.hc.client5.http.io.LeaseRequest;
import org.apache.hc.core5.http.protocol.HttpContext;
import org.apache.hc.core5.io.CloseMode;
import org.apache.hc.core5.pool.PoolStats;
import org.apache.hc.core5.util.TimeValue;
import org.apache.hc.core5.util.Timeout;
import org.jspecify.annotations.Nullable;

/**
 * The connections of a {@link PoolingHttpClientConnectionManager} of Apache HttpClient 5, tuned
 * while it is used. The client gets this in place of the manager.
 *
 * <pre>{@code
 * var manager = PoolingHttpClientConnectionManagerBuilder.create()
 *     .setMaxConnTotal(10).setMaxConnPerRoute(10).build();
 * var connections = HttpConnections.ofAll("inventory", manager, new Bounds(2, 40));
 * var client = HttpClients.custom().setConnectionManager(connections).build();
 * }</pre>
 *
 * <p>A task is the use of a connection: its queue wait is the time until the client got one, its
 * service time the time until it came back, the reading of the answer included. A wait that ends
 * without a connection counts as a rejection, a connection that cannot be opened as a failure. The
 * client does not tell its manager whether an exchange failed.
 *
 * <p><b>Resizing.</b> The manager looks at a new limit only when a connection comes back, and goes
 * on giving out all open ones whatever the limit is. {@link #resize} makes up for both: it serves
 * callers that wait, closes idle connections beyond the size, and closes those in use as they come
 * back.
 *
 * <p><b>When not to use it.</b> Managers with the experimental policy OFFLOCK of client 5.6 serve
 * no waiter when a connection is closed or a limit rises, so resizes wait there, and a shrink may
 * keep callers waiting until they time out. Use STRICT, the default, or LAX.
 *
 * <p>Closing the client closes this, the manager, and ends the tuning. Metrics of the pool may be
 * bound to this or to the manager.
 */
public final class HttpConnections extends ForwardingManager implements Resizable, Sensor {

  /** Of a request for a connection that is there; a zero would mean to wait for ever. */
  private static final Timeout DEADLINE = Timeout.ofMilliseconds(1);

  /** Limits of managers that are tuned. A manager that is closed stays closed. */
  private static final Map<PoolingHttpClientConnectionManager, Set<String>> TUNED =
      new WeakHashMap<>();

  private final String name;
  private final Bounds bounds;
  private final Limit limit;
  private final TaskMeter meter;
  private final ControlLoop loop;
  private final AtomicInteger waiting = new AtomicInteger();
  private final Map<ConnectionEndpoint, TaskMeter.Run> inUse = new ConcurrentHashMap<>();

  /** Whether there may be more connections than the size allows. */
  private volatile boolean shrinking;

  /** Route of the last caller. */
  private volatile @Nullable HttpRoute lastRoute;

  private HttpConnections(
      String name,
      PoolingHttpClientConnectionManager manager,
      Limit limit,
      Bounds bounds,
      Objective objective,
      Consumer<ControlLoop.Builder> settings) {
    super(manager);
    this.name = Objects.requireNonNull(name, "name must not be null");
    this.limit = limit;
    this.bounds = bounds;
    Objects.requireNonNull(objective, "objective must not be null");
    meter = new TaskMeter(objective, limit::size, waiting::get);
    ControlLoop.Builder builder =
        ControlLoop.tune(this).controller(Controllers.forObjective(objective));
    Objects.requireNonNull(settings, "settings must not be null").accept(builder);
    loop = startOnce(builder);
  }

  /** Starts the loop unless another one tunes the same connections. */
  private ControlLoop startOnce(ControlLoop.Builder builder) {
    synchronized (TUNED) {
      Set<String> tuned = TUNED.computeIfAbsent(manager, any -> new HashSet<>());
      if (tuned.contains(limit.subject())) {
        throw new IllegalStateException(
            "%s of this connection manager are tuned already: make one adapter for it"
                .formatted(limit.subject()));
      }
      ControlLoop started = builder.start();
      tuned.add(limit.subject());
      return started;
    }
  }

  /** Tunes the number of all connections for throughput. */
  public static HttpConnections ofAll(
      String name, PoolingHttpClientConnectionManager manager, Bounds bounds) {
    return ofAll(name, manager, bounds, Objective.throughput(), loop -> {});
  }

  /**
   * Tunes the number of all connections. It begins with the manager's {@code maxTotal}. The limit
   * of each route, {@code defaultMaxPerRoute}, goes with the size if a route may use all
   * connections now; a smaller one stays, 5 where none was set.
   *
   * @param name name in logs, JFR, JMX and meters, since the manager has none
   * @param bounds smallest and largest number of connections
   * @param settings changes the description of the loop; the controller is that of the objective
   *     unless one is given here
   * @throws IllegalArgumentException if {@code maxTotal} is out of bounds, or the manager has none
   * @throws IllegalStateException if another adapter tunes all connections of the manager
   */
  public static HttpConnections ofAll(
      String name,
      PoolingHttpClientConnectionManager manager,
      Bounds bounds,
      Objective objective,
      Consumer<ControlLoop.Builder> settings) {
    return new HttpConnections(
        name, manager, Limit.ofAll(manager, bounds), bounds, objective, settings);
  }

  /** Tunes the number of connections of one route for throughput. */
  public static HttpConnections ofRoute(
      String name, PoolingHttpClientConnectionManager manager, HttpRoute route, Bounds bounds) {
    return ofRoute(name, manager, route, bounds, Objective.throughput(), loop -> {});
  }

  /**
   * Tunes the number of connections of one route. It begins with the manager's {@code maxPerRoute}
   * of it. Other routes are neither measured nor changed.
   *
   * @param route as the client makes it, for example {@code new HttpRoute(new HttpHost("inventory",
   *     8080))}
   * @throws IllegalArgumentException if {@code maxPerRoute} is out of bounds, or {@code maxTotal}
   *     is below the largest size
   * @throws IllegalStateException if another adapter tunes the route of the manager
   */
  public static HttpConnections ofRoute(
      String name,
      PoolingHttpClientConnectionManager manager,
      HttpRoute route,
      Bounds bounds,
      Objective objective,
      Consumer<ControlLoop.Builder> settings) {
    return new HttpConnections(
        name, manager, Limit.ofRoute(manager, route, bounds), bounds, objective, settings);
  }

  /** The loop that tunes the connections. */
  public ControlLoop control() {
    return loop;
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public int size() {
    return limit.size();
  }

  @Override
  public Bounds bounds() {
    return bounds;
  }

  @Override
  public void resize(int size) {
    bounds.require("size", size);
    limit.set(size);
    adjust();
  }

  @Override
  public Window closeWindow(long now) {
    adjust(); // Somebody may have set a limit of the manager by hand.
    return meter.closeWindow(now);
  }

  /** Brings the connections to the size as far as they are not in use. */
  private synchronized void adjust() {
    shrinking = surplus() > 0;
    if (shrinking) {
      limit.routes().forEach(this::closeIdleSurplus);
    } else if (waiting.get() > 0) {
      serveWaiters();
    }
  }

  private int surplus() {
    PoolStats stats = limit.stats();
    return stats.getLeased() + stats.getAvailable() - limit.size();
  }

  /**
   * Has the manager look at its waiters. That gives them connections, of which it tells them when
   * somebody asks for another one.
   */
  private void serveWaiters() {
    manager.closeExpired();
    HttpRoute route = lastRoute;
    if (route != null) {
      boolean unused = closeOne(route);
    }
  }

  private void closeIdleSurplus(HttpRoute route) {
    boolean closed = true;
    while (closed && surplus() > 0 && manager.getStats(route).getAvailable() > 0) {
      closed = closeOne(route);
    }
  }

  /** Closes a connection that is not in use; returns false if there was none. */
  private boolean closeOne(HttpRoute route) {
    try {
      LeaseRequest request = manager.lease(name, route, DEADLINE, null);
      try {
        ConnectionEndpoint endpoint = request.get(Timeout.ZERO_MILLISECONDS);
        endpoint.close(CloseMode.IMMEDIATE);
        manager.release(endpoint, null, TimeValue.ZERO_MILLISECONDS);
        return true;
      } finally {
        request.cancel();
      }
    } catch (TimeoutException | ExecutionException | RuntimeException e) {
      return false; // All are in use, or the manager is closed.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  @Override
  public LeaseRequest lease(String id, HttpRoute route, Timeout timeout, @Nullable Object state) {
    if (!limit.covers(route)) {
      return manager.lease(id, route, timeout, state);
    }
    lastRoute = route;
    long arrival = System.nanoTime();
    waiting.incrementAndGet();
    try {
      return new MeasuredLease(
          manager.lease(id, route, timeout, state), meter, waiting, inUse, arrival);
    } catch (RuntimeException e) { // The manager is closed.
      waiting.decrementAndGet();
      throw e;
    }
  }

  @Override
  public void connect(ConnectionEndpoint endpoint, TimeValue timeout, HttpContext context)
      throws IOException {
    try {
      super.connect(endpoint, timeout, context);
    } catch (IOException e) {
      TaskMeter.Run run = inUse.get(endpoint);
      if (run != null) {
        run.failed();
      }
      throw e;
    }
  }

  @Override
  public void release(
      ConnectionEndpoint endpoint, @Nullable Object state, @Nullable TimeValue validDuration) {
    TaskMeter.Run run = inUse.remove(endpoint);
    if (run == null) {
      manager.release(endpoint, state, validDuration);
      return;
    }
    run.completed();
    if (shrinking) {
      releaseOrClose(endpoint, state, validDuration);
    } else {
      manager.release(endpoint, state, validDuration);
    }
  }

  /** Closes the connection if it is one too many; one thread at a time, so that no other one is. */
  private synchronized void releaseOrClose(
      ConnectionEndpoint endpoint, @Nullable Object state, @Nullable TimeValue validDuration) {
    shrinking = surplus() > 0;
    manager.release(endpoint, state, shrinking ? null : validDuration);
  }

  @Override
  public void close() throws IOException {
    close(CloseMode.GRACEFUL);
  }

  @Override
  public void close(CloseMode closeMode) {
    loop.close();
    manager.close(closeMode);
  }
}
