package io.poolkeeper.testbed.load;

import com.sun.management.UnixOperatingSystemMXBean;
import io.poolkeeper.testbed.commands.BadInput;
import io.poolkeeper.testbed.commands.Commands;
import io.poolkeeper.testbed.commands.ProgressLine;
import io.poolkeeper.testbed.commands.StandardOutput;
import io.poolkeeper.testbed.commands.StopHook;
import io.poolkeeper.testbed.load.description.DescriptionReader;
import io.poolkeeper.testbed.load.description.LoadDescription;
import io.poolkeeper.testbed.load.http.Target;
import io.poolkeeper.testbed.load.measure.Schedule;
import io.poolkeeper.testbed.load.measure.Summary;
import io.poolkeeper.testbed.load.measure.Tally;
import io.poolkeeper.testbed.load.record.Outputs;
import io.poolkeeper.testbed.load.record.ProgressPrinter;
import io.poolkeeper.testbed.load.run.LoadRun;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The command that puts load on a server. */
@Command(
    name = "poolkeeper load",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    usageHelpWidth = 100,
    description = {
      "Sends HTTP/1.1 requests at a server as a load description says, and records the answers.",
      "closed: users send, wait for the answer, think, and send again; open: requests arrive at a",
      "rate, whatever becomes of those before; half-open: users arrive, send some requests, leave.",
      "Connections are kept alive. Response times count from when a request should have been sent,",
      "waiting for a connection and connecting included, until the last byte of the answer is read."
    },
    footer = {
      "",
      "Example: Poisson arrivals, from 0 to 200 a second within 15 s, then 800 a second for 5 s",
      "  cat > load.yaml <<'END'",
      "  clients:",
      "    kind: open",
      "    phases: [{rate: 0/s to 200/s, for: 15s}, {rate: 800/s, for: 5s}]",
      "  http: {home: /}",
      "  END",
      "  ./poolkeeper load --target http://127.0.0.1:8080 --record /tmp/run load.yaml",
      "",
      "contract/load-description.md says what else may stand there.",
      "DIR then holds load.csv (a row a second), latency.hlog (HdrHistogram log) and load.json",
      "(the summary). SIGTERM, Ctrl-C, or the end of standard input (unless it was at its end at",
      "the start, or held the description) stop the load; what was measured is kept.",
      "With --warm-up the load stays at its first level that is not 0, not recorded, until a line",
      "comes on standard input; then the load that was described begins, with the same users and",
      "connections.",
      "",
      "Exit code: 0 the load has ended, 1 it failed, 2 wrong input, 3 the record is incomplete"
    })
public final class LoadMain implements Callable<Integer> {

  private static final int RECORD_INCOMPLETE = 3;

  private static final int MOST_THREADS = 64;
  private static final Duration PATIENCE = Duration.ofSeconds(5);
  private static final Duration LONGEST_STOP = Duration.ofSeconds(10);

  /** Files that a Java process has open besides the connections. */
  private static final int OTHER_FILES = 64;

  private static final String STANDARD_INPUT = "-";

  private static final long MEMORY = Runtime.getRuntime().maxMemory();

  @Parameters(
      paramLabel = "FILE",
      arity = "0..1",
      defaultValue = STANDARD_INPUT,
      description = "The load description, YAML or JSON; - or nothing for standard input")
  private String file = STANDARD_INPUT;

  @Option(
      names = "--target",
      required = true,
      paramLabel = "URL",
      description = "The server, as http://127.0.0.1:8080")
  private String url = "";

  @Option(
      names = "--record",
      paramLabel = "DIR",
      description = "Writes what was measured there; must not hold a load already")
  private @Nullable Path folder;

  @Option(
      names = "--jtl",
      description = "Writes samples.jtl there, too: a row a request, as JMeter does")
  private boolean jtl;

  @Option(
      names = "--progress",
      description =
          "Prints when it begins and a line of JSON a second, instead of a summary at the end")
  private boolean progress;

  @Option(
      names = "--warm-up",
      description = "Warms the server up first, until a line comes on standard input")
  private boolean warmUp;

  @Option(
      names = "--threads",
      defaultValue = "1",
      paramLabel = "N",
      description = "Load threads; a warning says when they are too few. Default: ${DEFAULT-VALUE}")
  private int threads = 1;

  @Option(
      names = "--allow-remote",
      description = "Lets the target be on another machine than this one")
  private boolean allowRemote;

  private final InputStream in;
  private final PrintStream out;
  private final PrintStream err;
  private final Caller caller = new Caller();

  LoadMain(InputStream in, PrintStream out, PrintStream err) {
    this.in = in;
    this.out = out;
    this.err = err;
  }

  /** See {@code --help}. */
  public static void main(String[] args) {
    System.exit(StandardOutput.guard(System.err, out -> execute(System.in, out, System.err, args)));
  }

  /** Runs the command; returns its exit code. */
  static int execute(InputStream in, PrintStream out, PrintStream err, String... args) {
    return Commands.of(new LoadMain(in, out, err), out, err, e -> e instanceof BadInput)
        .execute(args);
  }

