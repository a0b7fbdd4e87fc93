package io.poolkeeper.testbed.applications.downstream;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The downstream server as a program of its own. */
@Timeout(300)
@SuppressWarnings("NullAway.Init") // Each test starts the process that it needs.
final class DownstreamMainTest {

  @TempDir Path folder;

  private Process program;

  private void start(String... options) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp"));
    command.add(System.getProperty("java.class.path"));
    command.add(DownstreamMain.class.getName());
    command.addAll(List.of(options));
    program = new ProcessBuilder(command).redirectError(folder.resolve("log").toFile()).start();
  }

  @AfterEach
  void stop() {
    program.destroyForcibly();
  }

  private JsonNode ready() throws IOException {
    String line = program.inputReader().readLine();
    assertThat(line).as(Files.readString(folder.resolve("log"))).isNotNull();
    return new ObjectMapper().readTree(Objects.requireNonNull(line));
  }

  private static HttpResponse<String> ask(String method, JsonNode ready, String path)
      throws IOException, InterruptedException {
    URI uri = URI.create("http://127.0.0.1:" + ready.get("adminPort").asInt() + path);
    return HttpClient.newHttpClient()
        .send(
            HttpRequest.newBuilder(uri).method(method, HttpRequest.BodyPublishers.noBody()).build(),
            HttpResponse.BodyHandlers.ofString());
  }

  @Test
  void servesUntilItsInputClosesAndChangesWhenToldTo() throws Exception {
    start("--profile", "call20:latency=1ms", "--profile", "other:latency=2ms,capacity=3");
    JsonNode ready = ready();
    assertThat(ready.get("event").asText()).isEqualTo("ready");
    assertThat(ready.get("pid").asLong()).isEqualTo(program.pid());
    DownstreamAddress address =
        new DownstreamAddress("127.0.0.1", ready.get("port").asInt(), Duration.ofMinutes(5));
    try (DownstreamClient client = new DownstreamClient(address)) {
      assertThat(client.get("/call20")).isEqualTo("call20\n");
      assertThat(client.get("/other")).isEqualTo("other\n");
    }
    assertThat(ask("POST", ready, "/settings?path=call400&latency=1.5ms&capacity=7").body())
        .contains("\"call20\":{\"latency\":\"1ms\",\"capacity\":16,\"degradation\":0.1")
        .contains("\"call400\":{\"latency\":\"1.5ms\",\"capacity\":7,\"degradation\":0.1")
        .contains("\"other\":{\"latency\":\"2ms\",\"capacity\":3,\"degradation\":0.1");
    assertThat(ask("POST", ready, "/settings?fault=reset").body()).contains("\"fault\":\"reset\"");
    assertThat(ask("GET", ready, "/settings").body()).contains("\"fault\":\"reset\"");
    HttpResponse<String> wrong = ask("POST", ready, "/settings?capacity=0");
    assertThat(wrong.statusCode()).isEqualTo(400);
    assertThat(wrong.body()).isEqualTo("{\"error\":\"capacity must be >= 1, but is 0\"}");
    program.getOutputStream().close();
    assertThat(program.waitFor()).isZero();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--profile call20                 | profile must be PATH:SETTING=VALUE,..., but is 'call20'",
        "--profile call20:latency         | must be NAME=VALUE, but is 'latency'",
        "--profile call20:capacity=0      | capacity must be >= 1, but is 0",
        "--frobnicate                     | --frobnicate",
      })
  void wrongOptionsAreOneLineThatNamesThem(String options, String expected) throws Exception {
    start(options.strip().split(" "));
    assertThat(program.waitFor()).isEqualTo(2);
    assertThat(Files.readAllLines(folder.resolve("log")))
        .singleElement()
        .asString()
        .startsWith("poolkeeper: ")
        .contains(expected);
  }
}
