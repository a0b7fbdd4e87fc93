package io.poolkeeper.httpclient;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.poolkeeper.Bounds;
import io.poolkeeper.ControlLoop;
import io.poolkeeper.Controllers;
import io.poolkeeper.Mode;
import io.poolkeeper.Objective;
import io.poolkeeper.Resizable;
import io.poolkeeper.testkit.Conditions;
import io.poolkeeper.testkit.HostKit;
import io.poolkeeper.testkit.HostLoad;
import io.poolkeeper.testkit.WindowSums;
import java.io.IOException;
import java.net.Socket;
import java.util.List;
import java.util.OptionalInt;
import org.apache.hc.client5.http.HttpRoute;
import org.apache.hc.client5.http.classic.methods.HttpGet;
import org.apache.hc.client5.http.config.RequestConfig;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.client5.http.impl.classic.HttpClients;
import org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManager;
import org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManagerBuilder;
import org.apache.hc.core5.http.HttpHost;
import org.apache.hc.core5.pool.PoolConcurrencyPolicy;
import org.apache.hc.core5.util.Timeout;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The kit on Apache HttpClient, and what its pool does in its own way. */
final class HttpConnectionsTest extends HostKit {

  private static final WorkServer SERVER = new WorkServer();

  @AfterAll
  static void stopServer() {
    SERVER.close();
  }

  @Override
  protected ClientHost start(int size) {
    return new ClientHost(size);
  }

  private static PoolingHttpClientConnectionManager manager(int size) {
    return PoolingHttpClientConnectionManagerBuilder.create()
        .setMaxConnTotal(size)
        .setMaxConnPerRoute(size)
        .build();
  }

  /** Settings of requests that wait so long for a connection. */
  private static RequestConfig patience(Timeout patience) {
    return RequestConfig.custom().setConnectionRequestTimeout(patience).build();
  }

  /** A client in use, whose server runs what tests give it. */
  private static final class ClientHost implements Host {
    final int size;
    PoolingHttpClientConnectionManager manager;
    HttpConnections connections;
    CloseableHttpClient client;

    ClientHost(int size) {
      this.size = size;
      manager = manager(size);
      connections = tune(manager);
      client = client(connections);
    }

    static HttpConnections tune(PoolingHttpClientConnectionManager manager) {
      return HttpConnections.ofAll(
          "inventory",
          manager,
          BOUNDS,
          Objective.throughput(),
          loop -> loop.mode(Mode.FROZEN).window(WINDOW));
    }

    static CloseableHttpClient client(HttpConnections connections) {
      return HttpClients.custom()
          .setConnectionManager(connections)
          .setDefaultRequestConfig(patience(Timeout.ofMinutes(5)))
          .disableAutomaticRetries()
          .build();
    }

    @Override
    public Resizable pool() {
      return connections;
    }

    @Override
    public ControlLoop loop() {
      return connections.control();
    }

    @Override
    public void call(Runnable work) throws Exception {
      assertThat(SERVER.call(client, work)).isEqualTo(200);
    }

    @Override
    public int capacity() {
      var stats = manager.getTotalStats();
      return stats.getLeased() + stats.getAvailable();
    }

    @Override
    public OptionalInt reportedSize() {
      return OptionalInt.of(manager.getTotalStats().getMax());
    }

    @Override
    public void restart() throws Exception {
      client.close();
      manager = manager(size);
      connections = tune(manager);
      client = client(connections);
    }

    @Override
    public void close() {
      try {
        client.close();
      } catch (IOException e) {
        throw new IllegalStateException(e);
      }
    }
  }

  @Test
  void limitThatIsRaisedByHandDoesNothingForWaiters() throws Exception {
    try (PoolingHttpClientConnectionManager manager = manager(2);
        CloseableHttpClient client = HttpClients.custom().setConnectionManager(manager).build();
        HostLoad load = SERVER.load(client, 8)) {
      load.awaitInside(2);
      Conditions.await("six wait", () -> manager.getTotalStats().getPending() == 6);
      manager.setMaxTotal(8);
      manager.setDefaultMaxPerRoute(8);
      assertThat(manager.getTotalStats().getLeased()).isEqualTo(2);
      assertThat(manager.getTotalStats().getPending()).isEqualTo(6);
    }
  }

  @Test
  void limitThatIsLoweredByHandLeavesAllConnectionsInUse() throws Exception {
    try (PoolingHttpClientConnectionManager manager = manager(8);
        CloseableHttpClient client = HttpClients.custom().setConnectionManager(manager).build();
        HostLoad load = SERVER.load(client, 12)) {
      load.awaitInside(8);
      manager.setMaxTotal(3);
      manager.setDefaultMaxPerRoute(3);
      load.flow();
      Conditions.await("many answers", () -> load.answered() > 200);
      load.hold();
      load.awaitInside(8); // Open connections are used again, whatever the limit is.
    }
  }

