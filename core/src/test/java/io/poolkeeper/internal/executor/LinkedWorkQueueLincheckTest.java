package io.poolkeeper.internal.executor;

import io.poolkeeper.Draws;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jetbrains.kotlinx.lincheck.Actor;
import org.jetbrains.kotlinx.lincheck.execution.ExecutionScenario;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.ManagedStrategyGuaranteeKt;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Every interleaving of a few operations on a queue of two gives the answers of some order of them:
 * nothing is lost or taken twice, nothing overtakes, and the queue is full with two and no sooner.
 * The model checker names the interleaving that does not.
 */
@Tag("model-checking")
public class LinkedWorkQueueLincheckTest {

  private static final int CAPACITY = 2;

  /** A task with a number. */
  private record Numbered(int number) implements Runnable {
    @Override
    public void run() {}
  }

  /** Behaviour of a queue in one thread. */
  public static class OneAtATime {
    private final ArrayDeque<Integer> waiting = new ArrayDeque<>();

    public boolean offer(int number) {
      return waiting.size() < CAPACITY && waiting.add(number);
    }

    public int poll() {
      Integer number = waiting.poll();
      return number == null ? 0 : number;
    }

    public boolean remove(int number) {
      return waiting.removeFirstOccurrence(number);
    }

    public int size() {
      return waiting.size();
    }

    public boolean isEmpty() {
      return waiting.isEmpty();
    }

    public List<Integer> elements() {
      return new ArrayList<>(waiting);
    }
  }

  private final LinkedWorkQueue queue = new LinkedWorkQueue(CAPACITY);

  private static int number(Runnable element) {
    return ((Numbered) Task.body(element)).number();
  }

  @Operation
  public boolean offer(@Param(gen = IntGen.class, conf = "1:4") int number) {
    return queue.offer(new Task(new Numbered(number), 0));
  }

  @Operation
  public int poll() {
    Runnable element = queue.poll();
    return element == null ? 0 : number(Task.take(element));
  }

  @Operation
  public boolean remove(@Param(gen = IntGen.class, conf = "1:4") int number) {
    return queue.remove((element, body) -> number(element) == number, 1) > 0;
  }

  @Operation
  public int size() {
    return queue.size();
  }

  @Operation
  public boolean isEmpty() {
    return queue.isEmpty();
  }

  @Operation
  public List<Integer> elements() {
    List<Integer> numbers = new ArrayList<>();
    queue.elements().forEach(element -> numbers.add(number(element)));
    return numbers;
  }

  /** The interleavings that the queue's comment argues about. */
  @Test
  void everyInterleavingIsThatOfSomeOrder() {
    new ModelCheckingOptions()
        .sequentialSpecification(OneAtATime.class)
        // Used by one thread alone.
        .addGuarantee(
            ManagedStrategyGuaranteeKt.forClasses("java.util.ArrayList").allMethods().ignore())
        // Adding from both sides, and one node between its two steps.
        .addCustomScenario(
            scenario(
                List.of(),
                List.of(actor("offer", 1), actor("poll")),
                List.of(actor("offer", 2), actor("poll"))))
        // A place becomes free while two want it.
        .addCustomScenario(
            scenario(
                List.of(actor("offer", 1), actor("offer", 2)),
                List.of(actor("poll"), actor("offer", 3)),
                List.of(actor("offer", 4), actor("size"))))
        // The first, the last and the only task is removed while others take and add.
        .addCustomScenario(
            scenario(
                List.of(actor("offer", 1), actor("offer", 2)),
                List.of(actor("remove", 2), actor("offer", 3)),
                List.of(actor("poll"), actor("poll"))))
        .addCustomScenario(
            scenario(
                List.of(actor("offer", 1)),
                List.of(actor("remove", 1), actor("offer", 2)),
                List.of(actor("offer", 3), actor("isEmpty"), actor("poll"))))
        .iterations(0)
        .invocationsPerIteration(Draws.of(120))
        .check(LinkedWorkQueueLincheckTest.class);
  }

  private static ExecutionScenario scenario(
      List<Actor> before, List<Actor> first, List<Actor> second) {
    return new ExecutionScenario(before, List.of(first, second), List.of(actor("elements")), null);
  }

  private static Actor actor(String method, Integer... arguments) {
    Class<?>[] types = Collections.nCopies(arguments.length, int.class).toArray(Class<?>[]::new);
    try {
      return new Actor(
          LinkedWorkQueueLincheckTest.class.getMethod(method, types), List.of(arguments));
    } catch (NoSuchMethodException e) {
      throw new AssertionError(e);
    }
  }
}
