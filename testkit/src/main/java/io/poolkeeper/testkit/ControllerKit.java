package io.poolkeeper.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.poolkeeper.Bounds;
import io.poolkeeper.ControlListener;
import io.poolkeeper.ControlLoop;
import io.poolkeeper.Controller;
import io.poolkeeper.Decision;
import io.poolkeeper.Resizable;
import io.poolkeeper.Window;
import io.poolkeeper.spi.Resumable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/**
 * The tests that every controller passes. Extend it, say how a controller is made, and run it with
 * JUnit.
 *
 * <pre>{@code
 * final class HalfTest extends ControllerKit {
 *   @Override protected Controller controller() { return new Half(); }
 * }
 * }</pre>
 *
 * <p>The kit says whether a controller behaves, not whether it is any good: see what it does with
 * the curve of a {@link VirtualPool} for that.
 */
public abstract class ControllerKit {

  /** Constructor for subclasses. */
  protected ControllerKit() {}

  private static final Duration WINDOW = Duration.ofSeconds(1);

  /** Sequences that a check draws, and windows in each; every seed is one sequence. */
  private static final int SEQUENCES = 50;

  private static final int LENGTH = 60;

  /** Windows between two restarts of a sequence that are followed to its end. */
  private static final int STRIDE = 20;

  /** A new controller that knows nothing, equal to every other one that this returns. */
  protected abstract Controller controller();

  /** Bounds of the pool on which it is tried, 1 to 64 unless overridden. */
  protected Bounds bounds() {
    return new Bounds(1, 64);
  }

  /**
   * Names of the numbers of a decision that are documented to be NaN where they are not known.
   * Every other number is finite in every decision about a sound window.
   */
  protected Set<String> numbersThatMayBeUnknown() {
    return Set.of();
  }

  /**
   * Number of valid windows after a garbage one that the controller is documented to need until all
   * its numbers are finite again; 4 unless overridden.
   */
  protected int windowsToRecover() {
    return 4;
  }

  /** In a loop, under loads that come and go, it never asks for a size out of bounds nor throws. */
  @Test
  public void staysInBounds() {
    for (int seed = 0; seed < SEQUENCES; seed++) {
      Trial trial = new Trial();
      SplittableRandom random = new SplittableRandom(seed);
      for (int window = 0; window < LENGTH; window++) {
        if (random.nextInt(5) == 0) {
          trial.pool.users(random.nextInt(4) == 0 ? 0 : 1 + random.nextInt(300));
        }
        trial.clock.advance(WINDOW);
      }
      assertThat(trial.steps).hasSize(LENGTH);
      for (ControlListener.Step step : trial.steps) {
        assertThat(step.action())
            .as("what came of a decision: %s", step.explanation())
            .isNotIn(ControlListener.Action.REFUSED, ControlListener.Action.FAILED);
        assertThat(bounds().contain(step.after())).as("size %d", step.after()).isTrue();
      }
    }
  }

  /** While nothing arrives after a load, the size does not grow. */
  @Test
  public void doesNotGrowAtIdle() {
    for (int busyWindows = 1; busyWindows <= 20; busyWindows++) {
      Trial trial = new Trial();
      trial.pool.users(100);
      trial.clock.advance(WINDOW.multipliedBy(busyWindows));
      trial.pool.users(0);
      for (int idle = 1; idle <= 30; idle++) {
        int before = trial.pool.size();
        trial.clock.advance(WINDOW);
        assertThat(trial.pool.size())
            .as("size in idle window %d after %d busy ones", idle, busyWindows)
            .isLessThanOrEqualTo(before);
      }
    }
  }

  /** Two of them decide the same about the same windows. */
  @Test
  public void decidesTheSameAboutTheSameWindows() {
    for (int seed = 0; seed < SEQUENCES; seed++) {
      List<Window> windows = randomWindows(seed, LENGTH);
      assertThat(decide(controller(), windows))
          .as("decisions about sequence %d", seed)
          .isEqualTo(decide(controller(), windows));
    }
  }

  /** Every decision has a reason in words, and numbers that can be written down. */
  @Test
  public void explainsItself() {
    for (int seed = 0; seed < SEQUENCES; seed++) {
      for (Decision decision : decide(controller(), randomWindows(seed, LENGTH))) {
        requireExplanation(decision, numbersThatMayBeUnknown());
      }
    }
  }

  /**
   * One window of garbage neither makes it throw nor spoils what follows: decisions about the sound
   * windows after it are explained and of size 1 or more, and after {@link #windowsToRecover} all
   * their numbers are known.
   */
  @TestFactory
  public Stream<DynamicTest> survivesOneWindowOfGarbage() {
    return Garbage.windows(8).entrySet().stream()
        .map(
            garbage ->
                DynamicTest.dynamicTest(
                    garbage.getKey(), () -> survives(garbage.getKey(), garbage.getValue())));
  }

  private void survives(String what, Window garbage) {
    for (int before = 0; before <= 12; before++) {
      Controller controller = controller();
      List<Window> sound = busyWindows(before + LENGTH);
      decide(controller, sound.subList(0, before));
      try {
        Decision about = controller.decide(garbage);
        assertThat(about).as("decision about %s", what).isNotNull();
        assertThat(about.reason()).as("reason of the decision about %s", what).isNotBlank();
      } catch (RuntimeException | StackOverflowError e) {
        fail("threw at a window with " + what, e);
      }
      int after = 0;
      for (Window window : sound.subList(before, sound.size())) {
        Decision decision = controller.decide(window);
        requireExplanation(
            decision,
            after < windowsToRecover()
                ? decision.numbers().keySet()
                : Set.copyOf(numbersThatMayBeUnknown()));
        assertThat(decision.size())
            .as("size, %d sound windows after one with %s", after, what)
            .isPositive();
        after++;
      }
    }
  }

