package io.poolkeeper.testbed.simulator.command;

import io.poolkeeper.ControlListener;
import io.poolkeeper.ControlListener.Action;
import io.poolkeeper.Mode;
import io.poolkeeper.Objective;
import io.poolkeeper.Resizable;
import io.poolkeeper.Window;
import io.poolkeeper.record.PoolDecision;
import io.poolkeeper.record.PoolSetup;
import io.poolkeeper.record.RunRecorder;
import io.poolkeeper.testbed.clients.Phase;
import io.poolkeeper.testbed.clients.Requests;
import io.poolkeeper.testbed.clients.file.ClientDescription;
import io.poolkeeper.testbed.commands.JsonFile;
import io.poolkeeper.testbed.simulator.engine.measure.ResponseListener;
import io.poolkeeper.testbed.simulator.engine.pool.ResizeListener;
import io.poolkeeper.testbed.simulator.file.Governor;
import io.poolkeeper.testbed.simulator.file.ModelFile;
import io.poolkeeper.testbed.simulator.model.Pool;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The record of one simulated run, as {@code contract/} defines it. Its times are virtual: 0 is the
 * start of the run, and {@code start_monotonic_ns} the end of the warm-up.
 */
final class RunRecord implements AutoCloseable {

  /** Facts that all runs of a command have in common. */
  record Command(String experiment, Optional<String> versus, List<String> words) {}

  private static final int VERSION = 1;
  private static final double SECOND = 1e9;

  /**
   * Changes of sizes by policies that are written at most: some policies change one at each task.
   */
  private static final int MOST_RESIZES = 100_000;

  private final Path folder;
  private final Map<String, Object> document = new LinkedHashMap<>();
  private final RunRecorder pools;
  private final LoadFiles load;
  private final long start;
  private final List<String> warnings;
  private long resizes;

  /**
   * Begins the record in a folder that is not there yet.
   *
   * @throws IOException naming the file that cannot be written
   */
  RunRecord(Path folder, ModelFile file, int repetition, Command command) throws IOException {
    this.folder = folder;
    start = nanos(file.run().warmUp());
    Instant now = Instant.now();
    document.put("version", VERSION);
    document.put("id", file.name() + "-" + repetition);
    document.put("experiment", command.experiment());
    document.put("variant", file.name());
    document.put("repetition", repetition);
    document.put("kind", "simulation");
    document.put("status", "running");
    document.put("start", now.toString());
    document.put("start_monotonic_ns", start);
    document.put("command", command.words());
    document.put("configuration", configuration(file, command));
    document.put("pools", setups(file));
    document.put("versions", Computer.versions());
    document.put("machine", Computer.machine());
    warnings = new ArrayList<>(new LoadEstimate(file).warnings());
    document.put("warnings", warnings);
    Files.createDirectories(folder);
    write();
    pools = new RunRecorder(folder);
    load =
        new LoadFiles(
            folder, file.clients(), start, nanos(file.run().seconds()), now.toEpochMilli());
  }

  /** Records windows and decisions; the window without length that ends a whole run is none. */
  ControlListener pools() {
    return new ControlListener() {
      @Override
      public void onWindow(Resizable pool, Window window) {
        if (window.end() > window.start()) {
          pools.onWindow(pool, window);
        }
      }

      @Override
      public void onStep(Resizable pool, Step step) {
        pools.onStep(pool, step);
      }
    };
  }

  /** Records what policies did, each change of a size with its reason. */
  ResizeListener resizes() {
    return (pool, at, before, asked, policy) -> {
      resizes++;
      if (resizes <= MOST_RESIZES) {
        pools.write(
            new PoolDecision(
                pool.name(),
                policy.name(),
                at,
                Mode.ACTIVE,
                Action.RESIZED,
                before,
                pool.size(),
                asked,
                policy.reason(),
                Map.of()));
      }
    };
  }

  ResponseListener load() {
    return load;
  }

  /** Notes how the run ended, at a virtual time in seconds. */
  void finish(String status, double end) throws IOException {
    load.finish(Math.max(start, nanos(end)), List.of());
    if (resizes > MOST_RESIZES) {
      warnings.add(
          "policies changed sizes %,d times; decisions.jsonl has the first %,d of them"
              .formatted(resizes, MOST_RESIZES));
    }
    document.put("status", status);
    document.put("end", Instant.now().toString());
    document.put("end_monotonic_ns", nanos(end));
    write();
  }

