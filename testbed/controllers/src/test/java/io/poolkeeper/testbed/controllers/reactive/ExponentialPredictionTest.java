package io.poolkeeper.testbed.controllers.reactive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.poolkeeper.Controller;
import io.poolkeeper.Controllers;
import io.poolkeeper.testkit.ControllerKit;
import io.poolkeeper.testkit.WindowBuilder;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class ExponentialPredictionTest extends ControllerKit {

  @Override
  protected Controller controller() {
    return Controllers.named("exponential-prediction", Map.of());
  }

  @Test
  void predictsTheExponentialAverageOfBusyWorkersAndWaitingTasks() {
    Controller controller = new ExponentialPrediction(0.25);
    assertThat(size(controller, 4, 4)).as("the first is its own prediction").isEqualTo(8);
    assertThat(size(controller, 4, 12)).as("0.25 * 16 + 0.75 * 8 = 10").isEqualTo(10);
    assertThat(size(controller, 0, 0)).as("7.5, so 8").isEqualTo(8);
    assertThat(controller.decide(WindowBuilder.ofSize(9).busy(2.5).build()).numbers())
        .isEqualTo(Map.of("observed", 2.5, "previous", 7.5, "predicted", 6.25));
  }

  @Test
  void aPoolHasAWorker() {
    assertThat(size(new ExponentialPrediction(1), 0, 0)).isEqualTo(1);
  }

  @Test
  void theWeightIsAFraction() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Controllers.named("exponential-prediction", Map.of("weight", "0")))
        .withMessage("weight must be above 0.0 and at most 1.0, but is 0.0");
  }

  private static int size(Controller controller, double busy, double queue) {
    return controller
        .decide(WindowBuilder.ofSize(9).busy(busy).queue(queue, (int) queue).build())
        .size();
  }
}
