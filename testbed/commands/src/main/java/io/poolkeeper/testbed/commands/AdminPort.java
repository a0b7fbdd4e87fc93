package io.poolkeeper.testbed.commands;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.poolkeeper.console.AnswerDeadline;
import io.poolkeeper.console.LoopbackRequests;
import java.io.IOException;
import java.io.OutputStream;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * An HTTP server on the loopback interface, over which a program is looked at and changed; answers
 * are JSON. A request that names another host is refused, and so is one that a page of another
 * origin sends: a browser on this machine must not change a program for whoever wrote the page.
 */
public final class AdminPort implements AutoCloseable {

  /** Seconds in which a client must have sent its request. */
  private static final String PATIENCE = "10";

  /** Threads that answer; a client that is slow to ask or to take holds up one of them. */
  private static final int THREADS = 32;

  static {
    // Read once by the JDK's server, which knows no other way to set it. Its maxRspTime would cut
    // off the pages of
    // a console in the same process, to which the answer goes on for as long as they are open.
    System.setProperty("sun.net.httpserver.maxReqTime", PATIENCE);
  }

  /** Answers the requests. */
  @FunctionalInterface
  public interface Routes {

    /**
     * Returns the answer to a request, to be written as JSON; null if there is no such route.
     *
     * @param route method and path, such as {@code GET /state}
     * @param query parameters of the query, in a map that may be changed
     * @throws IllegalArgumentException with the message to the client if a parameter is wrong
     */
    @Nullable Object answer(String route, Map<String, String> query);
  }

  private final ObjectMapper json = new ObjectMapper();
  private final HttpServer http;
  private final Routes routes;
  private final ThreadPoolExecutor threads =
      new ThreadPoolExecutor(
          THREADS, THREADS, 1, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), AdminPort::thread);

  /**
   * Starts to answer.
   *
   * @param port 0 for any that is free
   * @throws BindException naming the port if it cannot be had
   * @throws IOException if there is no socket to be had at all
   */
  public AdminPort(int port, Routes routes) throws IOException {
    this.routes = routes;
    try {
      http = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
    } catch (BindException e) {
      throw new BindException("cannot listen on admin port " + port + ": " + e.getMessage());
    }
    http.createContext("/", this::handle);
    threads.allowCoreThreadTimeOut(true);
    http.setExecutor(threads);
    http.start();
  }

  private static Thread thread(Runnable body) {
    Thread thread = new Thread(body, "admin");
    thread.setDaemon(true);
    return thread;
  }

  /**
   * Returns a whole number of a query.
   *
   * @throws IllegalArgumentException with its name and its text if it is none, or not there
   */
  public static long wholeNumber(Map<String, String> query, String name) {
    String text = query.getOrDefault(name, "");
    try {
      return Long.parseLong(text);
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(
          name + " must be a whole number, but is '" + text + "'", e);
    }
  }

  /**
   * Returns a size of a query; one that no pool has where the number is too large for an int.
   *
   * @throws IllegalArgumentException as {@link #wholeNumber}
   */
  public static int size(Map<String, String> query, String name) {
    return (int) Math.max(Integer.MIN_VALUE, Math.min(Integer.MAX_VALUE, wholeNumber(query, name)));
  }

  /** Returns the number of the port. */
  public int number() {
    return http.getAddress().getPort();
  }

  @Override
  public void close() {
    http.stop(0);
    threads.shutdownNow();
  }

  private void handle(HttpExchange exchange) throws IOException {
    try (exchange) {
      String route = exchange.getRequestMethod() + " " + exchange.getRequestURI().getPath();
      Object answer;
      int status = 200;
      try {
        Headers headers = exchange.getRequestHeaders();
        LoopbackRequests.requireThisOrigin(headers.getFirst("Host"), headers.getFirst("Origin"));
        answer = routes.answer(route, query(exchange.getRequestURI().getRawQuery()));
        if (answer == null) {
          status = 404;
          answer = Map.of("error", "no such thing: " + route);
        }
      } catch (SecurityException e) {
        status = 403;
        answer = Map.of("error", String.valueOf(e.getMessage()));
      } catch (IllegalArgumentException e) {
        status = 400;
        answer = Map.of("error", String.valueOf(e.getMessage()));
      } catch (IllegalStateException e) {
        status = 500;
        answer = Map.of("error", String.valueOf(e.getMessage()));
      }
      byte[] body = json.writeValueAsBytes(answer);
      exchange.getResponseHeaders().set("Content-Type", "application/json");
      int code = status;
      AnswerDeadline.send(
          () -> {
            exchange.sendResponseHeaders(code, body.length);
            try (OutputStream out = exchange.getResponseBody()) {
              out.write(body);
            }
          });
    }
  }

  private static Map<String, String> query(@Nullable String raw) {
    Map<String, String> query = new LinkedHashMap<>();
    if (raw != null) {
      for (String pair : raw.split("&", -1)) {
        int equals = pair.indexOf('=');
        String name = equals < 0 ? pair : pair.substring(0, equals);
        String value = equals < 0 ? "" : pair.substring(equals + 1);
        query.put(
            URLDecoder.decode(name, StandardCharsets.UTF_8),
            URLDecoder.decode(value, StandardCharsets.UTF_8));
      }
    }
    return query;
  }
}
