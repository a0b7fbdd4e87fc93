package io.poolkeeper.testbed.servers;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.poolkeeper.testbed.commands.HeldPort;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Several servers in one process, as the lab has them take turns. */
@Timeout(300)
final class SeriesMainTest {

  private final ObjectMapper json = new ObjectMapper();
  private final HttpClient http = HttpClient.newHttpClient();

  private String get(JsonNode ready) throws IOException, InterruptedException {
    URI uri = URI.create("http://127.0.0.1:" + ready.get("port").asInt() + "/prime");
    return http.send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString())
        .body();
  }

  private JsonNode next(Process series, PrintWriter in, BufferedReader out, String... arguments)
      throws IOException {
    in.println(json.writeValueAsString(arguments));
    in.flush();
    assertThat(series.isAlive()).isTrue();
    return json.readTree(out.readLine());
  }

  @Test
  void serversFollowEachOtherAndOneThatCannotStartDoesNotEndTheSeries(
      @TempDir Path first, @TempDir Path second) throws Exception {
    List<String> command =
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "-cp",
            System.getProperty("java.class.path"),
            SeriesMain.class.getName());
    Process series = new ProcessBuilder(command).start();
    try (HeldPort port = new HeldPort(0);
        HeldPort another = new HeldPort(0);
        PrintWriter in = new PrintWriter(series.outputWriter(StandardCharsets.UTF_8));
        BufferedReader out = series.inputReader(StandardCharsets.UTF_8)) {
      JsonNode firstReady =
          next(
              series,
              in,
              out,
              "--application",
              "prime",
              "--pool",
              "fixed:2",
              "--port",
              Integer.toString(port.number()),
              "--record",
              first.toString());
      assertThat(get(firstReady)).isEqualTo("true");
      JsonNode failed = next(series, in, out, "--application", "prime", "--bounds", "9..1");
      assertThat(failed.get("event").asText()).isEqualTo("failed");
      assertThat(failed.get("error").asText()).contains("minimum");
      Assertions.assertThatThrownBy(() -> get(firstReady)).isInstanceOf(ConnectException.class);
      JsonNode secondReady =
          next(
              series,
              in,
              out,
              "--application",
              "prime",
              "--pool",
              "fixed:3",
              "--port",
              Integer.toString(another.number()),
              "--record",
              second.toString());
      assertThat(get(secondReady)).isEqualTo("true");
      assertThat(secondReady.get("pid")).isEqualTo(firstReady.get("pid"));
      assertThat(next(series, in, out).get("event").asText()).isEqualTo("ended");
      Assertions.assertThatThrownBy(() -> get(secondReady)).isInstanceOf(ConnectException.class);
      series.getOutputStream().close();
      assertThat(series.waitFor()).isZero();
    } finally {
      series.destroyForcibly();
    }
    for (Path folder : List.of(first, second)) {
      assertThat(Files.readString(folder.resolve("windows.csv"))).contains("prime");
    }
  }
}
