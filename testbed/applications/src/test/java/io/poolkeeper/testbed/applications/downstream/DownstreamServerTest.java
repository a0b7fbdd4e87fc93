package io.poolkeeper.testbed.applications.downstream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.poolkeeper.testbed.commands.HeldPort;
import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A downstream server on a real port, its blocking client, and every fault. */
@Timeout(300)
@SuppressWarnings("NullAway.Init") // The server is started before each test.
final class DownstreamServerTest {

  private static final Duration LONG = Duration.ofMinutes(5);

  private DownstreamServer server;

  @BeforeEach
  void start() throws BindException {
    server =
        new DownstreamServer(
            0,
            Map.of("call", new Profile(1_000_000, 16, 0), "slow", new Profile(50_000_000, 400, 0)));
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private DownstreamClient client(Duration timeout) {
    return new DownstreamClient(new DownstreamAddress("127.0.0.1", server.port(), timeout));
  }

  private void become(String fault) {
    assertThat(server.change(null, Map.of("fault", fault))).containsEntry("fault", fault);
  }

  @Test
  void answersAgainAndAgainOnTheSameConnection() throws IOException {
    try (DownstreamClient client = client(LONG)) {
      for (int i = 0; i < 20; i++) {
        assertThat(client.get("/call")).isEqualTo("call\n");
      }
      assertThat(client.get("/slow?anything")).isEqualTo("slow\n");
    }
  }

  @Test
  void manyAtOnceAreAllAnswered() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(200);
    try (DownstreamClient client = client(LONG)) {
      List<Future<String>> answers = new ArrayList<>();
      for (int i = 0; i < 600; i++) {
        answers.add(threads.submit(() -> client.get("/slow")));
      }
      for (Future<String> answer : answers) {
        assertThat(answer.get()).isEqualTo("slow\n");
      }
    } finally {
      threads.shutdownNow();
    }
  }

  @Test
  void aPathThatIsNotThereIsNamed() {
    try (DownstreamClient client = client(LONG)) {
      assertThatThrownBy(() -> client.get("/cal"))
          .hasMessageContaining("404 Not Found")
          .hasMessageContaining("nothing here; there are ");
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "refuse | 30000 | refuses connections",
        "reset  | 30000 | closed the connection without an answer",
        "hang   | 300   | gave no answer within 300 ms",
        "drip   | 300   | gave no answer within 300 ms",
      })
  void callsFailInWordsUntilTheFaultEnds(String fault, long millis, String message)
      throws IOException {
    try (DownstreamClient client = client(Duration.ofMillis(millis));
        DownstreamClient patient = client(LONG)) {
      assertThat(patient.get("/call")).isEqualTo("call\n");
      become(fault);
      assertThatThrownBy(() -> client.get("/call"))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("downstream 127.0.0.1:" + server.port())
          .hasMessageContaining(message);
      become("none");
      // With a connection from before the fault, and with a new one.
      assertThat(patient.get("/call")).isEqualTo("call\n");
      assertThat(client(LONG).get("/call")).isEqualTo("call\n");
    }
  }

  @Test
  void itsPortStaysItsOwnWhileItRefusesConnections() throws IOException {
    become("refuse");
    try (Socket other = new Socket()) {
      InetSocketAddress port =
          new InetSocketAddress(InetAddress.getLoopbackAddress(), server.port());
      assertThatThrownBy(() -> other.bind(port)).isInstanceOf(BindException.class);
    }
  }

  /** By nobody else but one who asks for just this port. */
  @Test
  void aPortThatWasTakenMeanwhileIsNamed() throws IOException {
    become("refuse");
    try (ServerSocket other =
        new ServerSocket(server.port(), 1, InetAddress.getLoopbackAddress())) {
      assertThat(other.isBound()).isTrue();
      assertThatThrownBy(() -> become("none"))
          .hasMessageContaining("cannot listen on port " + server.port());
    }
    become("none");
  }

