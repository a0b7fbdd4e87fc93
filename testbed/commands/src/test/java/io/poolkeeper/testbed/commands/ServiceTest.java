package io.poolkeeper.testbed.commands;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class ServiceTest {

  @Test
  void isAnnouncedInOneLine() throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    Service.announce(new PrintStream(bytes, false, StandardCharsets.UTF_8), Map.of("port", 8080));
    String line = bytes.toString(StandardCharsets.UTF_8);
    assertThat(line).hasLineCount(1).endsWith(System.lineSeparator());
    JsonNode ready = new ObjectMapper().readTree(line);
    assertThat(ready.get("event").asText()).isEqualTo("ready");
    assertThat(ready.get("port").asInt()).isEqualTo(8080);
    assertThat(ready.get("pid").asLong()).isEqualTo(ProcessHandle.current().pid());
  }

  @Test
  void lastsUntilItsInputEnds() throws IOException {
    ByteArrayInputStream in = new ByteArrayInputStream(new byte[100_000]);
    Service.awaitEnd(in);
    assertThat(in.available()).isZero();
  }
}
