package io.tidepool.testbed.servers.blocking;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidepool.testbed.servers.architectures.ConformanceKit;
import io.tidepool.testbed.servers.architectures.Server;
import io.tidepool.testbed.servers.architectures.ServerSettings;
import io.tidepool.testbed.servers.architectures.Service;
import java.io.IOException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/** Four handlers that read, process and write. */
final class BlockingServerTest extends ConformanceKit {

  private final ExecutorService handlers = Executors.newFixedThreadPool(4);

  @Override
  protected Server start(ServerSettings settings, Service service) throws IOException {
    return new BlockingServer(settings, service, handlers);
  }

  @Override
  protected void end() throws InterruptedException {
    handlers.shutdownNow();
    assertThat(handlers.awaitTermination(10, TimeUnit.SECONDS)).isTrue();
  }

  /** Each costs a handler a millisecond a round. */
  @Override
  protected int idleConnections() {
    return 300;
  }
}
