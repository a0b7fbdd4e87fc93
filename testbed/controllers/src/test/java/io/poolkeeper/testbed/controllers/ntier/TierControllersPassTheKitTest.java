package io.poolkeeper.testbed.controllers.ntier;

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

/** Every controller of this package. */
@Execution(ExecutionMode.CONCURRENT)
final class TierControllersPassTheKitTest {

  @Nested
  final class Scg extends ControllerKit {
    @Override
    protected Controller controller() {
      return new ScgController();
    }
  }

  @Nested
  final class Sct extends ControllerKit {
    @Override
    protected Controller controller() {
      return new SctController();
    }
  }

  @Nested
  final class Dcm extends ControllerKit {
    @Override
    protected Controller controller() {
      return new DcmController();
    }
  }

  @Test
  void theCatalogueMakesEachByItsName() {
    assertThat(new NtierControllers().controllers())
        .extracting(ControllerDescriptor::name)
        .containsExactly("sora-scg", "conscale-sct", "dcm")
        .allSatisfy(name -> assertThat(Controllers.named(name, Map.of()).name()).isEqualTo(name));
  }
}
