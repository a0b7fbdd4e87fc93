package io.poolkeeper.examples.quickstart;

import com.sun.net.httpserver.HttpServer;
import io.poolkeeper.AdaptiveExecutor;
import java.io.IOException;
import java.math.BigInteger;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;

/**
 * A service that answers {@code GET /next-prime/<number>} and never has its thread pool tuned by
 * hand. Its decisions are in the log, in flight recordings and in JMX.
 */
public final class Quickstart implements AutoCloseable {
  private final AdaptiveExecutor pool = AdaptiveExecutor.builder("next-prime").build();
  private final HttpServer server;

  Quickstart(int port) throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
    server.setExecutor(pool);
    server.createContext(
        "/next-prime/",
        exchange -> {
          String number = exchange.getRequestURI().getPath().substring("/next-prime/".length());
          boolean valid = number.matches("\\d{1,100}");
          String answer = valid ? new BigInteger(number).nextProbablePrime() + "\n" : "a number?\n";
          byte[] body = answer.getBytes(StandardCharsets.US_ASCII);
          exchange.sendResponseHeaders(valid ? 200 : 400, body.length);
          exchange.getResponseBody().write(body);
          exchange.close();
        });
    server.start();
  }

  int port() {
    return server.getAddress().getPort();
  }

  AdaptiveExecutor pool() {
    return pool;
  }

  @Override
  public void close() {
    server.stop(0);
    pool.close();
  }

  /** Starts the service on the port that is given, 8080 if none is. */
  public static void main(String[] args) throws IOException {
    Quickstart service = new Quickstart(args.length > 0 ? Integer.parseInt(args[0]) : 8080);
    System.out.println("try http://localhost:" + service.port() + "/next-prime/1000000");
  }
}
