package io.poolkeeper.examples.springboot;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;

/** A downstream service that takes 50 ms an answer and gives 40 of them at once, and its client. */
final class Prices implements AutoCloseable {

  private static final int MILLIS = 50;

  private final Semaphore capacity = new Semaphore(40);
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final HttpClient client = HttpClient.newHttpClient();
  private final HttpServer server;

  Prices() {
    try {
      server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 1000);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    server.setExecutor(threads);
    server.createContext(
        "/",
        exchange -> {
          byte[] price = price().getBytes(StandardCharsets.UTF_8);
          exchange.sendResponseHeaders(200, price.length);
          exchange.getResponseBody().write(price);
          exchange.close();
        });
    server.start();
  }

  private String price() throws IOException {
    try {
      capacity.acquire();
      try {
        Thread.sleep(MILLIS);
      } finally {
        capacity.release();
      }
      return "9.90";
    } catch (InterruptedException e) {
      throw new IOException(e);
    }
  }

  /** Asks for the price of an order, and waits for the answer. */
  String of(int id) {
    URI uri = URI.create("http://localhost:" + server.getAddress().getPort() + "/" + id);
    try {
      return client.send(HttpRequest.newBuilder(uri).build(), BodyHandlers.ofString()).body();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }
}
