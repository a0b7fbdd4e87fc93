package io.poolkeeper.testkit;

import static io.poolkeeper.testkit.Shape.DATABASE;
import static io.poolkeeper.testkit.Shape.WIDE;
import static org.assertj.core.api.Assertions.assertThat;

import io.poolkeeper.Objective;
import io.poolkeeper.controllers.ResponseCurveController;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Processor time and memory of the response-curve controller. */
final class ResponseCurveCostTest {

  /** CPU time of a decision in compiled code is below this. */
  private static final double MOST_MICROSECONDS = 200;

  /** Longest wait for the compiler. */
  private static final Duration PATIENCE = Duration.ofMinutes(5);

  private static ResponseCurveController controller() {
    return new ResponseCurveController(Objective.throughput(), 0.03, 2);
  }

  /**
   * CPU time, so that what else runs on the machine does not count. The code is interpreted until
   * the compiler has had its turn, which takes a busy machine any number of rounds; so only a limit
   * in time ends them. All rounds are the same: the controller has learned for ten minutes.
   */
  @Test
  void aDecisionCostsLessThan200Microseconds() {
    ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    double least = Double.MAX_VALUE;
    long end = System.nanoTime() + PATIENCE.toNanos();
    while (least >= MOST_MICROSECONDS && System.nanoTime() - end < 0) {
      Course learned = new Course(controller(), 1).run(600, 200, DATABASE);
      long before = threads.getCurrentThreadCpuTime();
      learned.run(50, 200, DATABASE).run(50, 200, WIDE);
      least = Math.min(least, (threads.getCurrentThreadCpuTime() - before) / 200.0 / 1000);
    }
    assertThat(least).as("microseconds of CPU a decision").isLessThan(MOST_MICROSECONDS);
  }

  @Test
  void whatItKnowsTakesLessThan100Kilobytes() throws ReflectiveOperationException {
    ResponseCurveController controller = controller();
    Course course = new Course(controller, 1);
    for (int i = 0; i < 6; i++) {
      double rate = 1 + i;
      course.run(60, 200, n -> rate * DATABASE.applyAsDouble(n)).run(60, 200, WIDE);
    }
    assertThat(bytes(controller.state())).isBetween(1_000L, 100_000L);
  }

  /** At most: 16 bytes for a header, 8 for a field, all numbers taken for objects. */
  private static long bytes(Object value) throws ReflectiveOperationException {
    long bytes = 24;
    if (value instanceof Record) {
      for (RecordComponent component : value.getClass().getRecordComponents()) {
        Method accessor = component.getAccessor();
        accessor.setAccessible(true); // The types of the state are the controller's own.
        bytes += 8 + bytes(accessor.invoke(value));
      }
    } else if (value instanceof List<?> list) {
      for (Object element : list) {
        bytes += 8 + bytes(element);
      }
    }
    return bytes;
  }
}
