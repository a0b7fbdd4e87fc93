package io.poolkeeper.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.search.Search;
import io.poolkeeper.Bounds;
import io.poolkeeper.ControlListener;
import io.poolkeeper.ControlLoop;
import io.poolkeeper.Mode;
import io.poolkeeper.Resizable;
import io.poolkeeper.Window;
import io.poolkeeper.spring.pools.GracefulStop;
import io.poolkeeper.spring.pools.Pools;
import io.poolkeeper.spring.pools.TunedPool.Kind;
import io.poolkeeper.spring.settings.InvalidSettingException;
import io.poolkeeper.testkit.Conditions;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.zip.ZipInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Services on real web servers. */
@Timeout(300)
final class WebServerTest {

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String EXECUTOR = "applicationTaskExecutor";

  private static final boolean VIRTUAL_THREADS = Runtime.version().feature() >= 21;

  @Test
  void aServiceWithoutConfigurationIsTunedAndTheActuatorShowsAndChangesIt() throws Exception {
    Set<String> closed = ConcurrentHashMap.newKeySet();
    try (Service service =
        new Service(Service.Server.TOMCAT, "management.endpoint.poolkeeper.access=unrestricted")) {
      assertThat(service.bean(Pools.class).names()).containsExactly(EXECUTOR, "dataSource", "web");
      assertThat(service.get("/order").body()).startsWith("tomcat-exec-").endsWith(" 42");
      assertThat(service.pool("web").bounds().maximum()).isEqualTo(200);
      assertThat(service.pool("web").kind()).isEqualTo(Kind.THREADS);
      Conditions.await("windows", () -> service.pool("dataSource").size().isPresent());

      actuatorShows(service);
      actuatorChanges(service);
      metersExist(service.bean(MeterRegistry.class));
      service.bean(Pools.class).listen(new Closings(closed));
    }
    Conditions.await("all loops end", () -> closed.size() == 3);

    // As after a restart by the developer tools: other pools in the same process.
    try (Service service = new Service(Service.Server.TOMCAT, "poolkeeper.mode=dry-run")) {
      assertThat(service.get("/order").body()).endsWith(" 42");
      Conditions.await("a window", () -> service.pool("web").size().isPresent());
      assertThat(service.pool("web").size()).hasValue(200); // As without the starter.
      assertThat(service.post("/actuator/poolkeeper/web", "{\"size\": 3}").statusCode())
          .isNotEqualTo(200);
      assertThat(service.pool("web").size()).hasValue(200);
    }
  }

  @Test
  void aMinimumAboveTheThreadsOfTheWebServerStopsTheStart() {
    assertThatThrownBy(() -> new Service(Service.Server.TOMCAT, "poolkeeper.pools.web.min=300"))
        .hasRootCauseInstanceOf(InvalidSettingException.class)
        .hasRootCauseMessage(
            "poolkeeper.pools.web.min = 300: must be <= server.tomcat.threads.max = 200, unless"
                + " poolkeeper.pools.web.max is set; nearest valid value: 200");
  }

  @Test
  void consoleShowsAllPoolsAndATakenPortIsNoReasonNotToStart() throws Exception {
    try (Service service = new Service(Service.Server.TOMCAT, "poolkeeper.console.port=0")) {
      URI address = Objects.requireNonNull(service.bean(PoolConsole.class).console()).address();
      Conditions.await("all pools", () -> consoleSays(address).split("\"name\":", -1).length == 4);
      assertThat(exportedRun(address)).contains("\"partial\" : false");
      service.pool("web").loop().orElseThrow().bounds(new Bounds(2, 40)); // As the console does.
      Conditions.await("bounds", () -> service.pool("web").bounds().equals(new Bounds(2, 40)));
      assertThat(consoleSays(address)).contains("\"min\":2,\"max\":40,");
      service.pool("web").bounds(new Bounds(3, 30)); // As the actuator does.
      assertThat(consoleSays(address)).contains("\"min\":3,\"max\":30,");
      Conditions.await("the same from the actuator", () -> sameFromBoth(service, address));
      String port = "poolkeeper.console.port=" + address.getPort();
      try (Service second = new Service(Service.Server.TOMCAT, port)) {
        assertThat(second.bean(PoolConsole.class).console()).isNull();
        assertThat(second.get("/order").body()).endsWith(" 42");
      }
    }
  }

