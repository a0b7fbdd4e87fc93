package io.poolkeeper.testbed.tunnel;

import io.poolkeeper.testbed.commands.BadInput;
import io.poolkeeper.testbed.commands.Commands;
import io.poolkeeper.testbed.commands.Names;
import io.poolkeeper.testbed.commands.StandardOutput;
import io.poolkeeper.testbed.commands.StopHook;
import io.poolkeeper.testbed.tunnel.course.Loads;
import io.poolkeeper.testbed.tunnel.drawn.Draw;
import io.poolkeeper.testbed.tunnel.drawn.Draws;
import io.poolkeeper.testbed.tunnel.drawn.Summary;
import io.poolkeeper.testbed.tunnel.flight.Noise;
import io.poolkeeper.testbed.tunnel.flight.SimulatedFlight;
import io.poolkeeper.testbed.tunnel.plan.Cell;
import io.poolkeeper.testbed.tunnel.plan.Contestant;
import io.poolkeeper.testbed.tunnel.plan.Contestants;
import io.poolkeeper.testbed.tunnel.plan.Plan;
import io.poolkeeper.testbed.tunnel.plant.Curve;
import io.poolkeeper.testbed.tunnel.plant.Plants;
import io.poolkeeper.testbed.tunnel.results.Catalogue;
import io.poolkeeper.testbed.tunnel.results.Results;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The command that makes the runs of the wind tunnel. */
@Command(
    name = "tunnel",
    sortOptions = false,
    mixinStandardHelpOptions = true,
    description = {
      "Runs controllers on simulated pools whose best sizes are known, and scores them.",
      "",
      "DIR then holds results.csv (a line a run), curves.csv (sizes and throughput over time) and",
      "tunnel.json (what they speak of). Ctrl-C keeps all runs that have ended."
    },
    footer = {"", "Exit code: 0 all runs are there, 1 some failed, 2 wrong input, 130 interrupted"})
public final class TunnelMain implements Callable<Integer> {

  private static final int QUICK_SEEDS = 2;
  private static final int FULL_SEEDS = 4;
  private static final int FULL_PRECISE_SEEDS = 20;
  private static final int MOST_SEEDS = 1000;
  private static final int MOST_DRAWN = 1000;
  private static final long MOST_SEED = 1_000_000_000;
  private static final Duration LONGEST_STOP = Duration.ofSeconds(10);

  @Option(names = "--quick", description = "A few plants and loads of different character")
  private boolean quick;

  @Option(
      names = "--controllers",
      split = ",",
      paramLabel = "NAME",
      description = "Only these controllers and policies; fixed-N is a fixed size. Default: all")
  private List<String> controllers = List.of();

  @Option(names = "--plants", split = ",", paramLabel = "NAME", description = "Only these plants")
  private List<String> plants = List.of();

  @Option(names = "--loads", split = ",", paramLabel = "NAME", description = "Only these loads")
  private List<String> loads = List.of();

  @Option(
      names = "--noise",
      split = ",",
      paramLabel = "NAME",
      description = "These kinds of noise with every plant and load chosen")
  private List<String> noises = List.of();

  @Option(
      names = "--seeds",
      paramLabel = "N",
      description = {
        "Runs of each controller in each cell. Default: 4, and 20 of response-curve and best-fixed;",
        "2 in the quick form"
      })
  private @Nullable Integer seeds;

  @Option(
      names = "--drawn",
      paramLabel = "COUNT",
      description = {
        "So many plants drawn at random, each with a load and a noise, ten minutes each, in place of",
        "the plants of the tunnel; beside them if --quick, --plants, --loads, --noise or --seeds is",
        "given as well. The name of a drawn plant ends with its seed: --drawn 1 --seed 142 is",
        "plant comb-142 again"
      })
  private @Nullable Integer drawn;

  @Option(
      names = "--seed",
      paramLabel = "N",
      description = {
        "Seed of the first drawn plant; the others follow. Seeds below 1000 are for tuning, those",
        "from 1000 on for reports: nobody tunes on them. Default: 1"
      })
  private @Nullable Long seed;

  @Option(
      names = "--largest",
      paramLabel = "N",
      description = {
        "Largest size of every pool, as where a database takes so many connections; the optimum is",
        "the best size up to it. From 2 to 256. Default: 256"
      })
  private int largest = Curve.LARGEST;

  @Option(
      names = {"-o", "--output"},
      required = true,
      paramLabel = "DIR",
      description = "Folder for the results")
  private Path folder = Path.of("");

  @Option(names = "--resume", description = "Keeps what DIR holds and makes what is missing")
  private boolean resume;

  @Option(
      names = "--jobs",
      paramLabel = "N",
      description = "Runs at the same time. Default: the number of processors")
  private int jobs = Runtime.getRuntime().availableProcessors();

  @Option(names = "--live", hidden = true, description = "Rewrites the progress line")
  private boolean live;

  @Option(names = "--command", hidden = true, description = "The command that people typed")
  private String command = "";

  private final PrintStream out;
  private final PrintStream err;

  TunnelMain(PrintStream out, PrintStream err) {
    this.out = out;
    this.err = err;
  }

  /** See {@code --help}. */
  public static void main(String[] args) {
    System.exit(StandardOutput.guard(System.err, out -> execute(out, System.err, args)));
  }

  /** Runs the command; returns its exit code. */
  static int execute(PrintStream out, PrintStream err, String... args) {
    return Commands.of(new TunnelMain(out, err), out, err, e -> e instanceof BadInput)
        .execute(args);
  }

