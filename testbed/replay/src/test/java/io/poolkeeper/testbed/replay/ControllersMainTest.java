package io.poolkeeper.testbed.replay;

import static org.assertj.core.api.Assertions.assertThat;

import io.poolkeeper.testbed.controllers.Policies;
import io.poolkeeper.testbed.replay.Runs.Printed;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

final class ControllersMainTest {

  @Test
  void thePageIsUpToDate() throws IOException {
    assertThat(Files.readString(Path.of("../../docs/controllers.md")))
        .as("made by ./poolkeeper controllers --markdown > docs/controllers.md")
        .isEqualTo(controllers("--markdown").out());
  }

  @Test
  void everyOneHasALineAndARow() {
    Printed lines = controllers();
    Printed page = controllers("--markdown");
    assertThat(Policies.contestants()).contains("fixed", "throughput", "fbos", "scale-adapter");
    for (String name : Policies.contestants()) {
      assertThat(lines.out()).contains("  " + name + " ");
      assertThat(page.out()).contains("\n| `" + name + "` | ");
    }
  }

  @Test
  void oneIsToldInFull() {
    assertThat(controllers("watermark").out())
        .isEqualTo(
            """
            watermark, a policy
              source      Schmidt and Kuhns 2000, after Bahadur and others 2014, section 2.9
              signal      waiting tasks against workers
              trigger     a task arrives at a queue that is longer than the pool: one more
              decides     at events
              fails when  bursts; more workers make the work slower; never shrinks
              settings
                low   2   workers at the start, 1 or more
                high  64  most workers, at least low
            """);
  }

  @Test
  void anUnknownOneIsAnsweredWithTheNearest() {
    Printed printed = controllers("watermarks");
    assertThat(printed.code()).isEqualTo(2);
    assertThat(printed.err())
        .startsWith(
            "poolkeeper: unknown controller 'watermarks'; did you mean 'watermark'? known: ")
        .hasLineCount(1);
  }

  private static Printed controllers(String... arguments) {
    return Runs.printed((out, err) -> ControllersMain.execute(out, err, arguments));
  }
}
