package io.poolkeeper.testbed.simulator.command;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class SeriesMainTest {

  private static final ObjectMapper JSON = new ObjectMapper();

  @TempDir private Path folder = Path.of("");

  private static List<JsonNode> answers(List<List<String>> commands) throws IOException {
    StringBuilder lines = new StringBuilder();
    for (List<String> command : commands) {
      lines.append(JSON.writeValueAsString(command)).append('\n');
    }
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    SeriesMain.serve(
        new ByteArrayInputStream(lines.toString().getBytes(StandardCharsets.UTF_8)),
        new PrintStream(out, true, StandardCharsets.UTF_8));
    List<JsonNode> answers = new ArrayList<>();
    for (String line : out.toString(StandardCharsets.UTF_8).lines().toList()) {
      answers.add(JSON.readTree(line));
    }
    return answers;
  }

  @Test
  void eachLineIsAnsweredWithWhatTheCommandPrintsAlone() throws IOException {
    String model = Files.writeString(folder.resolve("small.yaml"), Examples.SMALL).toString();
    List<String> command = List.of("--no-record", "--json", model);
    ByteArrayOutputStream alone = new ByteArrayOutputStream();
    PrintStream out = new PrintStream(alone, true, StandardCharsets.UTF_8);
    assertThat(SimulateMain.execute(out, System.err, command.toArray(String[]::new))).isZero();

    assertThat(answers(List.of(command, command)))
        .hasSize(2)
        .allSatisfy(
            answer -> {
              assertThat(answer.path("code").asInt(-1)).isZero();
              assertThat(answer.path("err").asText()).isEmpty();
              assertThat(answer.path("out").asText())
                  .isEqualTo(alone.toString(StandardCharsets.UTF_8));
            });
  }

  @Test
  void aModelThatIsRefusedHasItsLineAndTheNextIsPlayed() throws IOException {
    String model = Files.writeString(folder.resolve("small.yaml"), Examples.SMALL).toString();
    List<JsonNode> answers =
        answers(
            List.of(
                List.of("--json", folder.resolve("none.yaml").toString()),
                List.of("--no-record", "--json", model)));

    assertThat(answers).hasSize(2);
    assertThat(answers.get(0).path("code").asInt(-1)).isEqualTo(2);
    assertThat(answers.get(0).path("out").asText()).isEmpty();
    assertThat(answers.get(0).path("err").asText())
        .startsWith("poolkeeper: ")
        .contains("none.yaml")
        .hasLineCount(1);
    assertThat(answers.get(1).path("code").asInt(-1)).isZero();
  }
}
