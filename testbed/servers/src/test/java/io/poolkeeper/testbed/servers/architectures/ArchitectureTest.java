package io.poolkeeper.testbed.servers.architectures;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

final class ArchitectureTest {

  @Test
  void thePageListsThemAllAsTheyAre() throws IOException {
    List<String> page = Files.readAllLines(Path.of("../../docs/architectures.md"));
    assertThat(page.stream().filter(line -> line.startsWith("| `")))
        .containsExactlyElementsOf(
            Stream.concat(Architecture.ALL.stream(), Stream.of(Architecture.BASELINE))
                .map(
                    each ->
                        "| `%s` | %s | %s |".formatted(each.name(), each.threads(), each.choose()))
                .toList());
  }

  @Test
  void eachIsFoundByItsName() {
    for (Architecture each : Architecture.ALL) {
      assertThat(Architecture.named(each.name())).isSameAs(each);
    }
    assertThatThrownBy(() -> Architecture.named("nio2-actr"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("did you mean 'nio2-actor'");
  }
}
