package io.poolkeeper.testbed.ntier.board;

import io.poolkeeper.Mode;
import io.poolkeeper.testbed.commands.AdminPort;
import io.poolkeeper.testbed.commands.Names;
import io.poolkeeper.testbed.ntier.database.Database;
import io.poolkeeper.testbed.ntier.measure.ConnectionMeter;
import io.poolkeeper.testbed.ntier.measure.Occupancy;
import io.poolkeeper.testbed.ntier.measure.RequestMeter;
import java.io.IOException;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.net.BindException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Figures and sizes of a board over HTTP, on a port of its own.
 *
 * <pre>
 * GET  /tier                            cumulative figures since the start, nanoseconds and counts
 * POST /size?threads=N&amp;connections=N    sets either or both, and answers both
 * POST /mode?mode=active                has the controllers decide; frozen ends it
 * </pre>
 */
final class BoardAdmin implements AutoCloseable {

  private static final List<String> SIZES = List.of("threads", "connections");

  private final Board board;
  private final AdminPort port;

  /**
   * @throws BindException naming the port if it cannot be had
   * @throws IOException if there is no socket to be had at all
   */
  BoardAdmin(int port, Board board) throws IOException {
    this.board = board;
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
      case "GET /tier" -> tier();
      case "POST /size" -> resize(query);
      case "POST /mode" -> mode(query);
      default -> null;
    };
  }

  private Map<String, Object> tier() {
    RequestMeter requests = board.requests();
    ConnectionMeter connections = board.connections();
    Occupancy.Reading threads = requests.threads();
    Occupancy.Reading held = connections.held();
    Occupancy.Reading waiting = connections.waiting();
    Map<String, Object> tier = new LinkedHashMap<>();
    tier.put("nanos", System.nanoTime());
    tier.put("requests", requests.requests());
    tier.put("errors", requests.errors());
    tier.put("response_nanos", requests.responseNanos());
    tier.put("busy_nanos", threads.nanos());
    tier.put("busy", threads.busy());
    tier.put("threads", board.threads().size());
    tier.put("queued", board.threads().queued());
    tier.put("connections", board.database().connections().size());
    tier.put("connections_busy", held.busy());
    tier.put("connection_uses", connections.uses());
    tier.put("connection_held_nanos", held.nanos());
    tier.put("connection_wait_nanos", waiting.nanos());
    tier.put("waiting", waiting.busy());
    tier.put("cpu_nanos", cpuNanos());
    tier.put(
        "gc_nanos", TimeUnit.MILLISECONDS.toNanos(collections(each -> each.getCollectionTime())));
    tier.put("gc_count", collections(each -> each.getCollectionCount()));
    tier.put("statements", connections.statements());
    tier.put("statement_nanos", connections.statementNanos());
    return tier;
  }

  private static long cpuNanos() {
    return ManagementFactory.getPlatformMXBean(com.sun.management.OperatingSystemMXBean.class)
        .getProcessCpuTime();
  }

  private static long collections(ToLongFunction<GarbageCollectorMXBean> figure) {
    return ManagementFactory.getGarbageCollectorMXBeans().stream().mapToLong(figure).sum();
  }

  /** Sets all sizes or none: both are checked before either is set. */
  private Map<String, Object> resize(Map<String, String> query) {
    if (query.isEmpty()) {
      throw new IllegalArgumentException("a size is missing: /size?threads=N&connections=N");
    }
    Map<String, Integer> sizes = new LinkedHashMap<>();
    for (String name : query.keySet()) {
      Names.require("size", name, SIZES);
      int size = AdminPort.size(query, name);
      (name.equals("threads") ? Board.THREADS : Database.BOUNDS).require(name, size);
      sizes.put(name, size);
    }
    Integer threads = sizes.get("threads");
    if (threads != null) {
      board.threads().resize(threads);
    }
    Integer connections = sizes.get("connections");
    if (connections != null) {
      board.database().connections().resize(connections);
    }
    Map<String, Object> answer = new LinkedHashMap<>();
    answer.put("threads", board.threads().size());
    answer.put("connections", board.database().connections().size());
    return answer;
  }

  private Map<String, Object> mode(Map<String, String> query) {
    String name = query.getOrDefault("mode", "");
    if (query.size() != 1 || name.isEmpty()) {
      throw new IllegalArgumentException("the mode is missing: /mode?mode=active");
    }
    Mode mode = Mode.of(name);
    board.mode(mode);
    return Map.of("mode", mode.toString());
  }
}
