package io.poolkeeper.testbed.servers;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.poolkeeper.testbed.servers.architectures.RawClient;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A server that starts its database itself, and every way for both to end. */
@Timeout(300)
@SuppressWarnings("NullAway.Init") // Each test starts the server.
final class EmbeddedDatabaseTest {

  @TempDir Path folder;

  private Process server;
  private JsonNode ready;

  /**
   * In a session of its own, as a shell starts it: a signal to the group is what Ctrl-C is. Tests
   * that run in the background may ignore it, which a process hands on to those that it starts.
   */
  private void start(String... options) throws IOException {
    List<String> command =
        Stream.concat(
                Stream.of(
                    "setsid",
                    "env",
                    "--default-signal=INT",
                    Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                    "-XX:+UseSerialGC",
                    "-XX:TieredStopAtLevel=1",
                    "-Djava.io.tmpdir=" + folder,
                    "-cp",
                    System.getProperty("java.class.path"),
                    ServerMain.class.getName()),
                Stream.of(options))
            .toList();
    server = new ProcessBuilder(command).redirectError(folder.resolve("log").toFile()).start();
    String line = server.inputReader().readLine();
    assertThat(line).as(log()).isNotNull();
    ready = new ObjectMapper().readTree(Objects.requireNonNull(line));
  }

  @AfterEach
  void stop() {
    server.descendants().forEach(ProcessHandle::destroyForcibly);
    server.destroyForcibly();
  }

  private String log() throws IOException {
    return Files.readString(folder.resolve("log"));
  }

  private String answer(String path) throws Exception {
    try (RawClient client = new RawClient(ready.get("port").asInt())) {
      client.get(path);
      RawClient.Answer answer = client.read();
      assertThat(answer.status()).as(answer.body()).isEqualTo(200);
      return answer.body();
    }
  }

  private ProcessHandle mariaDb() {
    return ProcessHandle.of(ready.get("databasePid").asLong()).orElseThrow();
  }

  private static void await(String what, BooleanSupplier condition) {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(300);
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime()).as(what).isLessThan(deadline);
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
    }
  }

  private void assertNothingLeft(ProcessHandle daemon) throws IOException {
    await("MariaDB ends", () -> !daemon.isAlive());
    try (Stream<Path> files = Files.list(folder)) {
      assertThat(files.filter(file -> file.toString().contains("database"))).isEmpty();
    }
    assertThat(log()).doesNotContain("has died", "\tat ", "while stopping");
  }

  @ParameterizedTest
  @ValueSource(strings = {"dbread", "dbwrite"})
  void startsADatabaseSaysSoAndStopsItOnCtrlC(String application) throws Exception {
    start("--application", application, "--pool", "fixed:2");
    assertThat(log().lines().filter(line -> line.startsWith("poolkeeper: ")))
        .anyMatch(
            line ->
                line.equals(
                    "poolkeeper: "
                        + application
                        + " needs a database and --jdbc-url names none: starting a MariaDB …"))
        .anyMatch(line -> line.startsWith("poolkeeper: MariaDB serves on port "));
    assertThat(answer("/" + application)).isNotEmpty();
    ProcessHandle daemon = mariaDb();
    // To all of its group, as a terminal sends it, MariaDB among them.
    assertThat(new ProcessBuilder("kill", "-INT", "--", "-" + ready.get("pid")).start().waitFor())
        .isZero();
    assertThat(server.waitFor(300, TimeUnit.SECONDS)).isTrue();
    assertNothingLeft(daemon);
  }

  @Test
  void anApplicationBesideAnotherGetsOneAsWell() throws Exception {
    start(
        "--application",
        "prime",
        "--beside",
        "dbwrite",
        "--pool",
        "fixed:2",
        "--connections",
        "pool:2");
    assertThat(answer("/dbwrite")).isNotEmpty();
    ProcessHandle daemon = mariaDb();
    server.getOutputStream().close();
    assertThat(server.waitFor(300, TimeUnit.SECONDS)).isTrue();
    assertThat(server.exitValue()).isZero();
    assertNothingLeft(daemon);
  }

  @Test
  void endsWithMariaDb() throws Exception {
    start("--application", "dbwrite", "--pool", "fixed:2");
    mariaDb().destroyForcibly();
    assertThat(server.waitFor(300, TimeUnit.SECONDS)).isTrue();
    assertThat(server.exitValue()).isEqualTo(1);
    assertThat(log()).contains("poolkeeper: MariaDB has died");
  }

  @Test
  void noneIsStartedWhereNoneIsNeeded() throws Exception {
    start("--application", "prime");
    assertThat(ready.has("databasePid")).isFalse();
    assertThat(log()).doesNotContain("MariaDB");
  }
}
