package io.poolkeeper.console;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.BindException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Serves the page and its data on the loopback interface.
 *
 * <pre>
 * GET  /                       the page; it holds no data, so it needs no token
 * GET  /api/pools              all pools, a line each
 * GET  /api/pool?name=NAME     one pool with its windows, decisions and curve
 * GET  /api/record?name=NAME   one pool's run record, a zip file; not of a record
 * GET  /api/stream?name=NAME   server-sent events: all pools, and the news of one; not of a record
 * POST /api/pool?name=NAME     {"action": "mode", "mode": "dry-run"},
 *                              {"action": "bounds", "min": 2, "max": 40},
 *                              {"action": "pin", "size": 12, "minutes": 10}, {"action": "roll back"}
 * </pre>
 */
final class ConsoleServer implements AutoCloseable {

  /** Threads that answer; a client that is slow to ask or to take holds up one of them. */
  static final int THREADS = 16;

  /** Seconds in which a client must have sent its request. */
  private static final String PATIENCE = "10";

  private static final String PATIENCE_PROPERTY = "sun.net.httpserver.maxReqTime";
  private static final System.Logger LOG = System.getLogger("io.poolkeeper.console");
  private static final int LARGEST_REQUEST = 4_096;

  /** Connections that may wait to be taken; of more, clients would try again after seconds. */
  private static final int LARGEST_BACKLOG = 1_024;

  private static final int LARGEST_PORT = 65_535;
  private static final ObjectMapper JSON = new ObjectMapper();

  private static final Set<String> OF_A_POOL = Set.of("/api/pool", "/api/record");

  private static final Map<String, String> FILES =
      Map.of(
          "/", "index.html",
          "/console.js", "console.js",
          "/live.js", "live.js",
          "/replay.js", "replay.js",
          "/view.js", "view.js",
          "/chain.js", "chain.js",
          "/charts.js", "charts.js",
          "/console.css", "console.css");

  private static final Map<String, String> TYPES =
      Map.of("html", "text/html", "js", "text/javascript", "css", "text/css");

  private final String token;
  private final PageData data;
  private final HttpServer http;
  private final ThreadPoolExecutor threads =
      new ThreadPoolExecutor(
          THREADS,
          THREADS,
          1,
          TimeUnit.SECONDS,
          new LinkedBlockingQueue<>(),
          ConsoleServer::thread);

  ConsoleServer(int port, String token, PageData data) throws IOException {
    this.token = token;
    this.data = data;
    if (port < 0 || port > LARGEST_PORT) {
      throw new IllegalArgumentException(
          "port must be within 0..%d, but is %d".formatted(LARGEST_PORT, port));
    }
    if (System.getProperty(PATIENCE_PROPERTY) == null) {
      // Read once by the JDK's server, which knows no other way to set it.
      System.setProperty(PATIENCE_PROPERTY, PATIENCE);
    }
    try {
      http =
          HttpServer.create(
              new InetSocketAddress(InetAddress.getLoopbackAddress(), port), LARGEST_BACKLOG);
    } catch (BindException e) {
      throw new BindException("cannot listen on console port " + port + ": " + e.getMessage());
    }
    threads.allowCoreThreadTimeOut(true);
    http.setExecutor(threads);
    http.createContext("/", this::handle);
    http.start();
  }

  private static Thread thread(Runnable body) {
    Thread thread = new Thread(body, "poolkeeper-console");
    thread.setDaemon(true);
    return thread;
  }

  URI address() {
    return address(http.getAddress(), token);
  }

  /** Returns the address of the page; the loopback address of a JVM may be that of IPv6. */
  static URI address(InetSocketAddress listening, String token) {
    String host = listening.getAddress() instanceof Inet6Address ? "[::1]" : "127.0.0.1";
    return URI.create("http://%s:%d/#%s".formatted(host, listening.getPort(), token));
  }

  @Override
  public void close() {
    data.close();
    http.stop(0);
    threads.shutdownNow();
  }

