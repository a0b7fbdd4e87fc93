package io.poolkeeper.testbed.servers;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.poolkeeper.testbed.applications.downstream.DownstreamServer;
import io.poolkeeper.testbed.commands.HeldPort;
import io.poolkeeper.testbed.servers.architectures.RawClient;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** One server for several kinds of work, each at its path, and what they do to it. */
@Timeout(300)
@SuppressWarnings("NullAway.Init") // Each test starts the process that it needs.
final class RealWorkServerTest {

  private static final int USERS = 24;

  @TempDir Path folder;

  private Process server;

  private int start(String heap, String... options) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-XX:+UseSerialGC", "-Xmx" + heap, "-XX:TieredStopAtLevel=1"));
    command.add("-Xlog:class+init=info:file=" + folder.resolve("classes"));
    command.add("-cp");
    command.add(System.getProperty("java.class.path"));
    command.add(ServerMain.class.getName());
    command.addAll(List.of(options));
    server = new ProcessBuilder(command).redirectError(folder.resolve("log").toFile()).start();
    String line = server.inputReader().readLine();
    assertThat(line).as(Files.readString(folder.resolve("log"))).isNotNull();
    JsonNode ready = new ObjectMapper().readTree(Objects.requireNonNull(line));
    return ready.get("port").asInt();
  }

  @AfterEach
  void stop() {
    server.destroyForcibly();
  }

  private static RawClient.Answer ask(RawClient client, String path) throws Exception {
    client.get(path);
    return client.read();
  }

  @Test
  void servesEachKindAtItsPathThroughFaultsOfTheDownstreamServer() throws Exception {
    try (DownstreamServer downstream = new DownstreamServer(0, DownstreamServer.DEFAULTS)) {
      int port =
          start(
              "128m",
              "--application",
              "call20",
              "--beside",
              "call400,report,cpu,lock",
              "--pool",
              "fixed:4",
              "--downstream",
              "127.0.0.1:" + downstream.port(),
              "--downstream-timeout",
              "5m");
      try (RawClient client = new RawClient(port)) {
        assertThat(ask(client, "/call20").body()).isEqualTo("call20\n");
        assertThat(ask(client, "/call400").body()).isEqualTo("call400\n");
        for (String path : List.of("/report", "/cpu", "/lock")) {
          assertThat(ask(client, path).status()).as(path).isEqualTo(200);
        }
        for (String fault : List.of("refuse", "reset")) {
          downstream.change(null, Map.of("fault", fault));
          RawClient.Answer failed = ask(client, "/call20");
          assertThat(failed.status()).as(fault).isEqualTo(500);
          assertThat(failed.body()).startsWith("the application failed: downstream 127.0.0.1:");
          assertThat(failed.body().lines()).hasSize(1);
          assertThat(ask(client, "/cpu").status()).isEqualTo(200);
        }
        downstream.change(null, Map.of("fault", "none"));
        assertThat(ask(client, "/call20").status()).isEqualTo(200);
      }
    }
  }

  /** A class whose initialisation finds no memory is lost for good. */
  @Test
  void classesOfAnAnswerAreInitialisedBeforeClientsCome() throws Exception {
    start("24m", "--application", "report", "--pool", "fixed:16");
    assertThat(Files.readString(folder.resolve("classes")))
        .contains("io/netty/channel/ChannelOutboundBuffer$Entry'");
  }

  /**
   * A heap that holds a few reports at most: the others run out of memory, and say so. A connection
   * whose own bytes find no memory may be closed, but no client is left waiting.
   */
  @Test
  void reportsWithoutMemoryFailAndTheServerServesOn() throws Exception {
    int port = start("24m", "--application", "report", "--beside", "cpu", "--pool", "fixed:16");
    List<RawClient> clients = new ArrayList<>();
    try {
      List<Integer> statuses = new ArrayList<>();
      for (int i = 0; i < 16; i++) {
        clients.add(new RawClient(port));
      }
      for (RawClient client : clients) {
        client.get("/report");
      }
      for (RawClient client : clients) {
        try {
          statuses.add(client.read().status());
        } catch (SocketTimeoutException waiting) {
          throw waiting;
        } catch (IOException closed) {
          statuses.add(0);
        }
      }
      assertThat(statuses).containsAnyOf(200, 500).isSubsetOf(0, 200, 500);
      try (RawClient later = new RawClient(port)) {
        assertThat(ask(later, "/cpu").status()).isEqualTo(200);
        // Reports of connections that were closed may still hold memory for a while.
        while (ask(later, "/report").status() != 200) {
          assertThat(server.isAlive()).isTrue();
        }
      }
      assertThat(server.isAlive()).isTrue();
    } finally {
      for (RawClient client : clients) {
        client.close();
      }
    }
  }

  /** A pool that sizes itself, before, during and after a fault of the server that it calls. */
  @ParameterizedTest
  @ValueSource(strings = {"refuse", "reset", "hang", "drip"})
  void anAdaptivePoolIsBackAtWorkAfterAFaultDownstream(String fault) throws Exception {
    try (DownstreamServer downstream = new DownstreamServer(0, DownstreamServer.DEFAULTS)) {
      String address = "127.0.0.1:" + downstream.port();
      int port =
          start("128m", "--application", "call20", "--window", "100ms", "--downstream", address);
      ExecutorService users = Executors.newFixedThreadPool(USERS);
      try {
        await(users, port, 200);
        downstream.change(null, Map.of("fault", fault));
        Future<Integer> asked = users.submit(() -> ask(port));
        if (fault.equals("refuse") || fault.equals("reset")) {
          await(users, port, 500);
        }
        downstream.change(null, Map.of("fault", "none"));
        await(users, port, 200);
        assertThat(asked.get()).isIn(200, 500);
      } finally {
        users.shutdownNow();
      }
    }
  }

  /** The server that it calls is gone for a while; its address stays. */
  @Test
  void anAdaptivePoolIsBackAtWorkWhenTheDownstreamServerIsStartedAgain() throws Exception {
    HeldPort held = new HeldPort(0);
    int downstream = held.number();
    DownstreamServer first = new DownstreamServer(downstream, DownstreamServer.DEFAULTS);
    ExecutorService users = Executors.newFixedThreadPool(USERS);
    try (held) {
      String address = "127.0.0.1:" + downstream;
      int port =
          start("128m", "--application", "call20", "--window", "100ms", "--downstream", address);
      await(users, port, 200);
      first.close();
      await(users, port, 500);
      try (DownstreamServer second = new DownstreamServer(downstream, DownstreamServer.DEFAULTS)) {
        assertThat(second.port()).isEqualTo(downstream);
        await(users, port, 200);
      }
    } finally {
      users.shutdownNow();
      first.close();
    }
  }

  /** Reports that find no memory in a heap of 64 MB, then other work for the same pool. */
  @Test
  void anAdaptivePoolIsBackAtWorkAfterTasksRanOutOfMemory() throws Exception {
    int port = start("64m", "--application", "report", "--beside", "cpu", "--window", "100ms");
    ExecutorService users = Executors.newFixedThreadPool(USERS);
    try {
      for (int round = 0; round < 3; round++) {
        assertThat(askAll(users, port, "/report")).isSubsetOf(0, 200, 500);
      }
      while (askAll(users, port, "/cpu").stream().anyMatch(status -> status != 200)) {
        assertThat(server.isAlive()).isTrue();
      }
    } finally {
      users.shutdownNow();
    }
  }

  private static int ask(int port) throws Exception {
    try (RawClient client = new RawClient(port)) {
      return ask(client, "/call20").status();
    }
  }

  /** Asks as all users at once; 0 for a connection that found no memory and was closed. */
  private static List<Integer> askAll(ExecutorService users, int port, String path)
      throws Exception {
    Callable<Integer> user =
        () -> {
          try (RawClient client = new RawClient(port)) {
            return ask(client, path).status();
          } catch (SocketTimeoutException waiting) {
            throw waiting;
          } catch (IOException closed) {
            return 0;
          }
        };
    List<Integer> statuses = new ArrayList<>();
    for (Future<Integer> each : users.invokeAll(Collections.nCopies(USERS, user))) {
      statuses.add(each.get());
    }
    return statuses;
  }

  /** Asks until all users have got this status at once. */
  private static void await(ExecutorService users, int port, int status) throws Exception {
    List<Integer> statuses;
    do {
      statuses = new ArrayList<>();
      List<Callable<Integer>> asked = Collections.nCopies(USERS, () -> ask(port));
      for (Future<Integer> each : users.invokeAll(asked)) {
        statuses.add(each.get());
      }
    } while (statuses.stream().anyMatch(each -> each != status));
  }
}
