package io.poolkeeper.httpclient;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.poolkeeper.Bounds;
import io.poolkeeper.ControlLoop;
import io.poolkeeper.Resizable;
import io.poolkeeper.testkit.HostKit;
import io.poolkeeper.testkit.HostLoad;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hc.client5.http.classic.methods.HttpGet;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;

/** A server whose requests run what tests give it, each on a thread of its own. */
final class WorkServer implements AutoCloseable {

  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final Map<String, Runnable> works = new ConcurrentHashMap<>();
  private final Set<InetSocketAddress> clients = ConcurrentHashMap.newKeySet();
  private final AtomicInteger ids = new AtomicInteger();
  private final HttpServer server;

  WorkServer() {
    try {
      server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 100);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    server.setExecutor(threads);
    server.createContext("/", this::answer);
    server.start();
  }

  private void answer(HttpExchange exchange) throws IOException {
    clients.add(exchange.getRemoteAddress());
    Objects.requireNonNull(works.remove(exchange.getRequestURI().getQuery())).run();
    exchange.sendResponseHeaders(200, -1);
    exchange.close();
  }

  int port() {
    return server.getAddress().getPort();
  }

  /** Connections on which requests came, since the beginning. */
  int connections() {
    return clients.size();
  }

  /** Runs work as a request, and returns the status. */
  int call(CloseableHttpClient client, Runnable work) throws IOException {
    String id = Integer.toString(ids.incrementAndGet());
    works.put(id, work);
    HttpGet request = new HttpGet("http://localhost:" + port() + "/?" + id);
    return client.execute(request, answer -> answer.getCode());
  }

  /** Loads the server through a client that no kit knows. */
  HostLoad load(CloseableHttpClient client, int callers) {
    Resizable none = Resizable.of("none", new Bounds(1, 1), () -> 1, size -> {});
    HostKit.Host host =
        new HostKit.Host() {
          @Override
          public Resizable pool() {
            return none;
          }

          @Override
          public ControlLoop loop() {
            throw new UnsupportedOperationException();
          }

          @Override
          public void call(Runnable work) throws IOException {
            WorkServer.this.call(client, work);
          }

          @Override
          public int capacity() {
            return 0;
          }

          @Override
          public void restart() {
            throw new UnsupportedOperationException();
          }

          @Override
          public void close() {}
        };
    return new HostLoad(host, callers);
  }

  /** A port at which nobody listens: that of a socket which is bound alone. */
  static Socket portOfNobody() throws IOException {
    Socket socket = new Socket();
    socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    return socket;
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }
}
