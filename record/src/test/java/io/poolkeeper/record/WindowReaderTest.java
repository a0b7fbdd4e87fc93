package io.poolkeeper.record;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.poolkeeper.DiskStats;
import io.poolkeeper.Window;
import io.poolkeeper.record.WindowReader.PoolWindow;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.ToLongFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@SuppressWarnings("NullAway.Init") // JUnit sets the folder before each test.
final class WindowReaderTest {

  private static final Path GOLDEN = Path.of("../contract/golden/v1");

  @TempDir Path folder;

  @ParameterizedTest
  @ValueSource(strings = {"fixed-4", "adaptive", "cut-off", "every-action"})
  void goldenRecordsHoldWhatIsExpected(String run) throws IOException {
    JsonNode expected =
        new ObjectMapper().readTree(GOLDEN.resolve("expected.json").toFile()).at("/" + run);
    JsonNode sums = expected.get("windows");
    List<PoolWindow> read;
    try (Warnings warnings = new Warnings()) {
      read = WindowReader.read(GOLDEN.resolve(run));
      assertThat(warnings.messages()).hasSize(expected.get("cut_off").isEmpty() ? 0 : 1);
    }
    List<Window> windows = read.stream().map(PoolWindow::window).toList();
    assertThat(windows).hasSize(sums.get("rows").asInt());
    assertThat(read).extracting(PoolWindow::pool).containsOnly(sums.at("/pools/0").asText());
    assertThat(windows.get(0).start()).isEqualTo(sums.get("first_start_ns").asLong());
    assertThat(windows.get(windows.size() - 1).end()).isEqualTo(sums.get("last_end_ns").asLong());
    assertThat(sum(windows, Window::arrivals)).isEqualTo(sums.get("arrivals").asLong());
    assertThat(sum(windows, Window::completions)).isEqualTo(sums.get("completions").asLong());
    assertThat(sum(windows, Window::failures)).isEqualTo(sums.get("failures").asLong());
    assertThat(sum(windows, Window::rejections)).isEqualTo(sums.get("rejections").asLong());
    assertThat(sum(windows, Window::withinBound)).isEqualTo(sums.get("within_bound").asLong());
    assertThat(sum(windows, Window::processCpu)).isEqualTo(sums.get("process_cpu_ns").asLong());
    assertThat(sum(windows, Window::gc)).isEqualTo(sums.get("gc_ns").asLong());
    assertThat(sum(windows, w -> w.size() * (w.end() - w.start())))
        .isEqualTo(sums.get("worker_ns").asLong());
    assertThat(windows.stream().mapToDouble(Window::busy).sum())
        .isCloseTo(sums.get("busy_sum").asDouble(), within(1e-6));
    assertThat(windows.stream().mapToInt(Window::queueMax).max())
        .hasValue(sums.get("queue_max").asInt());
    assertThat(windows.stream().mapToLong(w -> w.responseTime().max()).max())
        .hasValue(sums.get("response_max_ns").asLong());
  }

  private static long sum(List<Window> windows, ToLongFunction<Window> value) {
    return windows.stream().mapToLong(value).sum();
  }

  private void record(String windows) throws IOException {
    Files.writeString(folder.resolve("windows.csv"), windows);
  }

  private static String rows() {
    return WindowColumns.header() + "\n" + WindowColumns.row("orders", Samples.busy(0)) + "\n";
  }

  @Test
  void aLastLineWithoutAnEndIsLeftOut() throws IOException {
    record(rows() + WindowColumns.row("orders", Samples.busy(1_000)));
    try (Warnings warnings = new Warnings()) {
      assertThat(WindowReader.read(folder)).hasSize(1);
      assertThat(warnings.messages()).singleElement().asString().contains("windows.csv", "cut off");
    }
  }

  @Test
  void aMissingColumnIsNamed() throws IOException {
    record(rows().replace("completions", "completed"));
    assertThatThrownBy(() -> WindowReader.read(folder))
        .hasMessageEndingWith("windows.csv, line 1: column missing: completions");
  }

  @Test
  void anOptionalColumnMayBeMissing() throws IOException {
    record(rows().replace("gc_ns", "gc_of_another_kind"));
    assertThat(WindowReader.read(folder).get(0).window().gc()).isEqualTo(Window.NOT_MEASURED);
  }

  @Test
  void withoutCountsAllTasksThatEndedWereTimed() throws IOException {
    record(rows().replace("_count", "_of_another_kind"));
    Window window = WindowReader.read(folder).get(0).window();
    assertThat(window.responseTime()).isEqualTo(Samples.timed(42));
    assertThat(window.completions() + window.failures()).isEqualTo(42);
  }

  @Test
  void aColumnThatIsThereTwiceIsNamed() throws IOException {
    record(rows().replace("gc_ns", "size"));
    assertThatThrownBy(() -> WindowReader.read(folder)).hasMessageEndingWith("twice: size");
  }

