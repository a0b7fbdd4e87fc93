package io.poolkeeper.testbed.disk.run;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.poolkeeper.AdaptiveExecutor;
import io.poolkeeper.Controllers;
import io.poolkeeper.Mode;
import io.poolkeeper.linux.DiskSensor;
import io.poolkeeper.record.RunRecorder;
import io.poolkeeper.testbed.commands.Commands;
import io.poolkeeper.testbed.commands.Names;
import io.poolkeeper.testbed.commands.Ranges;
import io.poolkeeper.testbed.commands.StandardOutput;
import io.poolkeeper.testbed.controllers.EventPolicy;
import io.poolkeeper.testbed.controllers.Policies;
import io.poolkeeper.testbed.controllers.PolicyExecutor;
import io.poolkeeper.testbed.disk.Storage;
import io.poolkeeper.testbed.disk.Storage.BadStorage;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.IntStream;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** One run of an experiment on a disk, for the lab: prints one JSON object. */
@Command(
    name = "disk-run",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = "Runs a disk workload on a pool once, and prints what it took as JSON.")
public final class DiskRunMain implements Callable<Integer> {

  private static final int WARM_UP_JOBS = 20;
  private static final int MOST_WINDOW_MILLIS = 3_600_000;

  @Option(names = "--dir", required = true, description = "Folder for files; it must exist")
  private Path folder = Path.of("");

  @Option(names = "--phase", required = true, description = "workload:jobs:arrivals; in order")
  private List<String> phases = List.of();

  @Option(names = "--files", description = "Most files of a workload; default one for each job")
  private int files = Integer.MAX_VALUE;

  @Mixin private ControllerOptions contestant = new ControllerOptions();

  @Option(names = "--window", description = "Length of a window in ms; default the controller's")
  private int windowMillis;

  @Option(names = "--minimum", description = "Fewest workers; default ${DEFAULT-VALUE}")
  private int minimum = 1;

  @Option(names = "--maximum", description = "Most workers; default ${DEFAULT-VALUE}")
  private int maximum = 64;

  @Option(names = "--no-loop", description = "A fixed pool without sensor and without decisions")
  private boolean noLoop;

  @Option(
      names = "--threads",
      description = "Who does a job: pool, virtual, or virtual-to-pool; default ${DEFAULT-VALUE}")
  private String threads = "pool";

  @Spec private CommandSpec spec = CommandSpec.create();

  /** See {@code --help}. */
  public static void main(String[] args) {
    System.exit(StandardOutput.guard(System.err, out -> execute(out, System.err, args)));
  }

  /** Runs the command; returns its exit code. */
  static int execute(PrintStream out, PrintStream err, String... args) {
    return Commands.of(new DiskRunMain(), out, err, IllegalArgumentException.class::isInstance)
        .execute(args);
  }

  @Override
  public Integer call() throws BadStorage, IOException, InterruptedException {
    Ranges.require("--files", files, 1, Integer.MAX_VALUE);
    Ranges.require("--window", windowMillis, 0, MOST_WINDOW_MILLIS);
    List<Phase<PhaseWork>> parsed =
        phases.stream().map(phase -> Phase.parse(phase, PhaseWork::named)).toList();
    JobThreads doers = JobThreads.named(threads);
    int bytes = parsed.get(0).workload().workload().fileBytes();
    if (parsed.stream().anyMatch(phase -> phase.workload().workload().fileBytes() != bytes)) {
      throw new IllegalArgumentException("phases of one run must use files of one size");
    }
    Names.require("controller", contestant.name(), Policies.contestants());
    Storage storage = Storage.stated(folder);
    if (contestant.check()) {
      startAndClosePool();
      return CommandLine.ExitCode.OK;
    }
    int jobs = parsed.stream().mapToInt(Phase::jobs).sum();
    SourceFiles sources = SourceFiles.make(storage.folder(), bytes, Math.min(files, jobs));
    warmUp(parsed, sources);
    String cache = PageCache.drop(sources.files());
    DiskRun.Result result;
    Path record = contestant.record();
    if (record == null) {
      result = run(new DiskRun(parsed, sources, doers), pool());
    } else {
      try (RunRecorder recorder = new RunRecorder(record)) {
        result = run(new DiskRun(parsed, sources, doers), pool().listener(recorder));
      }
    }
    spec.commandLine().getOut().println(new ObjectMapper().writeValueAsString(json(result, cache)));
    return result.failed() == 0 ? CommandLine.ExitCode.OK : Commands.FAILED;
  }

