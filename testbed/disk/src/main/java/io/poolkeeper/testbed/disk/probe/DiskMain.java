package io.poolkeeper.testbed.disk.probe;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.poolkeeper.testbed.commands.Commands;
import io.poolkeeper.testbed.commands.ProgressLine;
import io.poolkeeper.testbed.commands.ProgressText;
import io.poolkeeper.testbed.commands.Ranges;
import io.poolkeeper.testbed.commands.StandardOutput;
import io.poolkeeper.testbed.disk.Leftovers;
import io.poolkeeper.testbed.disk.Storage;
import io.poolkeeper.testbed.disk.Storage.BadStorage;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.Charset;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The command that measures a disk. */
@Command(
    name = "./poolkeeper disk",
    mixinStandardHelpOptions = true,
    sortOptions = false,
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
      "The same with fio, for 8 threads:",
      "  fio --name=x --filename=/data/x --size=512m --direct=1 --ioengine=psync \\",
      "    --thread --rw=randread --bs=64k --numjobs=8 --group_reporting \\",
      "    --time_based --runtime=10",
      "",
      "Exit code: 0 measured, 1 the disk cannot be measured, 2 wrong input"
    })
public final class DiskMain implements Callable<Integer> {

  private static final long MB = 1 << 20;
  private static final long STANDARD_BYTES = 512 * MB;

  /** Part of the free space that is taken without a question. */
  private static final double UNASKED = 0.03;

  private static final double STANDARD_PART = 0.02;
  private static final double LARGEST_PART = 0.5;
  private static final long LEAST_BYTES = 16 * MB;
  private static final int MOST_THREADS = 1024;
  private static final int LEAST_POINT_MILLIS = 50;
  private static final int MOST_SECONDS = 3600;

  @Parameters(paramLabel = "DIR", description = "Folder on the disk; it must exist")
  private Path folder = Path.of("");

  @Option(
      names = "--seconds",
      paramLabel = "N",
      description = "Time of all measurements together, up to 3600; default ${DEFAULT-VALUE}")
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

  @Option(
      names = "--block",
      paramLabel = "SIZE",
      description = "Bytes of one read or write, from 512 to 16m; default 64k")
  private String block = "64k";

  @Option(
      names = "--size",
      paramLabel = "SIZE",
      description =
          "Size of the file, such as 2g; default 512m, or 2 %% of the free space if that is less."
              + " More than 3 %% asks first")
  private @Nullable String size;

  @Option(names = "--yes", description = "Takes more than 3 %% of the free space without asking")
  private boolean yes;

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
  public Integer call() throws BadStorage, IOException {
    Ranges.require("--seconds", seconds, 1, MOST_SECONDS);
    Ranges.require("--most", most, 1, MOST_THREADS);
    Ranges.require("--repetitions", repetitions, 1, 20);
    int blockBytes = Math.toIntExact(bytes("block", block, 512, 16 * MB));
    if (Integer.bitCount(blockBytes) != 1) {
      throw new IllegalArgumentException("--block must be a power of two, but is " + block);
    }
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
    int removed = Leftovers.remove(storage.folder());
    long fileBytes = fileBytes(storage, blockBytes);
    if (fileBytes > UNASKED * storage.freeBytes() && !yes && !agrees(storage, fileBytes)) {
      throw new IllegalArgumentException(
          "a file of %s is %.0f %% of the %s that are free in %s: --yes allows it"
              .formatted(
                  Report.bytes(fileBytes),
                  100.0 * fileBytes / storage.freeBytes(),
                  Report.bytes(storage.freeBytes()),
                  storage.folder()));
    }
    PrintWriter err = spec.commandLine().getErr();
    if (removed > 0) {
      err.println("removed what a run left behind that was killed");
    }
    Map<Access, Curve> curves;
    boolean direct;
    try (ProgressText progress = new ProgressText("fills a file of " + Report.bytes(fileBytes));
        TestFile file = TestFile.make(storage.folder(), fileBytes, blockBytes)) {
      direct = file.direct();
      Sweep sweep = new Sweep(file, storage.folder(), blockBytes, Duration.ofMillis(pointMillis));
      curves = sweep.run(threads, repetitions, progress);
    }
    Report report = new Report(storage, fileBytes, blockBytes, direct, repetitions, curves);
    PrintWriter out = spec.commandLine().getOut();
    if (json) {
      out.println(new ObjectMapper().writeValueAsString(report.json()));
    } else {
      report.lines().forEach(out::println);
    }
    return CommandLine.ExitCode.OK;
  }

