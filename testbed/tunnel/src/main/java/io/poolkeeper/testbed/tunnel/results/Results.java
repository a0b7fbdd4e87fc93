package io.poolkeeper.testbed.tunnel.results;

import io.poolkeeper.testbed.commands.BadInput;
import io.poolkeeper.testbed.commands.Folders;
import io.poolkeeper.testbed.tunnel.flight.Steps;
import io.poolkeeper.testbed.tunnel.flight.Trace;
import io.poolkeeper.testbed.tunnel.plan.Cell;
import io.poolkeeper.testbed.tunnel.plan.Contestant;
import io.poolkeeper.testbed.tunnel.score.Score;
import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * The results on disk, two CSV files: a line a run with its score in {@code results.csv}, and for
 * the first seed of each cell a line with the curve over time in {@code curves.csv}. A line is on
 * disk as soon as its run ended, so that nothing of it is lost when the tunnel is stopped. Used by
 * many threads.
 */
public final class Results implements Closeable {

  /** File of the scores. */
  public static final String RESULTS = "results.csv";

  /** File of the curves over time. */
  public static final String CURVES = "curves.csv";

  /** Seconds that a point of a curve stands for. */
  static final int POINT_SECONDS = 3;

  /** Name of the curves of what could be reached, in place of a controller's. */
  public static final String OPTIMUM = "optimum";

  private static final String KEY = "plant,load,noise,seed,controller";
  private static final String RESULTS_HEADER =
      KEY
          + ",overall,start,steady,worst,threads,threads_steady,reach_start_s,reach_change_s"
          + ",resizes,cycle,versus_fixed,completions,response_s";
  private static final String CURVES_HEADER =
      "plant,load,noise,controller,throughput_per_s,size_at_s,size";

  private final Set<String> done = new HashSet<>();
  private final OutputStream results;
  private final OutputStream curves;

  /** Nothing may follow half a line: the next opening cuts it off. */
  private boolean broken;

  /**
   * Opens the results in a folder; what is there stays.
   *
   * @throws BadInput if the folder cannot be made, or if a file there has other columns or a line
   *     that is none of results
   */
  public Results(Path folder) throws BadInput, IOException {
    Folders.make("--output", folder);
    results = open(folder.resolve(RESULTS), RESULTS_HEADER);
    curves = open(folder.resolve(CURVES), CURVES_HEADER);
    done.addAll(keys(folder.resolve(RESULTS)));
  }

  /**
   * The scores of one run that summaries need.
   *
   * @param overall see {@link Score#overall}
   * @param start see {@link Score#start}
   * @param steady see {@link Score#steady}
   * @param threads see {@link Score#threads}
   */
  public record Line(
      String plant,
      String controller,
      double overall,
      double start,
      double steady,
      double threads) {}

  /** All runs in a folder. */
  public static List<Line> lines(Path folder) throws IOException {
    try (var lines = Files.lines(folder.resolve(RESULTS))) {
      return lines.skip(1).map(line -> line.split(",", -1)).map(Results::line).toList();
    }
  }

  private static Line line(String[] cells) {
    return new Line(
        cells[0],
        cells[4],
        Double.parseDouble(cells[5]),
        Double.parseDouble(cells[6]),
        Double.parseDouble(cells[7]),
        Double.parseDouble(cells[9]));
  }

  /** Whether the folder holds results. */
  public static boolean in(Path folder) {
    return Files.exists(folder.resolve(RESULTS));
  }

  private static OutputStream open(Path file, String header) throws BadInput, IOException {
    if (!Files.exists(file) || Files.size(file) == 0) {
      Files.writeString(file, header + "\n");
    }
    endWithWholeLine(file);
    try (var lines = Files.lines(file)) {
      String found = lines.findFirst().orElse("");
      if (!found.equals(header)) {
        throw new BadInput(
            "%s: its columns are '%s', but this version writes '%s'; choose another folder"
                .formatted(file, found, header));
      }
    }
    return Files.newOutputStream(file, StandardOpenOption.APPEND);
  }

