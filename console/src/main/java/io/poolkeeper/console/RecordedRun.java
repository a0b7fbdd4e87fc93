package io.poolkeeper.console;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.poolkeeper.Window;
import io.poolkeeper.record.DecisionReader;
import io.poolkeeper.record.PoolDecision;
import io.poolkeeper.record.PoolSetup;
import io.poolkeeper.record.WindowReader;
import io.poolkeeper.record.WindowReader.PoolWindow;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A run record, read for the page.
 *
 * @param title name of the run
 * @param started time of day at which it started, ISO 8601; empty where the record does not tell
 * @param simulated whether its time is virtual
 * @param status complete, interrupted, failed or running; empty where the record does not tell
 * @param startNanos start of the measured part, on the clock of the windows
 */
record RecordedRun(
    String title, String started, boolean simulated, String status, long startNanos) {

  private static final long NANOS = 1_000_000;

  /** Milliseconds since the start. */
  long millis(long nanos) {
    return Math.floorDiv(nanos - startNanos, NANOS);
  }

  /**
   * Reads the pools of a run.
   *
   * @param prefix of the names of its pools
   * @throws IOException in one line, naming the file and what is missing or wrong in it
   */
  static List<RecordedPool> read(Path folder, String prefix) throws IOException {
    Map<String, PoolSetup> setups = PoolSetup.readAll(folder); // The version, before anything else.
    Map<String, List<Window>> windows = new LinkedHashMap<>();
    List<PoolWindow> allWindows =
        Files.exists(folder.resolve(RecordFolders.WINDOWS)) ? WindowReader.read(folder) : List.of();
    for (PoolWindow window : allWindows) {
      if (window.window().end() > window.window().start()) { // The last one may have no length.
        windows.computeIfAbsent(window.pool(), name -> new ArrayList<>()).add(window.window());
      }
    }
    Map<String, List<PoolDecision>> decisions = new LinkedHashMap<>();
    List<PoolDecision> allDecisions =
        Files.exists(folder.resolve(RecordFolders.DECISIONS))
            ? DecisionReader.read(folder)
            : List.of();
    for (PoolDecision decision : allDecisions) {
      windows.computeIfAbsent(decision.pool(), name -> new ArrayList<>());
      decisions.computeIfAbsent(decision.pool(), name -> new ArrayList<>()).add(decision);
    }
    long first =
        allWindows.isEmpty()
            ? allDecisions.isEmpty() ? 0 : allDecisions.get(0).at()
            : allWindows.get(0).window().start();
    RecordedRun run = describe(folder, first);
    List<RecordedPool> pools = new ArrayList<>();
    windows.forEach(
        (name, ofPool) -> {
          PoolSetup setup = setups.get(name);
          List<PoolDecision> decided = decisions.getOrDefault(name, List.of());
          String controller =
              setup != null
                  ? setup.controller()
                  : decided.isEmpty() || decided.get(0).controller().isEmpty()
                      ? null
                      : decided.get(0).controller();
          if (!ofPool.isEmpty() || !decided.isEmpty()) {
            pools.add(RecordedPool.of(prefix + name, run, controller, setup, ofPool, decided));
          }
        });
    return pools;
  }

  private static RecordedRun describe(Path folder, long first) throws IOException {
    Path file = folder.resolve("run.json");
    JsonNode run =
        Files.exists(file)
            ? new ObjectMapper().readTree(file.toFile()) // The readers have seen that it is JSON.
            : new ObjectMapper().createObjectNode();
    JsonNode start = run.path("start_monotonic_ns");
    Path name = folder.toAbsolutePath().normalize().getFileName();
    return new RecordedRun(
        run.path("id").asText(name == null ? "run" : name.toString()),
        run.path("start").asText(),
        run.path("kind").asText().equals("simulation"),
        run.path("status").asText(),
        start.canConvertToExactIntegral() ? start.longValue() : first);
  }
}