  private long fileBytes(Storage storage, int blockBytes) throws BadStorage {
    if (size != null) {
      long asked = bytes("size", size, LEAST_BYTES, Long.MAX_VALUE);
      if (asked > LARGEST_PART * storage.freeBytes()) {
        throw new BadStorage(
            "%s: a file of %s is more than half of the %s that are free"
                .formatted(
                    storage.folder(), Report.bytes(asked), Report.bytes(storage.freeBytes())));
      }
      return asked;
    }
    return standardBytes(storage.folder(), storage.freeBytes(), blockBytes);
  }

  /**
   * Returns the size of the file where none is given.
   *
   * @throws BadStorage if that part of the free space is too small for a measurement
   */
  static long standardBytes(Path folder, long freeBytes, int blockBytes) throws BadStorage {
    long standard = Math.min(STANDARD_BYTES, (long) (STANDARD_PART * freeBytes));
    long least = Math.max(LEAST_BYTES, 4L * blockBytes);
    if (standard >= least) {
      return standard;
    }
    String free = Report.bytes(freeBytes);
    String needed = Report.bytes(least);
    throw new BadStorage(
        least > LARGEST_PART * freeBytes
            ? "%s: the disk is full, or nearly: %s are free, and a measurement takes %s at least"
                .formatted(folder, free, needed)
            : "%s: %s are free, and a measurement takes 2 %% of that or %s; --size %dm --yes allows it"
                .formatted(folder, free, needed, (least + MB - 1) / MB));
  }

  /** Asks where a person can answer; without a terminal nobody agrees. */
  private boolean agrees(Storage storage, long fileBytes) throws IOException {
    if (!ProgressLine.onTerminal()) {
      return false;
    }
    PrintWriter err = spec.commandLine().getErr();
    err.printf(
        "Write a file of %s, %.0f %% of what is free in %s? It is removed at the end. [y/N] ",
        Report.bytes(fileBytes), 100.0 * fileBytes / storage.freeBytes(), storage.folder());
    err.flush();
    String answer =
        new BufferedReader(new InputStreamReader(System.in, Charset.defaultCharset())).readLine();
    return answer != null && answer.strip().toLowerCase(Locale.ROOT).startsWith("y");
  }

  /** Returns the powers of two up to the largest number, and that. */
  static List<Integer> threads(int most) {
    return IntStream.concat(
            IntStream.iterate(1, count -> count < most, count -> 2 * count), IntStream.of(most))
        .boxed()
        .toList();
  }

  private static long bytes(String option, String text, long least, long largest) {
    String number = text.strip().toLowerCase(Locale.ROOT);
    if (!number.matches("\\d{1,12}[kmg]?")) {
      throw new IllegalArgumentException(
          "--%s must be a number of bytes such as 64k, 512m or 2g, but is '%s'"
              .formatted(option, text));
    }
    int shift =
        switch (number.charAt(number.length() - 1)) {
          case 'k' -> 10;
          case 'm' -> 20;
          case 'g' -> 30;
          default -> 0;
        };
    long value = Long.parseLong(shift == 0 ? number : number.substring(0, number.length() - 1));
    long bytes = value > Long.MAX_VALUE >> shift ? Long.MAX_VALUE : value << shift;
    if (bytes < least || bytes > largest) {
      throw new IllegalArgumentException(
          "--%s must be %s or more%s, but is %s"
              .formatted(
                  option,
                  Report.bytes(least),
                  largest == Long.MAX_VALUE ? "" : ", up to " + Report.bytes(largest),
                  text));
    }
    return bytes;
  }
}