  @Test
  void shrinkingClosesTheSurplusAndReconnectsNothing() throws Exception {
    try (ClientHost host = start(8);
        HostLoad load = new HostLoad(host, 12)) {
      load.awaitInside(8);
      long before = SERVER.connections();
      host.connections.resize(3);
      load.flow();
      Conditions.await("three connections", () -> host.capacity() == 3);
      load.awaitAnswers(50);
      assertThat(SERVER.connections()).isEqualTo(before);
    }
  }

  @Test
  void shrinkingClosesIdleConnectionsAtOnce() throws Exception {
    try (ClientHost host = start(8)) {
      try (HostLoad load = new HostLoad(host, 8)) {
        load.awaitInside(8);
        load.flow();
      }
      Conditions.await("all are idle", () -> host.manager.getTotalStats().getAvailable() == 8);
      host.loop().close(); // Each window closes what a resize has left.
      Conditions.await(
          "three connections",
          () -> {
            // Again, since it leaves some to the next window if its thread pauses.
            host.connections.resize(3);
            return host.capacity() == 3;
          });
    }
  }

  @Test
  void limitOfRouteGoesWithTheSizeWhereRouteMayUseAll() throws Exception {
    try (ClientHost host = start(4)) {
      host.connections.resize(9);
      assertThat(host.manager.getDefaultMaxPerRoute()).isEqualTo(9);
    }
  }

  @Test
  void limitOfRouteBelowTheTotalStays() throws Exception {
    try (PoolingHttpClientConnectionManager manager = manager(4)) {
      manager.setDefaultMaxPerRoute(2);
      try (HttpConnections connections = ClientHost.tune(manager)) {
        connections.resize(9);
        assertThat(manager.getMaxTotal()).isEqualTo(9);
        assertThat(manager.getDefaultMaxPerRoute()).isEqualTo(2);
      }
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"STRICT", "LAX"}) // OFFLOCK is not for tuning.
  void routeIsTunedUnderEachPolicy(PoolConcurrencyPolicy policy) throws Exception {
    PoolingHttpClientConnectionManager manager =
        PoolingHttpClientConnectionManagerBuilder.create()
            .setPoolConcurrencyPolicy(policy)
            .setMaxConnTotal(30)
            .setMaxConnPerRoute(2)
            .build();
    HttpRoute route = new HttpRoute(new HttpHost("http", "localhost", SERVER.port()));
    try (HttpConnections connections =
            HttpConnections.ofRoute(
                "inventory",
                manager,
                route,
                BOUNDS,
                Objective.throughput(),
                loop -> loop.mode(Mode.FROZEN).window(WINDOW));
        CloseableHttpClient client =
            HttpClients.custom().setConnectionManager(connections).build();
        HostLoad load = SERVER.load(client, 12)) {
      load.awaitInside(2);
      connections.resize(8);
      load.awaitInside(8);
      connections.resize(3);
      load.flow();
      Conditions.await("three remain", () -> surplusOver(3, manager, route) == 0);
      load.hold();
      load.awaitInside(3);
      load.requireNoFailure();
    }
  }

  private static int surplusOver(
      int size, PoolingHttpClientConnectionManager manager, HttpRoute route) {
    var stats = manager.getStats(route);
    return stats.getLeased() + stats.getAvailable() - size;
  }

  @Test
  void otherRoutesAreNeitherMeasuredNorChanged() throws Exception {
    try (PoolingHttpClientConnectionManager manager = manager(16)) {
      HttpRoute other = new HttpRoute(new HttpHost("http", "elsewhere.example", 80));
      try (HttpConnections connections =
              HttpConnections.ofRoute("elsewhere", manager, other, BOUNDS);
          CloseableHttpClient client =
              HttpClients.custom().setConnectionManager(connections).build();
          HostLoad load = SERVER.load(client, 4)) {
        load.awaitInside(4);
        connections.resize(1);
        assertThat(manager.getMaxPerRoute(other)).isEqualTo(1);
        assertThat(manager.getDefaultMaxPerRoute()).isEqualTo(16);
        assertThat(connections.closeWindow(System.nanoTime()).busy()).isZero();
      }
    }
  }

  @Test
  void timeoutCountsAsRejectionAndUnreachableServerAsFailure() throws Exception {
    try (ClientHost host = start(1);
        Socket nobody = WorkServer.portOfNobody();
        HostLoad load = new HostLoad(host, 1)) {
      load.awaitInside(1);
      WindowSums sums = WindowSums.of(host.loop());
      HttpGet hasty = new HttpGet("http://localhost:" + SERVER.port() + "/");
      hasty.setConfig(patience(Timeout.ofMilliseconds(50))); // Others wait on a busy machine, too.
      assertThatThrownBy(() -> host.client.execute(hasty, answer -> null))
          .isInstanceOf(IOException.class);
      Conditions.await("a rejection", () -> sums.rejections() == 1);
      host.connections.resize(2);
      HttpGet toNobody = new HttpGet("http://localhost:" + nobody.getLocalPort() + "/");
      assertThatThrownBy(() -> host.client.execute(toNobody, answer -> null))
          .isInstanceOf(IOException.class);
      Conditions.await("a failure", () -> sums.failures() == 1);
      assertThat(sums.rejections()).isEqualTo(1);
    }
  }

