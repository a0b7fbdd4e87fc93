package io.poolkeeper.testbed.load;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The command as a process of its own. */
@Timeout(300)
@Execution(ExecutionMode.CONCURRENT)
class ProcessTest {

  /** Exit code of a Java process that SIGTERM has ended. */
  private static final int TERMINATED = 128 + 15;

  @TempDir private Path folder = Path.of("");

  private ProcessBuilder command(ScriptedServer server, double seconds) throws IOException {
    return command(server, seconds, folder);
  }

  private static ProcessBuilder command(ScriptedServer server, double seconds, Path folder)
      throws IOException {
    Path description =
        Files.writeString(
            folder.resolve("load.yaml"),
            """
            clients: {kind: closed, phases: [{users: 3, for: %ss}]}
            http: {a: /a}
            timeout: 600s
            """
                .formatted(seconds));
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-XX:+UseG1GC", "-XX:TieredStopAtLevel=1", "-Xmx128m"));
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.add(LoadMain.class.getName());
    command.addAll(List.of("--target", server.url(), "--record", folder.toString()));
    command.addAll(List.of("--jtl", "--progress", description.toString()));
    return new ProcessBuilder(command).redirectError(folder.resolve("err").toFile());
  }

  /** Users whose requests will never be answered. */
  private final CountDownLatch forgotten = new CountDownLatch(3);

  /** A server that falls silent after a thousand requests. */
  private ScriptedServer silentAfterAThousand() throws IOException {
    Semaphore answers = new Semaphore(1000);
    CountDownLatch never = new CountDownLatch(1);
    return new ScriptedServer(
        client -> {
          if (!answers.tryAcquire()) {
            forgotten.countDown();
            never.await();
          }
          client.send(FixedAnswerServer.HELLO);
        });
  }

  private void awaitSilence(Process process) throws IOException, InterruptedException {
    forgotten.await();
    BufferedReader lines = process.inputReader(StandardCharsets.UTF_8);
    assertThat(lines.readLine()).contains("\"event\": \"begins\"");
    assertThat(lines.readLine()).contains("\"t\":1.0");
    assertThat(lines.readLine()).contains("\"t\":2.0");
  }

  private void assertAllWasKept(ScriptedServer server) throws IOException {
    JsonNode summary = LoadCommand.summary(folder);
    long answered = 1000;
    assertThat(server.requests()).isEqualTo(1003);
    assertThat(summary.get("unfinished").asLong()).isEqualTo(3);
    assertThat(summary.get("requests").asLong()).isEqualTo(answered);
    assertThat(summary.get("errors").asLong()).isZero();
    assertThat(summary.get("warnings").toString())
        .contains("stopped after", "3 requests unfinished");
    assertThat(LoadCommand.sum(LoadCommand.rows(folder.resolve("load.csv")), "requests"))
        .isEqualTo(answered);
    assertThat(LoadCommand.rows(folder.resolve("samples.jtl"))).hasSize((int) answered);
    assertThat(LoadCommand.histograms(folder))
        .allSatisfy((tag, times) -> assertThat(times.getTotalCount()).isEqualTo(answered));
  }

  @Test
  void sigtermKeepsWhatWasMeasured() throws Exception {
    try (ScriptedServer server = silentAfterAThousand()) {
      Process process = command(server, 600).start();
      awaitSilence(process);
      process.destroy();

      assertThat(process.waitFor()).isEqualTo(TERMINATED);
      assertAllWasKept(server);
    }
  }

  /** With Ctrl-C it is SIGINT, which does the same. */
  @Test
  void aPersonSeesHowItGoesAndWhatWasMeasuredUntilItWasStopped() throws Exception {
    try (ScriptedServer server = silentAfterAThousand()) {
      ProcessBuilder builder = command(server, 600).redirectError(Redirect.PIPE);
      builder.command().remove("--progress");
      builder.command().add(1, "-Dpoolkeeper.terminal=true");
      Process process = builder.start();
      forgotten.await();
      BufferedReader lines = process.errorReader(StandardCharsets.UTF_8);
      assertThat(lines.readLine()).as("before the line that changes").isEmpty();
      assertThat(lines.readLine()).contains("1 of 600 s, 3 users: ");
      // The process itself would close its streams.
      process.toHandle().destroy();

      assertThat(process.waitFor()).isEqualTo(TERMINATED);
      assertThat(lines.lines()).last().asString().contains("poolkeeper: warning: stopped after ");
      assertThat(process.inputReader(StandardCharsets.UTF_8).lines())
          .first()
          .asString()
          .startsWith("1000 requests in ");
    }
  }

  @Test
  void theEndOfStandardInputKeepsWhatWasMeasured() throws Exception {
    try (ScriptedServer server = silentAfterAThousand()) {
      Process process = command(server, 600).start();
      awaitSilence(process);
      process.getOutputStream().close();

      assertThat(process.waitFor()).isZero();
      assertAllWasKept(server);
    }
  }

