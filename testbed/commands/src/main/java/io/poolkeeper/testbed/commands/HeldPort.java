package io.poolkeeper.testbed.commands;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;

/**
 * A port of this machine that the system gives to nobody else until it is closed. A server may
 * listen there, stop and listen again; meanwhile clients are refused. It has to listen with {@code
 * SO_REUSEADDR}, as servers in Java do on Linux.
 */
public final class HeldPort implements AutoCloseable {

  private final Socket bound = new Socket();

  /**
   * Takes the port.
   *
   * @param port 0 for any
   * @throws IOException if another server listens there
   */
  public HeldPort(int port) throws IOException {
    try {
      bound.setReuseAddress(true);
      bound.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
    } catch (IOException e) {
      bound.close();
      throw e;
    }
  }

  /** Returns its number. */
  public int number() {
    return bound.getLocalPort();
  }

  @Override
  public void close() {
    try {
      bound.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
