package io.poolkeeper.testbed.controllers.disk;

import static org.assertj.core.api.Assertions.assertThat;

import io.poolkeeper.Controller;
import io.poolkeeper.Controllers;
import io.poolkeeper.spi.ControllerDescriptor;
import io.poolkeeper.testkit.ControllerKit;
import java.util.Map;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Every variant of the scale adapter. */
@Execution(ExecutionMode.CONCURRENT)
final class DiskControllersPassTheKitTest {

  @Nested
  final class Plain extends ControllerKit {
    @Override
    protected Controller controller() {
      return Controllers.named("scale-adapter", Map.of());
    }
  }

  @Nested
  final class DropException extends ControllerKit {
    @Override
    protected Controller controller() {
      return Controllers.named("scale-adapter-drop", Map.of());
    }
  }

  @Nested
  final class MovingAverage extends ControllerKit {
    @Override
    protected Controller controller() {
      return Controllers.named("scale-adapter-average", Map.of("workload", "node"));
    }
  }

  @Nested
  final class CallTime extends ControllerKit {
    @Override
    protected Controller controller() {
      return Controllers.named("scale-adapter-calls", Map.of());
    }
  }

  @Test
  void theCatalogueMakesEachByItsName() {
    for (ControllerDescriptor<Controller> descriptor : new DiskControllers().controllers()) {
      assertThat(Controllers.named(descriptor.name(), Map.of()).name())
          .isEqualTo(descriptor.name());
    }
  }
}