  @Test
  void aWrongCellIsNamedWithItsLine() throws IOException {
    record(rows().replace("orders,0,", "orders,zero,"));
    assertThatThrownBy(() -> WindowReader.read(folder))
        .hasMessageEndingWith("line 2: start_ns must be a whole number, but is 'zero'");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "completions    | -5         | completions must be >= 0, but is -5",
        "size           | -1         | size must be >= 0, but is -1",
        "size           | 3000000000 | size must be <= 2147483647, but is 3000000000",
        "busy           | -0.5       | busy must be a finite number >= 0, but is -0.5",
        "busy           | NaN        | busy must be a finite number >= 0, but is NaN",
        "response_p99_ns | -7        | response_p99_ns must be >= 0, but is -7",
        "gc_ns          | -1         | gc_ns must be >= 0, but is -1",
        "start_ns       | 9000000000000 | end_ns is before start_ns",
      })
  void whatCannotHaveBeenMeasuredIsNamedWithItsLine(String column, String cell, String message)
      throws IOException {
    record(rows());
    List<String> lines = Files.readAllLines(folder.resolve("windows.csv"));
    String[] cells = lines.get(1).split(",", -1);
    cells[List.of(lines.get(0).split(",")).indexOf(column)] = cell;
    record(lines.get(0) + "\n" + String.join(",", cells) + "\n");
    assertThatThrownBy(() -> WindowReader.read(folder)).hasMessageEndingWith("line 2: " + message);
  }

  @Test
  void windowsOfAPoolFollowEachOther() throws IOException {
    String early = WindowColumns.row("orders", Samples.busy(0)) + "\n";
    String late = WindowColumns.row("orders", Samples.busy(20_000_000_000L)) + "\n";
    String other = WindowColumns.row("mail", Samples.busy(0)) + "\n";
    String header = WindowColumns.header() + "\n";
    record(header + early + other + late);
    assertThat(WindowReader.read(folder)).hasSize(3);
    for (String damaged : List.of(late + other + early, early + other + early)) {
      record(header + damaged);
      assertThatThrownBy(() -> WindowReader.read(folder))
          .hasMessageEndingWith(
              "windows.csv, line 4: start_ns is before the end of the pool's window before it");
    }
  }

  @Test
  void tasksThatWorkersSubmittedAreReadBackAndOlderRecordsLackThem() throws IOException {
    Window hang = Samples.idle(0).toBuilder().queuedByWorkers(7).build();
    String header = WindowColumns.header();
    String row = WindowColumns.row("orders", hang);
    record(header + "\n" + row + "\n");
    assertThat(WindowReader.read(folder).get(0).window().queuedByWorkers()).isEqualTo(7);
    record(header.replace(",queued_by_workers", "") + "\n" + row.replaceAll(",7$", "") + "\n");
    assertThat(WindowReader.read(folder).get(0).window().queuedByWorkers())
        .isEqualTo(Window.NOT_MEASURED);
  }

  @Test
  void diskFiguresAreReadBackAndTheirSourceIsChecked() throws IOException {
    DiskStats disk =
        new DiskStats(6, 5, 4, 3, Double.NaN, DiskStats.BlockedSource.NONE, 2, Optional.empty());
    String row = WindowColumns.row("files", Samples.busy(0).toBuilder().disk(disk).build());
    record(WindowColumns.header() + "\n" + row + "\n");
    assertThat(WindowReader.read(folder).get(0).window().disk()).isEqualTo(disk);
    record(WindowColumns.header() + "\n" + row.replace(",none,", ",guess,") + "\n");
    assertThatThrownBy(() -> WindowReader.read(folder))
        .hasMessageEndingWith("line 2: disk_blocked_source is unknown: 'guess'");
  }

  @Test
  void aRowOfAnotherLengthIsNamed() throws IOException {
    record(rows() + "orders,1,2\n");
    assertThatThrownBy(() -> WindowReader.read(folder))
        .hasMessageContaining("line 3: has 3 cells, the header has 47");
  }

  @Test
  void anOpenQuoteIsNamed() throws IOException {
    record(rows().replace("orders", "\"orders"));
    assertThatThrownBy(() -> WindowReader.read(folder))
        .hasMessageEndingWith("line 2: a quote is not closed");
  }

  @Test
  void aLaterVersionIsRefusedByName() throws IOException {
    record(rows());
    Files.writeString(folder.resolve("run.json"), "{\"version\": 2}");
    assertThatThrownBy(() -> WindowReader.read(folder))
        .hasMessageEndingWith(
            "run.json: version 2 of the run record; this reader knows versions up to 1");
  }

  @Test
  void anEmptyFileIsNamed() throws IOException {
    record("");
    assertThatThrownBy(() -> WindowReader.read(folder))
        .hasMessageEndingWith("windows.csv: not even a header");
  }
}
