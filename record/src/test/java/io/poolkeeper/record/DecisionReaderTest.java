package io.poolkeeper.record;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.poolkeeper.ControlListener.Action;
import io.poolkeeper.Mode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@SuppressWarnings("NullAway.Init") // JUnit sets the folder before each test.
final class DecisionReaderTest {

  private static final Path GOLDEN = Path.of("../contract/golden/v1");

  private static final String LINE =
      "{\"pool\": \"orders\", \"controller\": \"half\", \"at_ns\": 30, \"mode\": \"active\","
          + " \"action\": \"resized\", \"size_before\": 4, \"size_after\": 2, \"size_asked\": 2,"
          + " \"reason\": \"half of 4\", \"numbers\": {\"value\": 0.5}}\n";

  @TempDir Path folder;

  @ParameterizedTest
  @ValueSource(strings = {"fixed-4", "adaptive", "cut-off", "every-action"})
  void goldenRecordsHoldWhatIsExpected(String run) throws IOException {
    JsonNode expected =
        new ObjectMapper().readTree(GOLDEN.resolve("expected.json").toFile()).path(run);
    List<PoolDecision> read;
    try (Warnings warnings = new Warnings()) {
      read = DecisionReader.read(GOLDEN.resolve(run));
      assertThat(warnings.messages()).hasSize(expected.get("cut_off").isEmpty() ? 0 : 1);
    }
    JsonNode decisions = expected.get("decisions");
    assertThat(read).hasSize(decisions.get("count").asInt());
    Map<String, Integer> byAction = new HashMap<>();
    read.forEach(decision -> byAction.merge(decision.action().toString(), 1, Integer::sum));
    assertThat(new ObjectMapper().<JsonNode>valueToTree(byAction))
        .isEqualTo(decisions.get("by_action"));
    if (!read.isEmpty()) {
      PoolDecision last = read.get(read.size() - 1);
      JsonNode wanted = decisions.get("last");
      assertThat(new ObjectMapper().readTree(DecisionLine.write(last))).isEqualTo(wanted);
      assertThat(last.at()).isEqualTo(wanted.get("at_ns").asLong());
      assertThat(last.numbers().keySet()).containsExactlyElementsOf(names(wanted.get("numbers")));
    }
  }

  private static List<String> names(JsonNode object) {
    return object.properties().stream().map(Map.Entry::getKey).toList();
  }

  @Test
  void numbersAreReadToTheLastBit() throws IOException {
    List<PoolDecision> read = DecisionReader.read(GOLDEN.resolve("every-action"));
    assertThat(read.get(0).numbers())
        .containsEntry("value", 31415926.535897933)
        .containsEntry("previous", Double.NaN);
    assertThat(read.get(2).numbers())
        .containsEntry("value", Double.MIN_VALUE)
        .containsEntry("previous", -0.0);
    assertThat(read.get(4).numbers()).containsEntry("value", Double.MAX_VALUE);
    assertThat(read.get(3).asked()).isNull();
  }

  @Test
  void aLineIsReadWhole() throws IOException {
    record(LINE);
    assertThat(DecisionReader.read(folder))
        .containsExactly(
            new PoolDecision(
                "orders",
                "half",
                30,
                Mode.ACTIVE,
                Action.RESIZED,
                4,
                2,
                2,
                "half of 4",
                Map.of("value", 0.5)));
  }

  @Test
  void theControllerMayBeMissing() throws IOException {
    record(LINE.replace("\"controller\"", "\"something\""));
    assertThat(DecisionReader.read(folder).get(0).controller()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "pool",
        "at_ns",
        "mode",
        "action",
        "size_before",
        "size_after",
        "size_asked",
        "reason",
        "numbers"
      })
  void aMissingFieldIsNamedWithItsLine(String field) throws IOException {
    record(LINE + LINE.replace('"' + field + '"', "\"other\""));
    assertThatThrownBy(() -> DecisionReader.read(folder))
        .isInstanceOf(IOException.class)
        .hasMessage("%s, line 2: field missing: %s", folder.resolve("decisions.jsonl"), field);
  }

