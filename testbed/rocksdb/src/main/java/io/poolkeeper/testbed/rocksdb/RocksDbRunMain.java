package io.poolkeeper.testbed.rocksdb;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.poolkeeper.ControlListener;
import io.poolkeeper.record.RunRecorder;
import io.poolkeeper.testbed.commands.Commands;
import io.poolkeeper.testbed.commands.Ranges;
import io.poolkeeper.testbed.commands.StandardOutput;
import io.poolkeeper.testbed.disk.Leftovers;
import io.poolkeeper.testbed.disk.Neighbour;
import io.poolkeeper.testbed.disk.Storage;
import io.poolkeeper.testbed.disk.run.ControllerOptions;
import io.poolkeeper.testbed.disk.run.Phase;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;
import org.rocksdb.Env;
import org.rocksdb.Priority;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** One run of an experiment on RocksDB, for the lab: prints one JSON object. */
@Command(
    name = "rocksdb-run",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = "Writes to a new RocksDB once, and prints what it took as JSON.")
public final class RocksDbRunMain implements Callable<Integer> {

  private static final long BETWEEN_LOOKS = 20_000_000;
  private static final int MOST_THREADS = 999;

  @Option(names = "--dir", required = true, description = "Folder for the database; it must exist")
  private Path folder = Path.of("");

  @Option(names = "--phase", required = true, description = "workload:writes:arrivals; in order")
  private List<String> phases = List.of();

  @Mixin private ControllerOptions options = new ControllerOptions();

  @Option(names = "--maximum", description = "Most of each kind; default ${DEFAULT-VALUE}")
  private int maximum = 16;

  @Option(names = "--layout", description = "Families and memtables; default ${DEFAULT-VALUE}")
  private String layout = Layout.STANDARD;

  @Spec private CommandSpec spec = CommandSpec.create();

  /** See {@code --help}. */
  public static void main(String[] args) {
    System.exit(StandardOutput.guard(System.err, out -> execute(out, System.err, args)));
  }

  /** Runs the command; returns its exit code. */
  static int execute(PrintStream out, PrintStream err, String... args) {
    return Commands.of(new RocksDbRunMain(), out, err, IllegalArgumentException.class::isInstance)
        .execute(args);
  }

  @Override
  public Integer call() throws Exception {
    Ranges.require("--maximum", maximum, 1, MOST_THREADS);
    Ranges.require("--initial", options.initial(), 1, maximum);
    List<Phase<Workload>> parsed =
        phases.stream().map(phase -> Phase.parse(phase, Workload::named)).toList();
    Contestant contestant =
        new Contestant(
            options.name(), options.settings(), options.initial(), maximum, options.adviceOnly());
    Layout shape = Layout.parse(layout);
    Storage storage = Storage.stated(folder);
    if (options.check()) {
      int unusedCeiling = contestant.ceiling(); // Reads the size.
      return CommandLine.ExitCode.OK;
    }
    int unused = Leftovers.remove(storage.folder());
    Path record = options.record();
    if (record == null) {
      print(run(storage.folder(), contestant, shape, parsed, new ControlListener() {}));
    } else {
      try (RunRecorder recorder = new RunRecorder(record)) {
        print(run(storage.folder(), contestant, shape, parsed, recorder));
      }
    }
    return CommandLine.ExitCode.OK;
  }

  private void print(Map<String, Object> json) throws Exception {
    spec.commandLine().getOut().println(new ObjectMapper().writeValueAsString(json));
  }

  @SuppressWarnings("try") // What sizes the threads and the neighbour work by being there.
  private static Map<String, Object> run(
      Path place,
      Contestant contestant,
      Layout layout,
      List<Phase<Workload>> phases,
      ControlListener listener)
      throws Exception {
    Map<String, Object> figures = new LinkedHashMap<>();
    Histogram times = new Histogram(3);
    ThreadSeconds threads = new ThreadSeconds();
    long operations = 0;
    try (Store store = new Store(place, layout, contestant.ceiling(), contestant.limiter())) {
      Load load = new Load(store, () -> false);
      try (AutoCloseable sizing = contestant.start(store, listener);
          Companion looks = threads.start()) {
        for (Phase<Workload> phase : phases) {
          Load.Result result = run(place, load, phase);
          operations += result.operations();
          times.add(result.times());
          if (phases.size() > 1) {
            String name = (figures.size() / 2 + 1) + " " + phase.workload().text();
            figures.put(name + ", writes/s", result.operationsPerSecond());
            figures.put(name + ", p99 ms", result.times().getValueAtPercentile(99) / 1e6);
          }
        }
        store.flush();
      }
      figures.put("writes/s", operations / threads.seconds);
      figures.put("p99 of writes, ms", times.getValueAtPercentile(99) / 1e6);
      figures.put("p99.9 of writes, ms", times.getValueAtPercentile(99.9) / 1e6);
      figures.put("stalls, s", store.stallSeconds());
    }
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("seconds", threads.seconds);
    json.put("thread_seconds", threads.sum);
    json.put("mean_size", threads.sum / threads.seconds);
    json.put("failed", 0);
    json.put("blocked_source", "none");
    json.put("figures", figures);
    return json;
  }

  @SuppressWarnings("try")
  private static Load.Result run(Path place, Load load, Phase<Workload> phase) throws Exception {
    try (AutoCloseable neighbour = phase.workload().neighbour() ? new Neighbour(place) : () -> {}) {
      return load.run(phase.workload(), phase.jobs(), phase.gapNanos(), Long.MAX_VALUE / 2);
    }
  }

  /** Time for which there were how many threads, flushes and compactions together. */
  private static final class ThreadSeconds {
    private final Env env = Env.getDefault();
    private double sum;
    private double seconds;

    Companion start() {
      return Companion.start("thread-seconds", this::look);
    }

    private void look(AtomicBoolean over) {
      long start = System.nanoTime();
      long last = start;
      while (!over.get()) {
        int threads =
            env.getBackgroundThreads(Priority.HIGH) + env.getBackgroundThreads(Priority.LOW);
        LockSupport.parkNanos(BETWEEN_LOOKS);
        long now = System.nanoTime();
        sum += threads * (now - last) / 1e9;
        last = now;
      }
      seconds = (last - start) / 1e9;
    }
  }
}
