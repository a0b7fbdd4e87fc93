package io.poolkeeper.console;

import io.poolkeeper.Bounds;
import io.poolkeeper.ControlListener.Step;
import io.poolkeeper.ControlLoop;
import io.poolkeeper.Controllers;
import io.poolkeeper.Objective;
import io.poolkeeper.Resizable;
import io.poolkeeper.Window;
import io.poolkeeper.record.PoolDecision;
import io.poolkeeper.record.PoolSetup;
import io.poolkeeper.record.RecordArchive;
import io.poolkeeper.record.WindowReader.PoolWindow;
import io.poolkeeper.spi.ControllerDescriptor;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The last windows of a pool and the decisions on them with all of their values, for a run record.
 * Their number is bounded, and so is what all pools of a console keep.
 */
final class PoolRecord {

  /** Windows that are kept of a pool. */
  static final int LARGEST = 1_200;

  /** Windows that are kept of all pools: each takes up to 3 kB with its decision. */
  static final int LARGEST_OF_ALL = 12_000;

  private static final int RECORD_VERSION = 1;

  private static final String TRUNCATED =
      "the record begins after its pool: its controller knew more than the windows tell";
  private static final String REBOUNDED =
      "the sizes to choose from were changed by hand, which the record does not tell";
  private static final String STANDARD =
      "the settings of the controller are taken to be the standard ones";

  private static final DateTimeFormatter STAMP =
      DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss").withZone(ZoneOffset.UTC);

  private final Deque<Window> windows = new ArrayDeque<>();
  private final Deque<Step> steps = new ArrayDeque<>();
  private int limit = LARGEST;
  private boolean truncated;
  private boolean rebounded;

  synchronized void add(Window window) {
    windows.addLast(window);
    trim();
  }

  synchronized void add(Step step) {
    steps.addLast(step);
  }

  /** Notes that there were windows before the first of this record. */
  synchronized void truncate() {
    truncated = true;
  }

  /** Notes that decisions may choose among other sizes from now on. */
  synchronized void rebound() {
    rebounded = true;
  }

  /** Keeps no more windows than this from now on. */
  synchronized void limit(int windows) {
    limit = windows;
    trim();
  }

  private void trim() {
    while (windows.size() > limit) {
      Window dropped = windows.removeFirst();
      while (!steps.isEmpty() && steps.getFirst().window().end() - dropped.end() <= 0) {
        steps.removeFirst();
      }
      truncated = true;
    }
  }

  /** Returns what is kept as a run record. */
  synchronized RecordArchive archive(Resizable pool, ControlLoop loop) {
    String name = pool.name();
    if (!loop.bounds().equals(pool.bounds())) {
      rebounded = true; // The event may still be on its way.
    }
    Instant now = Instant.now();
    long nanos = System.nanoTime();
    long start = windows.isEmpty() ? nanos : windows.getFirst().start();
    Map<String, Object> run = new LinkedHashMap<>();
    run.put("version", RECORD_VERSION);
    run.put("id", name);
    run.put("kind", "export");
    run.put("status", "running");
    run.put("start", now.minusNanos(nanos - start).toString());
    run.put("start_monotonic_ns", start);
    run.put("command", List.of("console"));
    run.put("configuration", Map.of("pool", Map.of("controller", loop.controller())));
    run.put("versions", Map.of("java", System.getProperty("java.version")));
    run.put(
        "machine",
        Map.of(
            "os",
            System.getProperty("os.name") + " " + System.getProperty("os.version"),
            "cpus",
            Runtime.getRuntime().availableProcessors()));
    Optional<PoolSetup> setup = setup(loop, pool.bounds());
    setup.ifPresent(found -> run.put("pools", Map.of(name, found.document())));
    run.put("partial", truncated || rebounded);
    run.put("warnings", warnings(setup.isPresent()));
    return new RecordArchive(
        name.replaceAll("[^\\p{L}\\p{N}._-]+", "-") + "-" + STAMP.format(now),
        run,
        windows.stream().map(window -> new PoolWindow(name, window)).toList(),
        steps.stream().map(step -> PoolDecision.of(pool, step)).toList());
  }

  private List<String> warnings(boolean standard) {
    List<String> warnings = new ArrayList<>();
    if (truncated) {
      warnings.add(TRUNCATED);
    }
    if (rebounded) {
      warnings.add(REBOUNDED);
    }
    if (standard) {
      warnings.add(STANDARD);
    }
    return warnings;
  }

  /** Returns the settings for a replay; empty for a controller that no name stands for. */
  private static Optional<PoolSetup> setup(ControlLoop loop, Bounds bounds) {
    Objective objective = loop.objective().orElse(Objective.throughput());
    try {
      ControllerDescriptor<?> descriptor = Controllers.descriptor(loop.controller());
      boolean chosen =
          descriptor.settings().stream().anyMatch(setting -> setting.name().equals("objective"));
      return Optional.of(
          PoolSetup.of(
              descriptor.name(),
              chosen ? Map.of("objective", objective.name()) : Map.of(),
              objective,
              bounds));
    } catch (IllegalArgumentException e) { // Of the program's own, or with settings of its own.
      return Optional.empty();
    }
  }
}
