package io.poolkeeper.record;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.poolkeeper.Bounds;
import io.poolkeeper.ControlListener.Action;
import io.poolkeeper.ControlListener.Step;
import io.poolkeeper.Decision;
import io.poolkeeper.Mode;
import io.poolkeeper.Resizable;
import io.poolkeeper.TimeStats;
import io.poolkeeper.Window;
import io.poolkeeper.record.WindowReader.PoolWindow;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class RunRecorderTest {

  private static final Path CONTRACT = Path.of("..", "contract");

  private final ObjectMapper json = new ObjectMapper();

  private record Pool(String name) implements Resizable {
    @Override
    public int size() {
      return 4;
    }

    @Override
    public Bounds bounds() {
      return new Bounds(1, 8);
    }

    @Override
    public void resize(int size) {}
  }

  private static Window window(TimeStats times, long cpu) {
    return Window.builder(10, 30, 4)
        .busy(2.5)
        .queue(0.25, 3)
        .arrivals(9)
        .completions(7)
        .failures(1)
        .rejections(1)
        .withinBound(6)
        .times(times, times, times)
        .cpu(cpu, cpu)
        .build();
  }

  private static Step step(String reason, Map<String, Double> numbers) {
    Window window = window(TimeStats.EMPTY, Window.NOT_MEASURED);
    return new Step(
        window,
        "half",
        Decision.resize(2, reason).because(numbers),
        Mode.DRY_RUN,
        Action.RECORDED,
        4,
        4,
        reason);
  }

  @Test
  void writesTheColumnsOfTheContractAndWhatWasMeasured(@TempDir Path folder) throws IOException {
    try (RunRecorder recorder = new RunRecorder(folder)) {
      recorder.onWindow(new Pool("orders"), window(new TimeStats(8, 1.5, 1, 2, 3, 4, 5, 6), 77));
      recorder.onWindow(new Pool("a \"b\", c"), window(TimeStats.EMPTY, Window.NOT_MEASURED));
    }
    List<String> lines = Files.readAllLines(folder.resolve("windows.csv"));
    List<String> columns = List.of(lines.get(0).split(",", -1));
    List<String> contract = new ArrayList<>();
    json.readTree(CONTRACT.resolve("windows.columns.json").toFile())
        .get("columns")
        .forEach(column -> contract.add(column.get("name").asText()));
    assertThat(columns).isEqualTo(contract);

    Map<String, String> first = new HashMap<>();
    String[] cells = lines.get(1).split(",", -1);
    for (int i = 0; i < cells.length; i++) {
      first.put(columns.get(i), cells[i]);
    }
    assertThat(first)
        .containsEntry("pool", "orders")
        .containsEntry("busy", "2.5")
        .containsEntry("within_bound", "6")
        .containsEntry("wait_count", "8")
        .containsEntry("wait_mean_ns", "1.5")
        .containsEntry("response_p999_ns", "5")
        .containsEntry("worker_cpu_ns", "77")
        .containsEntry("gc_ns", "");
    assertThat(lines.get(2)).startsWith("\"a \"\"b\"\", c\",10,30,4,2.5").endsWith(",,,,,,");
  }

  @Test
  void writesDecisionsThatTheSchemaAdmits(@TempDir Path folder) throws IOException {
    try (RunRecorder recorder = new RunRecorder(folder)) {
      recorder.onStep(
          new Pool("orders"),
          step("a \"quoted\"\nreason", Map.of("value", Double.NaN, "gain", 0.5)));
      recorder.onStep(
          new Pool("orders"),
          new Step(
              window(TimeStats.EMPTY, 1), "half", null, Mode.ACTIVE, Action.FAILED, 4, 4, "threw"));
    }
    List<String> lines = Files.readAllLines(folder.resolve("decisions.jsonl"));
    JsonNode schema = json.readTree(CONTRACT.resolve("decision.schema.json").toFile());
    for (String line : lines) {
      JsonNode decision = json.readTree(line);
      schema.get("required").forEach(name -> assertThat(decision.has(name.asText())).isTrue());
      assertThat(schema.at("/properties/action/enum"))
          .anyMatch(word -> word.equals(decision.get("action")));
      assertThat(schema.at("/properties/mode/enum"))
          .anyMatch(word -> word.equals(decision.get("mode")));
    }
    assertThat(json.readTree(lines.get(0)).at("/numbers/value").isNull()).isTrue();
    assertThat(json.readTree(lines.get(0)).at("/numbers/gain").asDouble()).isEqualTo(0.5);
    assertThat(json.readTree(lines.get(1)).get("size_asked").isNull()).isTrue();
  }

  @Test
  void everyRowIsOnDiskWhenTheCallReturns(@TempDir Path folder) throws IOException {
    try (RunRecorder recorder = new RunRecorder(folder)) {
      recorder.onWindow(new Pool("orders"), window(TimeStats.EMPTY, 1));
      assertThat(Files.readString(folder.resolve("windows.csv"))).endsWith("\n").contains("orders");
    }
  }

  @Test
  void aRecordThatCannotBeMadeLeavesNoFileOpen(@TempDir Path folder) throws IOException {
    Files.createDirectory(folder.resolve("decisions.jsonl"));
    assertThatThrownBy(() -> new RunRecorder(folder)).hasMessageContaining(folder.toString());
    assertThat(openFiles(folder)).isEmpty();
    try (RunRecorder recorder = new RunRecorder(folder.resolve("complete"))) {
      recorder.onWindow(new Pool("orders"), window(TimeStats.EMPTY, 1));
      assertThat(openFiles(folder)).as("the test sees open files").isNotEmpty();
    }
  }

  /** Files below a folder that this process has open; other tests open and close their own. */
  private static List<Path> openFiles(Path folder) throws IOException {
    Path real = folder.toRealPath();
    try (Stream<Path> descriptors = Files.list(Path.of("/proc/self/fd"))) {
      return descriptors.map(RunRecorderTest::file).filter(file -> file.startsWith(real)).toList();
    }
  }

  private static Path file(Path descriptor) {
    try {
      return Files.readSymbolicLink(descriptor);
    } catch (IOException e) { // Closed meanwhile.
      return descriptor;
    }
  }

  @Test
  void aFullDiskStopsTheRecordingAndNothingElse(@TempDir Path folder) throws IOException {
    Path full = Path.of("/dev/full");
    Assumptions.assumeTrue(Files.exists(full), "needs /dev/full");
    Files.createSymbolicLink(folder.resolve("windows.csv"), full);
    try (RunRecorder recorder = new RunRecorder(folder)) {
      recorder.onWindow(new Pool("orders"), window(TimeStats.EMPTY, 1));
      recorder.onStep(new Pool("orders"), step("late", Map.of()));
    }
    assertThat(Files.readString(folder.resolve("decisions.jsonl"))).isEmpty();
  }

  @Test
  void whatWasWrittenIsRead(@TempDir Path folder) throws IOException {
    try (RunRecorder recorder = new RunRecorder(folder)) {
      recorder.onWindow(new Pool("orders"), Samples.busy(0));
      recorder.onWindow(new Pool("a, \"b\""), Samples.idle(1_000));
    }
    assertThat(WindowReader.read(folder))
        .containsExactly(
            new PoolWindow("orders", Samples.busy(0)),
            new PoolWindow("a, \"b\"", Samples.idle(1_000)));
  }

  @Test
  void aPoolNameWithALineBreakStaysOnOneLine(@TempDir Path folder) throws IOException {
    try (RunRecorder recorder = new RunRecorder(folder)) {
      recorder.onWindow(new Pool("a\nb"), Samples.idle(0));
    }
    assertThat(WindowReader.read(folder)).extracting(PoolWindow::pool).containsExactly("a b");
  }

  @Test
  void aFullDiskIsWarnedOfOnceAndWhatWasWrittenStays(@TempDir Path folder) throws IOException {
    Path full = Path.of("/dev/full");
    Assumptions.assumeTrue(Files.exists(full), "needs /dev/full");
    Files.createSymbolicLink(folder.resolve("decisions.jsonl"), full);
    try (Warnings warnings = new Warnings()) {
      try (RunRecorder recorder = new RunRecorder(folder)) {
        recorder.onWindow(new Pool("orders"), Samples.busy(0));
        recorder.onStep(new Pool("orders"), step("first", Map.of()));
        recorder.onWindow(new Pool("orders"), Samples.busy(1_000));
        recorder.onStep(new Pool("orders"), step("second", Map.of()));
      }
      assertThat(warnings.messages())
          .singleElement()
          .asString()
          .contains(folder.toString(), "No space left on device");
    }
    assertThat(WindowReader.read(folder)).hasSize(1);
  }

  @Test
  void aFolderThatCannotBeMadeIsNamed(@TempDir Path folder) throws IOException {
    Path file = Files.createFile(folder.resolve("file"));
    assertThatThrownBy(() -> new RunRecorder(file))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("cannot record in " + file);
  }

  @Test
  void columnsThatMayLackAreThoseOfTheContract() throws IOException {
    List<String> required = new ArrayList<>();
    for (JsonNode column :
        json.readTree(CONTRACT.resolve("windows.columns.json").toFile()).get("columns")) {
      if (!column.path("optional").asBoolean()) {
        required.add(column.get("name").asText());
      }
    }
    assertThat(WindowColumns.required()).isEqualTo(required);
  }
}
