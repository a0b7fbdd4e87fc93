package io.poolkeeper.testbed.applications;

import io.poolkeeper.testbed.applications.downstream.DownstreamAddress;
import io.poolkeeper.testbed.applications.downstream.DownstreamClient;
import java.io.IOException;

/**
 * Blocking HTTP call to a downstream server, which limits how many calls at once pay off. A thread
 * waits for the answer; calls at once have a connection each, which is kept for later ones.
 */
final class Call implements Application {

  private final DownstreamClient client;
  private final String path;

  /** Calls {@code /path} of the downstream server. */
  Call(DownstreamAddress downstream, String path) {
    client = new DownstreamClient(downstream);
    this.path = path;
  }

  @Override
  public String answer() throws IOException {
    return client.get("/" + path);
  }

  @Override
  public void close() {
    client.close();
  }
}
