package io.poolkeeper.console;

import com.fasterxml.jackson.databind.JsonNode;
import com.sun.net.httpserver.HttpExchange;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Pools of run records as the data of a page. Nothing in them changes. */
final class RecordedPools implements PageData {

  private final String title;
  private final List<RecordedPool> pools;

  private RecordedPools(String title, List<RecordedPool> pools) {
    this.title = title;
    this.pools = pools;
  }

  /**
   * Reads all runs at a path.
   *
   * @throws IOException in one line, naming the file and what is missing or wrong in it
   */
  static RecordedPools read(Path path) throws IOException {
    List<Path> folders = RecordFolders.find(path);
    List<RecordedPool> pools = new ArrayList<>();
    for (Path folder : folders) {
      String prefix = folders.size() == 1 ? "" : path.relativize(folder) + " / ";
      pools.addAll(RecordedRun.read(folder, prefix));
    }
    if (pools.isEmpty()) {
      throw new IOException(path + ": holds no window and no decision of any pool");
    }
    Path name = path.toAbsolutePath().normalize().getFileName();
    String title =
        folders.size() == 1 || name == null ? pools.get(0).run().title() : name.toString();
    return new RecordedPools(title, pools);
  }

  int size() {
    return pools.size();
  }

  @Override
  public @Nullable Object answer(String route, String name, JsonNode body) {
    return switch (route) {
      case "GET /api/pools" -> {
        Map<String, Object> answer = new LinkedHashMap<>();
        answer.put("record", Map.of("title", title));
        answer.put("pools", pools.stream().map(RecordedPools::line).toList());
        yield answer;
      }
      case "GET /api/pool" ->
          pools.stream()
              .filter(pool -> pool.name().equals(name))
              .findFirst()
              .map(RecordedPools::whole)
              .orElse(null);
      case "GET /api/record" ->
          throw new IllegalArgumentException(
              "this is a record: its files are those it was read from");
      case "POST /api/pool" ->
          throw new IllegalArgumentException("a record cannot be changed, it is over");
      default -> null;
    };
  }

  @Override
  public boolean stream(HttpExchange exchange, String name) {
    throw new IllegalArgumentException("a record has no stream: nothing in it changes");
  }

  @Override
  public void close() {
    // There are no streams.
  }

  private static Map<String, Object> line(RecordedPool pool) {
    Map<String, Object> line = new LinkedHashMap<>();
    line.put("name", pool.name());
    line.put("controller", pool.controller());
    line.put("objective", pool.objective());
    if (pool.bounds() != null) {
      line.put("min", pool.bounds().minimum());
      line.put("max", pool.bounds().maximum());
    }
    line.put("run", pool.run());
    line.put("from", pool.from());
    line.put("to", pool.to());
    line.put("window", pool.whole());
    line.put("changes", pool.decisions().size() + pool.decisionsOmitted());
    return line;
  }

  private static Map<String, Object> whole(RecordedPool pool) {
    Map<String, Object> whole = line(pool);
    whole.put("windows", pool.windows());
    whole.put("windowsRecorded", pool.windowsRecorded());
    whole.put("decisions", pool.decisions());
    whole.put("decisionsOmitted", pool.decisionsOmitted());
    whole.put("states", pool.states());
    whole.put("curves", pool.curves());
    return whole;
  }
}
