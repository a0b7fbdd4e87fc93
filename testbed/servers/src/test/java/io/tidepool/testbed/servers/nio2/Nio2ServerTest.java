package io.tidepool.testbed.servers.nio2;

import io.tidepool.testbed.servers.architectures.ConformanceKit;
import io.tidepool.testbed.servers.architectures.Server;
import io.tidepool.testbed.servers.architectures.ServerSettings;
import io.tidepool.testbed.servers.architectures.Service;
import java.io.IOException;

/** Completion handlers that process. */
final class Nio2ServerTest extends ConformanceKit {

  @Override
  protected Server start(ServerSettings settings, Service service) throws IOException {
    return new Nio2Server(settings, service, Runnable::run, 2);
  }

  @Override
  protected void end() {}

  @Override
  protected boolean processesWhereItReads() {
    return true;
  }
}
