package io.poolkeeper;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A limiter where memory runs out at any instruction, beside the JDK's semaphore. */
@Timeout(120)
final class LimiterHeapTest {

  @Test
  void anExhaustedHeapCostsNoPermit() throws Exception {
    Process child =
        new ProcessBuilder(command())
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .redirectInput(new File("/dev/null"))
            .start();
    try {
      String output = new String(child.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertThat(child.waitFor(60, TimeUnit.SECONDS)).isTrue();
      assertThat(output).startsWith("limiter 0 semaphore 0 errors ");
      assertThat(output).as("memory did run out").doesNotContain("errors 0");
    } finally {
      child.destroyForcibly();
    }
  }

  private static List<String> command() throws IOException {
    String classPath =
        Stream.of(ExhaustedHeap.class, AdaptiveLimiter.class)
            .map(type -> type.getProtectionDomain().getCodeSource().getLocation().getPath())
            .collect(Collectors.joining(File.pathSeparator));
    return List.of(
        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
        "-XX:+UseG1GC",
        "-Xmx24m",
        "-cp",
        classPath,
        ExhaustedHeap.class.getName());
  }
}
