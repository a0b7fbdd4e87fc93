package io.poolkeeper.testbed.applications.downstream;

import io.poolkeeper.testbed.commands.AdminPort;
import java.io.IOException;
import java.net.BindException;
import java.util.Map;

/** Settings of a {@link DownstreamServer} over HTTP, on a port that no fault touches. */
final class DownstreamAdmin implements AutoCloseable {

  private final DownstreamServer server;
  private final AdminPort port;

  /**
   * @throws BindException naming the port if it cannot be had
   * @throws IOException if there is no socket to be had at all
   */
  DownstreamAdmin(int port, DownstreamServer server) throws IOException {
    this.server = server;
    this.port = new AdminPort(port, this::answer);
  }

  int port() {
    return port.number();
  }

  @Override
  public void close() {
    port.close();
  }

  private Object answer(String route, Map<String, String> query) {
    return switch (route) {
      case "GET /settings" -> server.settings();
      case "POST /settings" -> server.change(query.remove("path"), query);
      default ->
          throw new IllegalArgumentException(
              "no such thing: " + route + "; there are GET /settings and POST /settings");
    };
  }
}
