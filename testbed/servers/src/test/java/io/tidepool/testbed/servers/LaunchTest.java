package io.tidepool.testbed.servers;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidepool.testbed.applications.Application;
import io.tidepool.testbed.servers.architectures.Architecture;
import io.tidepool.testbed.servers.architectures.RawClient;
import io.tidepool.testbed.servers.architectures.ServerSettings;
import io.tidepool.testbed.servers.architectures.VirtualThreads;
import io.tidepool.testbed.servers.handover.HandOver;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;

/** Every architecture as the command starts it, under clients that come at once. */
@Timeout(60)
final class LaunchTest {

  private static final int CLIENTS = 20;
  private static final int REQUESTS = 50;

  static Stream<String> architectures() {
    return Architecture.ALL.stream()
        .filter(
            each ->
                each.inputOutput() != Architecture.InputOutput.VIRTUAL
                    || VirtualThreads.available())
        .map(Architecture::name);
  }

  @ParameterizedTest
  @MethodSource("architectures")
  void answersAllThatComesWhileItsHandlersChange(String name) throws Exception {
    Architecture architecture = Architecture.named(name);
    Application application = () -> "fine";
    Launch launch = new Launch(architecture, ServerSettings.DEFAULTS, 2, "/app", application);
    Handlers handlers = null;
    if (architecture.handOver() != HandOver.NONE) {
      PoolOptions options = new PoolOptions();
      new CommandLine(options).parseArgs("--pool", "fixed:4", "--mode", "frozen");
      handlers = options.describe("launch").start(architecture.handOver(), List.of());
    }
    ExecutorService clients = Executors.newFixedThreadPool(CLIENTS);
    try (var server = handlers == null ? launch.alone() : launch.with(handlers)) {
      List<Future<Integer>> all = new ArrayList<>();
      for (int i = 0; i < CLIENTS; i++) {
        Callable<Integer> client = () -> served(server.port());
        all.add(clients.submit(client));
      }
      for (int size = 1; handlers != null && size <= 16; size++) {
        handlers.pool().resize(size);
      }
      for (Future<Integer> each : all) {
        assertThat(each.get()).isEqualTo(REQUESTS);
      }
    } finally {
      clients.shutdownNow();
      if (handlers != null) {
        handlers.loop().close();
        handlers.executor().shutdownNow();
      }
    }
  }

  private static int served(int port) throws Exception {
    int served = 0;
    try (RawClient client = new RawClient(port)) {
      for (int i = 0; i < REQUESTS; i++) {
        client.get("/app");
        RawClient.Answer answer = client.read();
        served += answer.status() == 200 && answer.body().equals("fine") ? 1 : 0;
      }
    }
    return served;
  }
}
