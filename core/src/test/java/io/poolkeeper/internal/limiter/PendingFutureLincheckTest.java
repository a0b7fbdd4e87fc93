package io.poolkeeper.internal.limiter;

import io.poolkeeper.Draws;
import io.poolkeeper.Objective;
import io.poolkeeper.internal.meter.HeldPermit;
import java.lang.ref.ReferenceQueue;
import java.util.List;
import java.util.concurrent.CancellationException;
import org.jetbrains.kotlinx.lincheck.Actor;
import org.jetbrains.kotlinx.lincheck.execution.ExecutionScenario;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A permit comes to a future that is given up at that moment: it goes back once, whichever of the
 * two sees the other, though the executor forgets its task.
 */
@Tag("model-checking")
public class PendingFutureLincheckTest {

  private final Gate gate = new Gate(1);
  private final LimitMeter meter = new LimitMeter(gate, () -> 0, Objective.throughput());
  private final HeldPermit held = permit();
  private final PendingFuture<HeldPermit> pending;

  /** Begins with a future that waits for the only permit. */
  public PendingFutureLincheckTest() {
    HeldPermit permit = permit();
    pending = new PendingFuture<>(gate, meter, permit, permit, task -> {});
    boolean entered = meter.tryEnter(held);
    var future = pending.join();
    if (!entered || future.isDone()) {
      throw new IllegalStateException("the future does not wait");
    }
  }

  private static HeldPermit permit() {
    return new HeldPermit(new Object(), new ReferenceQueue<>(), 0, null);
  }

  /** Behaviour in one thread: a caller sees no effect. */
  public static class OneAtATime {
    public void giveBack() {}

    public void giveUp() {}
  }

  @Operation
  public void giveBack() {
    meter.ended(held, false);
  }

  @Operation
  public void giveUp() {
    pending.accept(null, new CancellationException());
  }

  @Validate
  public void thePermitIsFree() {
    if (gate.held() != 0 || gate.waiting() != 0) {
      throw new IllegalStateException(gate.held() + " held, " + gate.waiting() + " wait");
    }
  }

  @Test
  void inEveryInterleavingThePermitComesBackOnce() {
    new ModelCheckingOptions()
        .sequentialSpecification(OneAtATime.class)
        .addCustomScenario(
            new ExecutionScenario(
                List.of(),
                List.of(List.of(actor("giveBack")), List.of(actor("giveUp"))),
                List.of(),
                actor("thePermitIsFree")))
        .iterations(0)
        .invocationsPerIteration(Draws.of(100))
        .check(PendingFutureLincheckTest.class);
  }

  private static Actor actor(String method) {
    try {
      return new Actor(PendingFutureLincheckTest.class.getMethod(method), List.of());
    } catch (NoSuchMethodException e) {
      throw new AssertionError(e);
    }
  }
}
