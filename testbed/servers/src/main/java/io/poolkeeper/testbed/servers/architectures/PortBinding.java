package io.poolkeeper.testbed.servers.architectures;

import java.io.Closeable;
import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;

/** Addresses to listen on. */
public final class PortBinding {

  /** Binds a socket to an address. */
  @FunctionalInterface
  public interface Binder {
    /** Binds to the address, with so many connections that may wait. */
    void bind(InetSocketAddress address, int backlog) throws IOException;
  }

  /**
   * Time in which nobody is accepted after no connection was to be had. Who waits still does, so
   * trying again at once would keep a processor busy for as long as the process is out of files.
   */
  public static final Duration RESPITE = Duration.ofMillis(10);

  private PortBinding() {}

  /**
   * Binds to the port on the loopback interface.
   *
   * @param undo closed if that fails: what was opened for it
   * @throws BindException naming the port if it cannot be had
   */
  public static void bind(int port, Closeable undo, Binder binder) throws BindException {
    try {
      binder.bind(
          new InetSocketAddress(InetAddress.getLoopbackAddress(), port), ServerSettings.BACKLOG);
    } catch (IOException e) {
      var failure = new BindException("cannot listen on port " + port + ": " + e.getMessage());
      try {
        undo.close();
      } catch (IOException second) {
        failure.addSuppressed(second);
      }
      throw failure;
    }
  }
}
