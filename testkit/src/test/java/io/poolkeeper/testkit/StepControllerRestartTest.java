package io.poolkeeper.testkit;

import io.poolkeeper.Controller;
import io.poolkeeper.Controllers;
import io.poolkeeper.Window;
import java.util.List;
import java.util.function.Supplier;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;

/** Restarts at every cut point of any windows, garbage among them. */
final class StepControllerRestartTest {

  @Provide
  Arbitrary<List<Window>> windows() {
    Arbitrary<Window> sound =
        Combinators.combine(
                Arbitraries.integers().between(1, 100),
                Arbitraries.longs().between(0, 3000),
                Arbitraries.doubles().between(0, 500))
            .as(
                (size, completions, millis) ->
                    WindowBuilder.ofSize(size).completions(completions).response(millis).build());
    Arbitrary<Window> garbage = Arbitraries.of(Garbage.windows(8).values());
    return Arbitraries.frequencyOf(Tuple.of(9, sound), Tuple.of(1, garbage)).list().ofMaxSize(30);
  }

  @Property(tries = 100)
  void throughput(@ForAll("windows") List<Window> windows) {
    requireResumes(windows, Controllers::throughput);
  }

  @Property(tries = 100)
  void meanResponseTime(@ForAll("windows") List<Window> windows) {
    requireResumes(windows, Controllers::meanResponseTime);
  }

  @Property(tries = 100)
  void p99ResponseTime(@ForAll("windows") List<Window> windows) {
    requireResumes(windows, Controllers::p99ResponseTime);
  }

  private static void requireResumes(List<Window> windows, Supplier<Controller> factory) {
    new ControllerKit() {
      @Override
      protected Controller controller() {
        return factory.get();
      }
    }.requireResumes(windows);
  }
}
