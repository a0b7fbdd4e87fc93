package io.poolkeeper.testbed.servers.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.poolkeeper.testbed.servers.architectures.Architecture;
import io.poolkeeper.testbed.servers.architectures.Architecture.InputOutput;
import io.poolkeeper.testbed.servers.architectures.VirtualThreads;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Virtual threads pass the kit too, on a newer JDK that lies beside this one. */
@Timeout(300)
final class VirtualConformanceTest {

  private static Optional<Path> newerJdk() throws IOException {
    Path home = Path.of(System.getProperty("java.home")).toRealPath();
    try (Stream<Path> siblings = Files.list(home.getParent())) {
      return siblings.filter(VirtualConformanceTest::isNewer).findFirst();
    }
  }

  private static boolean isNewer(Path jdk) {
    Path release = jdk.resolve("release");
    if (!Files.isExecutable(jdk.resolve("bin/java")) || !Files.isReadable(release)) {
      return false;
    }
    try {
      return Files.readAllLines(release).stream()
          .filter(line -> line.startsWith("JAVA_VERSION="))
          .map(line -> line.replaceAll("^JAVA_VERSION=\"?|[.\"].*$", ""))
          .anyMatch(version -> Integer.parseInt(version) >= 21);
    } catch (IOException | NumberFormatException e) {
      return false;
    }
  }

  @Test
  void passesTheKit() throws Exception {
    assumeFalse(VirtualThreads.available(), "this JDK has virtual threads: the kit runs here");
    Optional<Path> jdk = newerJdk();
    assumeTrue(jdk.isPresent(), "there is no JDK 21 or later beside this one");
    String names =
        Architecture.ALL.stream()
            .filter(each -> each.inputOutput() == InputOutput.VIRTUAL)
            .map(Architecture::name)
            .collect(Collectors.joining(","));
    Process kit =
        new ProcessBuilder(
                jdk.get().resolve("bin/java").toString(),
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-Darchitectures=" + names,
                "-cp",
                System.getProperty("java.class.path"),
                ConformanceMain.class.getName())
            .redirectErrorStream(true)
            .start();
    String output = new String(kit.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(kit.waitFor()).as(output).isZero();
  }
}
