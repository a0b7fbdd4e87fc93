package io.poolkeeper.testbed.applications.downstream;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Settings of a {@link DownstreamServer} over HTTP, on a port that no fault touches. */
final class DownstreamAdmin implements AutoCloseable {

  private final ObjectMapper json = new ObjectMapper();
  private final HttpServer http;
  private final DownstreamServer server;

  /**
   * @throws BindException naming the port if it cannot be had
   * @throws IOException if there is no socket to be had at all
   */
  DownstreamAdmin(int port, DownstreamServer server) throws IOException {
    this.server = server;
    try {
      http = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
    } catch (BindException e) {
      throw new BindException("cannot listen on admin port " + port + ": " + e.getMessage());
    }
    http.createContext("/", this::handle);
    http.start();
  }

  int port() {
    return http.getAddress().getPort();
  }

  @Override
  public void close() {
    http.stop(0);
  }

  private void handle(HttpExchange exchange) throws IOException {
    try (exchange) {
      Object answer;
      int status = 200;
      try {
        answer = answer(exchange);
      } catch (IllegalArgumentException e) {
        status = 400;
        answer = Map.of("error", String.valueOf(e.getMessage()));
      }
      byte[] body = json.writeValueAsBytes(answer);
      exchange.getResponseHeaders().set("Content-Type", "application/json");
      exchange.sendResponseHeaders(status, body.length);
      exchange.getResponseBody().write(body);
    }
  }

  private Object answer(HttpExchange exchange) {
    String route = exchange.getRequestMethod() + " " + exchange.getRequestURI().getPath();
    Map<String, String> query = query(exchange.getRequestURI().getRawQuery());
    return switch (route) {
      case "GET /settings" -> server.settings();
      case "POST /settings" -> server.change(query.remove("path"), query);
      default ->
          throw new IllegalArgumentException(
              "no such thing: " + route + "; there are GET /settings and POST /settings");
    };
  }

  private static Map<String, String> query(@Nullable String raw) {
    Map<String, String> query = new LinkedHashMap<>();
    if (raw != null) {
      for (String pair : raw.split("&", -1)) {
        String[] parts = pair.split("=", 2);
        query.put(
            URLDecoder.decode(parts[0], StandardCharsets.UTF_8),
            parts.length < 2 ? "" : URLDecoder.decode(parts[1], StandardCharsets.UTF_8));
      }
    }
    return query;
  }
}