  /** Returns run.json of the record of the web server's pool, the first file of the archive. */
  private static String exportedRun(URI console) throws IOException {
    try (ZipInputStream zip = new ZipInputStream(consoleGives(console, "/api/record?name=web"))) {
      assertThat(Objects.requireNonNull(zip.getNextEntry()).getName()).endsWith("/run.json");
      return new String(zip.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  /** Compares what the console and the actuator say of a pool, which may change between. */
  private static boolean sameFromBoth(Service service, URI address) {
    try {
      JsonNode console = JSON.readTree(consoleSays(address, "/api/pool?name=web"));
      JsonNode pools = JSON.readTree(consoleSays(address)).path("pools");
      JsonNode actuator = JSON.readTree(service.get("/actuator/poolkeeper/web").body());
      JsonNode lines = JSON.readTree(service.get("/actuator/poolkeeper").body()).path("pools");
      assertThat(actuator.path("kind").asText()).isEqualTo("threads");
      ((ObjectNode) actuator).remove(List.of("kind", "running"));
      lines.forEach(line -> ((ObjectNode) line).remove(List.of("kind", "running")));
      return actuator.equals(console) && lines.equals(pools);
    } catch (IOException | InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private static String consoleSays(URI address) {
    return consoleSays(address, "/api/pools");
  }

  private static String consoleSays(URI address, String path) {
    try (InputStream answer = consoleGives(address, path)) {
      return new String(answer.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static InputStream consoleGives(URI address, String path) {
    HttpRequest request =
        HttpRequest.newBuilder(address.resolve(path))
            .header("Authorization", "Bearer " + address.getFragment())
            .build();
    return HttpClient.newHttpClient()
        .sendAsync(request, HttpResponse.BodyHandlers.ofInputStream())
        .join()
        .body();
  }

  private static void actuatorShows(Service service) throws Exception {
    assertThat(service.get("/actuator/poolkeeper").body())
        .contains("\"kind\":\"threads\"", "\"kind\":\"connections\"", "\"name\":\"web\"");
    assertThat(service.get("/actuator/poolkeeper/web").body())
        .contains("\"mode\":\"active\"", "\"controller\":\"response-curve\"")
        .contains("\"lastDecisions\":[{", "\"lastWindow\":{", "\"news\":{\"windows\":[{");
    assertThat(service.get("/actuator/poolkeeper/other").statusCode()).isEqualTo(404);
  }

  private static void actuatorChanges(Service service) throws Exception {
    String web = "/actuator/poolkeeper/web";
    Conditions.await("a window", () -> service.pool("web").size().isPresent());
    assertThat(service.post(web, "{\"mode\": \"frozen\"}").body()).contains("\"frozen\"");
    ControlLoop loop = service.pool("web").loop().orElseThrow();
    assertThat(loop.mode()).isEqualTo(Mode.FROZEN);
    Optional<Window> last = loop.lastWindow();
    Conditions.await("no decision is under way", () -> !loop.lastWindow().equals(last));
    assertThat(service.post(web, "{\"min\": 3, \"max\": 9, \"size\": 7}").statusCode())
        .isEqualTo(200);
    assertThat(service.pool("web").size()).hasValue(7);
    assertThat(service.pool("web").bounds()).isEqualTo(new Bounds(3, 9));
    for (String mistake :
        new String[] {
          "{\"size\": 10}",
          "{\"size\": 3.7}",
          "{\"size\": \"many\"}",
          "{\"max\": 201}",
          "{\"mode\": \"fast\"}",
          "{\"min\": 0}"
        }) {
      var refused = service.post(web, mistake);
      assertThat(refused.statusCode()).isEqualTo(400);
      assertThat(refused.body()).contains("\"error\"").contains("must be");
    }
    var mistyped = service.post(web, "{\"size\": 5, \"maximum\": 8}");
    assertThat(mistyped.statusCode()).isEqualTo(400);
    assertThat(mistyped.body())
        .contains("no field 'maximum': did you mean 'max'? Nothing was changed");
    // Spring Boot would take such a field for the name in the address.
    var elsewhere = service.post(web, "{\"name\": \"dataSource\", \"mode\": \"frozen\"}");
    assertThat(elsewhere.statusCode()).isEqualTo(400);
    assertThat(elsewhere.body()).contains("no field 'name'");
    assertThat(service.pool("dataSource").loop().orElseThrow().mode()).isEqualTo(Mode.ACTIVE);
    assertThat(service.get(web + "?name=dataSource").body()).contains("\"kind\":\"threads\"");
    assertThat(service.pool("web").size()).hasValue(7);
    var other = service.post("/actuator/poolkeeper/other", "{}");
    assertThat(other.statusCode()).isEqualTo(400);
    assertThat(other.body()).contains("no pool 'other', only [" + EXECUTOR);
  }

  private static void metersExist(MeterRegistry registry) {
    for (String name : new String[] {EXECUTOR, "dataSource", "web"}) {
      Conditions.await(
          "meters of " + name,
          () -> Search.in(registry).name("poolkeeper.pool.size").tag("name", name).gauge() != null);
    }
    // Those that Spring Boot has without the starter.
    assertThat(registry.find("hikaricp.connections.max").gauge()).isNotNull();
    assertThat(registry.find("executor.pool.core").tag("name", EXECUTOR).gauge()).isNotNull();
  }

  /** Names of pools whose loops have ended. */
  private record Closings(Set<String> names) implements ControlListener {
    @Override
    public void onClose(Resizable pool) {
      names.add(pool.name());
    }
  }

  @Test
  void requestsThatWaitForAThreadAreAnsweredBeforeTheServerStops() throws Exception {
    try (Service service = new Service(Service.Server.TOMCAT, "poolkeeper.pools.web.max=1")) {
      Service.Orders orders = service.bean(Service.Orders.class);
      var running = service.getLater("/wait");
      orders.entered.acquire();
      var waiting = service.getLater("/order");
      Conditions.await("a request waits", () -> service.bean(GracefulStop.class).waiting() == 1);

      var closing = CompletableFuture.runAsync(service::close);
      Conditions.await("no new connections", service::refusesConnections);
      orders.release.countDown();

      assertThat(running.get().body()).isEqualTo("done");
      assertThat(waiting.get().body()).endsWith(" 42");
      closing.join();
    }
  }

  @ParameterizedTest
  @EnumSource(Service.Server.class)
  void requestsThatAreNotAdmittedComeBackAndThoseThatAreEndBeforeTheServer(Service.Server server)
      throws Exception {
    try (Service service =
        new Service(
            server,
            VIRTUAL_THREADS
                ? "spring.threads.virtual.enabled=true"
                : "poolkeeper.web.admission=true",
            "poolkeeper.web.patience=0s",
            "poolkeeper.web.retry-after=7s",
            "poolkeeper.pools.web.max=1")) {
      assertThat(service.pool("web").kind()).isEqualTo(Kind.REQUESTS);
      Service.Orders orders = service.bean(Service.Orders.class);
      var waiting = service.getLater("/wait");
      orders.entered.acquire();

      var refused = service.get("/order");

      assertThat(refused.statusCode()).isEqualTo(503);
      assertThat(refused.headers().firstValue("Retry-After")).hasValue("7");

      var closing = CompletableFuture.runAsync(service::close);
      Conditions.await("no new connections", service::refusesConnections);
      orders.release.countDown();
      assertThat(waiting.get().body()).isEqualTo("done"); // The shutdown is graceful.
      closing.join();
    }
  }
}