  /** Cuts off what follows the last line end: a line that was being written when all stopped. */
  private static void endWithWholeLine(Path file) throws IOException {
    byte[] bytes = Files.readAllBytes(file);
    int end = bytes.length;
    while (end > 0 && bytes[end - 1] != '\n') {
      end--;
    }
    if (end < bytes.length) {
      try (RandomAccessFile cut = new RandomAccessFile(file.toFile(), "rw")) {
        cut.setLength(end);
      }
    }
  }

  private static List<String> keys(Path file) throws BadInput, IOException {
    int columns = RESULTS_HEADER.split(",", -1).length;
    List<String> lines = Files.readAllLines(file);
    List<String> keys = new ArrayList<>();
    for (int i = 1; i < lines.size(); i++) {
      String[] cells = lines.get(i).split(",", -1);
      if (cells.length != columns) {
        throw new BadInput(
            "%s:%d: has %d cells, the header has %d; remove the line and its run is made again"
                .formatted(file, i + 1, cells.length, columns));
      }
      keys.add(String.join(",", List.of(cells).subList(0, KEY.split(",", -1).length)));
    }
    return keys;
  }

  private void write(OutputStream file, String line) throws IOException {
    if (broken) {
      throw new IOException("a line before this one could not be written");
    }
    try {
      file.write(line.getBytes(StandardCharsets.UTF_8));
    } catch (IOException e) {
      broken = true;
      throw e;
    }
  }

  private static String key(Cell cell, int seed, String controller) {
    return "%s,%s,%s,%d,%s"
        .formatted(cell.plant().name(), cell.load().name(), cell.noise().word(), seed, controller);
  }

  /** Whether a run stands there already. */
  public synchronized boolean has(Cell cell, int seed, Contestant contestant) {
    return done.contains(key(cell, seed, contestant.name()));
  }

  /** Adds the score of a run. */
  public synchronized void add(Cell cell, int seed, Contestant contestant, Score score)
      throws IOException {
    String key = key(cell, seed, contestant.name());
    write(
        results,
        String.format(
            Locale.ROOT,
            "%s,%.5f,%.5f,%.5f,%.5f,%.4f,%.4f,%s,%s,%d,%d,%.5f,%d,%.5f\n",
            key,
            score.overall(),
            score.start(),
            score.steady(),
            score.worst(),
            score.threads(),
            score.threadsSteady(),
            seconds(score.reachStart()),
            seconds(score.reachChange()),
            score.resizes(),
            score.cycle(),
            score.versusFixed(),
            score.completions(),
            score.response()));
    done.add(key);
  }

  /** A time that may never come, or for which there was no occasion. */
  private static String seconds(double seconds) {
    return Double.isNaN(seconds)
        ? ""
        : Double.isInfinite(seconds) ? "inf" : String.format(Locale.ROOT, "%.1f", seconds);
  }

  /** Adds a curve over time. */
  public synchronized void addCurve(Cell cell, String controller, Trace trace) throws IOException {
    Steps sizes = trace.sizes();
    int[] seconds = changes(sizes, trace.seconds());
    write(
        curves,
        "%s,%s,%s,%s,%s,%s,%s\n"
            .formatted(
                cell.plant().name(),
                cell.load().name(),
                cell.noise().word(),
                controller,
                joined(
                    IntStream.range(0, trace.seconds() / POINT_SECONDS)
                        .map(point -> rate(trace, point))),
                joined(IntStream.of(seconds)),
                joined(IntStream.of(seconds).map(sizes::sizeAt))));
  }

  /** The seconds at which the size differs from that of a second before; the first one is 0. */
  private static int[] changes(Steps sizes, int length) {
    return IntStream.range(0, length)
        .filter(at -> at == 0 || sizes.sizeAt(at) != sizes.sizeAt(at - 1))
        .toArray();
  }

  private static String joined(IntStream numbers) {
    return numbers.mapToObj(Integer::toString).collect(Collectors.joining(" "));
  }

  private static int rate(Trace trace, int point) {
    int from = point * POINT_SECONDS;
    return (int) Math.round(trace.work(from, from + POINT_SECONDS) / POINT_SECONDS);
  }

  @Override
  public synchronized void close() throws IOException {
    results.close();
    curves.close();
  }
}
