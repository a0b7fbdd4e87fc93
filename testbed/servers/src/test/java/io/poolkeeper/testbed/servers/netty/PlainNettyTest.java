package io.poolkeeper.testbed.servers.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.poolkeeper.testbed.servers.architectures.Server;
import io.poolkeeper.testbed.servers.architectures.ServerSettings;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Plain Netty, which processes on its event loops or on a group of threads. */
@Timeout(300)
final class PlainNettyTest {

  @ParameterizedTest(name = "{0} threads of a group")
  @CsvSource({"0, netty-", "2, netty-group-"})
  void processesWhereItIsTold(int groupThreads, String thread) throws Exception {
    Server server =
        NettyServer.plain(
            ServerSettings.DEFAULTS,
            "/app",
            () -> Thread.currentThread().getName(),
            1,
            groupThreads);
    try {
      URI address = URI.create("http://127.0.0.1:" + server.port() + "/app");
      HttpClient client = HttpClient.newHttpClient();
      for (int i = 0; i < 3; i++) {
        String answer =
            client.send(HttpRequest.newBuilder(address).build(), BodyHandlers.ofString()).body();
        assertThat(answer).matches(thread + "[0-9-]+");
      }
    } finally {
      server.close();
    }
  }
}
