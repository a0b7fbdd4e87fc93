package io.poolkeeper.testbed.ntier.board;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Both mixes as the load generator sends them: every answer holds what it must. */
class MixesPlayedTest extends BoardTest {

  @ParameterizedTest
  @ValueSource(strings = {"browse", "read-write"})
  void everyAnswerIsRight(String mix, @TempDir Path folder) throws Exception {
    String load =
        Files.readString(Path.of("../../experiments/ntier/loads", mix + ".yaml"))
            .replace("exponential 7s", "exponential 20ms")
            .replace("rate: 10/s", "rate: 30/s")
            .replace("for: 5m", "for: 4s");
    Path file = folder.resolve("load.yaml");
    Files.writeString(file, load);
    JsonNode before = board.idleTier();
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                "io.poolkeeper.testbed.load.LoadMain",
                file.toString(),
                "--target",
                "http://127.0.0.1:" + board.board.port(),
                "--record",
                folder.resolve("record").toString())
            .redirectErrorStream(true)
            .redirectOutput(new File(folder.toFile(), "out"))
            .start();
    assertThat(process.waitFor(300, TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitValue()).as(Files.readString(folder.resolve("out"))).isZero();
    JsonNode summary =
        new ObjectMapper().readTree(folder.resolve("record").resolve("load.json").toFile());
    assertThat(summary.get("errors_by_kind").size()).as(summary.toString()).isZero();
    assertThat(summary.get("requests").asInt()).isPositive();
    JsonNode after = board.idleTier();
    assertThat(after.get("requests").asLong() - before.get("requests").asLong())
        .isGreaterThanOrEqualTo(summary.get("requests").asLong());
    assertThat(after.get("errors").asLong()).isZero();
  }
}
