package io.poolkeeper.console;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The metadata for native images has the files of the page, and the records that become JSON. */
final class NativeImageMetadataTest {

  private static final String FOLDER = "/META-INF/native-image/io.poolkeeper/poolkeeper-console/";

  private static JsonNode read(String file) throws IOException {
    try (InputStream in = NativeImageMetadataTest.class.getResourceAsStream(FOLDER + file)) {
      return new ObjectMapper().readTree(Objects.requireNonNull(in));
    }
  }

  @Test
  void allFilesOfThePageAreInTheImage() throws IOException {
    List<String> patterns =
        read("resource-config.json").at("/resources/includes").findValuesAsText("pattern");
    try (Stream<Path> files = Files.list(Path.of("src/main/resources/io/poolkeeper/console"))) {
      assertThat(files.map(file -> "\\Qio/poolkeeper/console/" + file.getFileName() + "\\E"))
          .containsExactlyInAnyOrderElementsOf(patterns);
    }
  }

  @Test
  void recordsMayBecomeJsonByReflection() throws Exception {
    Path classes =
        Path.of(Console.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    List<String> records = new ArrayList<>();
    try (Stream<Path> files = Files.list(classes.resolve("io/poolkeeper/console"))) {
      for (String file : files.map(file -> file.getFileName().toString()).toList()) {
        String name = "io.poolkeeper.console." + file.replace(".class", "");
        if (!file.equals("package-info.class")
            && file.endsWith(".class")
            && Class.forName(name, false, Console.class.getClassLoader()).isRecord()) {
          records.add(name);
        }
      }
    }
    assertThat(read("reflect-config.json").findValuesAsText("name"))
        .containsExactlyInAnyOrderElementsOf(records);
  }
}
