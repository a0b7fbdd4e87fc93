package io.poolkeeper.record;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.poolkeeper.Bounds;
import io.poolkeeper.Objective;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@SuppressWarnings("NullAway.Init") // JUnit sets the folder before each test.
final class PoolSetupTest {

  private static final PoolSetup SETUP =
      PoolSetup.of(
          "mean-latency", Map.of("step", "4"), Objective.named("goodput:300ms"), new Bounds(2, 64));

  private final ObjectMapper json = new ObjectMapper();

  @TempDir Path folder;

  @Test
  void settingsThatAreNotGivenAreRecordedAllTheSame() {
    assertThat(SETUP.settings())
        .containsExactly(
            Map.entry("step", "4"), Map.entry("threshold", "0.05"), Map.entry("lock", "6"));
    assertThat(SETUP.newController().name()).isEqualTo("mean-latency");
  }

  @Test
  void whatWasWrittenIsRead() throws IOException {
    run(json.writeValueAsString(Map.of("version", 1, "pools", Map.of("orders", SETUP.document()))));
    assertThat(PoolSetup.readAll(folder)).containsExactly(Map.entry("orders", SETUP));
  }

  @Test
  void theGoldenRecordTells() throws IOException {
    assertThat(PoolSetup.readAll(Path.of("../contract/golden/v1/every-action")))
        .containsExactly(
            Map.entry(
                "workers",
                PoolSetup.of(
                    "mean-latency",
                    Map.of("step", "4"),
                    Objective.meanResponseTime(),
                    new Bounds(1, 256))));
  }

  @Test
  void theDocumentHasTheFieldsOfTheContract() throws IOException {
    JsonNode schema =
        json.readTree(Path.of("../contract/run.schema.json").toFile())
            .at("/properties/pools/additionalProperties");
    JsonNode document = json.valueToTree(SETUP.document());
    assertThat(document.fieldNames())
        .toIterable()
        .containsExactlyInAnyOrderElementsOf(schema.get("properties")::fieldNames);
    assertThat(schema.get("required")).allMatch(name -> document.has(name.asText()));
  }

  @Test
  void aRunThatDoesNotTellHasNone() throws IOException {
    assertThat(PoolSetup.readAll(folder)).isEmpty();
    run("{\"version\": 1}");
    assertThat(PoolSetup.readAll(folder)).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      quoteCharacter = '\'',
      delimiter = '|',
      value = {
        "\"controller\" | \"other\"       | pool orders: field missing: controller",
        "goodput:300ms  | goodput:300     | pool orders: objective goodput must have a bound",
        "\"minimum\":2  | \"minimum\":65  | pool orders: maximum must be >= minimum, but 64 < 65",
        "\"step\":\"4\" | \"step\":4      | pool orders: step must be a text, but is 4",
        "\"version\":1  | \"version\":2   | run.json: version 2 of the run record",
      })
  void whatIsWrongIsNamedWithItsPool(String right, String wrong, String message)
      throws IOException {
    run(
        json.writeValueAsString(Map.of("version", 1, "pools", Map.of("orders", SETUP.document())))
            .replace(right, wrong));
    assertThatThrownBy(() -> PoolSetup.readAll(folder))
        .isInstanceOf(IOException.class)
        .hasMessageStartingWith(folder.resolve("run.json").toString())
        .hasMessageContaining(message);
  }

  private void run(String text) throws IOException {
    Files.writeString(folder.resolve("run.json"), text);
  }
}
