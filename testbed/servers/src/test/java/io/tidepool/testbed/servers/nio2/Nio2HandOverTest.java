package io.tidepool.testbed.servers.nio2;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidepool.testbed.servers.architectures.ConformanceKit;
import io.tidepool.testbed.servers.architectures.Server;
import io.tidepool.testbed.servers.architectures.ServerSettings;
import io.tidepool.testbed.servers.architectures.Service;
import java.io.IOException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/** Completion handlers that hand over to four threads. */
final class Nio2HandOverTest extends ConformanceKit {

  private final ExecutorService handlers = Executors.newFixedThreadPool(4);

  @Override
  protected Server start(ServerSettings settings, Service service) throws IOException {
    return new Nio2Server(settings, service, handlers, 2);
  }

  @Override
  protected void end() throws InterruptedException {
    handlers.shutdownNow();
    assertThat(handlers.awaitTermination(10, TimeUnit.SECONDS)).isTrue();
  }
}