  /** Lets the code of jobs be loaded and compiled a little; the cache is dropped afterwards. */
  private static void warmUp(List<Phase<PhaseWork>> phases, SourceFiles sources) throws BadStorage {
    try {
      for (Phase<PhaseWork> phase : phases) {
        for (int job : IntStream.range(0, Math.min(WARM_UP_JOBS, phase.jobs())).toArray()) {
          phase.workload().workload().run(sources.source(job), sources.copy(job));
        }
      }
    } catch (IOException e) {
      throw BadStorage.of(sources.folder(), e);
    }
  }

  private AdaptiveExecutor.Builder pool() {
    AdaptiveExecutor.Builder pool =
        AdaptiveExecutor.builder("disk").jmx(false).quiet().bounds(minimum, maximum);
    if (windowMillis > 0) {
      pool.window(Duration.ofMillis(windowMillis));
    }
    return noLoop ? pool : pool.sensor(DiskSensor::new);
  }

  private boolean isPolicy() {
    return Policies.all().stream().anyMatch(policy -> policy.name().equals(contestant.name()));
  }

  private EventPolicy policy() {
    return Policies.named(contestant.name(), contestant.settings());
  }

  /** Gives a pool its controller. */
  private AdaptiveExecutor.Builder controlled(AdaptiveExecutor.Builder pool) {
    String controller = contestant.name();
    Map<String, String> settings = contestant.settings();
    pool.controller(Controllers.named(controller, settings));
    pool.initialSize(
        controller.equals("fixed")
            ? Integer.parseInt(settings.getOrDefault("size", "1"))
            : contestant.initial());
    return contestant.adviceOnly() ? pool.mode(Mode.DRY_RUN) : pool;
  }

  private DiskRun.Result run(DiskRun run, AdaptiveExecutor.Builder pool)
      throws IOException, InterruptedException {
    return isPolicy() ? run.run(pool, policy()) : run.run(controlled(pool));
  }

  /** Finds what is wrong with the settings of the pool or of its controller. */
  private void startAndClosePool() {
    if (isPolicy()) {
      PolicyExecutor.start(pool(), policy()).close();
    } else {
      controlled(pool()).build().close();
    }
  }

  private Map<String, Object> json(DiskRun.Result result, String cache) {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("seconds", result.seconds());
    json.put("thread_seconds", result.threadSeconds());
    json.put("mean_size", result.meanSize());
    json.put("failed", result.failed());
    json.put("failure", result.failure());
    // What carriers of virtual threads did before they were found is in no sum.
    boolean complete = JobThreads.named(threads) != JobThreads.VIRTUAL;
    boolean measured = result.problem() == null && !noLoop && complete;
    json.put("logical_bytes", measured ? result.logicalBytes() : null);
    json.put("read_bytes", measured ? result.readBytes() : null);
    json.put("written_bytes", measured ? result.writtenBytes() : null);
    boolean blocked = measured && Double.isFinite(result.blockedSeconds());
    json.put("blocked_seconds", blocked ? result.blockedSeconds() : null);
    json.put("blocked_source", result.blockedSource());
    json.put("unmeasured_windows", result.unmeasured());
    json.put("problem", result.problem());
    json.put("page_cache", cache);
    json.put("figures", result.figures());
    return json;
  }
}