  @ParameterizedTest
  @CsvSource(
      quoteCharacter = '\'',
      delimiter = '|',
      value = {
        "\"orders\"        | 7         | pool must be a text, but is 7",
        "\"at_ns\": 30     | \"at_ns\": 3.5 | at_ns must be a whole number, but is 3.5",
        "\"active\"        | \"lively\" | mode must be one of active, dry-run, frozen, but is"
            + " \"lively\"",
        "\"resized\"       | \"grown\" | action must be one of resized, kept, recorded, refused,"
            + " failed, but is \"grown\"",
        "_before\": 4      | _before\": -4 | size_before must be a whole number >= 0, but is -4",
        "_after\": 2       | _after\": 3000000000 | size_after must be a whole number >= 0, but is"
            + " 3000000000",
        "_asked\": 2       | _asked\": \"2\" | size_asked must be a whole number or null, but is"
            + " \"2\"",
        "0.5               | \"NaN\"   | number value must be a number or null, but is \"NaN\"",
        "{\"value\": 0.5}  | [1]       | numbers must be an object, but is [1]",
      })
  void aWrongFieldIsNamedWithItsLine(String right, String wrong, String message)
      throws IOException {
    record(LINE.replace(right, wrong));
    assertThatThrownBy(() -> DecisionReader.read(folder))
        .hasMessageEndingWith("decisions.jsonl, line 1: " + message);
  }

  @Test
  void whatIsNoJsonIsNamedWithItsLine() throws IOException {
    record(LINE + "{\"pool\": \n");
    assertThatThrownBy(() -> DecisionReader.read(folder))
        .hasMessageContaining("line 2: is not JSON: ");
    record("3\n");
    assertThatThrownBy(() -> DecisionReader.read(folder))
        .hasMessageEndingWith("line 1: must be a JSON object, but is 3");
    record("\n");
    assertThatThrownBy(() -> DecisionReader.read(folder))
        .hasMessageEndingWith("line 1: must be a JSON object, but is empty");
    record(LINE.replace("}\n", "}}\n"));
    assertThatThrownBy(() -> DecisionReader.read(folder))
        .hasMessageContaining("line 1: is not JSON: ");
  }

  @Test
  void aLastLineWithoutAnEndIsLeftOut() throws IOException {
    record(LINE + LINE.strip());
    try (Warnings warnings = new Warnings()) {
      assertThat(DecisionReader.read(folder)).hasSize(1);
      assertThat(warnings.messages())
          .singleElement()
          .asString()
          .contains("decisions.jsonl", "cut off");
    }
  }

  @Test
  void aLaterVersionIsRefusedByName() throws IOException {
    record(LINE);
    Files.writeString(folder.resolve("run.json"), "{\"version\": 2}");
    assertThatThrownBy(() -> DecisionReader.read(folder))
        .hasMessage(
            "%s: version 2 of the run record; this reader knows versions up to 1",
            folder.resolve("run.json"));
    Files.writeString(folder.resolve("run.json"), "{");
    assertThatThrownBy(() -> DecisionReader.read(folder))
        .hasMessage(
            "%s: is not JSON: Unexpected end-of-input: expected close marker for Object",
            folder.resolve("run.json"));
  }

  @Test
  void aMissingOrForeignFileIsNamed() throws IOException {
    assertThatThrownBy(() -> DecisionReader.read(folder))
        .hasMessage(folder.resolve("decisions.jsonl") + ": is missing");
    Files.write(folder.resolve("decisions.jsonl"), new byte[] {(byte) 0xff, '\n'});
    assertThatThrownBy(() -> DecisionReader.read(folder))
        .hasMessage(folder.resolve("decisions.jsonl") + ": is not UTF-8 text");
  }

  private void record(String decisions) throws IOException {
    Files.writeString(folder.resolve("decisions.jsonl"), decisions);
  }
}
