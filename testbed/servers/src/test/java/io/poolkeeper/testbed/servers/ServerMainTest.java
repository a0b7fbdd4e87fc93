package io.poolkeeper.testbed.servers;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.poolkeeper.testbed.servers.architectures.RawClient;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The server as a process of its own, as the lab starts it. */
@Timeout(300)
final class ServerMainTest {

  private final ObjectMapper json = new ObjectMapper();
  private final HttpClient http = HttpClient.newHttpClient();

  private static Process start(String... options) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp"));
    command.add(System.getProperty("java.class.path"));
    command.add(ServerMain.class.getName());
    command.addAll(List.of(options));
    return new ProcessBuilder(command).start();
  }

  private JsonNode ready(Process server) throws IOException {
    BufferedReader out =
        new BufferedReader(new InputStreamReader(server.getInputStream(), StandardCharsets.UTF_8));
    return json.readTree(out.readLine());
  }

  private HttpResponse<String> call(String method, int port, String path)
      throws IOException, InterruptedException {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
            .method(method, HttpRequest.BodyPublishers.noBody())
            .build();
    return http.send(request, HttpResponse.BodyHandlers.ofString());
  }

  /** Waits until a window ends: a decision about the one before has had its effect by then. */
  private void awaitNextWindow(int admin) throws IOException, InterruptedException {
    String newest = "/state";
    JsonNode before = json.readTree(call("GET", admin, newest).body()).at("/window/end");
    JsonNode now = before;
    while (now.equals(before)) {
      now = json.readTree(call("GET", admin, newest).body()).at("/window/end");
    }
  }

  @Test
  void servesTellsAndRecordsUntilItsInputCloses(@TempDir Path folder) throws Exception {
    Process server =
        start(
            "--application",
            "prime",
            "--pool",
            "throughput",
            "--objective",
            "goodput:300ms",
            "--set",
            "lock=0",
            "--seed",
            "7",
            "--window",
            "50ms",
            "--initial",
            "2",
            "--record",
            folder.toString());
    try {
      JsonNode ready = ready(server);
      int port = ready.get("port").asInt();
      int admin = ready.get("adminPort").asInt();
      assertThat(ready.get("seed").asLong()).isEqualTo(7);
      assertThat(ready.get("pools").toString())
          .isEqualTo(
              "{\"prime\":{\"controller\":\"throughput\","
                  + "\"settings\":{\"step\":\"10\",\"threshold\":\"0.1\",\"lock\":\"0\"},"
                  + "\"objective\":\"goodput:300ms\",\"bounds\":{\"minimum\":1,\"maximum\":256}}}");
      assertThat(call("GET", port, "/prime").body()).isEqualTo("true");

      JsonNode state = json.readTree(call("GET", admin, "/state").body());
      assertThat(state.get("controller").asText()).isEqualTo("throughput");
      assertThat(state.get("mode").asText()).isEqualTo("active");

      assertThat(call("POST", admin, "/mode?mode=frozen").statusCode()).isEqualTo(200);
      awaitNextWindow(admin);
      state = json.readTree(call("POST", admin, "/resize?size=7").body());
      assertThat(state.get("size").asInt()).isEqualTo(7);
      assertThat(state.get("mode").asText()).isEqualTo("frozen");

      for (String wrong :
          List.of("/resize?size=0", "/resize?size=many", "/resize", "/mode?mode=fast", "/mode")) {
        HttpResponse<String> refused = call("POST", admin, wrong);
        assertThat(refused.statusCode()).as(wrong).isEqualTo(400);
        assertThat(json.readTree(refused.body()).get("error").asText())
            .as(wrong)
            .contains("must be");
      }
      assertThat(call("GET", admin, "/nothing").statusCode()).isEqualTo(404);

      server.getOutputStream().close();
      assertThat(server.waitFor(300, TimeUnit.SECONDS)).isTrue();
      assertThat(server.exitValue()).isZero();
    } finally {
      server.destroyForcibly();
    }
    assertThat(Files.readAllLines(folder.resolve("windows.csv")).get(0))
        .startsWith("pool,start_ns,");
    assertThat(folder.resolve("decisions.jsonl")).exists();
  }

  @Test
  void aPolicySizesThePoolAndTellsWhatAndWhy() throws Exception {
    Process server = start("--application", "prime", "--pool", "fbos", "--window", "50ms");
    try {
      JsonNode ready = ready(server);
      assertThat(ready.at("/pools/prime/controller").asText()).isEqualTo("fbos");
      int admin = ready.get("adminPort").asInt();
      assertThat(call("GET", ready.get("port").asInt(), "/prime").body()).isEqualTo("true");
      JsonNode state = json.readTree(call("GET", admin, "/state").body());
      assertThat(state.get("controller").asText()).isEqualTo("fbos");
      assertThat(state.get("size").asInt()).isEqualTo(2);
    } finally {
      server.destroyForcibly();
    }
  }

  @Test
  void variantsTakeTurnsOnOnePool() throws Exception {
    Process server =
        start(
            "--application",
            "prime",
            "--window",
            "50ms",
            "--variant",
            "four:fixed:4",
            "--variant",
            "own:throughput,step=2,initial=9");
    try {
      JsonNode ready = ready(server);
      assertThat(ready.at("/pools/prime/controller").asText()).isEqualTo("alternating");
      assertThat(ready.at("/pools/prime/settings/own").asText())
          .isEqualTo("throughput,step=2,initial=9");
      int admin = ready.get("adminPort").asInt();
      JsonNode state = json.readTree(call("GET", admin, "/state").body());
      assertThat(state.get("variant").asText()).isEqualTo("four");
      assertThat(state.get("size").asInt()).isEqualTo(4);
      JsonNode begun = json.readTree(call("POST", admin, "/variant?name=own").body());
      assertThat(begun.get("variant").asText()).isEqualTo("own");
      assertThat(begun.get("size").asInt()).isEqualTo(9);
      assertThat(begun.get("at_ns").asLong()).isPositive();
      begun = json.readTree(call("POST", admin, "/variant?name=four").body());
      assertThat(begun.get("size").asInt()).isEqualTo(4);
      HttpResponse<String> refused = call("POST", admin, "/variant?name=fuor");
      assertThat(refused.statusCode()).isEqualTo(400);
      assertThat(refused.body()).contains("did you mean 'four'");
    } finally {
      server.destroyForcibly();
    }
  }

  @Test
  void answersWhatIsUnderWayWhenItIsTold() throws Exception {
    Process server = start("--application", "prime10m", "--pool", "fixed:2");
    try {
      int port = ready(server).get("port").asInt();
      try (RawClient client = new RawClient(port)) {
        for (int i = 0; i < 8; i++) {
          client.get("/prime10m");
        }
        // All eight have been read once the first is answered or later; then the stop is heard.
        assertThat(client.read().status()).isEqualTo(200);
        server.destroy();
        for (int i = 1; i < 8; i++) {
          assertThat(client.read().status()).isEqualTo(200);
        }
      }
      assertThat(server.waitFor(300, TimeUnit.SECONDS)).isTrue();
    } finally {
      server.destroyForcibly();
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--application prim1m            | did you mean 'prime1m'",
        "--application prime --window -5s           | -5s",
      })
  void badOptionsAreOneClearLine(String options, String expected) throws Exception {
    Process server = start(options.strip().split(" +"));
    try {
      String errors = new String(server.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
      assertThat(server.waitFor(300, TimeUnit.SECONDS)).isTrue();
      assertThat(server.exitValue()).isEqualTo(2);
      assertThat(errors).contains(expected.strip()).doesNotContain("\tat ");
    } finally {
      server.destroyForcibly();
    }
  }
}
