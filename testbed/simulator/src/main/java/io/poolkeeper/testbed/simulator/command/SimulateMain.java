package io.poolkeeper.testbed.simulator.command;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.poolkeeper.testbed.commands.BadInput;
import io.poolkeeper.testbed.commands.Commands;
import io.poolkeeper.testbed.commands.Folders;
import io.poolkeeper.testbed.commands.StandardOutput;
import io.poolkeeper.testbed.commands.StopHook;
import io.poolkeeper.testbed.simulator.Result;
import io.poolkeeper.testbed.simulator.file.ModelFile;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The command {@code ./poolkeeper simulate}. */
@Command(
    name = "poolkeeper simulate",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Plays models of services in virtual time, and says what came out with confidence intervals.",
      "Several models are variants of one experiment, compared with the first. Ctrl-C keeps what"
          + " there is."
    },
    footer = {
      "",
      "Example: poolkeeper simulate experiments/simulate/machine-repairman.yaml",
      "What may stand in a model is in docs/simulate.md.",
      "Exit code: 0 done, 1 failed, 2 wrong input, 130 interrupted."
    })
final class SimulateMain implements Callable<Integer> {

  private static final int INTERRUPTED = 130;
  private static final Duration LONGEST_STOP = Duration.ofSeconds(20);
  private static final int MOST_JOBS = 1024;
  private static final DateTimeFormatter MOMENT = DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss");

  @Parameters(arity = "1..*", paramLabel = "MODEL", description = "Model files.")
  private List<Path> files = List.of();

  @Option(
      names = "--jobs",
      paramLabel = "N",
      description = "Runs at the same time. Default: as many as there are processors.")
  private int jobs = Runtime.getRuntime().availableProcessors();

  @Option(names = "--json", description = "Print JSON in place of tables.")
  private boolean json;

  @Option(
      names = {"-o", "--output"},
      paramLabel = "DIR",
      description = "Folder for the records. Default: runs/NAME-DATE-TIME")
  private @Nullable Path output;

  @Option(names = "--no-record", description = "Leave no records.")
  private boolean noRecord;

  private final PrintStream out;
  private final PrintStream err;
  private volatile boolean stopped;

  SimulateMain(PrintStream out, PrintStream err) {
    this.out = out;
    this.err = err;
  }

  /** See {@code --help}. */
  public static void main(String[] args) {
    System.exit(StandardOutput.guard(System.err, out -> execute(out, System.err, args)));
  }

  /** Runs the command; returns its exit code. */
  static int execute(PrintStream out, PrintStream err, String... args) {
    return Commands.of(new SimulateMain(out, err), out, err, e -> e instanceof BadInput)
        .execute(args);
  }

  @Override
  public Integer call() throws Exception {
    List<ModelFile> models = models();
    StopHook hook = new StopHook(() -> stopped = true, LONGEST_STOP, err);
    try {
      return play(models);
    } finally {
      hook.close();
    }
  }

  private List<ModelFile> models() throws BadInput {
    if (jobs < 1 || jobs > MOST_JOBS) {
      throw new BadInput("--jobs must be within 1.." + MOST_JOBS + ", but is " + jobs);
    }
    if (noRecord && output != null) {
      throw new BadInput("--no-record and --output exclude each other");
    }
    if (output != null && Files.exists(output)) {
      throw new BadInput("--output: " + output + " is there already; name another folder");
    }
    List<ModelFile> models = new ArrayList<>();
    Set<String> names = new HashSet<>();
    for (Path path : files) {
      ModelFile model = ModelFile.read(path);
      if (!names.add(model.name())) {
        throw new BadInput(path + ": two models are called " + model.name());
      }
      new LoadEstimate(model).check(Math.min(jobs, model.run().runs()));
      models.add(model);
    }
    if (output != null) {
      Folders.make("--output", output);
    }
    return models;
  }