  @Override
  public Integer call() throws BadInput, IOException, InterruptedException {
    if (largest < 2 || largest > Curve.LARGEST) {
      throw new BadInput(
          "--largest must be within 2..%d, but is %d".formatted(Curve.LARGEST, largest));
    }
    List<Draw> draws = draws();
    List<Cell> drawnCells = draws.stream().map(Draw::cell).toList();
    Plan plan =
        draws.isEmpty() || choosesCells()
            ? plan().with(drawnCells)
            : new Plan(List.of(), contestants(), 1, 1).with(drawnCells);
    try {
      return call(plan, draws);
    } catch (IOException e) {
      throw new IOException(
          "%s: %s; runs that have ended are kept, and --resume continues"
              .formatted(folder, e.getMessage()),
          e);
    }
  }

  private int call(Plan plan, List<Draw> draws) throws BadInput, IOException, InterruptedException {
    if (jobs < 1) {
      throw new BadInput("--jobs must be >= 1, but is " + jobs);
    }
    if (!resume && Results.in(folder)) {
      throw new BadInput("%s holds results; --resume adds to them".formatted(folder));
    }
    try (Results results = new Results(folder)) {
      Tunnel tunnel = new Tunnel(plan, new SimulatedFlight(), results, largest);
      Catalogue catalogue =
          new Catalogue(
              command,
              Instant.now().truncatedTo(ChronoUnit.SECONDS).toString(),
              plan.contestants(),
              draws,
              largest);
      catalogue.write(folder, 0);
      fly(plan, tunnel, catalogue);
      if (!draws.isEmpty() && command.isEmpty()) {
        List<String> names = plan.contestants().stream().map(Contestant::name).toList();
        new Summary(draws, names, Results.lines(folder)).text().forEach(out::println);
      }
      tunnel.failures().stream().limit(10).forEach(line -> err.println("poolkeeper: " + line));
      return tunnel.failures().isEmpty() ? 0 : Commands.FAILED;
    }
  }

  private void fly(Plan plan, Tunnel tunnel, Catalogue catalogue)
      throws BadInput, IOException, InterruptedException {
    int missing = tunnel.missing();
    err.printf(
        "tunnel: %,d controllers in %,d cells, %,d runs%s, %d at a time%n",
        plan.contestants().size(),
        plan.cells().size(),
        plan.runs(),
        missing < plan.runs() ? ", %,d of them missing".formatted(missing) : "",
        jobs);
    StopHook hook = new StopHook(tunnel::stop, LONGEST_STOP, err);
    try (Progress progress = new Progress(missing, tunnel::made, live, err)) {
      tunnel.run(jobs);
      catalogue.write(folder, progress.seconds());
    } finally {
      hook.close();
    }
  }

  private Plan plan() throws BadInput {
    if (seeds != null && (seeds < 1 || seeds > MOST_SEEDS)) {
      throw new BadInput("--seeds must be within 1..%d, but is %d".formatted(MOST_SEEDS, seeds));
    }
    int usual = seeds != null ? seeds : quick ? QUICK_SEEDS : FULL_SEEDS;
    int precise = seeds != null || quick ? usual : FULL_PRECISE_SEEDS;
    Plan.Choice choice =
        new Plan.Choice(
            quick,
            chosen("plant", plants, Plants.ALL),
            chosen("load", loads, Loads.ALL),
            chosen("noise", noises, Noise.ALL));
    return new Plan(Plan.cells(choice), contestants(), usual, precise);
  }

  private List<Draw> draws() throws BadInput {
    if (drawn == null) {
      if (seed != null) {
        throw new BadInput("--seed is the first seed of drawn plants; give --drawn COUNT as well");
      }
      return List.of();
    }
    if (drawn < 1 || drawn > MOST_DRAWN) {
      throw new BadInput("--drawn must be within 1..%d, but is %d".formatted(MOST_DRAWN, drawn));
    }
    if (seed != null && (seed < 0 || seed > MOST_SEED)) {
      throw new BadInput("--seed must be within 0..%d, but is %d".formatted(MOST_SEED, seed));
    }
    return Draws.of(seed == null ? 1 : seed, drawn);
  }

  /** Whether plants of the tunnel are asked for, too. */
  private boolean choosesCells() {
    return quick || seeds != null || !plants.isEmpty() || !loads.isEmpty() || !noises.isEmpty();
  }

  private List<Contestant> contestants() throws BadInput {
    Contestants all = new Contestants(largest);
    if (controllers.isEmpty()) {
      return List.copyOf(all.all());
    }
    List<Contestant> chosen = new ArrayList<>();
    for (String name : controllers) {
      try {
        chosen.add(all.named(name));
      } catch (IllegalArgumentException e) {
        throw badInput(e);
      }
    }
    return chosen;
  }

  private static <T> List<T> chosen(String what, List<String> names, Map<String, T> all)
      throws BadInput {
    List<T> chosen = new ArrayList<>();
    for (String name : names) {
      try {
        chosen.add(Objects.requireNonNull(all.get(Names.require(what, name, all.keySet()))));
      } catch (IllegalArgumentException e) {
        throw badInput(e);
      }
    }
    return chosen;
  }

  private static BadInput badInput(IllegalArgumentException e) {
    return new BadInput(Objects.requireNonNullElse(e.getMessage(), e.toString()));
  }
}
