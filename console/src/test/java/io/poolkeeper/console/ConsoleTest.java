package io.poolkeeper.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.poolkeeper.AdaptiveExecutor;
import io.poolkeeper.Bounds;
import io.poolkeeper.ControlLoop;
import io.poolkeeper.Controllers;
import io.poolkeeper.Mode;
import io.poolkeeper.Objective;
import io.poolkeeper.Resizable;
import io.poolkeeper.spi.TaskMeter;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(300)
final class ConsoleTest {

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final HttpClient CLIENT = HttpClient.newHttpClient();

  private AdaptiveExecutor pool;
  private Console console;

  @BeforeEach
  void open() throws IOException {
    pool =
        AdaptiveExecutor.builder("orders / Zürich")
            .bounds(1, 64)
            .initialSize(4)
            .mode(Mode.DRY_RUN)
            .window(Duration.ofMillis(20))
            .jmx(false)
            .build();
    console = Console.open().watch(pool);
  }

  @AfterEach
  void close() {
    console.close();
    pool.shutdownNow();
  }

  private HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(console.address().resolve(path))
        .header("Authorization", "Bearer " + console.address().getFragment());
  }

  private static HttpResponse<String> send(HttpRequest.Builder request) throws Exception {
    return CLIENT.send(request.build(), HttpResponse.BodyHandlers.ofString());
  }

  private HttpResponse<String> change(String body) throws Exception {
    return send(
        request("/api/pool?name=orders+%2F+Z%C3%BCrich")
            .POST(HttpRequest.BodyPublishers.ofString(body)));
  }

  @Test
  void showsPoolsByTheirNames() throws Exception {
    JsonNode pools = JSON.readTree(send(request("/api/pools")).body()).get("pools");
    assertThat(pools).hasSize(1);
    assertThat(pools.get(0).get("name").asText()).isEqualTo("orders / Zürich");
    assertThat(pools.get(0).get("size").asInt()).isEqualTo(4);
    assertThat(pools.get(0).get("mode").asText()).isEqualTo("dry-run");
  }

  @ParameterizedTest
  @CsvSource({"/,text/html", "/console.js,text/javascript", "/charts.js,text/javascript"})
  void pageNeedsNoTokenAndLoadsNothingFromElsewhere(String path, String type) throws Exception {
    HttpResponse<String> page = send(HttpRequest.newBuilder(console.address().resolve(path)));
    assertThat(page.statusCode()).isEqualTo(200);
    assertThat(page.headers().firstValue("Content-Type")).hasValue(type + "; charset=utf-8");
    assertThat(page.headers().firstValue("Content-Security-Policy").orElse(""))
        .contains("default-src 'none'");
  }

  @ParameterizedTest
  @ValueSource(strings = {"/api/pools", "/api/pool?name=x", "/api/stream?name=x"})
  void dataNeedTheToken(String path) throws Exception {
    URI address = console.address().resolve(path);
    assertThat(send(HttpRequest.newBuilder(address)).statusCode()).isEqualTo(401);
    assertThat(
            send(HttpRequest.newBuilder(address).header("Authorization", "Bearer wrong"))
                .statusCode())
        .isEqualTo(401);
  }

  @Test
  void pageOfAnotherOriginMayNeitherReadNorChange() throws Exception {
    assertThat(send(request("/api/pools").header("Origin", "http://evil.example")).statusCode())
        .isEqualTo(403);
    HttpResponse<String> answer =
        send(
            request("/api/pool?name=orders+%2F+Z%C3%BCrich")
                .header("Origin", "null")
                .POST(HttpRequest.BodyPublishers.ofString("{\"action\":\"roll back\"}")));
    assertThat(answer.statusCode()).isEqualTo(403);
    assertThat(raw("GET / HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n"))
        .startsWith("HTTP/1.1 403");
  }

  private String raw(String request) throws IOException {
    try (Socket socket =
        new Socket(InetAddress.getLoopbackAddress(), console.address().getPort())) {
      socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
      return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  @ParameterizedTest
  @CsvSource({"127.0.0.1, 127.0.0.1", "0:0:0:0:0:0:0:1, [::1]"})
  void addressIsThatOfTheProtocolOfTheLoopbackInterface(String listening, String host)
      throws IOException {
    InetSocketAddress socket = new InetSocketAddress(InetAddress.getByName(listening), 8089);
    URI address = ConsoleServer.address(socket, "0123456789abcdef");
    assertThat(address).hasToString("http://" + host + ":8089/#0123456789abcdef");
    LoopbackRequests.requireThisOrigin(address.getAuthority(), "http://" + address.getAuthority());
  }

  @Test
  void holdsASizeAndSaysSo() throws Exception {
    JsonNode held = JSON.readTree(change("{\"action\":\"pin\",\"size\":9,\"minutes\":5}").body());
    assertThat(pool.size()).isEqualTo(9);
    assertThat(pool.control().mode()).isEqualTo(Mode.FROZEN);
    assertThat(held.get("pinnedUntil").asLong()).isGreaterThan(System.currentTimeMillis());
    assertThat(held.get("audit").get(0).get("text").asText())
        .isEqualTo("size 4 -> 9, held for 5 min");
    assertThat(change("{\"action\":\"mode\",\"mode\":\"active\"}").statusCode()).isEqualTo(200);
    assertThat(pool.control().mode()).isEqualTo(Mode.ACTIVE);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{\"action\":\"pin\",\"size\":65,\"minutes\":5}|size must be 1 to 64, but is 65; the nearest valid value is 64",
        "{\"action\":\"bounds\",\"min\":0,\"max\":5}|min must be 1 to 64, but is 0; the nearest valid value is 1",
        "{\"action\":\"bounds\",\"min\":1,\"max\":99}|max must be 1 to 64, but is 99; the nearest valid value is 64",
        "{\"action\":\"bounds\",\"min\":9,\"max\":5}|min must be <= max, but 9 > 5; the nearest valid min is 5",
        "{\"action\":\"bounds\",\"min\":9}|max must be a whole number, but is missing",
        "{\"action\":\"pin\",\"size\":2.5,\"minutes\":5}|size must be a whole number",
        "{\"action\":\"pin\",\"size\":2,\"minutes\":0}|minutes must be 1 to 10080, but is 0",
        "{\"action\":\"mode\",\"mode\":\"on\"}|mode must be active, dry-run or frozen",
        "{\"action\":\"grow\"}|action must be mode, bounds, pin or roll back, but is 'grow'",
        "{\"action\":\"roll back\"}|no decision has changed the size yet",
        "{|the request must be JSON",
      })
  void badChangesAreRefusedWithAReason(String body, String reason) throws Exception {
    HttpResponse<String> answer = change(body);
    assertThat(answer.statusCode()).isEqualTo(400);
    assertThat(JSON.readTree(answer.body()).get("error").asText()).contains(reason);
    assertThat(pool.size()).isEqualTo(4);
    assertThat(pool.control().mode()).isEqualTo(Mode.DRY_RUN);
  }

  @Test
  void boundsThatTheControllerCannotDecideWithinAreRefused() throws Exception {
    var other =
        AdaptiveExecutor.builder("fixed")
            .bounds(1, 64)
            .initialSize(4)
            .controller(Controllers.fixed(4))
            .jmx(false)
            .build();
    try {
      console.watch(other);
      HttpResponse<String> answer =
          send(
              request("/api/pool?name=fixed")
                  .POST(
                      HttpRequest.BodyPublishers.ofString(
                          "{\"action\":\"bounds\",\"min\":8,\"max\":16}")));
      assertThat(answer.statusCode()).isEqualTo(400);
      assertThat(JSON.readTree(answer.body()).get("error").asText())
          .isEqualTo("size of the fixed controller must be within 8..16, but is 4");
      assertThat(other.control().bounds()).isEqualTo(new Bounds(1, 64));
      assertThat(other.size()).isEqualTo(4);
    } finally {
      other.shutdownNow();
    }
  }

  @Test
  void unknownPoolsAndPathsAreNamed() throws Exception {
    assertThat(send(request("/api/pool?name=other")).body()).contains("there is no pool 'other'");
    assertThat(send(request("/nothing")).statusCode()).isEqualTo(404);
    assertThat(send(request("/api/pools").DELETE()).statusCode()).isEqualTo(404);
  }

  @Test
  void streamsWindowsAsTheyClose() throws Exception {
    HttpResponse<InputStream> stream = stream();
    try (BufferedReader lines = lines(stream)) {
      int windows = 0;
      while (windows < 3) {
        String line = lines.readLine();
        if (line.startsWith("data: ")) {
          windows += JSON.readTree(line.substring(6)).at("/news/windows").size();
        }
      }
    }
  }

  private HttpResponse<InputStream> stream() throws Exception {
    return CLIENT.send(
        request("/api/stream?name=orders+%2F+Z%C3%BCrich").build(),
        HttpResponse.BodyHandlers.ofInputStream());
  }

  private static BufferedReader lines(HttpResponse<InputStream> stream) {
    return new BufferedReader(new InputStreamReader(stream.body(), StandardCharsets.UTF_8));
  }

  @Test
  void noMorePagesThanThereIsRoomFor() throws Exception {
    List<InputStream> open = new ArrayList<>();
    try {
      for (int i = 0; i < EventStreams.LARGEST; i++) {
        HttpResponse<InputStream> page = stream();
        assertThat(page.statusCode()).isEqualTo(200);
        open.add(page.body());
      }
      assertThat(stream().statusCode()).isEqualTo(503);
      assertThat(send(request("/api/pools")).statusCode()).isEqualTo(200);
    } finally {
      for (InputStream page : open) {
        page.close();
      }
    }
    while (stream().statusCode() == 503) {
      Thread.onSpinWait(); // Until the closed pages are noticed.
    }
  }

  @Test
  void manySilentConnectionsDoNotStopThePool() throws Exception {
    List<Socket> silent = new ArrayList<>();
    try {
      for (int i = 0; i < 1_000; i++) {
        silent.add(new Socket(InetAddress.getLoopbackAddress(), console.address().getPort()));
      }
      assertThat(pool.submit(() -> 42).get()).isEqualTo(42);
      assertThat(send(request("/api/pools")).statusCode()).isEqualTo(200);
    } finally {
      for (Socket socket : silent) {
        socket.close();
      }
    }
  }

  /** The first event is larger than the buffers of both sockets. */
  @Test
  void aPageThatTakesNothingDoesNotHoldUpTheEnd() throws Exception {
    Resizable large = Resizable.of("x".repeat(12_000_000), new Bounds(1, 8), () -> 4, size -> {});
    Console other = Console.open();
    try (ControlLoop loop = loop(large);
        Socket silent = new Socket()) {
      other.watch(large, loop);
      silent.setReceiveBufferSize(4_096);
      silent.connect(
          new InetSocketAddress(InetAddress.getLoopbackAddress(), other.address().getPort()));
      silent
          .getOutputStream()
          .write(
              "GET /api/stream HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\n\r\n"
                  .formatted(other.address().getFragment())
                  .getBytes(StandardCharsets.US_ASCII));
      awaitBlockedPage();
      // Before the deadline would end the write.
      assertThat(CompletableFuture.runAsync(other::close)).succeedsWithin(Duration.ofSeconds(8));
    }
  }

  /** Waits until a page has been written to for a while, without an end. */
  private static void awaitBlockedPage() {
    for (int looks = 0; looks < 50; looks++) {
      LockSupport.parkNanos(1_000_000);
      boolean writes =
          Thread.getAllStackTraces().entrySet().stream()
              .filter(thread -> thread.getKey().getName().equals("poolkeeper-console-page"))
              .map(Map.Entry::getValue)
              .anyMatch(stack -> stack.length > 0 && stack[0].getMethodName().equals("write0"));
      if (!writes) {
        looks = 0;
      }
    }
  }

  private static ControlLoop loop(Resizable resizable) {
    return ControlLoop.tune(resizable, new TaskMeter(Objective.throughput(), () -> 4, () -> 0))
        .controller(Controllers.fixed(4))
        .jmx(false)
        .start();
  }

  @Test
  void aPoolWhoseHostHasStoppedLeavesTheOthersOnThePage() throws Exception {
    AtomicBoolean stopped = new AtomicBoolean();
    Resizable broken =
        Resizable.of(
            "broken",
            new Bounds(1, 8),
            () -> {
              if (stopped.get()) {
                throw new IllegalStateException("the host has stopped");
              }
              return 4;
            },
            size -> {});
    try (ControlLoop loop = loop(broken)) {
      console.watch(broken, loop);
      stopped.set(true);
      JsonNode pools = JSON.readTree(send(request("/api/pools")).body()).get("pools");
      assertThat(pools.findValuesAsText("name")).containsExactly("broken", "orders / Zürich");
    }
  }

  @Test
  void onlyTheLastClosedPoolsStay() throws Exception {
    int more = WatchedPools.LARGEST_CLOSED + 5;
    for (int i = 0; i < more; i++) {
      Resizable brief = Resizable.of("short-%02d".formatted(i), new Bounds(1, 8), () -> 4, s -> {});
      ControlLoop loop = loop(brief);
      console.watch(brief, loop);
      loop.close();
    }
    Resizable last = Resizable.of("last", new Bounds(1, 8), () -> 4, s -> {});
    try (ControlLoop loop = loop(last)) {
      console.watch(last, loop);
      JsonNode pools = JSON.readTree(send(request("/api/pools")).body()).get("pools");
      assertThat(pools.findValuesAsText("name"))
          .hasSize(WatchedPools.LARGEST_CLOSED + 2)
          .contains("last", "orders / Zürich", "short-24")
          .doesNotContain("short-00", "short-04");
    }
  }

  @Test
  void twoPoolsOfANameAreRefusedUntilTheFirstIsClosed() throws Exception {
    AdaptiveExecutor other =
        AdaptiveExecutor.builder("orders / Zürich").jmx(false).bounds(1, 2).build();
    try {
      assertThatThrownBy(() -> console.watch(other))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("'orders / Zürich' is watched already");
      pool.close();
      while (!JSON.readTree(send(request("/api/pools")).body()).at("/pools/0/closed").asBoolean()) {
        Thread.onSpinWait();
      }
      console.watch(other);
    } finally {
      other.shutdownNow();
    }
  }

  @Test
  void sizeThatTheHostRefusesIsToldAndTheModeStays() throws Exception {
    Resizable stubborn =
        Resizable.of(
            "stubborn",
            new Bounds(1, 8),
            () -> 4,
            size -> {
              throw new IllegalStateException("the host is stopping");
            });
    try (ControlLoop loop = loop(stubborn)) {
      console.watch(stubborn, loop);
      HttpResponse<String> answer =
          send(
              request("/api/pool?name=stubborn")
                  .POST(
                      HttpRequest.BodyPublishers.ofString(
                          "{\"action\": \"pin\", \"size\": 6, \"minutes\": 1}")));
      assertThat(answer.statusCode()).isEqualTo(500);
      assertThat(answer.body()).contains("the host is stopping");
      assertThat(loop.mode()).isEqualTo(Mode.ACTIVE);
    }
  }

  @Test
  void takenPortIsNamed() {
    int port = console.address().getPort();
    assertThatThrownBy(() -> Console.open(port))
        .isInstanceOf(BindException.class)
        .hasMessageStartingWith("cannot listen on console port " + port);
  }

  @ParameterizedTest
  @ValueSource(ints = {-1, 65_536})
  void portThatDoesNotExistIsNamedWithItsBounds(int port) {
    assertThatThrownBy(() -> Console.open(port))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("port must be within 0..65535, but is " + port);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "short", "0123456789 12345", "0123456789abcdeé"})
  void tokensMustBeLongAndPlain(String token) {
    assertThatThrownBy(() -> Console.open(0, token))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("at least 16 letters")
        .hasMessageEndingWith(
            token.length() < 16 ? "has a length of " + token.length() : "has other characters");
  }
}
