package io.poolkeeper.internal.executor;

import io.poolkeeper.Draws;
import io.poolkeeper.Objective;
import java.util.List;
import org.jetbrains.kotlinx.lincheck.Actor;
import org.jetbrains.kotlinx.lincheck.execution.ExecutionScenario;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Of two resizes at a time one is the last: there may be as many workers as the size says. */
@Tag("model-checking")
public class WorkersLincheckTest {

  private static final int MAXIMUM = 8;

  private final WorkQueue queue = new LinkedWorkQueue(Integer.MAX_VALUE);
  private final Workers workers =
      new Workers(
          queue,
          WorkersLincheckTest::neverStarted,
          new PoolMeter(0, Objective.throughput()),
          () -> 0,
          false,
          4,
          MAXIMUM,
          () -> {});

  private static Thread neverStarted(Runnable body) {
    return new Thread(body) {
      @Override
      public synchronized void start() {
        // What counts is the slot.
      }
    };
  }

  /** Behaviour of resizes in one thread: a caller sees no effect. */
  public static class OneAtATime {
    public void shrink() {}

    public void grow() {}
  }

  @Operation
  public void shrink() {
    workers.resize(2);
  }

  @Operation
  public void grow() {
    workers.resize(6);
  }

  @Validate
  public void thereMayBeAsManyWorkersAsTheSize() {
    while (workers.start(null)) {
      Thread.onSpinWait();
    }
    if (workers.count() != workers.size()) {
      throw new IllegalStateException(workers.count() + " workers, size " + workers.size());
    }
  }

  @Test
  void inEveryInterleavingOneResizeIsTheLast() {
    new ModelCheckingOptions()
        .sequentialSpecification(OneAtATime.class)
        .addCustomScenario(
            new ExecutionScenario(
                List.of(),
                List.of(List.of(actor("shrink")), List.of(actor("grow"))),
                List.of(),
                actor("thereMayBeAsManyWorkersAsTheSize")))
        .iterations(0)
        .invocationsPerIteration(Draws.of(50))
        .check(WorkersLincheckTest.class);
  }

  private static Actor actor(String method) {
    try {
      return new Actor(WorkersLincheckTest.class.getMethod(method), List.of());
    } catch (NoSuchMethodException e) {
      throw new AssertionError(e);
    }
  }
}
