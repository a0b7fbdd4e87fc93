package io.poolkeeper.testbed.servers.conformance;

import static io.poolkeeper.testbed.servers.architectures.Patience.await;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.UnixOperatingSystemMXBean;
import io.poolkeeper.testbed.servers.TestServer;
import io.poolkeeper.testbed.servers.architectures.Architecture;
import io.poolkeeper.testbed.servers.architectures.ServerSettings;
import io.poolkeeper.testbed.servers.http.Limits;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A start that fails says why and leaves nothing; files and threads of the process are counted. */
@Isolated
@Timeout(300)
final class StartingTest {

  private static final String ARCHITECTURES =
      "io.poolkeeper.testbed.servers.conformance.Conformance#architectures";

  private static void requireAPortInUseIsNamed(Architecture architecture, int port) {
    ServerSettings taken = new ServerSettings(port, Duration.ofSeconds(1), Limits.DEFAULTS);
    assertThatThrownBy(() -> new TestServer(architecture, taken))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("cannot listen on port " + port);
  }

  @ParameterizedTest
  @MethodSource(ARCHITECTURES)
  void aStartThatFailsSaysWhyAndLeavesNothing(String name) throws IOException {
    Architecture architecture = Architecture.named(name);
    Conformance.requireThreadsFor(architecture);
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      int port = taken.getLocalPort();
      requireAPortInUseIsNamed(architecture, port); // What is loaded once stays.
      Set<Thread> before = ofStages();
      long files = openFiles();
      for (int i = 0; i < 4; i++) {
        requireAPortInUseIsNamed(architecture, port);
      }
      await("no more files are open", () -> openFiles() <= files);
      await("no handler of a stage is left", () -> before.containsAll(ofStages()));
    }
  }

  private static long openFiles() {
    return ((UnixOperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
        .getOpenFileDescriptorCount();
  }

  private static Set<Thread> ofStages() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().matches("(seda-)?(read|write)-.*"))
        .collect(Collectors.toSet());
  }
}
