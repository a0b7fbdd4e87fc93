package io.poolkeeper.testkit;

import io.poolkeeper.Controller;
import io.poolkeeper.Controllers;
import io.poolkeeper.CoordinatedPools;
import io.poolkeeper.Objective;
import io.poolkeeper.controllers.ResponseCurveController;
import java.time.Duration;
import java.util.Set;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Every controller that comes with the library. */
@Execution(ExecutionMode.CONCURRENT)
final class ControllersPassTheKitTest {

  /** Properties that the step controllers share. */
  abstract static class Stepping extends ControllerKit {
    /** The value is unknown in an idle window, and the previous one in the window after it. */
    @Override
    protected Set<String> numbersThatMayBeUnknown() {
      return Set.of("value", "previous");
    }
  }

  @Nested
  final class Throughput extends Stepping {
    @Override
    protected Controller controller() {
      return Controllers.throughput();
    }
  }

  @Nested
  final class CoordinatedThreads extends ControllerKit {
    @Override
    protected Controller controller() {
      return CoordinatedPools.of(Objective.throughput()).threads();
    }
  }

  @Nested
  final class CoordinatedConnections extends ControllerKit {
    @Override
    protected Controller controller() {
      return CoordinatedPools.of(Objective.throughput()).connections();
    }
  }

  @Nested
  final class MeanResponseTime extends Stepping {
    @Override
    protected Controller controller() {
      return Controllers.meanResponseTime();
    }
  }

  @Nested
  final class P99ResponseTime extends Stepping {
    @Override
    protected Controller controller() {
      return Controllers.p99ResponseTime();
    }
  }

  @Nested
  final class Goodput extends Stepping {
    @Override
    protected Controller controller() {
      return Controllers.forObjective(Objective.goodput(Duration.ofMillis(100)));
    }
  }

  @Nested
  final class ResponseCurve extends ControllerKit {
    @Override
    protected Controller controller() {
      return new ResponseCurveController(Objective.throughput(), 0.03, 2);
    }
  }

  @Nested
  final class ResponseCurveOfThePercentile extends ControllerKit {
    @Override
    protected Controller controller() {
      return new ResponseCurveController(Objective.percentile(0.99), 0.03, 2);
    }
  }

  @Nested
  final class Fixed extends ControllerKit {
    @Override
    protected Controller controller() {
      return Controllers.fixed(8);
    }
  }
}
