package io.poolkeeper.internal.limiter;

import io.poolkeeper.Draws;
import io.poolkeeper.internal.meter.Lane;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jetbrains.kotlinx.lincheck.Actor;
import org.jetbrains.kotlinx.lincheck.execution.ExecutionScenario;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.ManagedStrategyGuaranteeKt;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Every interleaving of a few operations on a gate gives the answers of some order of them, one
 * after the other: no permit too many, none lost, no waiter overtaken or forgotten. The model
 * checker names the interleaving that does not.
 *
 * <p>Two threads have a lane each, both open, one with the only free permit; the limit may rise to
 * where there is plenty, so that lanes open again, and fall under the permits in use.
 */
@Tag("model-checking")
public class GateLincheckTest {

  private static final int LIMIT = 10;

  /** More than any scenario gives back. */
  private static final int HELD = LIMIT - 1;

  /** Behaviour of a gate in one thread. */
  public static class OneAtATime {
    private final Deque<Object> queue = new ArrayDeque<>();
    private final Deque<Object> a = new ArrayDeque<>();
    private final Deque<Object> b = new ArrayDeque<>();
    private int limit = LIMIT;
    private int held = HELD;

    public boolean tryEnterA() {
      return tryEnter();
    }

    public boolean tryEnterB() {
      return tryEnter();
    }

    private boolean tryEnter() {
      boolean enters = queue.isEmpty() && held < limit;
      held += enters ? 1 : 0;
      return enters;
    }

    public void leaveA() {
      leave();
    }

    public void leaveB() {
      leave();
    }

    private void leave() {
      held--;
      serve();
    }

    public void limit(int limit) {
      this.limit = limit;
      serve();
    }

    public int held() {
      return held;
    }

    private void serve() {
      while (held < limit && queue.poll() != null) {
        held++;
      }
    }

    public void joinA() {
      join(a);
    }

    public boolean giveUpA() {
      return giveUp(a);
    }

    public void joinB() {
      join(b);
    }

    public boolean giveUpB() {
      return giveUp(b);
    }

    private void join(Deque<Object> own) {
      Object waiter = new Object();
      own.push(waiter);
      queue.add(waiter);
      serve();
    }

    private boolean giveUp(Deque<Object> own) {
      return !own.isEmpty() && queue.remove(own.pop());
    }
  }

  private final Gate gate = new Gate(LIMIT);
  private final Lane laneA = new Lane();
  private final Lane laneB = new Lane();
  private final Deque<Admission> a = new ArrayDeque<>();
  private final Deque<Admission> b = new ArrayDeque<>();
  private final AtomicInteger joined = new AtomicInteger();
  private final AtomicInteger gaveUp = new AtomicInteger();
  private final AtomicInteger admitted = new AtomicInteger();

  private final class Admission extends Gate.Waiter {
    @Override
    protected void admitted(long at) {
      admitted.incrementAndGet();
    }
  }

  /** Opens both lanes, takes every permit past them, and gives one back to the first. */
  public GateLincheckTest() {
    Lane another = new Lane();
    enter(another);
    enter(another);
    leave(laneA);
    leave(laneB);
    for (int i = 0; i < LIMIT; i++) {
      enter(another);
    }
    leave(laneA);
    if (!laneA.open || !laneB.open || laneA.permits != 1 || laneB.permits != 0) {
      throw new IllegalStateException("not the lanes that the scenarios are to begin with");
    }
  }

  private boolean enter(Lane lane) {
    lane.enterNext();
    boolean entered = gate.tryEnter(lane);
    lane.exit();
    return entered || gate.tryEnterFromAll();
  }

  private void leave(Lane lane) {
    lane.enterNext();
    boolean stays = gate.leave(lane);
    lane.exit();
    if (!stays) {
      gate.left(lane, 0);
    }
  }

  @Operation(nonParallelGroup = "a")
  public boolean tryEnterA() {
    return enter(laneA);
  }

