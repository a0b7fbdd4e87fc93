package io.poolkeeper.testbed.servers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.poolkeeper.AdaptiveExecutor;
import io.poolkeeper.Mode;
import io.poolkeeper.testbed.servers.architectures.RawClient;
import java.io.IOException;
import java.net.BindException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(300)
@SuppressWarnings("NullAway.Init") // Started before each test.
final class AdminTest {

  private final ObjectMapper json = new ObjectMapper();
  private final HttpClient http = HttpClient.newHttpClient();
  private AdaptiveExecutor pool;
  private Admin admin;

  @BeforeEach
  void start() throws IOException {
    History history = new History();
    pool =
        AdaptiveExecutor.builder("orders")
            .bounds(1, 8)
            .initialSize(2)
            .window(Duration.ofMillis(5))
            .jmx(false)
            .listener(history)
            .build();
    admin = new Admin(0, "prime", handlers(), history, () -> 3);
  }

  private Handlers handlers() {
    return new Handlers(pool, pool, pool.control(), pool::queued);
  }

  @AfterEach
  void stop() {
    admin.close();
    pool.shutdownNow();
  }

  private HttpResponse<String> call(String method, String path) throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + admin.port() + path))
            .method(method, HttpRequest.BodyPublishers.noBody())
            .build();
    return http.send(request, HttpResponse.BodyHandlers.ofString());
  }

  private JsonNode get(String path) throws Exception {
    HttpResponse<String> answer = call("GET", path);
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    return json.readTree(answer.body());
  }

  private void awaitDecisions(int count) throws Exception {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(300);
    while (get("/decisions").size() < count) {
      assertThat(System.nanoTime()).as("decisions").isLessThan(deadline);
    }
  }

  @Test
  void tellsTheState() throws Exception {
    awaitDecisions(1);
    JsonNode state = get("/state");
    assertThat(state.get("application").asText()).isEqualTo("prime");
    assertThat(state.get("pool").asText()).isEqualTo("orders");
    assertThat(state.get("minimum").asInt()).isEqualTo(1);
    assertThat(state.get("maximum").asInt()).isEqualTo(8);
    assertThat(state.get("connections").asInt()).isEqualTo(3);
    assertThat(state.get("queued").asInt()).isZero();
    assertThat(state.at("/window/end").asLong()).isPositive();
    assertThat(state.at("/decision/reason").asText()).isNotEmpty();
  }

  @Test
  void tellsWhatIsNewerThanAsked() throws Exception {
    awaitDecisions(4);
    pool.control().close(); // Else those asked for may have made room for newer ones.
    JsonNode windows = get("/windows");
    long second = windows.at("/1/end").asLong();
    assertThat(get("/windows?since=" + second).at("/0/end").asLong())
        .isEqualTo(windows.at("/2/end").asLong());
    assertThat(get("/decisions?since=" + second).at("/0/at_ns").asLong())
        .isEqualTo(windows.at("/2/end").asLong());
    assertThat(get("/windows?since=" + Long.MAX_VALUE)).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "POST | /resize?size=0                    | size must be within 1..8, but is 0",
        "POST | /resize?size=9                    | size must be within 1..8, but is 9",
        "POST | /resize?size=-99999999999         | size must be within 1..8",
        "POST | /resize?size=99999999999          | size must be within 1..8",
        "POST | /resize?size=many                 | size must be a whole number, but is 'many'",
        "POST | /resize?size=9999999999999999999  | size must be a whole number",
        "POST | /resize                           | size must be a whole number, but is ''",
        "POST | /mode?mode=fast                   | mode must be active, dry-run or frozen",
        "POST | /variant?name=four                | this server has no variants: start it with --variant",
        "GET  | /windows?since=yesterday          | since must be a whole number, but is 'yesterday'",
        "GET  | /decisions?since=                 | since must be a whole number, but is ''",
      })
  void wrongValuesAreNamed(String method, String path, String expected) throws Exception {
    HttpResponse<String> answer = call(method.strip(), path.strip());
    assertThat(answer.statusCode()).isEqualTo(400);
    assertThat(json.readTree(answer.body()).get("error").asText()).contains(expected.strip());
    assertThat(pool.size()).isBetween(1, 8);
  }

  @Test
  void anEscapeThatIsNoneIsAnsweredToo() throws Exception {
    try (RawClient client = new RawClient(admin.port())) {
      client.send("GET /windows?since=%25zz HTTP/1.1\r\nHost: localhost\r\n\r\n");
      assertThat(client.read().status()).isEqualTo(400);
    }
  }

  @Test
  void clientsThatAreSlowToAskHoldUpNobody() throws Exception {
    List<RawClient> slow = new ArrayList<>();
    try {
      for (int i = 0; i < 20; i++) {
        slow.add(new RawClient(admin.port()));
        slow.get(i).send("GET /state HT");
      }
      assertThat(get("/state").get("pool").asText()).isEqualTo("orders");
    } finally {
      for (RawClient client : slow) {
        client.close();
      }
    }
  }

  /** A limit of the process would cut off the console's pages, to which answers go on for ever. */
  @Test
  void noLimitOnAnswersHoldsForOtherServersOfTheProcess() throws Exception {
    assertThat(get("/state").get("pool").asText()).isEqualTo("orders");
    assertThat(System.getProperty("sun.net.httpserver.maxRspTime")).isNull();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "POST /resize?size=5    | Host: localhost; Origin: http://example.com",
        "POST /resize?size=5    | Host: localhost; Origin: null",
        "POST /resize?size=5    | Host: localhost:PORT; Origin: http://localhost:1",
        "POST /resize?size=5    | Host: example.com:PORT; Origin: http://example.com:PORT",
        "POST /resize?size=5    | Host: localhost.example.com",
        "POST /mode?mode=frozen | Host: example.com",
        "POST /mode?mode=frozen | Host: 127.0.0.1; Origin: https://127.0.0.1",
        "GET /state             | Host: example.com",
      })
  void pagesOfAnotherOriginAreRefused(String request, String fields) throws Exception {
    assertThat(status(request, fields)).isEqualTo(403);
    assertThat(pool.size()).isNotEqualTo(5);
    assertThat(pool.control().mode()).isEqualTo(Mode.ACTIVE);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Host: localhost",
        "Host: LOCALHOST:PORT; Origin: http://localhost:PORT",
        "Host: 127.0.0.1:PORT",
        "Host: [::1]:PORT"
      })
  void whoAsksOnThisMachineIsAnswered(String fields) throws Exception {
    assertThat(status("POST /mode?mode=frozen", fields)).isEqualTo(200);
    assertThat(pool.control().mode()).isEqualTo(Mode.FROZEN);
  }

  private int status(String request, String fields) throws IOException {
    try (RawClient client = new RawClient(admin.port())) {
      String head =
          "%s HTTP/1.1\r\n%s\r\nContent-Length: 0\r\n\r\n"
              .formatted(request.strip(), fields.strip().replace("; ", "\r\n"));
      client.send(head.replace("PORT", Integer.toString(admin.port())));
      return client.read().status();
    }
  }

  @Test
  void aWrongMethodChangesNothing() throws Exception {
    assertThat(call("GET", "/resize?size=5").statusCode()).isEqualTo(404);
    assertThat(call("DELETE", "/state").statusCode()).isEqualTo(404);
  }

  @Test
  void aPortInUseIsNamed() {
    assertThatThrownBy(() -> new Admin(admin.port(), "prime", handlers(), new History(), () -> 0))
        .isInstanceOf(BindException.class)
        .hasMessageContaining("admin port " + admin.port());
  }
}