  @Test
  void clientGoesOnEvictingIdleConnections() throws Exception {
    try (PoolingHttpClientConnectionManager manager = manager(4);
        HttpConnections connections = ClientHost.tune(manager);
        CloseableHttpClient client =
            HttpClients.custom()
                .setConnectionManager(connections)
                .evictIdleConnections(Timeout.ofMilliseconds(1))
                .build()) {
      assertThat(SERVER.call(client, () -> {})).isEqualTo(200);
      Conditions.await(
          "the connection is evicted", () -> manager.getTotalStats().getAvailable() == 0);
    }
  }

  @Test
  void requestAfterTheEndIsRefusedAndCountsNobody() throws Exception {
    ClientHost host = start(2);
    host.close();
    assertThatThrownBy(() -> host.call(() -> {})).isInstanceOf(IllegalStateException.class);
    assertThat(host.connections.closeWindow(System.nanoTime()).arrivals()).isZero();
  }

  @Test
  void loopRunsOnQuietlyWhereTheManagerWasClosedByHand() throws Exception {
    try (ClientHost host = start(2)) {
      host.call(() -> {});
      host.manager.close();
      WindowSums sums = WindowSums.of(host.loop());
      Conditions.await("windows close", () -> sums.windows() > 3);
      host.connections.resize(4);
      host.connections.resize(1);
      assertThat(host.connections.size()).isEqualTo(1);
    }
  }

  @Test
  void boundsThatContradictTheManagerAreRefused() throws Exception {
    try (PoolingHttpClientConnectionManager manager = manager(4);
        PoolingHttpClientConnectionManager lax =
            PoolingHttpClientConnectionManagerBuilder.create()
                .setPoolConcurrencyPolicy(PoolConcurrencyPolicy.LAX)
                .build()) {
      assertThatThrownBy(() -> HttpConnections.ofAll("a", manager, new Bounds(6, 9)))
          .hasMessage("maxTotal must be within 6..9, but is 4");
      assertThatThrownBy(() -> HttpConnections.ofAll("a", lax, new Bounds(6, 9)))
          .hasMessage(
              "maxTotal must be within 6..9, but this manager has none, since its"
                  + " PoolConcurrencyPolicy is LAX: use STRICT, or tune one route");
      HttpRoute route = new HttpRoute(new HttpHost("http", "inventory.example", 80));
      assertThatThrownBy(() -> HttpConnections.ofRoute("a", manager, route, new Bounds(1, 9)))
          .hasMessage(
              "maxTotal must be at least 9, the largest size of route {}->["
                  + "http://inventory.example:80], but is 4");
    }
  }

  @Test
  void connectionsAreTunedByOneAdapter() throws Exception {
    HttpRoute route = new HttpRoute(new HttpHost("http", "inventory.example", 80));
    HttpRoute other = new HttpRoute(new HttpHost("http", "prices.example", 80));
    Bounds bounds = new Bounds(1, 9);
    try (PoolingHttpClientConnectionManager manager = manager(9)) {
      assertThatThrownBy(
              () ->
                  HttpConnections.ofAll(
                      "a",
                      manager,
                      bounds,
                      Objective.throughput(),
                      loop -> loop.controller(Controllers.fixed(50))))
          .isInstanceOf(IllegalArgumentException.class);
      try (HttpConnections all = HttpConnections.ofAll("a", manager, bounds);
          HttpConnections first = HttpConnections.ofRoute("b", manager, route, bounds);
          HttpConnections second = HttpConnections.ofRoute("c", manager, other, bounds)) {
        assertThatThrownBy(() -> HttpConnections.ofAll("d", manager, bounds))
            .isInstanceOf(IllegalStateException.class)
            .hasMessage(
                "all connections of this connection manager are tuned already: make one adapter for"
                    + " it");
        assertThatThrownBy(() -> HttpConnections.ofRoute("d", manager, route, bounds))
            .isInstanceOf(IllegalStateException.class)
            .hasMessageStartingWith("the connections of route ");
        assertThat(List.of(all.size(), first.size(), second.size())).containsOnly(9);
      }
    }
  }

  @Test
  @SuppressWarnings("NullAway") // Null is what is tried.
  void nullIsRefusedByName() throws Exception {
    try (PoolingHttpClientConnectionManager manager = manager(4)) {
      assertThatThrownBy(() -> HttpConnections.ofAll(null, manager, BOUNDS))
          .hasMessage("name must not be null");
      assertThatThrownBy(() -> HttpConnections.ofAll("a", null, BOUNDS))
          .hasMessage("manager must not be null");
      assertThatThrownBy(() -> HttpConnections.ofRoute("a", manager, null, new Bounds(1, 4)))
          .hasMessage("route must not be null");
    }
  }
}
