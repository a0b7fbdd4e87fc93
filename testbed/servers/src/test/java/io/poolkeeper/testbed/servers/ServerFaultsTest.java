package io.poolkeeper.testbed.servers;

import static io.poolkeeper.testbed.servers.architectures.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.management.UnixOperatingSystemMXBean;
import io.poolkeeper.record.WindowReader;
import io.poolkeeper.testbed.servers.architectures.RawClient;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The server as a process under what may happen to it in production. */
@Timeout(300)
@SuppressWarnings("NullAway.Init") // Each test starts the process that it needs.
final class ServerFaultsTest {

  private static final String READY = "{\"event\":\"ready\"";

  @TempDir Path folder;

  private Process server;

  private JsonNode start(String before, String options) throws IOException {
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    server =
        new ProcessBuilder(
                Stream.concat(
                        Stream.of(
                            "sh",
                            "-c",
                            before + " exec \"$@\"",
                            "sh",
                            java,
                            "-XX:+UseSerialGC",
                            "-XX:TieredStopAtLevel=1",
                            "-cp",
                            System.getProperty("java.class.path"),
                            ServerMain.class.getName()),
                        Arrays.stream(options.split(" ")))
                    .toList())
            .redirectError(folder.resolve("log").toFile())
            .start();
    String line = server.inputReader().readLine();
    assertThat(line).as(log()).startsWith(READY);
    return new ObjectMapper().readTree(line);
  }

  private String log() throws IOException {
    return Files.readString(folder.resolve("log"));
  }

  private boolean logged(String text) {
    try {
      return log().contains(text);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @AfterEach
  void stop() {
    server.destroyForcibly();
  }

  private static void expectAnswer(int port, int status) throws IOException {
    try (RawClient client = new RawClient(port)) {
      client.get("/prime");
      assertThat(client.read().status()).isEqualTo(status);
    }
  }

  @Test
  void endsInOrderOnSigterm() throws Exception {
    Path record = folder.resolve("record");
    int port =
        start("", "--application prime --window 10ms --record " + record).get("port").asInt();
    expectAnswer(port, 200);
    // By its handle: the process's own destroy() would close its input as well.
    server.toHandle().destroy();
    assertThat(server.waitFor()).isZero();
    assertThat(server.inputReader().readLine()).as("a second line").isNull();
    assertThat(Files.readString(record.resolve("windows.csv"))).endsWith("\n");
    assertThat(WindowReader.read(record).stream().mapToLong(w -> w.window().completions()).sum())
        .isEqualTo(1);
  }

  private static int decisions(RawClient admin) {
    try {
      admin.get("/decisions");
      return new ObjectMapper().readTree(admin.read().body()).size();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void servesOnWhenTheDiskOfItsRecordIsFull() throws Exception {
    assumeTrue(Files.exists(Path.of("/dev/full")), "needs /dev/full");
    Path record = Files.createDirectory(folder.resolve("record"));
    Files.createSymbolicLink(record.resolve("decisions.jsonl"), Path.of("/dev/full"));
    JsonNode ready = start("", "--application prime --window 5ms --record " + record);
    try (RawClient admin = new RawClient(ready.get("adminPort").asInt())) {
      // Ten decisions, nine of them after the disk was full.
      await("ten decisions", () -> decisions(admin) >= 10);
    }
    expectAnswer(ready.get("port").asInt(), 200);
    server.getOutputStream().close();
    assertThat(server.waitFor()).isZero();
    assertThat(log().lines().filter(line -> line.contains("has stopped"))).hasSize(1);
    assertThat(WindowReader.read(record)).isNotEmpty();
  }

  @Test
  void aLowLimitOfFilesIsSaidAtTheStartAndSurvived() throws Exception {
    int port = start("ulimit -n 300;", "--application prime").get("port").asInt();
    assertThat(log()).contains("at most 300 files may be open", "ulimit -n");
    List<RawClient> clients = new ArrayList<>();
    for (int i = 0; i < 400; i++) {
      clients.add(new RawClient(port));
    }
    // The first line of the log used to need a file, and cost the event loop that wrote it its
    // life.
    await("it warns", () -> logged("Too many open files"));
    for (RawClient client : clients) {
      client.close();
    }
    expectAnswer(port, 200);
    assertThat(log()).doesNotContain("Exception in thread");
    assertThat(server.isAlive()).isTrue();
  }

  /** Each way of input and output, and each way to hand over. */
  @ParameterizedTest
  @ValueSource(strings = {"blocking-actor", "nio-disruptor", "nio2", "seda-actor", "netty-queue"})
  void aFirstRequestIsAnsweredWhenNoFileIsLeft(String architecture) throws Exception {
    int files = 256;
    int port =
        start(
                "ulimit -n " + files + ";",
                "--application prime --idle-timeout 60m --architecture " + architecture)
            .get("port")
            .asInt();
    Path open = Path.of("/proc", Long.toString(server.pid()), "fd");
    assumeTrue(Files.isDirectory(open), "needs /proc");
    List<RawClient> clients = new ArrayList<>();
    try {
      for (int i = 0; i < 400; i++) {
        clients.add(new RawClient(port));
      }
      await("no file is left", () -> count(open) >= files);
      clients.get(0).get("/prime");
      assertThat(clients.get(0).read().status()).isEqualTo(200);
    } finally {
      for (RawClient client : clients) {
        client.close();
      }
    }
    expectAnswer(port, 200);
    assertThat(log()).doesNotContain("Exception in thread", "NoClassDefFound", "ClassNotFound");
    assertThat(server.isAlive()).isTrue();
  }

  private static long count(Path folder) {
    try (Stream<Path> entries = Files.list(folder)) {
      return entries.count();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void tenThousandConnectionsAtOnce() throws Exception {
    int connections = 10_000;
    var system = (UnixOperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    assumeTrue(system.getMaxFileDescriptorCount() > connections + 500, "needs ulimit -n of 10,500");
    JsonNode ready = start("", "--application prime --pool fixed:4 --idle-timeout 60m");
    InetSocketAddress address =
        new InetSocketAddress(InetAddress.getLoopbackAddress(), ready.get("port").asInt());
    byte[] request =
        "GET /prime HTTP/1.1\r\nHost: test\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
    List<SocketChannel> clients = new ArrayList<>();
    TestServer.TEN_THOUSAND_FILES.lock();
    try {
      for (int i = 0; i < connections; i++) {
        clients.add(SocketChannel.open(address));
      }
      for (SocketChannel client : clients) {
        client.write(ByteBuffer.wrap(request));
      }
      ByteBuffer answer = ByteBuffer.allocate(1_000);
      for (SocketChannel client : clients) {
        answer.clear();
        client.read(answer);
        assertThat(new String(answer.array(), 0, answer.position(), StandardCharsets.US_ASCII))
            .startsWith("HTTP/1.1 200 OK");
      }
      try (RawClient admin = new RawClient(ready.get("adminPort").asInt())) {
        admin.get("/state");
        JsonNode state = new ObjectMapper().readTree(admin.read().body());
        assertThat(state.get("connections").asInt()).isEqualTo(connections);
      }
    } finally {
      for (SocketChannel client : clients) {
        client.close();
      }
      TestServer.TEN_THOUSAND_FILES.unlock();
    }
    server.getOutputStream().close();
    assertThat(server.waitFor(300, TimeUnit.SECONDS)).isTrue();
    assertThat(server.exitValue()).isZero();
  }
}
