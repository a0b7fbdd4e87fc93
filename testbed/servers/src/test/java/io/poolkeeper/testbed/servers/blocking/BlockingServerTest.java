package io.poolkeeper.testbed.servers.blocking;

import static org.assertj.core.api.Assertions.assertThat;

import io.poolkeeper.testbed.servers.architectures.RawClient;
import io.poolkeeper.testbed.servers.architectures.ServerSettings;
import io.poolkeeper.testbed.servers.architectures.Service;
import java.time.Duration;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** One handler, and room for one connection to wait for it. */
@Timeout(300)
final class BlockingServerTest {

  private static final String GET = "GET /app HTTP/1.1\r\nHost: test\r\n\r\n";

  @Test
  void whoFindsNoRoomIsToldAndWhoWasServedStays() throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch release = new CountDownLatch(1);
    Service service =
        new Service(
            "/app",
            () -> {
              begun.countDown();
              release.await();
              return "fine";
            });
    ThreadPoolExecutor handler =
        new ThreadPoolExecutor(1, 1, 0, TimeUnit.SECONDS, new ArrayBlockingQueue<>(1));
    try (BlockingServer server =
            new BlockingServer(ServerSettings.DEFAULTS, service, handler, Duration.ofMillis(20));
        RawClient served = new RawClient(server.port());
        RawClient waiting = served(served, begun, server.port());
        RawClient refused = new RawClient(server.port())) {
      RawClient.Answer answer = refused.read();
      assertThat(answer.status()).isEqualTo(503);
      assertThat(answer.head()).contains("connection: close");
      assertThat(refused.closedByServer()).isTrue();
      release.countDown();
      assertThat(served.read().body()).isEqualTo("fine");
      // Both stay, and have turns, though there is never room for both to wait.
      for (int i = 0; i < 50; i++) {
        for (RawClient client : new RawClient[] {served, waiting}) {
          client.send(GET);
          assertThat(client.read().body()).isEqualTo("fine");
        }
      }
    } finally {
      release.countDown();
      handler.shutdownNow();
    }
  }

  @Test
  void aConnectionForWhichThereIsNoThreadIsRefusedAndTheNextIsServed() throws Exception {
    AtomicBoolean scarce = new AtomicBoolean(true);
    ThreadPoolExecutor handlers =
        new ThreadPoolExecutor(
            2,
            2,
            0,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            body -> {
              if (scarce.getAndSet(false)) {
                throw new OutOfMemoryError("unable to create native thread");
              }
              return new Thread(body, "handler");
            });
    Service service = new Service("/app", () -> "fine");
    try (BlockingServer server =
            new BlockingServer(ServerSettings.DEFAULTS, service, handlers, Duration.ofMillis(20));
        RawClient refused = new RawClient(server.port())) {
      assertThat(refused.read().status()).isEqualTo(503);
      try (RawClient served = new RawClient(server.port())) {
        served.send(GET);
        assertThat(served.read().body()).isEqualTo("fine");
      }
    } finally {
      handlers.shutdownNow();
    }
  }

  /** Connects a second client once the first is being served. */
  private static RawClient served(RawClient first, CountDownLatch begun, int port)
      throws Exception {
    first.send(GET);
    assertThat(begun.await(300, TimeUnit.SECONDS)).isTrue();
    return new RawClient(port);
  }
}
