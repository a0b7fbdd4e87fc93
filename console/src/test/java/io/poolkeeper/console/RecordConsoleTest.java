package io.poolkeeper.console;

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
import io.poolkeeper.Window;
import io.poolkeeper.record.RunRecorder;
import java.io.IOException;
import java.net.BindException;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(300)
final class RecordConsoleTest {

  private static final long SECOND = 1_000_000_000;
  private static final Resizable POOL =
      Resizable.of("orders", new Bounds(1, 64), () -> 4, size -> {});

  @TempDir private Path folder = Path.of("");

  /** Writes a record: a window a second of so many completions, and every tenth a change. */
  private void write(Path run, int windows) throws IOException {
    try (RunRecorder recorder = new RunRecorder(run)) {
      for (int i = 0; i < windows; i++) {
        long start = (100 + i) * SECOND;
        Window window = Window.builder(start, start + SECOND, 4).completions(i).build();
        recorder.onWindow(POOL, window);
        int after = i % 10 == 9 ? 8 : 4;
        Decision decision =
            Decision.resize(after, "number " + i)
                .because(Map.of("curve.4.mean", 40.0 + i, "curve.8.mean", 80.0));
        Action action = after == 4 ? Action.KEPT : Action.RESIZED;
        recorder.onStep(
            POOL,
            new Step(window, "c", decision, Mode.ACTIVE, action, 4, after, decision.reason()));
      }
    }
  }

  private static JsonNode get(RecordConsole console, String path) throws Exception {
    return new ObjectMapper().readTree(send(console, path, "GET").body());
  }

