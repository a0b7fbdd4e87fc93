package io.tidepool.testbed.servers.seda;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidepool.testbed.servers.architectures.ConformanceKit;
import io.tidepool.testbed.servers.architectures.Server;
import io.tidepool.testbed.servers.architectures.ServerSettings;
import io.tidepool.testbed.servers.architectures.Service;
import io.tidepool.testbed.servers.seda.SedaServer.Handlers;
import java.io.IOException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/** Stages of four handlers each. */
final class SedaServerTest extends ConformanceKit {

  private final ExecutorService handlers = Executors.newFixedThreadPool(4);

  @Override
  protected Server start(ServerSettings settings, Service service) throws IOException {
    return new SedaServer(settings, service, four(), new Handlers(handlers, () -> 4), four());
  }

  @Override
  protected void end() throws InterruptedException {
    handlers.shutdownNow();
    assertThat(handlers.awaitTermination(10, TimeUnit.SECONDS)).isTrue();
  }

  private static Handlers four() {
    return new Handlers(Executors.newFixedThreadPool(4), () -> 4);
  }
}
