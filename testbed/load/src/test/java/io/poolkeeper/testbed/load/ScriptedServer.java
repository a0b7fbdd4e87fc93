package io.poolkeeper.testbed.load;

import io.poolkeeper.testbed.commands.HeldPort;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** A server that does what a test wants, good or bad, with a thread for each connection. */
final class ScriptedServer implements AutoCloseable {

  /** Reaction to a request. */
  @FunctionalInterface
  interface Script {
    void answer(Client client) throws IOException, InterruptedException;
  }

  /** The other end of one connection. */
  static final class Client {
    private final Socket socket;
    private final BufferedReader in;
    private String request = "";
    private int requests;

    Client(Socket socket) throws IOException {
      this.socket = socket;
      in =
          new BufferedReader(
              new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII));
    }

    /** Reads a request without a body; false at the end of the connection. */
    boolean awaitRequest() throws IOException {
      String line = in.readLine();
      request = line == null ? "" : line;
      while (line != null && !line.isEmpty()) {
        line = in.readLine();
      }
      requests += line == null ? 0 : 1;
      return line != null;
    }

    /** First line of the request that has come. */
    String request() {
      return request;
    }

    /** Requests that have come on this connection. */
    int requests() {
      return requests;
    }

    void send(String text) throws IOException {
      socket.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
    }

    void close() throws IOException {
      socket.close();
    }

    /** Closes so that the other end gets a reset instead of an end of file. */
    void reset() throws IOException {
      socket.setSoLinger(true, 0);
      socket.close();
    }
  }

  private static final long PATIENCE = TimeUnit.SECONDS.toNanos(300);

  private final HeldPort port;

  private final ServerSocket accepting;
  private final Script script;
  private final List<Socket> sockets = new CopyOnWriteArrayList<>();
  private final AtomicLong requests = new AtomicLong();

  ScriptedServer(Script script) throws IOException {
    this(new HeldPort(0), script);
  }

  private ScriptedServer(HeldPort port, Script script) throws IOException {
    this.port = port;
    this.script = script;
    accepting = new ServerSocket();
    accepting.setReuseAddress(true);
    accepting.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port.number()), 1024);
    start(this::accept);
  }

  /** Another one at the port of this one, which has died. */
  ScriptedServer successor(Script script) throws IOException {
    return new ScriptedServer(port, script);
  }

  int port() {
    return port.number();
  }

  String url() {
    return "http://127.0.0.1:" + port();
  }

  /** Requests that have come. */
  long requests() {
    return requests.get();
  }

  /** Waits until at least so many requests have come; a client may have given some up before. */
  void awaitRequests(long count) throws InterruptedException {
    long deadline = System.nanoTime() + PATIENCE;
    while (requests.get() < count) {
      if (System.nanoTime() - deadline > 0) {
        throw new AssertionError(requests + " requests have come, not " + count);
      }
      Thread.sleep(1);
    }
  }

  /** Connections that have come. */
  int accepted() {
    return sockets.size();
  }

  private void accept() {
    try {
      while (true) {
        Socket socket = accepting.accept();
        sockets.add(socket);
        if (accepting.isClosed()) { // It died while this one was let in.
          socket.close();
        }
        start(() -> serve(socket));
      }
    } catch (IOException e) {
      // Closed.
    }
  }

  private void serve(Socket socket) {
    try {
      Client client = new Client(socket);
      while (client.awaitRequest()) {
        requests.incrementAndGet();
        script.answer(client);
      }
      socket.close();
    } catch (IOException | InterruptedException e) {
      // One of the two ends has closed the connection, which is what some tests are about.
    }
  }

  private static void start(Runnable work) {
    Thread thread = new Thread(work, "scripted-server");
    thread.setDaemon(true);
    thread.start();
  }

  /** Closes all connections and lets nobody in; its port stays that of a successor. */
  void die() throws IOException {
    accepting.close();
    for (Socket socket : sockets) {
      socket.close();
    }
  }

  @Override
  public void close() throws IOException {
    die();
    port.close();
  }
}
