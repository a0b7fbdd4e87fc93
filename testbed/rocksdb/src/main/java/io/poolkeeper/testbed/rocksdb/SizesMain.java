package io.poolkeeper.testbed.rocksdb;

import io.poolkeeper.testbed.commands.Commands;
import io.poolkeeper.testbed.commands.Ranges;
import io.poolkeeper.testbed.commands.StandardOutput;
import io.poolkeeper.testbed.commands.StopHook;
import io.poolkeeper.testbed.disk.Leftovers;
import io.poolkeeper.testbed.disk.Storage;
import io.poolkeeper.testbed.disk.Storage.BadStorage;
import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.DoubleSummaryStatistics;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.ToIntFunction;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.rocksdb.Env;
import org.rocksdb.Priority;
import org.rocksdb.RocksDBException;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Sweep of the flush and compaction threads of RocksDB: whether their number matters here. */
@Command(
    name = "rocksdb-sizes",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    usageHelpWidth = 100,
    description = {
      "Writes per second of RocksDB, final flush included, by the number of its flush threads and",
      "of its compaction threads, one of them at a time. The number matters where the best one is",
      "more than 3 %% ahead of the smallest one in each of three rounds or more. It was chosen from",
      "the same rounds, which favours it. Databases are deleted at once."
    })
public final class SizesMain implements Callable<Integer> {

  private static final double MATTERS = 1.03;
  private static final int MOST_THREADS = 999;
  private static final int STANDARD_MEGABYTES = 1000;

  /** Megabytes below which the number of threads hardly shows. */
  private static final int LEAST_MEGABYTES = 100;

  /** Part of the free space that a database may take. */
  private static final double LARGEST_PART = 0.05;

  /** Space that a database takes for each byte written, while compactions run. */
  private static final long AMPLIFICATION = 3;

  @Option(names = "--dir", description = "Folder on the disk to measure; default this one")
  private Path folder = Path.of(".");

  @Option(names = "--seconds", description = "Longest time of a point; default ${DEFAULT-VALUE}")
  private int seconds = 8;

  @Option(
      names = "--megabytes",
      description =
          "Most that a point writes; default 1000, or less where a database could take more than"
              + " 5 %% of the free space")
  private @Nullable Integer statedMegabytes;

  @Option(names = "--rounds", description = "Repetitions, interleaved; default ${DEFAULT-VALUE}")
  private int rounds = 3;

  @Option(names = "--sizes", split = ",", description = "Sizes; default ${DEFAULT-VALUE}")
  private List<Integer> sizes = List.of(1, 2, 4, 8);

  @Option(names = "--other", description = "Size of the pool at rest; default ${DEFAULT-VALUE}")
  private int other = 2;

  @Option(names = "--workload", description = "Default fillseq and overwrite")
  private List<String> workloads = List.of("fillseq", "overwrite");

  @Option(
      names = "--layout",
      description = "Column families and memtables, such as " + Layout.STANDARD)
  private List<String> layouts =
      List.of(
          "families=1,memtable=64,memtables=2,direct=false",
          "families=8,memtable=8,memtables=4,direct=false",
          Layout.STANDARD,
          "families=8,memtable=1,memtables=2,slowdown=8");

  @Spec private CommandSpec spec = CommandSpec.create();

  private int megabytes;
  private final AtomicBoolean stopped = new AtomicBoolean();

  /** Sizes of both pools, and what each round gave with them. */
  private record Point(int flushes, int compactions, List<Double> rates, List<Double> stalls) {}

  /** See {@code --help}. */
  public static void main(String[] args) {
    System.exit(StandardOutput.guard(System.err, out -> execute(out, System.err, args)));
  }

  /** Runs the command; returns its exit code. */
  static int execute(PrintStream out, PrintStream err, String... args) {
    return Commands.of(new SizesMain(), out, err, IllegalArgumentException.class::isInstance)
        .execute(args);
  }

  @Override
  public Integer call() throws Exception {
    Ranges.require("--seconds", seconds, 1, 3600);
    if (statedMegabytes != null) {
      Ranges.require("--megabytes", statedMegabytes, 1, Integer.MAX_VALUE);
    }
    Ranges.require("--rounds", rounds, 1, 1000);
    Ranges.require("--other", other, 1, MOST_THREADS);
    sizes.forEach(size -> Ranges.require("--sizes", size, 1, MOST_THREADS));
    List<Layout> parsed = layouts.stream().map(Layout::parse).toList();
    List<Workload> kinds = workloads.stream().map(Workload::named).toList();
    Storage storage = Storage.of(folder.toAbsolutePath().normalize());
    int removed = Leftovers.remove(storage.folder());
    megabytes = megabytes(statedMegabytes, memoryBytes(parsed), storage);
    PrintWriter out = spec.commandLine().getOut();
    out.printf(
        Locale.ROOT,
        "%s on %s, %d processors, %d rounds of at most %d s or %d MB a point%n",
        storage.folder(),
        storage.type(),
        Runtime.getRuntime().availableProcessors(),
        rounds,
        seconds,
        megabytes);
    if (removed > 0) {
      out.printf("removed %d databases of runs that were killed%n", removed);
    }
    StopHook hook = new StopHook(this::stop, Duration.ofSeconds(60), System.err);
    try {
      for (Layout layout : parsed) {
        for (Workload kind : kinds) {
          sweep(storage.folder(), layout, kind, out);
        }
      }
    } finally {
      hook.close();
    }
    return CommandLine.ExitCode.OK;
  }

