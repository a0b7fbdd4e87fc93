package io.poolkeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Pools in a process of their own whose heap is full: the active one shrinks between windows, on
 * the looks at garbage collection alone, and tells of it.
 */
@Timeout(600)
final class FullHeapTest {

  /** Folder in which distributions install JDKs. */
  private static final Path JDKS = Path.of("/usr/lib/jvm");

  @ParameterizedTest
  @ValueSource(strings = {"SerialGC", "ParallelGC", "G1GC"})
  void anActivePoolShrinksWhileTheHeapIsFull(String collector, @TempDir Path folder)
      throws Exception {
    run(Path.of(System.getProperty("java.home")), collector, folder);
  }

  /** Their cycles run beside the program: threads that allocate wait for them. */
  @ParameterizedTest
  @ValueSource(strings = {"ZGC", "ShenandoahGC"})
  void anActivePoolShrinksWhileTheHeapIsFullOfACollectorWithoutPauses(
      String collector, @TempDir Path folder) throws Exception {
    Optional<Path> jdk = newerJdk();
    assumeTrue(jdk.isPresent(), "no JDK 21 or later in " + JDKS);
    assumeTrue(has(jdk.orElseThrow(), collector), jdk.orElseThrow() + " has no " + collector);
    run(jdk.orElseThrow(), collector, folder);
  }

  /** Builds of some vendors lack collectors. */
  private static boolean has(Path jdk, String collector) throws Exception {
    Process process =
        new ProcessBuilder(jdk.resolve("bin/java").toString(), "-XX:+Use" + collector, "-version")
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
    return process.waitFor() == 0;
  }

  private static void run(Path jdk, String collector, Path folder) throws Exception {
    Path output = folder.resolve("output");
    List<String> command = new ArrayList<>();
    command.add(jdk.resolve("bin/java").toString());
    command.addAll(List.of("-XX:+Use" + collector, "-Xmx96m", "-XX:-UseGCOverheadLimit"));
    if (collector.equals("ParallelGC")) {
      command.add("-XX:ParallelGCThreads=2");
    }
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.add(FullHeapMain.class.getName());
    Process process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    try {
      boolean ended = process.waitFor(400, TimeUnit.SECONDS);
      String text = Files.readString(output, StandardCharsets.UTF_8);
      assertThat(ended).as("ended; its output: %s", text).isTrue();
      assertThat(text).endsWith("passed\n");
    } finally {
      process.destroyForcibly();
    }
  }

  private static Optional<Path> newerJdk() throws IOException {
    if (!Files.isDirectory(JDKS)) {
      return Optional.empty();
    }
    try (Stream<Path> folders = Files.list(JDKS)) {
      return folders.filter(FullHeapTest::isNewer).sorted().findFirst();
    }
  }

  private static boolean isNewer(Path jdk) {
    try {
      String release = Files.readString(jdk.resolve("release"), StandardCharsets.UTF_8);
      return release.lines().anyMatch(line -> line.matches("JAVA_VERSION=\"(2[1-9]|[3-9]\\d).*"));
    } catch (IOException e) {
      return false; // No JDK.
    }
  }
}
