package io.poolkeeper.testbed.servers.conformance;

import static io.poolkeeper.testbed.servers.architectures.Patience.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.poolkeeper.testbed.applications.Application;
import io.poolkeeper.testbed.servers.TestServer;
import io.poolkeeper.testbed.servers.architectures.Architecture;
import io.poolkeeper.testbed.servers.architectures.Architecture.InputOutput;
import io.poolkeeper.testbed.servers.architectures.RawClient;
import io.poolkeeper.testbed.servers.architectures.Server;
import io.poolkeeper.testbed.servers.architectures.ServerSettings;
import io.poolkeeper.testbed.servers.architectures.VirtualThreads;
import io.poolkeeper.testbed.servers.handover.HandOver;
import io.poolkeeper.testbed.servers.http.Limits;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The kit of what every server must do, a theme in each class that extends this: all architectures
 * of the catalogue, as the command starts them. The tests of a theme share a server of each
 * architecture, which has to bear what the clients before have done to it.
 */
@ParameterizedClass(name = "{0}")
@MethodSource("architectures")
@Timeout(300)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@SuppressWarnings("NullAway.Init") // The servers are started before the first test.
abstract class Conformance {

  static final String GET = "GET /app HTTP/1.1\r\nHost: test\r\n\r\n";
  static final String OTHER = "GET /other HTTP/1.1\r\nHost: test\r\n\r\n";
  static final String CHUNKED =
      "POST /app HTTP/1.1\r\nHost: test\r\nTransfer-Encoding: chunked\r\n\r\n";

  /** Settings of a server that gives up no silent connection while a test lasts. */
  static final ServerSettings PATIENT = new ServerSettings(0, Duration.ofHours(8), Limits.DEFAULTS);

  /** Settings of a server that soon gives up silent connections. */
  static final ServerSettings HASTY =
      new ServerSettings(0, Duration.ofMillis(200), Limits.DEFAULTS);

  /** The themes. */
  static final List<Class<?>> KIT =
      List.of(
          AnsweringTest.class,
          RefusingTest.class,
          StartingTest.class,
          EnduringTest.class,
          HandlingTest.class,
          StoppingTest.class);

  @Parameter private String name;
  private Architecture architecture;
  private TestServer running;

  /** Names, since reports show them; those that a system property asks for, or all. */
  static Stream<String> architectures() {
    String only = System.getProperty("architectures", "");
    return Architecture.ALL.stream()
        .map(Architecture::name)
        .filter(name -> only.isEmpty() || List.of(only.split(",", -1)).contains(name));
  }

  static void requireThreadsFor(Architecture architecture) {
    assumeTrue(
        architecture.inputOutput() != InputOutput.VIRTUAL || VirtualThreads.available(),
        "virtual threads need JDK 21 or later");
  }

  @BeforeParameterizedClassInvocation
  void start() throws IOException {
    architecture = Architecture.named(name);
    requireThreadsFor(architecture);
    running = new TestServer(architecture, ServerSettings.DEFAULTS);
  }

  @AfterParameterizedClassInvocation
  void stop() {
    if (running != null) {
      running.close();
    }
  }

  @AfterEach
  void leavesNothing() {
    await("all connections are gone", () -> server().connections() == 0);
  }

  final Architecture architecture() {
    return architecture;
  }

  final TestServer running() {
    return running;
  }

  final Server server() {
    return running.server();
  }

  final void serve(Application application) {
    running.application = application;
  }

  final RawClient connect() throws IOException {
    return running.connect();
  }

  /** Whether requests run on a thread that reads, so that one that blocks holds up all others. */
  final boolean processesWhereItReads() {
    return architecture.handOver() == HandOver.NONE
        && architecture.inputOutput() != InputOutput.VIRTUAL;
  }

  /** Whether requests of one connection are processed at once. */
  final boolean handsRequestsOver() {
    return architecture.handOver() != HandOver.NONE
        && architecture.inputOutput() != InputOutput.VIRTUAL
        && architecture.inputOutput() != InputOutput.BLOCKING;
  }
}
