package io.poolkeeper.testbed.servers.architectures;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * A connection that a server makes to itself when it is to stop. Those who have connected before
 * stand in front of it, and are let in until it is accepted: they would be reset, with what they
 * have asked, if the port were closed at once.
 */
public final class LastConnection {

  private volatile @Nullable SocketAddress address;

  /**
   * Goes behind those who wait to be accepted.
   *
   * @throws IOException if no connection is to be had
   */
  public void connect(int port) throws IOException {
    InetAddress host = InetAddress.getLoopbackAddress();
    try (Socket socket = new Socket()) {
      socket.bind(new InetSocketAddress(host, 0));
      address = socket.getLocalSocketAddress();
      socket.connect(new InetSocketAddress(host, port));
    }
  }

  /** Whether the client at the other end of an accepted connection is this one. */
  public boolean is(@Nullable SocketAddress client) {
    return client != null && client.equals(address);
  }
}