  @Operation(nonParallelGroup = "b")
  public boolean tryEnterB() {
    return enter(laneB);
  }

  @Operation(nonParallelGroup = "a")
  public void leaveA() {
    leave(laneA);
  }

  @Operation(nonParallelGroup = "b")
  public void leaveB() {
    leave(laneB);
  }

  @Operation
  public void limit(@Param(gen = IntGen.class, conf = "8:18") int limit) {
    gate.limit(() -> limit, 0);
  }

  @Operation
  public int held() {
    return gate.held();
  }

  @Operation(nonParallelGroup = "a")
  public void joinA() {
    join(a);
  }

  @Operation(nonParallelGroup = "a")
  public boolean giveUpA() {
    return giveUp(a);
  }

  @Operation(nonParallelGroup = "b")
  public void joinB() {
    join(b);
  }

  @Operation(nonParallelGroup = "b")
  public boolean giveUpB() {
    return giveUp(b);
  }

  private void join(Deque<Admission> own) {
    Admission waiter = new Admission();
    own.push(waiter);
    joined.incrementAndGet();
    gate.join(waiter, 0);
  }

  private boolean giveUp(Deque<Admission> own) {
    boolean left = !own.isEmpty() && gate.giveUp(own.pop());
    if (left) {
      gaveUp.incrementAndGet();
    }
    return left;
  }

  /** Whoever joined has been told once that it was admitted, has given up, or waits. */
  @Validate
  public void nobodyIsForgotten() {
    int accounted = admitted.get() + gaveUp.get() + gate.waiting();
    if (accounted != joined.get()) {
      throw new IllegalStateException(accounted + " accounted for, " + joined.get() + " joined");
    }
    if (gate.waiting() > 0 && gate.held() < gate.limit()) {
      throw new IllegalStateException(gate.waiting() + " wait though a permit is free");
    }
  }

  /**
   * The interleavings that the gate's comment argues about; no random ones, which take too long.
   */
  @Test
  void everyInterleavingIsThatOfSomeOrder() {
    new ModelCheckingOptions()
        .sequentialSpecification(OneAtATime.class)
        // The collections are used under the gate's lock alone.
        .addGuarantee(
            ManagedStrategyGuaranteeKt.forClasses(
                    WaiterQueue.class.getName(), "java.util.ArrayDeque")
                .allMethods()
                .ignore())
        // A permit comes back to a lane while somebody decides to wait.
        .addCustomScenario(
            scenario(
                List.of(actor("tryEnterA")),
                List.of(actor("leaveA"), actor("tryEnterA")),
                List.of(actor("joinB"), actor("tryEnterB"))))
        // The only permit is in the lane of another, or just on its way there.
        .addCustomScenario(
            scenario(
                List.of(),
                List.of(actor("tryEnterA"), actor("leaveA")),
                List.of(actor("tryEnterB"), actor("leaveB"))))
        // The limit falls while a permit goes in and out of a lane.
        .addCustomScenario(
            scenario(
                List.of(),
                List.of(actor("leaveA"), actor("tryEnterA")),
                List.of(actor("limit", LIMIT - 2), actor("held"))))
        .iterations(0)
        .invocationsPerIteration(Draws.of(50))
        .check(GateLincheckTest.class);
  }

  private static ExecutionScenario scenario(
      List<Actor> before, List<Actor> first, List<Actor> second) {
    return new ExecutionScenario(
        before, List.of(first, second), List.of(actor("held")), actor("nobodyIsForgotten"));
  }

  private static Actor actor(String method, Integer... arguments) {
    Class<?>[] types = Collections.nCopies(arguments.length, int.class).toArray(Class<?>[]::new);
    try {
      return new Actor(GateLincheckTest.class.getMethod(method, types), List.of(arguments));
    } catch (NoSuchMethodException e) {
      throw new AssertionError(e);
    }
  }
}
