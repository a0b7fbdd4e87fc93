package io.poolkeeper.testbed.servers;

import io.poolkeeper.testbed.commands.HeldPort;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** A port that leads to another one and can be cut, as if who listens there had died. */
final class Relay implements AutoCloseable {

  private final int target;
  private final HeldPort port = new HeldPort(0);
  private final Set<Socket> open = ConcurrentHashMap.newKeySet();
  private volatile ServerSocket listening;

  Relay(int target) throws IOException {
    this.target = target;
    listening = listen();
  }

  int port() {
    return port.number();
  }

  /** Resets all connections and refuses new ones. */
  synchronized void cut() throws IOException {
    listening.close();
    for (Socket socket : open) {
      socket.close();
    }
    open.clear();
  }

  /** Lets connections through again, at the same port. */
  void mend() throws IOException {
    listening = listen();
  }

  @Override
  public void close() throws IOException {
    cut();
    port.close();
  }

  private ServerSocket listen() throws IOException {
    ServerSocket socket = new ServerSocket();
    socket.setReuseAddress(true);
    socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port.number()), 100);
    start(
        () -> {
          while (true) {
            Socket client = socket.accept();
            connect(socket, client);
          }
        });
    return socket;
  }

  private synchronized void connect(ServerSocket accepted, Socket client) throws IOException {
    if (accepted.isClosed()) { // An accept that is under way when it is closed may still succeed.
      client.close();
      return;
    }
    Socket server = new Socket(InetAddress.getLoopbackAddress(), target);
    open.add(client);
    open.add(server);
    start(() -> pump(client, server));
    start(() -> pump(server, client));
  }

  private static void pump(Socket from, Socket to) throws IOException {
    try (from;
        to) {
      from.getInputStream().transferTo(to.getOutputStream());
    }
  }

  /** Work that ends when a socket closes under it. */
  private interface Work {
    void run() throws IOException;
  }

  private static void start(Work work) {
    Thread thread =
        new Thread(
            () -> {
              try {
                work.run();
              } catch (IOException | UncheckedIOException e) {
                // Cut.
              }
            },
            "relay");
    thread.setDaemon(true);
    thread.start();
  }
}
