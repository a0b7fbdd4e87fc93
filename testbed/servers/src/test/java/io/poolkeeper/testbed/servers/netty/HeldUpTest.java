package io.poolkeeper.testbed.servers.netty;

import static io.poolkeeper.testbed.servers.architectures.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.poolkeeper.testbed.servers.architectures.RawClient;
import io.poolkeeper.testbed.servers.architectures.Server;
import io.poolkeeper.testbed.servers.architectures.ServerSettings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Event loops that wait for something that does not come, as a dead database. */
@Timeout(300)
final class HeldUpTest {

  private static final int LOOPS = 64;

  @Test
  void holdUpTheEndTogetherAndNotOneAfterTheOther() throws Exception {
    CountDownLatch release = new CountDownLatch(1);
    AtomicInteger waiting = new AtomicInteger();
    List<RawClient> clients = new ArrayList<>();
    Server server =
        NettyServer.plain(
            ServerSettings.DEFAULTS,
            "/app",
            () -> {
              waiting.incrementAndGet();
              release.await();
              return "fine";
            },
            LOOPS,
            0);
    try {
      for (int i = 0; i < LOOPS - 1; i++) { // One loop accepts.
        RawClient client = new RawClient(server.port());
        clients.add(client);
        client.send("GET /app HTTP/1.1\r\nHost: test\r\n\r\n".repeat(50));
      }
      await("the loops are held up", () -> waiting.get() == LOOPS - 1);
      long begin = System.nanoTime();
      server.close();
      // Four seconds together, and more than four minutes one after the other.
      assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofMinutes(3));
    } finally {
      release.countDown();
      for (RawClient client : clients) {
        client.close();
      }
    }
  }
}
