package io.tidepool.testbed.servers.nio;

import io.tidepool.testbed.servers.architectures.ConformanceKit;
import io.tidepool.testbed.servers.architectures.Server;
import io.tidepool.testbed.servers.architectures.ServerSettings;
import io.tidepool.testbed.servers.architectures.Service;
import java.io.IOException;

/** The reactor that processes by itself. */
final class NioServerTest extends ConformanceKit {

  @Override
  protected Server start(ServerSettings settings, Service service) throws IOException {
    return new NioServer(settings, service, Runnable::run);
  }

  @Override
  protected void end() {}

  @Override
  protected boolean processesWhereItReads() {
    return true;
  }
}
