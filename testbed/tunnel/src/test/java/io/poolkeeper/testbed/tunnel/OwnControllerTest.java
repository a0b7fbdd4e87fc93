package io.poolkeeper.testbed.tunnel;

import static org.assertj.core.api.Assertions.assertThat;

import io.poolkeeper.Controller;
import io.poolkeeper.Decision;
import io.poolkeeper.Window;
import io.poolkeeper.spi.ControllerDescriptor;
import io.poolkeeper.spi.ControllerProvider;
import io.poolkeeper.testbed.tunnel.results.Catalogue;
import io.poolkeeper.testbed.tunnel.results.Results;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The way of a researcher's own controller, as README.md tells it: one class, registered, judged.
 */
final class OwnControllerTest {

  /** The controller of README.md. */
  static final class Half implements Controller {
    @Override
    public Decision decide(Window window) {
      return Decision.towards(
          window.busy() < window.size() / 2.0 ? window.size() / 2 : window.size() + 1,
          "half or one more");
    }
  }

  /** Its provider; made by the service loader. */
  public static final class MyControllers implements ControllerProvider {
    @Override
    public Collection<ControllerDescriptor<Controller>> controllers() {
      return List.of(
          new ControllerDescriptor<>(
              "half",
              "me",
              "busy workers",
              "half are idle",
              "the plant collapses",
              Duration.ofSeconds(1),
              List.of(),
              settings -> new Half()));
    }
  }

  @Test
  void itIsJudgedByItsName(@TempDir Path folder) throws Exception {
    PrintStream nowhere =
        new PrintStream(OutputStream.nullOutputStream(), true, StandardCharsets.UTF_8);
    int code =
        TunnelMain.execute(
            nowhere,
            nowhere,
            "--quick",
            "--plants=plateau",
            "--loads=closed-10,night",
            "--controllers=half,throughput",
            "--seeds=1",
            "--output=" + folder.resolve("results"));
    assertThat(code).isZero();
    List<String> lines = Files.readAllLines(folder.resolve("results").resolve(Results.RESULTS));
    assertThat(lines).hasSize(1 + 2 * 2).filteredOn(line -> line.contains(",half,")).hasSize(2);
    assertThat(Files.readString(folder.resolve("results").resolve(Catalogue.FILE)))
        .contains("\"trigger\":\"half are idle\"");
  }
}
