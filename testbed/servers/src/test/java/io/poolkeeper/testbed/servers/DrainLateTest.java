package io.poolkeeper.testbed.servers;

import static org.assertj.core.api.Assertions.assertThat;

import io.poolkeeper.testbed.servers.architectures.RawClient;
import io.poolkeeper.testbed.servers.architectures.ServerSettings;
import io.poolkeeper.testbed.servers.architectures.Service;
import io.poolkeeper.testbed.servers.architectures.Shutdown;
import io.poolkeeper.testbed.servers.seda.SedaServer;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Requests that come when a server has settled, and nobody is left to serve them. */
@Timeout(300)
final class DrainLateTest {

  private static final String GET = "GET /app HTTP/1.1\r\nHost: test\r\n\r\n";

  /** Handlers that are told to end in the moment in which a client asks once more. */
  private static final class Handlers extends ThreadPoolExecutor {
    private final Runnable late;

    Handlers(Runnable late) {
      super(1, 1, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>());
      this.late = late;
    }

    @Override
    public void shutdown() {
      super.shutdown();
      late.run();
    }
  }

  @Test
  void areDroppedAndNotRefusedInPart() throws Exception {
    RawClient[] client = new RawClient[1];
    Shutdown[] ending = new Shutdown[1];
    Handlers handlers =
        new Handlers(
            () -> {
              assertThat(client[0].sends(GET.repeat(8))).isTrue();
              // As long as whoever reads may take to take them; there is nothing to wait for.
              Shutdown.await(Duration.ofMillis(100), () -> ending[0].unanswered() > 0);
            });
    SedaServer server =
        new SedaServer(
            ServerSettings.DEFAULTS,
            new Service("/app", () -> "fine"),
            Executors.newSingleThreadExecutor(),
            handlers,
            Executors.newSingleThreadExecutor(),
            1);
    ending[0] = server.shutdown();
    try (RawClient silent = new RawClient(server.port())) {
      client[0] = silent;
      Drain.drain(server, handlers, Duration.ofMinutes(5));
      // With a reset, if what came late was not even read.
      assertThat(silent.givenUp()).isTrue();
      assertThat(server.shutdown().losses()).isEmpty();
    }
  }
}
