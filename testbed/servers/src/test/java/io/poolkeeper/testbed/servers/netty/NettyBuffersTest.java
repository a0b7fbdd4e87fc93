package io.poolkeeper.testbed.servers.netty;

import static io.poolkeeper.testbed.servers.architectures.Patience.await;

import io.netty.buffer.PoolArenaMetric;
import io.netty.buffer.PooledByteBufAllocator;
import io.poolkeeper.testbed.servers.architectures.RawClient;
import io.poolkeeper.testbed.servers.architectures.ServerSettings;
import io.poolkeeper.testbed.servers.architectures.Service;
import io.poolkeeper.testbed.servers.http.Limits;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;

/** Buffers are counted, not collected: each that was taken has to be given back. */
@Timeout(300)
@Isolated
final class NettyBuffersTest {

  private static final String GET = "GET /app HTTP/1.1\r\nHost: test\r\n\r\n";
  private static final ServerSettings NARROW =
      new ServerSettings(0, Duration.ofSeconds(60), new Limits(4096, 8192, 65_536, 2));

  private static long buffersInUse() {
    return PooledByteBufAllocator.DEFAULT.metric().directArenas().stream()
        .mapToLong(PoolArenaMetric::numActiveAllocations)
        .sum();
  }

  @Test
  void connectionsThatAreCutOffLeakNothing() throws Exception {
    long before = buffersInUse();
    CountDownLatch release = new CountDownLatch(1);
    ExecutorService threads = Executors.newFixedThreadPool(2);
    Service service =
        new Service(
            "/app",
            () -> {
              release.await();
              return "late";
            });
    try (NettyServer server = new NettyServer(NARROW, service, threads, 2)) {
      String large = "POST /app HTTP/1.1\r\nHost: test\r\nContent-Length: 50000\r\n\r\n";
      List<String> beginnings =
          List.of("", "GET /a", GET, GET.repeat(50), large, large + "x".repeat(20_000), GET + "G");
      for (int i = 0; i < 20; i++) {
        for (String beginning : beginnings) {
          RawClient client = new RawClient(server.port());
          client.send(beginning);
          if (i % 2 == 0) {
            client.close();
          } else {
            client.reset();
          }
        }
      }
      release.countDown();
      // A connection that waits for answers is known to be gone when they cannot be sent.
      await("all connections are gone", () -> server.connections() == 0);
    } finally {
      release.countDown();
      threads.shutdownNow();
    }
    // A loop's cache of buffers is given back when its thread ends.
    await("all buffers are given back", () -> buffersInUse() <= before);
  }
}
