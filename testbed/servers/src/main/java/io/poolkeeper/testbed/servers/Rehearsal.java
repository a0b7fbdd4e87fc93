package io.poolkeeper.testbed.servers;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/**
 * A first request, before those of clients. The virtual machine initialises a class at its first
 * use; where the heap is full by then, the class is lost for good, and with it every answer.
 */
final class Rehearsal {

  private static final System.Logger LOG = System.getLogger("io.poolkeeper.testbed.servers");

  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private static final byte[] REQUEST =
      "GET /rehearsal HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
          .getBytes(StandardCharsets.US_ASCII);

  private Rehearsal() {}

  /** Asks the server at a port of this machine for what it does not have. */
  static void at(int port) {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      socket.setSoTimeout((int) PATIENCE.toMillis());
      socket.getOutputStream().write(REQUEST);
      socket.getInputStream().readAllBytes();
    } catch (IOException e) {
      LOG.log(Level.DEBUG, "the first request got no answer", e);
    }
  }
}
