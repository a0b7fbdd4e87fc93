package io.poolkeeper.internal.loop;

import static org.assertj.core.api.Assertions.assertThat;

import io.poolkeeper.Bounds;
import io.poolkeeper.ControlListener.Action;
import io.poolkeeper.ControlListener.Step;
import io.poolkeeper.Decision;
import io.poolkeeper.Hang;
import io.poolkeeper.Mode;
import io.poolkeeper.Resizable;
import io.poolkeeper.Window;
import java.text.MessageFormat;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class DecisionLogTest {

  private final List<String> messages = new ArrayList<>();
  private final Logger logger = Logger.getLogger("io.poolkeeper");
  private final Handler handler = new Collector(messages);
  private final DecisionLog log = new DecisionLog();
  private final Resizable pool = Resizable.of("web", new Bounds(1, 200), () -> 2, size -> {});

  @BeforeEach
  void listen() {
    logger.addHandler(handler);
  }

  @AfterEach
  void stop() {
    logger.removeHandler(handler);
  }

  private void recorded(int wanted, Action action) {
    Decision decision = Decision.resize(wanted, "idle");
    Window window = Window.builder(0, 500_000_000, 200).build();
    log.onStep(pool, new Step(window, "c", decision, Mode.DRY_RUN, action, 200, 200, "idle"));
  }

  @Test
  void hangIsToldInSeconds() {
    Window window = Window.builder(0, 500_000_000, 2).queue(90, 99).build();
    log.onHang(pool, new Hang(window, Duration.ofNanos(10_001_055_384L), Map.of()));
    assertThat(messages)
        .containsExactly(
            "web: hung: 2 workers, all busy, 99 tasks waiting, nothing ended for 10.0 s");
  }

  @Test
  void dryRunTellsTheWantedSizeWhenItChanges() {
    recorded(150, Action.RECORDED);
    recorded(150, Action.RECORDED);
    recorded(100, Action.RECORDED);
    recorded(200, Action.KEPT);
    recorded(100, Action.RECORDED);
    assertThat(messages)
        .containsExactly(
            "web: recorded 200 -> 150: idle",
            "web: recorded 200 -> 100: idle",
            "web: recorded 200 -> 100: idle");
  }

  private static final class Collector extends Handler {

    private final List<String> messages;

    Collector(List<String> messages) {
      this.messages = messages;
    }

    @Override
    public void publish(LogRecord entry) {
      String message = MessageFormat.format(entry.getMessage(), entry.getParameters());
      if (message.startsWith("web: ")) { // Loops that other tests have left may log as well.
        messages.add(message);
      }
    }

    @Override
    public void flush() {
      // Nothing is kept back.
    }

    @Override
    public void close() {
      // There is nothing to close.
    }
  }
}