  /** Notes that the run failed, and why. */
  void fail(String why) throws IOException {
    document.put("status", "failed");
    document.put("error", why);
    document.put("end", Instant.now().toString());
    write();
  }

  private void write() throws IOException {
    JsonFile.write(folder.resolve("run.json"), document);
  }

  private static Map<String, Object> configuration(ModelFile file, Command command) {
    Map<String, Object> configuration = new LinkedHashMap<>();
    configuration.put("question", file.question());
    configuration.put("pool", pool(file));
    configuration.put("load", load(file.clients().get(0), file));
    configuration.put("warm_up_s", file.run().warmUp());
    configuration.put("scale", 1);
    configuration.put("seed", file.run().seed());
    configuration.put("cell", Map.of());
    configuration.put("versus", command.versus().orElse(null));
    configuration.put("model", file.document());
    return configuration;
  }

  /** The pool that readers of results ask about: the first in the file. */
  private static Map<String, Object> pool(ModelFile file) {
    Map<String, Object> pool = new LinkedHashMap<>();
    Optional<Map.Entry<String, Pool>> first = file.pools().entrySet().stream().findFirst();
    if (first.isEmpty()) {
      pool.put("controller", "plain");
      return pool;
    }
    Pool described = first.get().getValue();
    Governor governor = file.governors().get(first.get().getKey());
    if (governor == null) {
      pool.put("controller", "fixed");
      pool.put("size", described.size());
    } else {
      pool.put("controller", governor.name());
      pool.put("initial", described.size());
      pool.putAll(governor.settings());
    }
    return pool;
  }

  /** The clients in the words of the load description. */
  private static Map<String, Object> load(ClientDescription played, ModelFile file) {
    Map<String, Object> load = new LinkedHashMap<>();
    load.put("users", played.kind().toString());
    double think = played.clients().thinkTime().mean();
    if (think > 0) {
      load.put("think_time_ms", think * 1e3);
    }
    load.put(
        "phases",
        file.countedPhases(played).stream().map(phase -> phase(phase, played.kind())).toList());
    return load;
  }

  private static Map<String, Object> phase(Phase phase, ClientDescription.Kind kind) {
    boolean closed = kind == ClientDescription.Kind.CLOSED;
    Map<String, Object> level = new LinkedHashMap<>();
    // A warm-up may have taken the beginning of a ramp away; users there are whole ones.
    level.put(
        closed ? "users" : "rate_per_s", closed ? Math.round(phase.from()) : whole(phase.from()));
    if (phase.isRamp()) {
      level.put("to", closed ? Math.round(phase.to()) : whole(phase.to()));
    }
    level.put("seconds", phase.seconds());
    if (phase.requests() instanceof Requests.Mix mix) {
      level.put("requests", mix.probabilities());
    }
    return level;
  }

  private static Object whole(double level) {
    return level == Math.rint(level) ? (Object) (long) level : (Object) level;
  }

  /**
   * Returns how each pool was controlled, but for policies: they look at tasks, and a replay gives
   * windows.
   */
  private static Map<String, Object> setups(ModelFile file) {
    Map<String, Object> setups = new LinkedHashMap<>();
    file.pools()
        .forEach(
            (role, pool) -> {
              Governor governor = file.governors().get(role);
              if (governor == null || !governor.policy()) {
                Map<String, Object> setup = setup(pool, governor).document();
                file.instances(role).forEach(name -> setups.put(name, setup));
              }
            });
    return setups;
  }

  private static PoolSetup setup(Pool pool, @Nullable Governor governor) {
    return governor == null
        ? PoolSetup.of(
            "fixed",
            Map.of("size", Integer.toString(pool.size())),
            Objective.throughput(),
            pool.bounds())
        : PoolSetup.of(governor.name(), governor.settings(), governor.objective(), pool.bounds());
  }

  private static long nanos(double seconds) {
    return Math.round(seconds * SECOND);
  }

  @Override
  public void close() throws IOException {
    pools.close();
    load.close();
  }
}