  @Override
  public Integer call() throws BadInput, IOException, InterruptedException {
    if (jtl && folder == null) {
      throw new BadInput("--jtl needs --record");
    }
    if (threads < 1 || threads > MOST_THREADS) {
      throw new BadInput("--threads must be within 1.." + MOST_THREADS + ", but is " + threads);
    }
    if (warmUp && file.equals(STANDARD_INPUT)) {
      throw new BadInput("--warm-up needs a FILE: standard input says when it ends");
    }
    Target target = Target.parse(url, allowRemote);
    LoadDescription load = describe();
    checkOpenFiles(load);
    target.check(load.timeout().compareTo(PATIENCE) < 0 ? load.timeout() : PATIENCE);
    ProgressPrinter spoken =
        progress ? null : new ProgressPrinter(load, err, ProgressLine.onTerminal());
    try (Outputs outputs =
        new Outputs(folder, jtl, progress ? out : null, spoken, load, target, this::warn)) {
      LoadRun run = new LoadRun(load, target, threads, warmUp, outputs.samples(), outputs);
      return run(run, outputs, spoken);
    }
  }

  private LoadDescription describe() throws BadInput, IOException {
    if (file.equals(STANDARD_INPUT)) {
      if (ProgressLine.onTerminal() && in.available() == 0) {
        err.println(
            "poolkeeper: no FILE is given, so the load description is awaited on standard input");
      }
      return DescriptionReader.read("load description", in, MEMORY);
    }
    Thread watch = new Thread(() -> caller.listen(in), "standard-input");
    watch.setDaemon(true);
    watch.start();
    Path path = Path.of(file);
    if (!Files.isReadable(path) || Files.isDirectory(path)) {
      throw new BadInput("load description '" + file + "' is not a file that can be read");
    }
    try (InputStream opened = Files.newInputStream(path)) {
      return DescriptionReader.read(file, opened, MEMORY);
    }
  }

  private static void checkOpenFiles(LoadDescription load) throws BadInput {
    if (ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean system) {
      long limit = system.getMaxFileDescriptorCount();
      int connections = load.maximumConnections();
      if (connections + OTHER_FILES > limit) {
        throw new BadInput(
            "load description: %d connections are needed, but this process may open only %d files;"
                    .formatted(connections, limit)
                + " raise ulimit -n");
      }
    }
  }

  private int run(LoadRun run, Outputs outputs, @Nullable ProgressPrinter spoken)
      throws InterruptedException {
    StopHook hook = new StopHook(run::stop, LONGEST_STOP, err);
    try {
      caller.controls(run, warmUp);
      Summary summary = run.run();
      outputs.finish(summary);
      return tell(summary, outputs.problem(), spoken);
    } finally {
      hook.close();
    }
  }

  private int tell(Summary summary, @Nullable String problem, @Nullable ProgressPrinter spoken) {
    summary.warnings().forEach(this::warn);
    if (spoken != null) {
      spoken.phases().forEach(out::println);
      print(summary);
    }
    out.flush();
    if (problem == null) {
      return 0;
    }
    // Once more, since whoever started this looks at the last line.
    err.println("poolkeeper: " + problem);
    return RECORD_INCOMPLETE;
  }

  private void warn(String text) {
    err.println("poolkeeper: warning: " + text);
  }

  private void print(Summary summary) {
    Tally tally = summary.tally();
    out.printf(
        Locale.ROOT,
        "%d requests in %.1f s: %.0f/s successful, %d errors%s%n",
        tally.requests(),
        summary.seconds(),
        summary.throughput(),
        tally.errors(),
        tally.errors() == 0 ? "" : " " + tally.errorsByKind());
    if (tally.requests() > tally.errors()) {
      out.printf(
          Locale.ROOT,
          "response time: mean %.3f ms, 50 %% %.3f ms, 99 %% %.3f ms, maximum %.3f ms%n",
          tally.responses().getMean() / 1e6,
          tally.responses().getValueAtPercentile(50) / 1e6,
          tally.responses().getValueAtPercentile(99) / 1e6,
          tally.responses().getMaxValue() / 1e6);
    }
    Schedule schedule = summary.schedule();
    if (schedule != null) {
      out.printf(
          Locale.ROOT,
          "%d requests offered, %.1f/s; %d sent, half of them up to %.3f ms late, 99 %% up to %.3f"
              + " ms; %d waited for a connection%n",
          schedule.offered(),
          schedule.rate(),
          schedule.sent(),
          schedule.lags().getValueAtPercentile(50) / 1e6,
          schedule.lags().getValueAtPercentile(99) / 1e6,
          schedule.waited());
    }
    out.printf(Locale.ROOT, "CPU used: %.2f s%n", summary.cpu() / 1e9);
    if (folder != null) {
      out.printf("recorded in %1$s; ./poolkeeper analyze %1$s/latency.hlog says more%n", folder);
    }
  }
}
