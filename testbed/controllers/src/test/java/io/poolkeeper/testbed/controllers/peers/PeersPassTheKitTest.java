package io.poolkeeper.testbed.controllers.peers;

import static org.assertj.core.api.Assertions.assertThat;

import io.poolkeeper.Controller;
import io.poolkeeper.Controllers;
import io.poolkeeper.spi.ControllerDescriptor;
import io.poolkeeper.testbed.controllers.Policies;
import io.poolkeeper.testbed.controllers.rules.PeerPolicies;
import io.poolkeeper.testkit.ControllerKit;
import java.util.Map;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Every controller of this package. */
@Execution(ExecutionMode.CONCURRENT)
final class PeersPassTheKitTest {

  @Nested
  final class Dotnet extends ControllerKit {
    @Override
    protected Controller controller() {
      return new DotnetController(4, 1);
    }
  }

  @Nested
  final class Liberty extends ControllerKit {
    @Override
    protected Controller controller() {
      return new LibertyController(4, 4, 1);
    }
  }

  @Nested
  final class Envoy extends ControllerKit {
    @Override
    protected Controller controller() {
      return new EnvoyController(1000);
    }
  }

  @Nested
  final class BlockingCoefficient extends ControllerKit {
    @Override
    protected Controller controller() {
      return new BlockingCoefficientController(4, 1);
    }
  }

  @Nested
  final class IncrementalSteps extends ControllerKit {
    @Override
    protected Controller controller() {
      return new IncrementalStepsController(2);
    }
  }

  @Nested
  final class ParabolaApproximation extends ControllerKit {
    @Override
    protected Controller controller() {
      return new ParabolaApproximationController(0.9);
    }
  }

  @Nested
  final class Hybrid extends ControllerKit {
    @Override
    protected Controller controller() {
      return new HybridLoadController();
    }
  }

  @Nested
  final class HalfAndHalf extends ControllerKit {
    @Override
    protected Controller controller() {
      return new HalfAndHalfController();
    }
  }

  @Test
  void theCatalogueMakesEachByItsName() {
    for (ControllerDescriptor<Controller> descriptor : new PeerControllers().controllers()) {
      assertThat(Controllers.named(descriptor.name(), Map.of()).name())
          .isEqualTo(descriptor.name());
    }
    assertThat(new PeerPolicies().policies())
        .extracting(ControllerDescriptor::name)
        .containsExactly("vegas-style", "gradient2-style", "aimd-style", "failsafe-style")
        .allSatisfy(name -> assertThat(Policies.named(name, Map.of()).name()).isEqualTo(name));
  }
}
