package io.poolkeeper.testbed.replay;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.poolkeeper.Window;
import io.poolkeeper.record.DecisionReader;
import io.poolkeeper.record.PoolDecision;
import io.poolkeeper.record.PoolSetup;
import io.poolkeeper.record.WindowReader;
import io.poolkeeper.record.WindowReader.PoolWindow;
import io.poolkeeper.testbed.commands.Names;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The pools of a recorded run.
 *
 * @param folder where it was read
 * @param start when the run began, on the clock of the windows
 * @param partial whether controllers knew more than the record tells, so that a replay may differ
 * @param pools by name, in the order of the record
 */
record Recording(Path folder, long start, boolean partial, Map<String, Pool> pools) {

  private static final int RUNS_BELOW = 3;

  /**
   * One pool.
   *
   * @param name its name
   * @param windows the windows on which it was decided; all after the start if it never was
   * @param setup how it was controlled, where the record tells
   */
  record Pool(String name, List<RecordedWindow> windows, Optional<PoolSetup> setup) {

    /** Whether there are decisions in the record. */
    boolean wasControlled() {
      return !windows.isEmpty() && windows.get(0).recorded() != null;
    }

    /** Name of the controller, empty where nothing in the record tells. */
    Optional<String> controller() {
      return setup
          .map(PoolSetup::controller)
          .or(
              () ->
                  windows.stream()
                      .map(RecordedWindow::recorded)
                      .flatMap(Stream::ofNullable)
                      .map(PoolDecision::controller)
                      .filter(name -> !name.isEmpty())
                      .findFirst());
    }
  }

  /**
   * Reads a run.
   *
   * @throws IOException naming the file, and what is missing or wrong in it
   */
  static Recording read(Path folder) throws IOException {
    requireRun(folder);
    List<PoolWindow> windows = WindowReader.read(folder);
    Map<String, Map<Long, PoolDecision>> decisions = new HashMap<>();
    for (PoolDecision decision : DecisionReader.read(folder)) {
      decisions
          .computeIfAbsent(decision.pool(), pool -> new HashMap<>())
          .put(decision.at(), decision);
    }
    JsonNode run = run(folder);
    long start = start(run, windows);
    Map<String, PoolSetup> setups = PoolSetup.readAll(folder);
    Map<String, List<RecordedWindow>> byPool = new LinkedHashMap<>();
    for (PoolWindow measured : windows) {
      List<RecordedWindow> ofPool =
          byPool.computeIfAbsent(measured.pool(), pool -> new ArrayList<>());
      window(measured.window(), decisions.get(measured.pool()), start).ifPresent(ofPool::add);
    }
    Map<String, Pool> pools = new LinkedHashMap<>();
    byPool.forEach(
        (name, ofPool) ->
            pools.put(name, new Pool(name, ofPool, Optional.ofNullable(setups.get(name)))));
    return new Recording(folder, start, run.path("partial").asBoolean(), pools);
  }

  /**
   * Windows without a decision are those of a frozen pool, such as in the warm-up, and the one that
   * closes when a pool ends, be it at the same instant as the one before.
   */
  private static Optional<RecordedWindow> window(
      Window window, @Nullable Map<Long, PoolDecision> decisions, long start) {
    if (decisions == null) {
      boolean ofTheRun = window.end() > start && window.end() > window.start();
      return ofTheRun ? Optional.of(new RecordedWindow(window, null)) : Optional.empty();
    }
    return Optional.ofNullable(decisions.remove(window.end()))
        .map(recorded -> new RecordedWindow(window, recorded));
  }

  /** The readers have seen that run.json is one; an empty object where there is none. */
  private static JsonNode run(Path folder) throws IOException {
    Path file = folder.resolve("run.json");
    ObjectMapper json = new ObjectMapper();
    return Files.exists(file) ? json.readTree(file.toFile()) : json.createObjectNode();
  }

  private static long start(JsonNode run, List<PoolWindow> windows) {
    JsonNode start = run.path("start_monotonic_ns");
    if (start.canConvertToExactIntegral()) {
      return start.longValue();
    }
    return windows.isEmpty() ? 0 : windows.get(0).window().start();
  }

  /** The pools to replay: the one of that name, or all. */
  List<Pool> chosen(@Nullable String name) {
    if (name == null) {
      return List.copyOf(pools.values());
    }
    Names.require("pool", name, pools.keySet());
    return List.of(Objects.requireNonNull(pools.get(name)));
  }

  private static void requireRun(Path folder) throws IOException {
    if (!Files.isDirectory(folder)) {
      throw new IOException(folder + ": is not a folder");
    }
    if (Files.exists(folder.resolve("windows.csv"))) {
      return;
    }
    try (Stream<Path> below = Files.walk(folder, RUNS_BELOW)) {
      List<Path> runs =
          below
              .filter(path -> path.endsWith("windows.csv"))
              .flatMap(path -> Stream.ofNullable(path.getParent()))
              .sorted()
              .toList();
      if (runs.isEmpty()) {
        throw new IOException(folder + ": is no run, it has no windows.csv");
      }
      throw new IOException(
          "%s: holds %d runs, choose one, such as %s".formatted(folder, runs.size(), runs.get(0)));
    } catch (UncheckedIOException e) {
      throw new IOException(folder + ": cannot be read", e);
    }
  }
}
