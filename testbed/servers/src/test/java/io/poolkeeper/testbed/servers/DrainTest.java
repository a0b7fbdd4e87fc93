package io.poolkeeper.testbed.servers;

import static org.assertj.core.api.Assertions.assertThat;

import io.poolkeeper.testbed.servers.architectures.Server;
import io.poolkeeper.testbed.servers.architectures.Shutdown;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The order in which a server is ended. */
@Timeout(300)
final class DrainTest {

  /** A server that lets a client in when it has been looked at three times, and serves it then. */
  private static final class Slow implements Server {
    private final ExecutorService handlers;
    private final List<String> seen = new ArrayList<>();
    private int looks;

    Slow(ExecutorService handlers) {
      this.handlers = handlers;
    }

    @Override
    public int port() {
      return 0;
    }

    @Override
    public int connections() {
      return 0;
    }

    @Override
    public void drain() {
      seen.add("drain");
    }

    @Override
    public boolean settled() {
      if (++looks == 3) {
        seen.add(handlers.isShutdown() ? "nobody is left to serve it" : "served");
      }
      return looks >= 3;
    }

    @Override
    public Shutdown shutdown() {
      return new Shutdown();
    }

    @Override
    public void close() {
      seen.add(handlers.isTerminated() ? "close" : "close with handlers");
    }
  }

  @Test
  void aServerThatHasLetNobodyInYetIsNoServerThatAllHaveLeft() throws InterruptedException {
    ExecutorService handlers = Executors.newSingleThreadExecutor();
    Slow server = new Slow(handlers);
    Drain.drain(server, handlers, Duration.ofMinutes(5));
    assertThat(server.seen).containsExactly("drain", "served", "close");
  }
}