  private static HttpResponse<String> send(RecordConsole console, String path, String method)
      throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(console.address().resolve(path))
            .header("Authorization", "Bearer " + console.address().getFragment())
            .method(method, HttpRequest.BodyPublishers.ofString("{\"action\": \"roll back\"}"))
            .build();
    return HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
  }

  @Test
  void windowsDecisionsAndCurvesHaveTimesSinceTheStart() throws Exception {
    write(folder, 30);
    try (RecordConsole console = RecordConsole.open(folder, 0)) {
      assertThat(console.pools()).isEqualTo(1);
      JsonNode line = get(console, "/api/pools").at("/pools/0");
      assertThat(line.get("from").asLong()).isZero();
      assertThat(line.get("to").asLong()).isEqualTo(30_000);
      assertThat(line.get("changes").asInt()).isEqualTo(3);
      JsonNode pool = get(console, "/api/pool?name=orders");
      assertThat(pool.get("windows")).hasSize(30);
      assertThat(pool.at("/windows/7/at").asLong()).isEqualTo(8_000);
      assertThat(pool.at("/windows/7/throughput").asDouble()).isEqualTo(7);
      assertThat(pool.at("/decisions/0/at").asLong()).isEqualTo(10_000);
      assertThat(pool.at("/decisions/0/reason").asText()).isEqualTo("number 9");
      assertThat(pool.at("/curves/5/points/0/mean").asDouble()).isEqualTo(45);
    }
  }

  @Test
  void longRecordsAreJoinedWithoutLosingTasks() throws Exception {
    int windows = 10_000;
    write(folder, windows);
    try (RecordConsole console = RecordConsole.open(folder, 0)) {
      JsonNode pool = get(console, "/api/pool?name=orders");
      assertThat(pool.get("windowsRecorded").asInt()).isEqualTo(windows);
      assertThat(pool.get("windows").size())
          .isBetween(RecordedPool.LARGEST_WINDOWS / 2, RecordedPool.LARGEST_WINDOWS);
      double tasks = 0;
      for (JsonNode point : pool.get("windows")) {
        tasks += point.get("throughput").asDouble() * point.get("seconds").asDouble();
      }
      assertThat(tasks)
          .isCloseTo(windows * (windows - 1) / 2.0, org.assertj.core.data.Offset.offset(1.0));
      assertThat(pool.get("curves")).hasSize(RecordedPool.LARGEST_CURVES);
      assertThat(pool.get("states")).hasSize(RecordedPool.LARGEST_DECISIONS);
      assertThat(pool.at("/states/1999/reason").asText()).isEqualTo("number 9999");
    }
  }

  @Test
  void runsOfAFolderAreToldApart() throws Exception {
    write(folder.resolve("a"), 3);
    write(folder.resolve("b/0"), 3);
    try (RecordConsole console = RecordConsole.open(folder, 0)) {
      assertThat(get(console, "/api/pools").findValuesAsText("name"))
          .containsExactly("a / orders", "b/0 / orders");
      String name = URLEncoder.encode("b/0 / orders", StandardCharsets.UTF_8);
      assertThat(get(console, "/api/pool?name=" + name).get("windows")).hasSize(3);
    }
  }

  @Test
  void recordsCannotBeChangedAndHaveNoStream() throws Exception {
    write(folder, 3);
    try (RecordConsole console = RecordConsole.open(folder, 0)) {
      HttpResponse<String> change = send(console, "/api/pool?name=orders", "POST");
      assertThat(change.statusCode()).isEqualTo(400);
      assertThat(change.body()).contains("a record cannot be changed");
      assertThat(send(console, "/api/stream?name=orders", "GET").statusCode()).isEqualTo(400);
      assertThat(send(console, "/api/pool?name=other", "GET").body())
          .contains("there is no pool 'other'");
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "windows.csv     | a,b                     | windows.csv",
        "windows.csv     | ''                      | not even a header",
        "windows.csv     | %PNG                    | windows.csv",
        "decisions.jsonl | {                       | decisions.jsonl, line 1",
        "decisions.jsonl | {\"pool\": 3}           | decisions.jsonl, line 1",
        "run.json        | {\"version\": 99}       | version 99 of the run record",
        "run.json        | []                      | version must be a whole number",
        "run.json        | {\"version\": 1, \"pools\": 3} | pools must be an object",
      })
  void damagedRecordsAreRefusedInOneLine(String file, String content, String message)
      throws IOException {
    write(folder, 3);
    Files.writeString(folder.resolve(file), content.isEmpty() ? "" : content + "\n");
    assertThatThrownBy(() -> RecordConsole.open(folder, 0).close())
        .isInstanceOf(IOException.class)
        .hasMessageContaining(message)
        .message()
        .hasLineCount(1);
  }

  @Test
  void foreignPathsAreRefusedInOneLine() throws IOException {
    assertThatThrownBy(() -> RecordConsole.open(folder.resolve("none"), 0).close())
        .hasMessageEndingWith("none: does not exist; a record is the folder of a run");
    assertThatThrownBy(() -> RecordConsole.open(folder, 0).close())
        .hasMessageEndingWith("is no run record, it has neither windows.csv nor decisions.jsonl");
    Path text = Files.writeString(folder.resolve("notes.txt"), "notes");
    assertThatThrownBy(() -> RecordConsole.open(text, 0).close())
        .hasMessageEndingWith(
            "is no run record; one is a folder with windows.csv or decisions.jsonl");
    write(folder.resolve("empty"), 0);
    assertThatThrownBy(() -> RecordConsole.open(folder.resolve("empty"), 0).close())
        .hasMessageEndingWith("holds no window and no decision of any pool");
    for (int i = 0; i <= RecordFolders.LARGEST; i++) {
      write(folder.resolve("many/" + i), 1);
    }
    assertThatThrownBy(() -> RecordConsole.open(folder.resolve("many"), 0).close())
        .hasMessageContaining("holds 101 runs, a page shows at most 100; choose one, such as");
  }

  @Test
  void takenPortIsNamed() throws IOException {
    write(folder, 3);
    try (RecordConsole console = RecordConsole.open(folder, 0)) {
      int port = console.address().getPort();
      assertThatThrownBy(() -> RecordConsole.open(folder, port).close())
          .isInstanceOf(BindException.class)
          .hasMessageStartingWith("cannot listen on console port " + port);
    }
  }
}
