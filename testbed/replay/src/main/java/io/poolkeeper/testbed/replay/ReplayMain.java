package io.poolkeeper.testbed.replay;

import io.poolkeeper.Bounds;
import io.poolkeeper.Controller;
import io.poolkeeper.record.PoolSetup;
import io.poolkeeper.spi.ControllerDescriptor;
import io.poolkeeper.testbed.commands.StandardOutput;
import io.poolkeeper.testbed.controllers.Descriptors;
import io.poolkeeper.testbed.controllers.Policies;
import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The command that replays a recorded run. */
@Command(
    name = "./poolkeeper replay",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Asks a controller about the windows of a recorded run, as its control loop would have.",
      "",
      "The controller of the recording decides the same again, to the last bit; if it does not, it",
      "is not the one that ran. Another one, or other settings, show where they would have decided",
      "otherwise. Every window was measured at the recorded size: a replay tells what would have",
      "been decided, not what would have come of it."
    },
    footer = {
      "",
      "Examples",
      "  ./poolkeeper replay runs/demo-20260101-120000/adaptive-1",
      "  ./poolkeeper replay RUN --set threshold=0.2      the same controller, less easily content",
      "  ./poolkeeper replay RUN --controller throughput --csv > decisions.csv",
      "",
      "./poolkeeper controllers lists the controllers and their settings.",
      "Exit code: 0 replayed, 1 the controller of the recording decided otherwise, 2 wrong input.",
      "Of a partial record, which begins after its pool, it may decide otherwise: 0"
    })
public final class ReplayMain implements Callable<Integer> {

  /** Sizes that a pool may have where the record does not tell them, as older ones do not. */
  private static final Bounds UNKNOWN = new Bounds(1, Integer.MAX_VALUE);

  @Parameters(paramLabel = "RUN", description = "Folder of the run: the one that holds windows.csv")
  private Path folder = Path.of("");

  @Option(
      names = "--controller",
      paramLabel = "NAME",
      description = "Who is asked. Default: the controller of the recording")
  private @Nullable String controller;

  @Option(
      names = "--set",
      paramLabel = "SETTING=VALUE",
      description =
          "A setting of it, in place of the recorded or the standard one; may be repeated")
  private Map<String, String> settings = new LinkedHashMap<>();

  @Option(
      names = "--pool",
      paramLabel = "NAME",
      description = "Only this pool. Default: all of the run")
  private @Nullable String pool;

  @Option(names = "--all", description = "Lists every window, not only where the answers differ")
  private boolean all;

  @Option(
      names = "--csv",
      description = "Prints all windows as CSV; the summary goes to the errors")
  private boolean csv;

  @Spec private CommandSpec spec = CommandSpec.create();

  /** See {@code --help}. */
  public static void main(String[] args) {
    System.exit(StandardOutput.guard(System.err, out -> execute(out, System.err, args)));
  }

  /** Runs the command; returns its exit code. */
  static int execute(PrintStream out, PrintStream err, String... args) {
    return Runner.execute(new ReplayMain(), out, err, args);
  }

  @Override
  public Integer call() throws IOException {
    CommandLine line = spec.commandLine();
    Recording recording = Recording.read(folder);
    List<Result> results = new ArrayList<>();
    for (Recording.Pool chosen : recording.chosen(pool)) {
      results.add(replay(recording, chosen));
    }
    PrintWriter out = line.getOut();
    if (csv) {
      out.println(Result.CSV_HEADER);
    }
    for (Result result : results) {
      if (csv) {
        result.csv(out);
      } else {
        result.table(all).forEach(out::println);
      }
      result.summary().forEach(csv ? line.getErr()::println : out::println);
    }
    return results.stream().anyMatch(Result::broken)
        ? CommandLine.ExitCode.SOFTWARE
        : CommandLine.ExitCode.OK;
  }

  private Result replay(Recording recording, Recording.Pool chosen) {
    Optional<PoolSetup> setup = chosen.setup();
    String name = controller == null ? chosen.controller().orElse(null) : controller;
    if (name == null) {
      throw new IllegalArgumentException(
          "%s: the record does not tell who controlled the pool %s; name one with --controller"
              .formatted(folder, chosen.name()));
    }
    requireController(name);
    boolean sameName = name.equals(chosen.controller().orElse(null));
    Map<String, String> recorded = new LinkedHashMap<>();
    if (sameName) {
      requireSound(chosen);
      setup.ifPresent(found -> recorded.putAll(found.settings()));
    }
    Map<String, String> given = new LinkedHashMap<>(recorded);
    given.putAll(settings);
    ControllerDescriptor<Controller> descriptor = Descriptors.controller(name);
    Descriptors.requireSettings(descriptor, given);
    Bounds bounds = setup.map(PoolSetup::bounds).orElse(UNKNOWN);
    List<Answer> answers = Replay.run(chosen, descriptor.make(given), bounds);
    return new Result(
        recording,
        chosen,
        name,
        descriptor.complete(given),
        sameName && chosen.wasControlled() && given.equals(recorded),
        bounds,
        answers);
  }

  /** Tells what is wrong in the record, with its place, before anything that was given here. */
  private void requireSound(Recording.Pool chosen) {
    try {
      chosen.controller().ifPresent(Descriptors::controller);
      chosen.setup().ifPresent(PoolSetup::newController);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "%s, pool %s: %s".formatted(folder.resolve("run.json"), chosen.name(), e.getMessage()),
          e);
    }
  }

  private static void requireController(String name) {
    if (Policies.all().stream().anyMatch(policy -> policy.name().equals(name))) {
      throw new IllegalArgumentException(
          name + " decides at the arrival and end of tasks, of which a record of windows has none");
    }
  }
}
