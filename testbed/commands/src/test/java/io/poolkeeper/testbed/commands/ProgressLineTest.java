package io.poolkeeper.testbed.commands;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(300)
final class ProgressLineTest {

  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
  private final PrintStream err = new PrintStream(bytes, true, StandardCharsets.UTF_8);

  private String printed(boolean terminal, Duration interval) throws InterruptedException {
    CountDownLatch twice = new CountDownLatch(2);
    try (ProgressLine line =
        new ProgressLine(
            seconds -> {
              twice.countDown();
              return "50 %";
            },
            terminal,
            Duration.ZERO,
            interval,
            err)) {
      assertThat(twice.await(300, TimeUnit.SECONDS)).isTrue();
      assertThat(line.seconds()).isPositive();
    }
    return bytes.toString(StandardCharsets.UTF_8);
  }

  @Test
  void aTerminalHasOneLineThatIsTakenAwayAtTheEnd() throws InterruptedException {
    assertThat(printed(true, Duration.ofHours(1)))
        .startsWith("\r\033[K50 %")
        .doesNotContain("\n")
        .endsWith("\r\033[K");
  }

  @Test
  void aFileHasLines() throws InterruptedException {
    assertThat(printed(false, Duration.ofMillis(20)).lines()).isNotEmpty().containsOnly("50 %");
  }

  @Test
  void whatIsOverAtOncePrintsNothing() {
    new ProgressLine(seconds -> "50 %", false, Duration.ofHours(1), Duration.ofHours(1), err)
        .close();
    assertThat(bytes.size()).isZero();
  }
}
