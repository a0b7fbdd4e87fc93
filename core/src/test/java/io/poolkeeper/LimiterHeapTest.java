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

/**
 * A limiter where memory runs out at any instruction, beside the JDK's semaphore. The time limits
 * only find a hang: the program takes half a minute of processor time, of which a busy machine
 * gives it little.
 */
@Timeout(1200)
final class LimiterHeapTest {

  @Test
  void anExhaustedHeapCostsNoPermit() throws Exception {
    String output = output(ExhaustedHeap.class.getName());
    assertThat(output).startsWith("limiter 0 semaphore 0 errors ");
    assertThat(output).as("memory did run out").doesNotContain("errors 0");
  }

  /** The virtual machine resolves classes when they are first used, which takes memory. */
  @Test
  void theFirstPermitEverComesBackWithoutMemory() throws Exception {
    assertThat(output("io.poolkeeper.internal.executor.FirstUse"))
        .isEqualTo("held true, done false, thrown null, in use 0, waiting 0\n");
  }

  private static String output(String program) throws Exception {
    Process child =
        new ProcessBuilder(command(program))
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .redirectInput(new File("/dev/null"))
            .start();
    try {
      String output = new String(child.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertThat(child.waitFor(300, TimeUnit.SECONDS)).isTrue();
      return output;
    } finally {
      child.destroyForcibly();
    }
  }

  private static List<String> command(String program) throws IOException {
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
        program);
  }
}
