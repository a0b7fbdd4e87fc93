package io.poolkeeper.testbed.servers;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.poolkeeper.ControlListener.Step;
import io.poolkeeper.Mode;
import io.poolkeeper.Window;
import io.poolkeeper.testbed.commands.AdminPort;
import java.io.IOException;
import java.net.BindException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The admin endpoint: state of a server's pool, and ways to change it, over HTTP on the loopback
 * interface.
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

  private static final ObjectMapper JSON =
      new ObjectMapper().addMixIn(Window.class, WithoutDisk.class);

  /** Windows of servers, whose pools have no sensor of disks. */
  @JsonIgnoreProperties("disk")
  private interface WithoutDisk {}

  private final AdminPort port;
  private final String application;
  private final Handlers handlers;
  private final History history;
  private final IntSupplier connections;

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
    this.port = new AdminPort(port, this::answer);
  }

  int port() {
    return port.number();
  }

  @Override
  public void close() {
    port.close();
  }

  private @Nullable Object answer(String route, Map<String, String> query) {
    return switch (route) {
      case "GET /state" -> state();
      case "GET /windows" -> JSON.<JsonNode>valueToTree(history.windowsSince(since(query)));
      case "GET /decisions" ->
          history.stepsSince(since(query)).stream().map(Admin::describe).toList();
      case "POST /resize" -> {
        handlers.pool().resize(AdminPort.size(query, "size"));
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
    handlers
        .loop()
        .lastWindow()
        .ifPresent(window -> state.put("window", JSON.<JsonNode>valueToTree(window)));
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
    return query.containsKey("since") ? AdminPort.wholeNumber(query, "since") : Long.MIN_VALUE;
  }
}
