package io.poolkeeper.testbed.servers.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.poolkeeper.testbed.servers.TestServer;
import io.poolkeeper.testbed.servers.architectures.Architecture;
import io.poolkeeper.testbed.servers.architectures.Architecture.InputOutput;
import io.poolkeeper.testbed.servers.architectures.ServerSettings;
import io.poolkeeper.testbed.servers.architectures.VirtualThreads;
import java.io.File;
import java.io.IOException;
import java.net.BindException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Clients that nobody here wrote get right answers from each architecture, and the baseline. */
@Timeout(300)
final class ForeignClientsTest {

  private static final Map<String, TestServer> SERVERS = new LinkedHashMap<>();

  @BeforeAll
  static void start() throws BindException {
    Stream<String> all =
        Stream.concat(Conformance.architectures(), Stream.of(Architecture.BASELINE.name()));
    for (Architecture each : all.map(Architecture::named).toList()) {
      if (each.inputOutput() != InputOutput.VIRTUAL || VirtualThreads.available()) {
        SERVERS.put(each.name(), new TestServer(each, ServerSettings.DEFAULTS));
      }
    }
  }

  @AfterAll
  static void stop() {
    SERVERS.values().forEach(TestServer::close);
    SERVERS.clear();
  }

  private static void requireInstalled(String program) {
    assumeTrue(
        Arrays.stream(System.getenv("PATH").split(File.pathSeparator, -1))
            .anyMatch(folder -> Files.isExecutable(Path.of(folder, program))),
        "there is no " + program);
  }

  private static Process begin(String... command) throws IOException {
    return new ProcessBuilder(command).redirectErrorStream(true).start();
  }

  private static String output(Process process) throws IOException, InterruptedException {
    String output =
        new String(process.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
    assertThat(process.waitFor()).as(output).isZero();
    return output;
  }

  private static String url(TestServer running, String path) {
    return "http://127.0.0.1:" + running.server().port() + path;
  }

  private static String answer(String status, String body) {
    return "HTTP/1.1 %s\r\ndate: NOW\r\ncontent-type: text/plain\r\ncontent-length: %d\r\n\r\n%s"
        .formatted(status, body.length(), body);
  }

  @Test
  void curlSeesTheseBytesAndNoOthers() throws Exception {
    requireInstalled("curl");
    for (Map.Entry<String, TestServer> each : SERVERS.entrySet()) {
      String served = url(each.getValue(), "/app");
      String unknown = url(each.getValue(), "/other");
      // Behind each answer how many connections were opened for it: the second one needs none.
      String output = output(begin("curl", "-si", "-w", "%{num_connects}", served, unknown));
      assertThat(output.replaceAll("\r\ndate: [A-Z][a-z]{2}, [^\r]* GMT\r", "\r\ndate: NOW\r"))
          .as(each.getKey())
          .isEqualTo(
              answer("200 OK", "fine")
                  + "1"
                  + answer("404 Not Found", "nothing here; try /app\n")
                  + "0");
    }
  }

  @Test
  void wrkSeesNoErrors() throws Exception {
    requireInstalled("wrk");
    Map<String, Process> all = new LinkedHashMap<>();
    for (Map.Entry<String, TestServer> each : SERVERS.entrySet()) {
      all.put(each.getKey(), begin(wrk(each.getValue())));
    }
    for (Map.Entry<String, Process> each : all.entrySet()) {
      String output = output(each.getValue());
      while (output.contains(" 0 requests in ")) { // It was not its turn, on a busy machine.
        output = output(begin(wrk(Objects.requireNonNull(SERVERS.get(each.getKey())))));
      }
      assertThat(output)
          .as(each.getKey())
          .doesNotContain("Socket errors", "Non-2xx")
          .containsPattern("[1-9][0-9]* requests in ");
    }
  }

  private static String[] wrk(TestServer running) {
    String url = url(running, "/app");
    return new String[] {"wrk", "-t1", "-c10", "-d1s", "--timeout", "60s", url};
  }
}
