package io.poolkeeper.testbed.benchmarks.disk;

import io.poolkeeper.testbed.benchmarks.figures.Benchmark;
import io.poolkeeper.testbed.benchmarks.figures.MedianInterval;
import io.poolkeeper.testbed.benchmarks.figures.Spread;
import io.poolkeeper.testbed.benchmarks.figures.Turns;
import io.poolkeeper.testbed.commands.Ranges;
import io.poolkeeper.testbed.disk.Fio;
import io.poolkeeper.testbed.disk.Storage;
import io.poolkeeper.testbed.disk.probe.Access;
import io.poolkeeper.testbed.disk.probe.Curve;
import io.poolkeeper.testbed.disk.probe.DiskMain;
import io.poolkeeper.testbed.disk.probe.FileOptions;
import io.poolkeeper.testbed.disk.probe.TestFile;
import io.poolkeeper.testbed.disk.probe.ThroughputMeter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The command {@code disk} against fio, in turns on the same file. */
@Command(
    name = "disk-fio",
    description = {
      "Throughput of a disk by the number of threads, as ./poolkeeper disk measures it and as fio",
      "does (psync, a thread for each job), for reads, writes and synced writes: in turns on the",
      "same file, with the ratio of each pair, both knees and both suggested pool sizes. The file",
      "has no name while it is used, so nothing stays behind, even after a kill."
    })
final class DiskFio extends Benchmark {

  private static final int MOST_THREADS = 1024;

  @Option(
      names = "--dir",
      paramLabel = "DIR",
      defaultValue = ".",
      description = "Folder on the disk. Default: this one")
  private Path folder = Path.of(".");

  @Option(
      names = "--rounds",
      paramLabel = "N",
      defaultValue = "6",
      description = "Turns of each; 6 or more to tell anything. Default: ${DEFAULT-VALUE}")
  private int rounds;

  @Option(
      names = "--seconds",
      paramLabel = "N",
      defaultValue = "1",
      description =
          "Seconds of a turn, a tenth of which is not counted. Default: ${DEFAULT-VALUE}, and 7"
              + " minutes in all")
  private int seconds;

  @Option(
      names = "--most",
      paramLabel = "N",
      defaultValue = "64",
      description = "Largest number of threads, up to 1024. Default: ${DEFAULT-VALUE}")
  private int most;

  @Mixin private FileOptions fileOptions = new FileOptions();

  /** One number of threads, by one of both. */
  private record Side(Access access, int threads, boolean fio) {}

  public static void main(String[] arguments) {
    start(new DiskFio(), arguments);
  }

  @Override
  protected void check() {
    Ranges.require("--rounds", rounds, 1, 1000);
    Ranges.require("--seconds", seconds, 1, 60);
    Ranges.require("--most", most, 1, MOST_THREADS);
    int unused = fileOptions.blockBytes();
  }

  @Override
  protected int measure() throws Exception {
    String version = Fio.version();
    Storage storage = Storage.of(folder.toAbsolutePath().normalize());
    long bytes = fileOptions.fileBytes(storage);
    Map<Side, List<Double>> rates;
    try (TestFile file = TestFile.make(storage.folder(), bytes, fileOptions.blockBytes())) {
      System.out.printf(
          "%s, %s on %s: blocks of %d bytes at random places of one file of %d MB, %s%n",
          version,
          storage.type(),
          storage.device(),
          file.blockBytes(),
          file.bytes() >> 20,
          file.direct() ? "past the page cache" : "THROUGH the page cache");
      rates = measure(file);
    }
    Map<Access, Curve> ours = new LinkedHashMap<>();
    Map<Access, Curve> others = new LinkedHashMap<>();
    for (Access access : Access.values()) {
      print(access, rates);
      ours.put(access, curve(access, false, rates));
      others.put(access, curve(access, true, rates));
      System.out.printf(
          "   knee %9d %9d%n", knee(ours, access).threads(), knee(others, access).threads());
    }
    System.out.printf(
        "%nsuggested pool size: %d, by fio %d%n",
        Curve.suggested(ours.values()), Curve.suggested(others.values()));
    return 0;
  }

  private static Curve.Point knee(Map<Access, Curve> curves, Access access) {
    return Objects.requireNonNull(curves.get(access)).knee();
  }

  private Map<Side, List<Double>> measure(TestFile file) throws Exception {
    Duration turn = Duration.ofSeconds(seconds);
    ThroughputMeter meter = new ThroughputMeter(file, turn);
    FioMeter fio = new FioMeter(file, meter.lead(), turn.minus(meter.lead()));
    List<Side> sides = new ArrayList<>();
    for (Access access : Access.values()) {
      for (int threads : DiskMain.threads(most)) {
        sides.add(new Side(access, threads, false));
        sides.add(new Side(access, threads, true));
      }
    }
    return Turns.take(
        "disk-fio",
        sides,
        0,
        rounds,
        side ->
            side.fio
                ? fio.measure(side.access, side.threads)
                : meter.measure(side.access, side.threads));
  }

  private void print(Access access, Map<Side, List<Double>> rates) {
    System.out.printf("%n%s, MB/s, medians%n", access.text());
    System.out.println("threads poolkeeper     fio   ratio of both");
    List<List<Double>> all = new ArrayList<>();
    for (int threads : DiskMain.threads(most)) {
      List<Double> ours = rates(rates, access, threads, false);
      List<Double> others = rates(rates, access, threads, true);
      List<Double> ratios = Turns.ratios(ours, others);
      all.add(ratios);
      System.out.printf(
          Locale.ROOT,
          "%7d %10.1f %7.1f   %s%n",
          threads,
          Spread.of(ours).median() / 1e6,
          Spread.of(others).median() / 1e6,
          MedianInterval.text(ratios));
    }
    System.out.println("    all                      " + MedianInterval.text(means(all)));
  }

  /** Returns the geometric mean of each round over all numbers of threads. */
  private List<Double> means(List<List<Double>> ratios) {
    return IntStream.range(0, rounds)
        .mapToObj(
            round ->
                Math.exp(
                    ratios.stream()
                        .mapToDouble(each -> Math.log(each.get(round)))
                        .average()
                        .orElse(0)))
        .toList();
  }

  private Curve curve(Access access, boolean fio, Map<Side, List<Double>> rates) {
    Map<Integer, List<Double>> points = new LinkedHashMap<>();
    DiskMain.threads(most)
        .forEach(threads -> points.put(threads, rates(rates, access, threads, fio)));
    return Curve.of(points);
  }

  private static List<Double> rates(
      Map<Side, List<Double>> rates, Access access, int threads, boolean fio) {
    return Objects.requireNonNull(rates.get(new Side(access, threads, fio)));
  }
}