  /** A request that was served while the server hung, so that its answer is held. */
  @Test
  void whoWentAwayWhileItHungIsNoObstacle() throws Exception {
    // One request at a time: the next waits for its service until there is place for another.
    server.change("call", Map.of("latency", "3600s", "capacity", "1"));
    try (DownstreamClient patient = client(LONG);
        Socket served = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
      call(served);
      await(() -> present(1));
      try (Socket leaver = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
        call(leaver);
        await(() -> present(2));
        server.change("call", Map.of("fault", "hang", "latency", "1ms", "capacity", "2"));
        await(() -> present(1));
        leaver.shutdownOutput();
        assertThat(leaver.getInputStream().read()).as("closed by the server").isEqualTo(-1);
      }
      become("none");
      assertThat(patient.get("/call")).isEqualTo("call\n");
    }
  }

  private static void call(Socket socket) throws IOException {
    socket
        .getOutputStream()
        .write("GET /call HTTP/1.1\r\nHost: x\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
  }

  private boolean present(int calls) {
    return server.settings().toString().matches(".*\\bcall=\\{[^}]*present=" + calls + "}.*");
  }

  private static void await(BooleanSupplier condition) throws InterruptedException {
    while (!condition.getAsBoolean()) {
      Thread.sleep(5);
    }
  }

  @Test
  void whatCameWhileItHungIsServedAfterwards() throws Exception {
    ExecutorService thread = Executors.newSingleThreadExecutor();
    try (DownstreamClient client = client(LONG)) {
      become("hang");
      Future<String> answer = thread.submit(() -> client.get("/call"));
      assertThat(answer.isDone()).isFalse();
      become("none");
      assertThat(answer.get()).isEqualTo("call\n");
    } finally {
      thread.shutdownNow();
    }
  }

  @Test
  void anAnswerByteByByteIsReadByWhoeverHasTheTime() throws IOException {
    try (DownstreamClient client = client(LONG)) {
      become("drip");
      assertThat(client.get("/call")).isEqualTo("call\n");
    }
  }

  @Test
  void settingsChangeForOnePathAndForAll() {
    server.change("call", Map.of("latency", "400ms", "capacity", "400", "degradation", "0.5"));
    assertThat(server.settings().toString())
        .contains("call={latency=400ms, capacity=400, degradation=0.5, present=0}")
        .contains("slow={latency=50ms, capacity=400, degradation=0.0, present=0}");
    server.change(null, Map.of("capacity", "2"));
    assertThat(server.settings().toString()).doesNotContain("capacity=400");
  }

  @Test
  void wrongSettingsAreNamedAndChangeNothing() {
    Map<String, Object> before = server.settings();
    assertThatThrownBy(() -> server.change("cal", Map.of())).hasMessageContaining("path 'cal'");
    assertThatThrownBy(() -> server.change(null, Map.of("fault", "refuse", "capacity", "0")))
        .hasMessage("capacity must be >= 1, but is 0");
    assertThatThrownBy(() -> server.change(null, Map.of("fault", "broken", "capacity", "3")))
        .hasMessageContaining("but is 'broken'");
    assertThat(server.settings()).isEqualTo(before);
  }

  @Test
  void aPortInUseIsNamed() {
    assertThatThrownBy(() -> new DownstreamServer(server.port(), DownstreamServer.DEFAULTS).close())
        .isInstanceOf(BindException.class)
        .hasMessageContaining("cannot listen on port " + server.port());
  }

  @Test
  void callersHearOfItsEndAndOfItsReturn() throws IOException {
    server.close();
    try (HeldPort port = new HeldPort(0)) {
      server = new DownstreamServer(port.number(), DownstreamServer.DEFAULTS);
      try (DownstreamClient client = client(LONG)) {
        assertThat(client.get("/call")).isEqualTo("call\n");
        server.close();
        assertThatThrownBy(() -> client.get("/call")).hasMessageContaining("refuses connections");
        server = new DownstreamServer(port.number(), DownstreamServer.DEFAULTS);
        assertThat(client.get("/call")).isEqualTo("call\n");
      }
    }
  }

  @ParameterizedTest
  @CsvSource({"nowhere", "127.0.0.1", ":80", "127.0.0.1:x"})
  void anAddressWithoutAPortIsNamed(String text) {
    assertThatThrownBy(() -> DownstreamAddress.of(text, LONG))
        .hasMessage("downstream must be HOST:PORT, such as 127.0.0.1:8080, but is '" + text + "'");
  }
}
