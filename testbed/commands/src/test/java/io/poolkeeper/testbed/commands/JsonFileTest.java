package io.poolkeeper.testbed.commands;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class JsonFileTest {

  @TempDir private Path folder = Path.of("");

  @Test
  void holdsTheLastDocumentAndNothingBesideIt() throws IOException {
    Path file = folder.resolve("run.json");
    JsonFile.write(file, Map.of("status", "running"));
    JsonFile.write(file, Map.of("status", "done"));
    assertThat(new ObjectMapper().readTree(file.toFile()).get("status").asText()).isEqualTo("done");
    assertThat(folder).isDirectoryContaining(path -> path.equals(file));
    assertThat(folder.toFile().list()).hasSize(1);
  }

  @Test
  void aDocumentThatCannotBeWrittenLeavesTheFormerOne() throws IOException {
    Path file = folder.resolve("run.json");
    JsonFile.write(file, Map.of("status", "running"));
    assertThatIOException().isThrownBy(() -> JsonFile.write(file, new Object()));
    assertThat(Files.readString(file)).contains("running");
    assertThat(folder.toFile().list()).hasSize(1);
  }
}