  private void handle(HttpExchange exchange) throws IOException {
    String path = exchange.getRequestURI().getPath();
    boolean streaming = false;
    try {
      Headers headers = exchange.getRequestHeaders();
      LoopbackRequests.requireThisOrigin(headers.getFirst("Host"), headers.getFirst("Origin"));
      if (FILES.containsKey(path)) {
        sendFile(exchange, FILES.get(path));
      } else if (!path.startsWith("/api/")) {
        send(exchange, 404, error("there is nothing at " + path));
      } else if (!Token.matches(token, headers.getFirst("Authorization"))) {
        send(
            exchange,
            401,
            error("the token is missing or wrong; open the address that the program logged"));
      } else if (path.equals("/api/stream") && isGet(exchange)) {
        streaming = data.stream(exchange, name(exchange));
        if (!streaming) {
          send(exchange, 503, error("too many pages are open; close one"));
        }
      } else {
        answer(exchange, path);
      }
    } catch (SecurityException e) {
      send(exchange, 403, error(e.getMessage()));
    } catch (IllegalArgumentException e) {
      send(exchange, 400, error(e.getMessage()));
    } catch (RuntimeException e) { // Of the host, which could not do what was asked for.
      LOG.log(System.Logger.Level.WARNING, "{0} {1}: {2}", exchange.getRequestMethod(), path, e);
      send(exchange, 500, error(e.getMessage() == null ? e.toString() : e.getMessage()));
    } finally {
      if (!streaming) {
        exchange.close();
      }
    }
  }

  private void answer(HttpExchange exchange, String path) throws IOException {
    String route = exchange.getRequestMethod() + " " + path;
    String name = name(exchange);
    JsonNode body = isGet(exchange) ? JSON.createObjectNode() : body(exchange);
    Object answer = data.answer(route, name, body);
    if (answer instanceof Download download) {
      exchange.getResponseHeaders().set("Content-Disposition", download.disposition());
      send(exchange, 200, "application/zip", download.content());
    } else if (answer != null) {
      send(exchange, 200, answer);
    } else if (OF_A_POOL.contains(path) && !name.isEmpty()) {
      send(exchange, 404, error("there is no pool '" + name + "'"));
    } else {
      send(exchange, 404, error("there is nothing at " + route));
    }
  }

  private static JsonNode body(HttpExchange exchange) throws IOException {
    byte[] body = exchange.getRequestBody().readNBytes(LARGEST_REQUEST);
    try {
      return JSON.readTree(body);
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException("the request must be JSON: " + e.getOriginalMessage(), e);
    }
  }

  private static boolean isGet(HttpExchange exchange) {
    return exchange.getRequestMethod().equals("GET");
  }

  private static String name(HttpExchange exchange) {
    String query = exchange.getRequestURI().getRawQuery();
    return query != null && query.startsWith("name=")
        ? URLDecoder.decode(query.substring("name=".length()), StandardCharsets.UTF_8)
        : "";
  }

  private static Map<String, Object> error(@Nullable String message) {
    return Map.of("error", String.valueOf(message));
  }

  private static void sendFile(HttpExchange exchange, String file) throws IOException {
    byte[] content;
    try (InputStream stream = ConsoleServer.class.getResourceAsStream(file)) {
      if (stream == null) {
        throw new IOException("the console's own file " + file + " is missing");
      }
      content = stream.readAllBytes();
    }
    String type = TYPES.get(file.substring(file.indexOf('.') + 1));
    exchange
        .getResponseHeaders()
        .set(
            "Content-Security-Policy",
            "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self';"
                + " frame-ancestors 'none'");
    send(exchange, 200, type + "; charset=utf-8", content);
  }

  private static void send(HttpExchange exchange, int status, Object answer) throws IOException {
    send(exchange, status, "application/json", JSON.writeValueAsBytes(answer));
  }

  private static void send(HttpExchange exchange, int status, String type, byte[] body)
      throws IOException {
    Headers headers = exchange.getResponseHeaders();
    headers.set("Content-Type", type);
    headers.set("Cache-Control", "no-store");
    headers.set("X-Content-Type-Options", "nosniff");
    headers.set("Referrer-Policy", "no-referrer");
    AnswerDeadline.send(
        () -> {
          exchange.sendResponseHeaders(status, body.length == 0 ? -1 : body.length);
          try (OutputStream out = exchange.getResponseBody()) {
            out.write(body);
          }
        });
  }
}