  @Test
  void standardInputThatHoldsNothingFromTheStartStopsNothing() throws Exception {
    try (ScriptedServer server =
        new ScriptedServer(client -> client.send(FixedAnswerServer.HELLO))) {
      Process process =
          command(server, 1.5).redirectInput(Redirect.from(Path.of("/dev/null").toFile())).start();

      assertThat(process.waitFor()).isZero();
      JsonNode summary = LoadCommand.summary(folder);
      assertThat(summary.get("requests").asLong()).isEqualTo(server.requests());
      assertThat(summary.get("end_ns").asLong() - summary.get("start_ns").asLong())
          .isGreaterThanOrEqualTo(1_500_000_000L);
    }
  }

  @Test
  void aCallerWhoStopsListeningIsNoReasonToStop() throws Exception {
    try (ScriptedServer server =
        new ScriptedServer(client -> client.send(FixedAnswerServer.HELLO))) {
      Process process = command(server, 2.5).start();
      process.getInputStream().close();

      assertThat(process.waitFor()).isZero();
      assertThat(LoadCommand.rows(folder.resolve("load.csv")))
          .hasSize(LoadCommand.intervals(2.5, LoadCommand.summary(folder)));
    }
  }

  @Test
  void aSummaryThatCannotBePrintedIsAnError() throws Exception {
    try (ScriptedServer server =
        new ScriptedServer(client -> client.send(FixedAnswerServer.HELLO))) {
      ProcessBuilder command = command(server, 0.2);
      command.command().remove("--progress");
      Process process = command.redirectOutput(Path.of("/dev/full").toFile()).start();

      assertThat(process.waitFor()).isEqualTo(1);
      // On a busy machine the load generator may warn that it was.
      assertThat(Files.readAllLines(folder.resolve("err")))
          .filteredOn(line -> !line.startsWith("poolkeeper: warning: "))
          .containsExactly(
              "poolkeeper: standard output cannot be written: No space left on device");
    }
  }

  @Test
  void aWarmUpLastsUntilTheCallerSpeaksAndCountsNothing() throws Exception {
    RealLength.repeat(
        factor -> {
          double seconds = 1.5 * factor;
          Path record = Files.createDirectory(folder.resolve("record" + factor));
          try (ScriptedServer server =
              new ScriptedServer(client -> client.send(FixedAnswerServer.HELLO))) {
            warmUpUntilTheSecondSecond(warmingUp(server, seconds, record).start());
            JsonNode summary = LoadCommand.summary(record);
            long requests = summary.get("requests").asLong();
            if (requests == 0) {
              return false;
            }

            assertThat(requests).isLessThan(server.requests());
            assertThat(summary.get("warnings").toString())
                .as("its own end")
                .doesNotContain("stopped");
            assertThat(LoadCommand.rows(record.resolve("load.csv")))
                .hasSize(LoadCommand.intervals(seconds, summary));
            return true;
          }
        });
  }

  private static void warmUpUntilTheSecondSecond(Process process) throws Exception {
    BufferedReader lines = process.inputReader(StandardCharsets.UTF_8);
    assertThat(lines.readLine()).isEqualTo("{\"event\": \"warms up\"}");
    // Longer than the measured load, the first time: only the caller ends it.
    assertThat(lines.readLine()).contains("\"t\":1.0", "\"warm_up\":true", "\"users\":3");
    assertThat(lines.readLine()).contains("\"t\":2.0", "\"warm_up\":true");
    try (OutputStream caller = process.getOutputStream()) {
      caller.write("begin\n".getBytes(StandardCharsets.UTF_8));
      caller.flush();
      String line = lines.readLine();
      while (line.contains("warm_up") || line.contains("begins")) {
        line = lines.readLine();
      }
      assertThat(line).contains("\"t\":1.0");
      assertThat(process.waitFor()).isZero();
    }
  }

  @Test
  void aCallerWhoGoesDuringTheWarmUpEndsIt() throws Exception {
    try (ScriptedServer server =
        new ScriptedServer(client -> client.send(FixedAnswerServer.HELLO))) {
      Process process = warmingUp(server, 1.5, folder).start();
      assertThat(process.inputReader(StandardCharsets.UTF_8).readLine()).contains("warms up");
      process.getOutputStream().close();

      assertThat(process.waitFor()).isZero();
      assertThat(LoadCommand.summary(folder).get("warnings").toString()).contains("stopped after");
    }
  }

  private static ProcessBuilder warmingUp(ScriptedServer server, double seconds, Path folder)
      throws IOException {
    ProcessBuilder command = command(server, seconds, folder);
    command.command().add(command.command().size() - 1, "--warm-up");
    return command;
  }
}
