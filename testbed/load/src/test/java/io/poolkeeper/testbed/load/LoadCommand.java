package io.poolkeeper.testbed.load;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.poolkeeper.testbed.load.measure.Intervals;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramLogReader;

/**
 * One call of the load command within this process, and what came of it.
 *
 * @param code exit code
 * @param out what it printed
 * @param err what it printed to standard error
 */
record LoadCommand(int code, String out, String err) {

  private static final ObjectMapper JSON = new ObjectMapper();

  static {
    // Has the classes loaded, which may take a busy machine longer than the load of a test lasts.
    try (FixedAnswerServer server = new FixedAnswerServer(FixedAnswerServer.HELLO)) {
      String load = "clients: {kind: closed, users: 1}\nfor: 0.3s\nhttp: {a: /a}\n";
      LoadCommand unused = run(load, "--target", server.url());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** An event that a load lasts until. */
  @FunctionalInterface
  interface End {
    void await() throws IOException, InterruptedException;
  }

  /**
   * Runs the command until something has happened; then its standard input ends, which stops it.
   *
   * @param end comes after the first request
   * @param description what it finds in the file that it is given
   */
  static LoadCommand runUntil(End end, String description, String... args) throws IOException {
    Path file = Files.createTempFile("load", ".yaml");
    try {
      Files.writeString(file, description);
      String[] all = Arrays.copyOf(args, args.length + 1);
      all[args.length] = file.toString();
      return execute(new InputUntil(end), all);
    } finally {
      Files.delete(file);
    }
  }

  /** Standard input of a caller who says nothing, and goes away when something has happened. */
  private static final class InputUntil extends InputStream {
    private final End end;

    InputUntil(End end) {
      this.end = end;
    }

    @Override
    public int read() throws IOException {
      try {
        end.await();
        return -1;
      } catch (InterruptedException e) {
        throw new IOException(e);
      }
    }

    @Override
    public int read(byte[] bytes, int from, int length) throws IOException {
      return read();
    }
  }

  /**
   * Runs the command.
   *
   * @param description what it finds on standard input
   */
  static LoadCommand run(String description, String... args) {
    return execute(new ByteArrayInputStream(description.getBytes(StandardCharsets.UTF_8)), args);
  }

  private static LoadCommand execute(InputStream in, String... args) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    int code =
        LoadMain.execute(
            in,
            new PrintStream(out, true, StandardCharsets.UTF_8),
            new PrintStream(err, true, StandardCharsets.UTF_8),
            args);
    return new LoadCommand(
        code, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
  }

  /** The lines of {@code text} as JSON. */
  static List<JsonNode> json(String text) {
    return text.lines()
        .map(
            line -> {
              try {
                return JSON.readTree(line);
              } catch (IOException e) {
                throw new UncheckedIOException(e);
              }
            })
        .toList();
  }

  static JsonNode summary(Path folder) throws IOException {
    return JSON.readTree(folder.resolve("load.json").toFile());
  }

  /** Intervals of a run: a last answer may come late on a busy machine. */
  static int intervals(double seconds, JsonNode summary) {
    Intervals intervals = new Intervals(Math.round(seconds * 1e9));
    long end = summary.get("end_ns").asLong() - summary.get("start_ns").asLong();
    int count = 0;
    for (long start = 0; start < end; start = intervals.end(start)) {
      count++;
    }
    return count;
  }

  /** The rows of a CSV file without quoted cells, by column. */
  static List<Map<String, String>> rows(Path file) throws IOException {
    return rows(Files.readAllLines(file));
  }

  /**
   * Waits until the rows of {@code load.csv} in a folder, which grows by one a second, are right.
   */
  static void awaitRows(Path folder, Predicate<List<Map<String, String>>> right)
      throws IOException, InterruptedException {
    Path file = folder.resolve("load.csv");
    List<String> lines = List.of();
    while (lines.isEmpty() || !right.test(rows(lines))) {
      Thread.sleep(5);
      String text = Files.exists(file) ? Files.readString(file) : "";
      // The last line may be half written.
      lines = text.substring(0, text.lastIndexOf('\n') + 1).lines().toList();
    }
  }

  /** Waits until {@code load.csv} in a folder holds so many requests. */
  static void awaitRecorded(Path folder, long requests) throws IOException, InterruptedException {
    awaitRows(folder, rows -> sum(rows, "requests") >= requests);
  }

  private static List<Map<String, String>> rows(List<String> lines) {
    String[] header = lines.get(0).split(",", -1);
    List<Map<String, String>> rows = new ArrayList<>();
    for (String line : lines.subList(1, lines.size())) {
      String[] cells = line.split(",", -1);
      if (cells.length != header.length) {
        throw new AssertionError("cells: " + Arrays.toString(cells));
      }
      Map<String, String> row = new HashMap<>();
      for (int i = 0; i < header.length; i++) {
        row.put(header[i], cells[i]);
      }
      rows.add(row);
    }
    return rows;
  }

  static long sum(List<Map<String, String>> rows, String column) {
    return rows.stream().mapToLong(row -> Long.parseLong(row.getOrDefault(column, ""))).sum();
  }

  /** The numbers of a column, the least first. */
  static List<Long> sorted(List<Map<String, String>> rows, String column) {
    return rows.stream().map(row -> Long.parseLong(row.getOrDefault(column, ""))).sorted().toList();
  }

  /** All intervals of the HdrHistogram log, added up by tag. */
  static Map<String, Histogram> histograms(Path folder) throws IOException {
    Map<String, Histogram> histograms = new HashMap<>();
    try (HistogramLogReader reader =
        new HistogramLogReader(folder.resolve("latency.hlog").toFile())) {
      while (reader.hasNext()) {
        Histogram interval = (Histogram) reader.nextIntervalHistogram();
        if (interval != null) {
          histograms.computeIfAbsent(interval.getTag(), tag -> new Histogram(3)).add(interval);
        }
      }
    }
    return histograms;
  }
}
