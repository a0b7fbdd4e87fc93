package io.poolkeeper.testbed.controllers.vectors;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

final class VectorsTest {

  private static final Path FOLDER = Path.of("../../contract/vectors");

  /** Thousands of decisions, made once for all tests. */
  private static Map<String, String> files = Map.of();

  @BeforeAll
  static void decide() throws IOException {
    files = VectorsMain.files();
  }

  /** Other languages compute with these files; CONTRIBUTING tells how to write them. */
  @Test
  void theContractHoldsWhatTheControllersDecide() throws IOException {
    ObjectMapper mapper = new ObjectMapper();
    for (Map.Entry<String, String> file : files.entrySet()) {
      // Values and not texts: versions of Java write the same number with more or fewer digits.
      JsonNode written = mapper.readTree(FOLDER.resolve(file.getKey()).toFile());
      assertThat(written).as(file.getKey()).isEqualTo(mapper.readTree(file.getValue()));
    }
  }

  @Test
  void theContractHoldsNoOtherFile() throws IOException {
    String[] names = Objects.requireNonNull(FOLDER.toFile().list());
    assertThat(new TreeSet<>(Set.of(names))).isEqualTo(new TreeSet<>(files.keySet()));
  }

  /** Vectors that never resize would hold nobody to anything. */
  @Test
  void everySequenceChangesTheSize() throws IOException {
    for (Map.Entry<String, String> file : files.entrySet()) {
      for (JsonNode sequence : new ObjectMapper().readTree(file.getValue()).get("sequences")) {
        Set<Integer> sizes = new TreeSet<>();
        sequence.get("steps").forEach(step -> sizes.add(step.get("size").asInt()));
        assertThat(sizes).as(file.getKey() + ": " + sequence.get("name")).hasSizeGreaterThan(2);
      }
    }
  }
}
