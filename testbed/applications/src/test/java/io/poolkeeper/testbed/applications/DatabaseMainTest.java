package io.poolkeeper.testbed.applications;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The database as a program of its own, and every way for it to end. */
@Timeout(300)
@Execution(ExecutionMode.CONCURRENT)
@SuppressWarnings("NullAway.Init") // Each test starts the program.
final class DatabaseMainTest {

  /** Environment variable of the folder for files that later databases take. */
  private static final String KEPT = "POOLKEEPER_MARIADB";

  @TempDir Path folder;

  private Process program;

  private ProcessBuilder command(Path temporary) {
    ProcessBuilder command =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-Djava.io.tmpdir=" + temporary,
                "-cp",
                System.getProperty("java.class.path"),
                DatabaseMain.class.getName())
            .redirectError(folder.resolve("log").toFile());
    // Whoever uses another temporary folder than that of this database fails.
    command.environment().put("TMPDIR", folder.resolve("shared").toString());
    return command;
  }

  @AfterEach
  void stop() {
    program.destroyForcibly();
  }

  private JsonNode start() throws IOException {
    return start(command(folder));
  }

  private JsonNode start(ProcessBuilder command) throws IOException {
    program = command.start();
    String line = program.inputReader().readLine();
    assertThat(line).as(Files.readString(folder.resolve("log"))).isNotNull();
    return new ObjectMapper().readTree(Objects.requireNonNull(line));
  }

  /** Has the database unpack its programs and make its tables, whatever others have kept. */
  private static ProcessBuilder withoutKeptFiles(ProcessBuilder command) {
    command.environment().remove(KEPT);
    return command;
  }

  private static ProcessHandle daemon(JsonNode ready) {
    return ProcessHandle.of(ready.get("serverPid").asLong()).orElseThrow();
  }

  private List<Path> databaseFiles() {
    try (Stream<Path> files = Files.list(folder)) {
      return files.filter(file -> file.getFileName().toString().contains("database")).toList();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private static void await(String what, BooleanSupplier condition) {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(300);
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime()).as(what).isLessThan(deadline);
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
    }
  }

  private void awaitNothingLeft(ProcessHandle daemon) {
    await("MariaDB ends", () -> !daemon.isAlive());
    await("its files are deleted", () -> databaseFiles().isEmpty());
  }

  @Test
  void endsWhenItsInputCloses() throws Exception {
    JsonNode ready = start(withoutKeptFiles(command(folder)));
    assertThat(ready.get("event").asText()).isEqualTo("ready");
    assertThat(ready.get("jdbcUrl").asText()).contains(":" + ready.get("port").asInt() + "/");
    assertThat(ready.get("pid").asLong()).isEqualTo(program.pid());
    ProcessHandle daemon = daemon(ready);
    program.getOutputStream().close();
    assertThat(program.waitFor()).isZero();
    assertThat(program.inputReader().readLine()).as("a second line").isNull();
    assertThat(daemon.isAlive()).isFalse();
    assertThat(databaseFiles()).isEmpty();
  }

  @Test
  void aSecondOneTakesTheFilesThatTheFirstKept() throws Exception {
    ProcessBuilder command = command(folder);
    Path kept = folder.resolve("kept");
    command.environment().put(KEPT, kept.toString());
    for (int i = 1; i <= 2; i++) {
      Path programs = Path.of(daemon(start(command)).info().command().orElseThrow()).toRealPath();
      assertThat(programs.startsWith(kept.toRealPath())).as("database %d", i).isEqualTo(i == 2);
      program.getOutputStream().close();
      assertThat(program.waitFor()).isZero();
      assertThat(databaseFiles()).isEmpty();
    }
  }

  @Test
  void endsWhenToldTo() throws Exception {
    ProcessHandle daemon = daemon(start());
    // By its handle: the process's own destroy() would close its input as well.
    program.toHandle().destroy();
    program.waitFor();
    assertThat(daemon.isAlive()).isFalse();
    assertThat(databaseFiles()).isEmpty();
  }

  @Test
  void leavesNothingBehindWhenKilled() throws Exception {
    ProcessHandle daemon = daemon(start());
    program.destroyForcibly();
    awaitNothingLeft(daemon);
  }

  @Test
  void leavesNothingBehindWhenKilledWhileItStarts() throws IOException {
    program = withoutKeptFiles(command(folder)).start();
    // From its first process on, which is one of those that make the tables.
    AtomicReference<ProcessHandle> first = new AtomicReference<>();
    await("a process of MariaDB starts", () -> inDatabase().peek(first::set).findAny().isPresent());
    program.destroyForcibly();
    awaitNothingLeft(Objects.requireNonNull(first.get()));
  }

  private Stream<ProcessHandle> inDatabase() {
    return program
        .descendants()
        .filter(child -> child.info().commandLine().orElse("").contains("--basedir=" + folder));
  }

  @Test
  void aFailureIsOneLineInMariaDbsWordsAndNoStackTrace() throws Exception {
    // A path that is too long for a socket, which only the server itself finds out.
    Path deep = Files.createDirectories(folder.resolve("x".repeat(100)));
    program = command(deep).start();
    assertThat(program.waitFor()).isEqualTo(1);
    List<String> lines = Files.readAllLines(folder.resolve("log"));
    assertThat(lines.get(lines.size() - 1))
        .startsWith("poolkeeper: MariaDB does not start: The socket file path is too long");
    assertThat(lines).noneMatch(line -> line.startsWith("\tat "));
    assertThat(deep).isEmptyDirectory();
  }

  @Test
  void diesWithMariaDb() throws Exception {
    daemon(start()).destroyForcibly();
    assertThat(program.waitFor()).isEqualTo(1);
    assertThat(Files.readString(folder.resolve("log"))).contains("poolkeeper: MariaDB has died");
    assertThat(databaseFiles()).isEmpty();
  }
}