  /**
   * Taken out and given to a new one at any moment, what it knows makes the new one decide as the
   * old one goes on to decide. Skipped for a controller that is not {@link Resumable}.
   *
   * <p>A restart before each window shows what a state lacks. Restarts that are followed to the end
   * show what a new one does differently later on; each sequence has them at other places.
   */
  @Test
  public void goesOnFromItsState() {
    assumeTrue(controller() instanceof Resumable, "not Resumable");
    for (int seed = 0; seed < SEQUENCES; seed++) {
      List<Window> windows = randomWindows(seed, LENGTH);
      List<Decision> uncut = decide(controller(), windows);
      requireRestarts(windows, uncut);
      requireResumes(windows, uncut, seed % STRIDE, STRIDE);
    }
  }

  /** Cuts {@code windows} in two at every place; for property tests with windows of their own. */
  protected final void requireResumes(List<Window> windows) {
    requireResumes(windows, decide(controller(), windows), 0, 1);
  }

  private void requireResumes(
      List<Window> windows, List<Decision> uncut, int firstCut, int stride) {
    Controller first = controller();
    for (int cut = 0; cut <= windows.size(); cut++) {
      if (cut % stride == firstCut) {
        Controller second = restarted((Resumable<?>) first);
        assertThat(decide(second, windows.subList(cut, windows.size())))
            .as("decisions after a restart at window %d", cut)
            .isEqualTo(uncut.subList(cut, uncut.size()));
      }
      if (cut < windows.size()) {
        assertThat(first.decide(windows.get(cut)))
            .as("decision of the one whose state was taken, window %d", cut)
            .isEqualTo(uncut.get(cut));
      }
    }
  }

  /** Restarts before every window. */
  private void requireRestarts(List<Window> windows, List<Decision> uncut) {
    Controller current = controller();
    for (int window = 0; window < windows.size(); window++) {
      current = restarted((Resumable<?>) current);
      assertThat(current.decide(windows.get(window)))
          .as("decision after a restart at window %d and at all before", window)
          .isEqualTo(uncut.get(window));
    }
  }

  private <S extends Record> Controller restarted(Resumable<S> first) {
    @SuppressWarnings("unchecked") // A factory makes controllers of one class.
    Resumable<S> fresh = (Resumable<S>) controller();
    return fresh.resume(first.state());
  }

  private static void requireExplanation(Decision decision, Set<String> mayBeUnknown) {
    assertThat(decision.reason()).as("reason").isNotBlank();
    for (Map.Entry<String, Double> number : decision.numbers().entrySet()) {
      if (!mayBeUnknown.contains(number.getKey())) {
        assertThat(number.getValue())
            .as("number %s of the decision: %s", number.getKey(), decision.reason())
            .isFinite();
      }
    }
  }

  private static List<Decision> decide(Controller controller, List<Window> windows) {
    List<Decision> decisions = new ArrayList<>();
    for (Window window : windows) {
      decisions.add(controller.decide(window));
    }
    return decisions;
  }

  private List<Window> busyWindows(int count) {
    List<Window> windows = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      windows.add(
          WindowBuilder.ofSize(bounds().clamp(8 + i % 3))
              .between(i * WINDOW.toNanos(), (i + 1) * WINDOW.toNanos())
              .completions(1000 + 7 * i)
              .response(40 + i % 5, 90 + i % 7)
              .build());
    }
    return windows;
  }

  /** Loads, idle times, sizes that nobody asked for, all from one seed. */
  private List<Window> randomWindows(int seed, int count) {
    SplittableRandom random = new SplittableRandom(seed);
    List<Window> windows = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      int size = bounds().minimum() + random.nextInt(bounds().maximum() - bounds().minimum() + 1);
      boolean idle = random.nextInt(8) == 0;
      windows.add(
          idle
              ? WindowBuilder.idle(size)
              : WindowBuilder.ofSize(size)
                  .between(i * WINDOW.toNanos(), (i + 1) * WINDOW.toNanos())
                  .busy(size * random.nextDouble())
                  .queue(random.nextInt(50), random.nextInt(50, 100))
                  .completions(1 + random.nextInt(5000))
                  .failures(random.nextInt(5))
                  .response(1 + random.nextDouble() * 200, 1 + random.nextDouble() * 900)
                  .build());
    }
    return windows;
  }

  /** A controller in a loop with a virtual pool, in virtual time. */
  private final class Trial {
    private final VirtualClock clock = new VirtualClock();
    private final List<ControlListener.Step> steps = new ArrayList<>();
    private final VirtualPool pool =
        new VirtualPool(
            "trial", bounds(), bounds().minimum(), VirtualPool.scalability(100, 0.02, 0.000_5));

    Trial() {
      ControlLoop.tune(pool)
          .controller(controller())
          .window(WINDOW)
          .ticker(clock)
          .timer(clock)
          .jmx(false)
          .listener(
              new ControlListener() {
                @Override
                public void onStep(Resizable resizable, Step step) {
                  steps.add(step);
                }
              })
          .start();
    }
  }
}
