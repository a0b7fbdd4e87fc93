package io.poolkeeper.testbed.servers;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import io.poolkeeper.ControlListener.Step;
import io.poolkeeper.Mode;
import java.io.IOException;
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
import java.util.function.IntSupplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The admin endpoint: state of a server's pool, and ways to change it, over HTTP on the loopback
 * interface. A request that names another host is refused, and so is one that a page of another
 * origin sends: a browser on this machine must not change a pool for whoever wrote the page.
 *
 * <pre>
 * GET  /state                     pool, controller, mode, last window and decision, connections
 * GET  /windows?since=NANOS       windows that ended later
 * GET  /decisions?since=NANOS     decisions on windows that ended later
 * POST /resize?size=N             sets the size by hand
 * POST /mode?mode=WORD            active, dry-run or frozen
 * POST /variant?name=NAME         begins a slice of a variant, where variants take turns
 * </pre>
 */
final class Admin implements AutoCloseable {

  /** Seconds in which a client must have sent its request, and have taken its answer. */
  private static final String PATIENCE = "10";

  /** Threads that answer; a client that sends slowly holds up one of them. */
  private static final int THREADS = 32;

  /** Names that a request from this machine gives it; a page may give its own name its address. */
  private static final Pattern LOOPBACK =
      Pattern.compile("(localhost|127(\\.\\d{1,3}){3}|\\[::1])(:\\d*)?", Pattern.CASE_INSENSITIVE);

  static {
    // Read once by the JDK's server, which knows no other way to set them.
    System.setProperty("sun.net.httpserver.maxReqTime", PATIENCE);
    System.setProperty("sun.net.httpserver.maxRspTime", PATIENCE);
  }

  private final ObjectMapper json = new ObjectMapper();
  private final com.sun.net.httpserver.HttpServer http;
  private final String application;
  private final Handlers handlers;
  private final History history;
  private final IntSupplier connections;
  private final ThreadPoolExecutor threads =
      new ThreadPoolExecutor(
          THREADS, THREADS, 1, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), Admin::thread);

  /**
   * @throws BindException naming the port if it cannot be had
   * @throws IOException if there is no socket to be had at all
   */
  Admin(int port, String application, Handlers handlers, History history, IntSupplier connections)
      throws IOException {
    this.application = application;
    this.handlers = handlers;
    this.history = history;
    this.connections = connections;
    try {
      http =
          com.sun.net.httpserver.HttpServer.create(
              new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
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

  int port() {
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
        requireThisOrigin(exchange.getRequestHeaders());
        answer = answer(route, query(exchange.getRequestURI().getRawQuery()));
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
      }
      byte[] body = json.writeValueAsBytes(answer);
      exchange.getResponseHeaders().set("Content-Type", "application/json");
      exchange.sendResponseHeaders(status, body.length);
      exchange.getResponseBody().write(body);
    }
  }

  private static void requireThisOrigin(Headers headers) {
    String host = headers.getFirst("Host");
    if (host != null && !LOOPBACK.matcher(host).matches()) {
      throw new SecurityException("the host must be localhost or 127.0.0.1, but is " + host);
    }
    String origin = headers.getFirst("Origin");
    if (origin != null && !origin.equalsIgnoreCase("http://" + host)) {
      throw new SecurityException("pages of another origin are not served: " + origin);
    }
  }

  private @Nullable Object answer(String route, Map<String, String> query) {
    return switch (route) {
      case "GET /state" -> state();
      case "GET /windows" -> history.windowsSince(since(query));
      case "GET /decisions" ->
          history.stepsSince(since(query)).stream().map(Admin::describe).toList();
      case "POST /resize" -> {
        handlers.pool().resize(size(query));
        yield state();
      }
      case "POST /mode" -> {
        handlers.loop().mode(Mode.of(query.getOrDefault("mode", "")));
        yield state();
      }
      case "POST /variant" -> begin(query.getOrDefault("name", ""));
      default -> null;
    };
  }

  private Map<String, Object> begin(String variant) {
    AlternatingController variants = handlers.variants();
    if (variants == null) {
      throw new IllegalArgumentException("this server has no variants: start it with --variant");
    }
    AlternatingController.Switch begun = variants.switchTo(variant);
    Map<String, Object> answer = new LinkedHashMap<>();
    answer.put("variant", begun.variant());
    answer.put("at_ns", begun.at());
    answer.put("size", begun.size());
    return answer;
  }

  private Map<String, Object> state() {
    Map<String, Object> state = new LinkedHashMap<>();
    state.put("application", application);
    state.put("pool", handlers.pool().name());
    state.put("size", handlers.pool().size());
    state.put("minimum", handlers.pool().bounds().minimum());
    state.put("maximum", handlers.pool().bounds().maximum());
    state.put("queued", handlers.queued().getAsInt());
    state.put("controller", handlers.loop().controller());
    state.put("mode", handlers.loop().mode().toString());
    AlternatingController variants = handlers.variants();
    if (variants != null) {
      state.put("variant", variants.variant());
    }
    state.put("connections", connections.getAsInt());
    handlers.loop().lastWindow().ifPresent(window -> state.put("window", window));
    handlers.loop().lastStep().ifPresent(step -> state.put("decision", describe(step)));
    return state;
  }

  private static Map<String, Object> describe(Step step) {
    Map<String, Object> decision = new LinkedHashMap<>();
    decision.put("at_ns", step.window().end());
    decision.put("action", step.action().toString());
    decision.put("size_before", step.before());
    decision.put("size_after", step.after());
    decision.put("reason", step.explanation());
    return decision;
  }

  private static long since(Map<String, String> query) {
    return query.containsKey("since") ? number(query, "since") : Long.MIN_VALUE;
  }

  /** A size that no pool has where the number is too large for one. */
  private static int size(Map<String, String> query) {
    return (int) Math.max(Integer.MIN_VALUE, Math.min(Integer.MAX_VALUE, number(query, "size")));
  }

  private static long number(Map<String, String> query, String name) {
    String text = query.getOrDefault(name, "");
    try {
      return Long.parseLong(text);
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(
          name + " must be a whole number, but is '" + text + "'", e);
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
