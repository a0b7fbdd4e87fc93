package io.poolkeeper.testkit;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.poolkeeper.Controller;
import io.poolkeeper.Controllers;
import io.poolkeeper.Decision;
import io.poolkeeper.Window;
import io.poolkeeper.spi.Resumable;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.opentest4j.TestAbortedException;

/** Each check of the kit fails for a controller with the fault that it is there to find. */
final class ControllerKitTest {

  private static ControllerKit kit(Supplier<Controller> factory) {
    return new ControllerKit() {
      @Override
      protected Controller controller() {
        return factory.get();
      }
    };
  }

  private static void requireGarbageFails(Supplier<Controller> factory, String garbage) {
    var test =
        kit(factory)
            .survivesOneWindowOfGarbage()
            .filter(each -> each.getDisplayName().equals(garbage))
            .findFirst()
            .orElseThrow();
    assertThatThrownBy(() -> test.getExecutable().execute())
        .as("a window with %s", garbage)
        .isInstanceOf(AssertionError.class);
  }

  @Test
  void findsASizeOutOfBounds() {
    assertThatThrownBy(() -> kit(() -> w -> Decision.resize(0, "none")).staysInBounds())
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("0 is outside 1..64");
  }

  @Test
  void findsAControllerThatThrows() {
    Supplier<Controller> throwing =
        () ->
            w -> {
              if (w.idle()) {
                throw new ArithmeticException("/ by zero");
              }
              return Decision.keep(w, "kept");
            };
    assertThatThrownBy(() -> kit(throwing).staysInBounds())
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("/ by zero");
  }

  @Test
  void findsGrowthAtIdle() {
    assertThatThrownBy(
            () -> kit(() -> w -> Decision.towards(w.size() + 1, "more")).doesNotGrowAtIdle())
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("idle window 1");
  }

  @Test
  void findsDecisionsThatDependOnSomethingElse() {
    AtomicInteger calls = new AtomicInteger();
    assertThatThrownBy(
            () ->
                kit(() -> w -> Decision.towards(calls.incrementAndGet(), "counted"))
                    .decidesTheSameAboutTheSameWindows())
        .isInstanceOf(AssertionError.class);
  }

  @Test
  void findsDecisionsWithoutAReasonOrWithNumbersThatAreNone() {
    assertThatThrownBy(() -> kit(() -> w -> Decision.keep(w, " ")).explainsItself())
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("reason");
    assertThatThrownBy(
            () ->
                kit(() -> w -> Decision.keep(w, "kept").because(Map.of("gain", Double.NaN)))
                    .explainsItself())
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("gain");
  }

  /** Remembers its mean for ever, as an exponentially weighted one does. */
  private static final class Poisoned implements Controller {
    private double mean = 10;

    @Override
    public Decision decide(Window window) {
      mean = 0.9 * mean + 0.1 * window.throughput();
      return Decision.towards((int) mean, "mean").because(Map.of("mean", mean));
    }
  }

  @Test
  void findsAMeanThatNeverForgetsGarbage() {
    requireGarbageFails(Poisoned::new, "no length");
    requireGarbageFails(Poisoned::new, "all zero");
  }

  @Test
  void findsAControllerThatThrowsAtGarbage() {
    requireGarbageFails(
        () -> w -> Decision.keep(w, "per size " + w.completions() / w.size()), "all zero");
    requireGarbageFails(
        () -> w -> Decision.keep(w, "exactly " + Math.addExact(w.size(), 10)), "huge");
    requireGarbageFails(
        () ->
            w -> {
              if (Double.isNaN(w.busy()) || Double.isInfinite(w.busy()) || w.busy() < 0) {
                throw new IllegalStateException("busy " + w.busy());
              }
              return Decision.keep(w, "kept");
            },
        "NaN");
  }

  @Test
  void findsAnAnswerOfNullToGarbage() {
    requireGarbageFails(
        () -> w -> w.seconds() < 0 ? silence() : Decision.keep(w, "kept"), "a negative length");
  }

  @SuppressWarnings("NullAway") // What a class without nullness checks may answer.
  private static Decision silence() {
    return null;
  }

  record Count(int windows) {}

  /** Tells half of what it knows. */
  private static final class Forgetful implements Resumable<Count> {
    private int windows;

    Forgetful(int windows) {
      this.windows = windows;
    }

    @Override
    public Decision decide(Window window) {
      windows++;
      return Decision.towards(windows, "counted");
    }

    @Override
    public Count state() {
      return new Count(windows / 2);
    }

    @Override
    public Resumable<Count> resume(Count state) {
      return new Forgetful(state.windows());
    }
  }

  @Test
  void findsAStateThatIsNotAll() {
    assertThatThrownBy(() -> kit(() -> new Forgetful(0)).goesOnFromItsState())
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("restart at window 1");
  }

  @Test
  void skipsTheRestartOfWhatCannotBeRestarted() {
    assertThatThrownBy(() -> kit(() -> w -> Decision.keep(w, "kept")).goesOnFromItsState())
        .isInstanceOf(TestAbortedException.class);
    assertThatCode(() -> kit(Controllers::throughput).goesOnFromItsState())
        .doesNotThrowAnyException();
  }
}
