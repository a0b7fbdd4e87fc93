package io.poolkeeper.testkit;

import static io.poolkeeper.testkit.Shape.DATABASE;
import static io.poolkeeper.testkit.Shape.WIDE;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.poolkeeper.Objective;
import io.poolkeeper.controllers.ResponseCurveController;
import java.lang.management.ManagementFactory;
import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Work and memory of the response-curve controller. */
final class ResponseCurveCostTest {

  /** Memory that a decision takes for a moment, on average, is below this. */
  private static final double MOST_KILOBYTES = 200;

  private static ResponseCurveController controller() {
    return new ResponseCurveController(Objective.throughput(), 0.03, 2);
  }

  /**
   * Memory stands for work here: it is the same on any machine, however busy. A posterior that is
   * worked out anew takes more than all else of a decision; while a decision stands there is none.
   * The time that decisions take is measured by {@code ./poolkeeper bench loop-cost}.
   */
  @Test
  void mostDecisionsNeedNoNewPosterior() {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    Course learned = new Course(controller(), 1).run(600, 200, DATABASE);
    long before = threads.getCurrentThreadAllocatedBytes();
    learned.run(50, 200, DATABASE).run(50, 200, WIDE);
    double kilobytes = (threads.getCurrentThreadAllocatedBytes() - before) / 200.0 / 1024;
    assertThat(kilobytes).as("kilobytes a decision").isLessThan(MOST_KILOBYTES);
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
