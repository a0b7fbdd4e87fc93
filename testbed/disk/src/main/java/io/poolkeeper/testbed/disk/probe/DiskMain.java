package io.poolkeeper.testbed.disk.probe;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.poolkeeper.testbed.commands.Commands;
import io.poolkeeper.testbed.commands.ProgressText;
import io.poolkeeper.testbed.commands.Ranges;
import io.poolkeeper.testbed.commands.StandardOutput;
import io.poolkeeper.testbed.commands.StopLine;
import io.poolkeeper.testbed.disk.Storage;
import io.poolkeeper.testbed.disk.Storage.BadStorage;
import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.IntStream;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The command that measures a disk. */
@Command(
    name = "./poolkeeper disk",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    usageHelpWidth = 100,
    description = {
      "Measures the disk below a folder: throughput by the number of threads, for reads, writes",
      "and synced writes, and the size that a pool of threads for files should have there.",
      "",
      "It makes one file, fills it, and reads and writes blocks at random places of it, past the",
      "page cache where the file system allows that. The file has no name while it is used, so",
      "nothing stays behind, even after a kill. Other files are not touched.",
      "",
      "Read the result like this: up to the knee more threads bring more throughput, beyond it",
      "they only wait. A ± as large as the differences means that the disk is shared or the time",
      "is too short: give it more --seconds."
    },
    footer = {
      "",
      "Examples",
      "  ./poolkeeper disk /data                   a minute, 2 %% of the free space",
      "  ./poolkeeper disk /data --seconds 300     a smaller spread",
      "  ./poolkeeper disk /data --block 4k --json small blocks, for a program",
      "",
      "The same with fio, in turn on the same file: ./poolkeeper bench disk-fio --dir /data",
      "",
      "Exit code: 0 measured, 1 the disk cannot be measured, 2 wrong input, 130 Ctrl-C"
    })
public final class DiskMain implements Callable<Integer> {

  private static final int MOST_THREADS = 1024;
  private static final int LEAST_POINT_MILLIS = 50;
  private static final int MOST_SECONDS = 3600;

  @Parameters(paramLabel = "DIR", description = "Folder on the disk; it must exist")
  private Path folder = Path.of("");

  @Option(
      names = "--seconds",
      paramLabel = "N",
      description =
          "Time of all measurements together, and at most of filling the file, up to 3600;"
              + " default ${DEFAULT-VALUE}")
  private int seconds = 60;

  @Option(
      names = "--most",
      paramLabel = "N",
      description = "Largest number of threads, up to 1024; default ${DEFAULT-VALUE}")
  private int most = 64;

  @Option(
      names = "--repetitions",
      paramLabel = "N",
      description = "Measurements of each number of threads, up to 20; default ${DEFAULT-VALUE}")
  private int repetitions = 3;

  @Mixin private FileOptions fileOptions = new FileOptions();

  @Option(names = "--json", description = "Prints one JSON object in place of the table")
  private boolean json;

  @Spec private CommandSpec spec = CommandSpec.create();

  /** See {@code --help}. */
  public static void main(String[] args) {
    System.exit(StandardOutput.guard(System.err, out -> execute(out, System.err, args)));
  }

  /** Runs the command; returns its exit code. */
  static int execute(PrintStream out, PrintStream err, String... args) {
    return Commands.of(new DiskMain(), out, err, IllegalArgumentException.class::isInstance)
        .execute(args);
  }

  @Override
  @SuppressWarnings("try") // The line works by being there.
  public Integer call() throws BadStorage, IOException {
    Ranges.require("--seconds", seconds, 1, MOST_SECONDS);
    Ranges.require("--most", most, 1, MOST_THREADS);
    Ranges.require("--repetitions", repetitions, 1, 20);
    int blockBytes = fileOptions.blockBytes();
    List<Integer> threads = threads(most);
    long points = (long) threads.size() * repetitions * Access.values().length;
    long pointMillis = seconds * 1000L / points;
    if (pointMillis < LEAST_POINT_MILLIS) {
      throw new IllegalArgumentException(
          "--seconds %d is too short for %d measurements of %d ms at least: give %d or more"
              .formatted(
                  seconds, points, LEAST_POINT_MILLIS, points * LEAST_POINT_MILLIS / 1000 + 1));
    }
    Storage storage = Storage.of(folder.toAbsolutePath().normalize());
    long fileBytes = fileOptions.fileBytes(storage);
    Map<Access, Curve> curves;
    boolean direct;
    long filledBytes;
    try (ProgressText progress = new ProgressText("fills a file of " + Report.bytes(fileBytes));
        StopLine stop = new StopLine("the file is removed");
        TestFile file =
            TestFile.make(storage.folder(), fileBytes, blockBytes, Duration.ofSeconds(seconds))) {
      direct = file.direct();
      filledBytes = file.bytes();
      Sweep sweep = new Sweep(new ThroughputMeter(file, Duration.ofMillis(pointMillis)));
      curves = sweep.run(threads, repetitions, progress);
    }
    Report report = new Report(storage, filledBytes, blockBytes, direct, repetitions, curves);
    if (filledBytes + blockBytes <= fileBytes) {
      spec.commandLine()
          .getErr()
          .printf(
              "the disk took longer than %d s to fill %s, so the file has %s%n",
              seconds, Report.bytes(fileBytes), Report.bytes(filledBytes));
    }
    PrintWriter out = spec.commandLine().getOut();
    if (json) {
      out.println(new ObjectMapper().writeValueAsString(report.json()));
    } else {
      report.lines().forEach(out::println);
    }
    return CommandLine.ExitCode.OK;
  }

  /** Returns the powers of two up to the largest number, and that. */
  public static List<Integer> threads(int most) {
    return IntStream.concat(
            IntStream.iterate(1, count -> count < most, count -> 2 * count), IntStream.of(most))
        .boxed()
        .toList();
  }
}