  private void stop() {
    stopped.set(true);
    System.err.println("poolkeeper: stopped; the database is deleted");
  }

  private static long memoryBytes(List<Layout> layouts) {
    return layouts.stream().mapToLong(Layout::memoryBytes).max().orElse(0);
  }

  /**
   * Returns the most that a point writes.
   *
   * @param stated what was asked for; null for the standard, or less where there is little room
   * @param memoryBytes bytes of the memtables
   * @throws IllegalArgumentException if a database could take too much of the free space
   */
  static int megabytes(@Nullable Integer stated, long memoryBytes, Storage storage) {
    double room = LARGEST_PART * storage.freeBytes() - memoryBytes;
    long most = (long) Math.floor(room / AMPLIFICATION / 1e6);
    if (stated == null && most >= LEAST_MEGABYTES) {
      return (int) Math.min(STANDARD_MEGABYTES, most);
    }
    int asked = stated == null ? LEAST_MEGABYTES : stated;
    if (asked > most) {
      throw new IllegalArgumentException(
          "--megabytes %d: a database may grow to %d MB, more than 5 %% of the %d MB that are free"
              .formatted(
                  asked,
                  AMPLIFICATION * asked + memoryBytes / 1_000_000,
                  storage.freeBytes() / 1_000_000));
    }
    return asked;
  }

  private void sweep(Path place, Layout layout, Workload kind, PrintWriter out)
      throws BadStorage, IOException, RocksDBException, InterruptedException {
    List<Point> flushes = sizes.stream().map(size -> point(size, other)).toList();
    List<Point> compactions =
        sizes.stream()
            .map(
                size ->
                    size == other
                        ? flushes.stream()
                            .filter(p -> p.flushes == other)
                            .findAny()
                            .orElseGet(() -> point(other, other))
                        : point(other, size))
            .toList();
    Set<Point> points = new LinkedHashSet<>(flushes);
    points.addAll(compactions);
    for (int round = 0; round < rounds; round++) {
      for (Point point : points) {
        if (stopped.get()) {
          return;
        }
        measure(place, layout, kind, point);
      }
    }
    if (stopped.get()) {
      return;
    }
    out.printf("%n%s, %s%n", kind.text(), layout);
    out.println("  flushes compactions   writes/s ± s      stalls, s");
    for (Point point : points) {
      out.printf(
          Locale.ROOT,
          "  %7d %11d %10.0f ± %-6.0f %8.2f%n",
          point.flushes,
          point.compactions,
          mean(point.rates),
          deviation(point.rates),
          mean(point.stalls));
    }
    judge("flush", flushes, Point::flushes, out);
    judge("compaction", compactions, Point::compactions, out);
    out.flush();
  }

  private Point point(int flushes, int compactions) {
    return new Point(flushes, compactions, new ArrayList<>(), new ArrayList<>());
  }

  private void measure(Path place, Layout layout, Workload kind, Point point)
      throws BadStorage, IOException, RocksDBException, InterruptedException {
    int ceiling = Math.max(point.flushes, point.compactions);
    try (Store store = new Store(place, layout, ceiling, null)) {
      Env.getDefault().setBackgroundThreads(point.flushes, Priority.HIGH);
      Env.getDefault().setBackgroundThreads(point.compactions, Priority.LOW);
      long start = System.nanoTime();
      long operations = megabytes * 1_000_000L / Store.VALUE_BYTES;
      Load.Result result =
          new Load(store, stopped::get).run(kind, operations, 0, seconds * 1_000_000_000L);
      store.flush();
      point.rates.add(result.operations() / ((System.nanoTime() - start) / 1e9));
      point.stalls.add(store.stallSeconds());
    }
  }

  private static void judge(
      String what, List<Point> points, ToIntFunction<Point> size, PrintWriter out) {
    Point smallest = points.get(0);
    Point best =
        points.stream()
            .max(Comparator.comparingDouble(point -> mean(point.rates)))
            .orElse(smallest);
    DoubleSummaryStatistics ratios =
        IntStream.range(0, best.rates.size())
            .mapToDouble(round -> best.rates.get(round) / smallest.rates.get(round))
            .summaryStatistics();
    out.printf(
        Locale.ROOT,
        "  %s threads: %s; the best is %d, with %.2f to %.2f times the rate of %d%n",
        what,
        ratios.getMin() > MATTERS && ratios.getCount() > 2
            ? "the number MATTERS"
            : "no number is surely better",
        size.applyAsInt(best),
        ratios.getMin(),
        ratios.getMax(),
        size.applyAsInt(smallest));
  }

  private static double mean(List<Double> values) {
    return values.stream().mapToDouble(Double::doubleValue).average().orElse(Double.NaN);
  }

  private static double deviation(List<Double> values) {
    double mean = mean(values);
    double squares = values.stream().mapToDouble(v -> (v - mean) * (v - mean)).sum();
    return values.size() > 1 ? Math.sqrt(squares / (values.size() - 1)) : 0;
  }
}