  private int play(List<ModelFile> models) throws IOException, InterruptedException {
    String experiment = models.size() == 1 ? models.get(0).name() : "simulate";
    Path folder =
        output != null
            ? output
            : Path.of(
                "runs",
                experiment + "-" + LocalDateTime.now(ZoneId.systemDefault()).format(MOMENT));
    List<Map<String, Object>> documents = new ArrayList<>();
    for (ModelFile model : models) {
      long began = System.nanoTime();
      List<Result> results = results(model, experiment, models, folder);
      if (results.isEmpty()) {
        err.println("poolkeeper: " + model.name() + " was stopped before anything could be told");
        break;
      }
      Summary summary = Summary.of(model.run().method(), results);
      if (json) {
        documents.add(JsonSummary.of(model, summary, warnings(model, summary)));
      } else {
        List<String> warnings = warnings(model, summary);
        out.println(Table.of(model, summary, warnings, (System.nanoTime() - began) / 1e9));
        out.println();
      }
      if (stopped) {
        break;
      }
    }
    if (json) {
      Object all = documents.size() == 1 ? documents.get(0) : documents;
      out.println(new ObjectMapper().writerWithDefaultPrettyPrinter().writeValueAsString(all));
    }
    if (!noRecord) {
      (json ? err : out).println("record: " + folder + " (./poolkeeper report " + folder + ")");
    }
    return stopped ? INTERRUPTED : 0;
  }

  private static List<String> warnings(ModelFile model, Summary summary) {
    List<String> warnings = new ArrayList<>(new LoadEstimate(model).warnings());
    for (Summary.Requests each : summary.requests()) {
      if (each.throughput().value() == 0) {
        warnings.add(
            "%s: no '%s' was answered in the time that counts"
                .formatted(each.clients(), each.request()));
      }
    }
    if (summary.runs() < model.run().runs()) {
      warnings.add(
          "stopped early: %d of %d replications ended"
              .formatted(summary.runs(), model.run().runs()));
    } else if (summary.seconds() < model.run().counted() * (1 - 1e-9)) {
      warnings.add(
          String.format(
              Locale.ROOT,
              "stopped early: the batches that ended are %.0f of %.0f virtual s",
              summary.seconds(),
              model.run().counted()));
    }
    return warnings;
  }

  /** The runs that ended, in the order of their seeds, so that the result is always the same. */
  private List<Result> results(
      ModelFile model, String experiment, List<ModelFile> models, Path folder)
      throws InterruptedException, IOException {
    int runs = model.run().runs();
    Optional<String> versus =
        models.size() > 1 ? Optional.of(models.get(0).name()) : Optional.empty();
    RunRecord.Command command = new RunRecord.Command(experiment, versus, words());
    ExecutorService threads = Executors.newFixedThreadPool(Math.min(jobs, runs));
    try (Progress progress = new Progress(model.name(), runs, model.run().seconds(), err)) {
      List<Future<Optional<Result>>> futures = new ArrayList<>();
      for (int run = 0; run < runs; run++) {
        int repetition = run;
        Player player =
            new Player(
                model,
                repetition,
                at -> {
                  progress.reached(repetition, at);
                  return !stopped;
                });
        Path place = folder.resolve(model.name()).resolve(Integer.toString(repetition));
        futures.add(
            threads.submit(
                () ->
                    stopped
                        ? Optional.empty()
                        : noRecord ? player.play() : player.record(place, command)));
      }
      List<Result> results = new ArrayList<>();
      for (Future<Optional<Result>> future : futures) {
        future.get().ifPresent(results::add);
      }
      return results;
    } catch (ExecutionException e) {
      throw failure(model, folder, e.getCause());
    } finally {
      stopped |= Thread.interrupted();
      threads.shutdownNow();
    }
  }

  private static IOException failure(ModelFile model, Path folder, @Nullable Throwable cause) {
    Throwable io = cause instanceof UncheckedIOException unchecked ? unchecked.getCause() : cause;
    if (io instanceof IOException failed) {
      String reason = Folders.reason(failed);
      return new IOException(folder + ": the record cannot be written: " + reason, failed);
    }
    String why =
        cause instanceof OutOfMemoryError
            ? "the memory does not suffice; --jobs 1 needs less"
            : cause == null || cause.getMessage() == null
                ? String.valueOf(cause)
                : cause.getMessage();
    return new IOException(model.path() + ": " + why, cause);
  }

  private List<String> words() {
    List<String> words = new ArrayList<>(List.of("poolkeeper", "simulate"));
    files.forEach(file -> words.add(file.toString()));
    return words;
  }
}
