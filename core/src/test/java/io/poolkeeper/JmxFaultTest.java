package io.poolkeeper;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A process whose JMX does not start: its pools do. */
@Timeout(300)
final class JmxFaultTest {

  @Test
  void poolWorksWithoutJmxAndSaysSoInOneLine(@TempDir Path folder) throws Exception {
    Path output = folder.resolve("output");
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-Djavax.management.builder.initial=no.such.Builder",
                "-cp",
                System.getProperty("java.class.path"),
                JmxFaultMain.class.getName())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    try {
      assertThat(process.waitFor(300, TimeUnit.SECONDS)).isTrue();
      String text = Files.readString(output, StandardCharsets.UTF_8);
      assertThat(text)
          .endsWith("passed\n")
          .contains("orders: not in JMX: ")
          .contains("no.such.Builder; the pool works without it, jmx(false) avoids this message")
          .doesNotContain("\tat ");
    } finally {
      process.destroyForcibly();
    }
  }
}
