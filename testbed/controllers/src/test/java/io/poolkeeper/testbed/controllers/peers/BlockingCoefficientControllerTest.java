package io.poolkeeper.testbed.controllers.peers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.poolkeeper.Window;
import io.poolkeeper.testkit.WindowBuilder;
import java.time.Duration;
import org.junit.jupiter.api.Test;

final class BlockingCoefficientControllerTest {

  private static final Window TASKS =
      WindowBuilder.ofSize(3).completions(1000).response(10).build();

  private static Window computing(Duration each) {
    return Windows.withWorkerCpu(TASKS, each.toNanos() * 1000);
  }

  /** 4 cores at a half, 8 ms waiting to 2 ms computing: 4 * 0.5 * (1 + 4) = 10. */
  @Test
  void waitsOverComputing() {
    BlockingCoefficientController controller = new BlockingCoefficientController(4, 0.5);
    assertThat(controller.decide(computing(Duration.ofMillis(2))).size()).isEqualTo(10);
    assertThat(controller.decide(computing(Duration.ofMillis(10))).size())
        .as("nothing but computing")
        .isEqualTo(2);
    assertThat(controller.decide(computing(Duration.ofMillis(11))).size())
        .as("more CPU than time is no wait below zero")
        .isEqualTo(2);
  }

  @Test
  void saysWhyItCannotTell() {
    BlockingCoefficientController controller = new BlockingCoefficientController(4, 1);
    assertThat(controller.decide(TASKS).reason()).contains("is not measured");
    assertThat(controller.decide(computing(Duration.ZERO)).reason()).contains("used no CPU");
    assertThat(controller.decide(WindowBuilder.idle(3)).reason()).startsWith("no task ended");
    assertThat(controller.decide(TASKS).size()).isEqualTo(3);
  }

  @Test
  void settingsAreChecked() {
    assertThatThrownBy(() -> new BlockingCoefficientController(0, 1))
        .hasMessage("cores must be >= 1, but is 0");
    assertThatThrownBy(() -> new BlockingCoefficientController(1, 1.5))
        .hasMessage("utilisation must be above 0.0 and at most 1.0, but is 1.5");
  }
}
