package io.poolkeeper.testbed.controllers.peers;

import io.poolkeeper.Decision;
import io.poolkeeper.Window;
import io.poolkeeper.spi.Resumable;
import io.poolkeeper.testbed.controllers.Require;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * Incremental steps (Heiss and Wagner, Adaptive Load Control in Transaction Processing Systems,
 * VLDB 1991; built from its description).
 *
 * <p><b>Rule.</b> {@code n += beta * (P - P') * sign(n - n')}, where {@code P} is the performance
 * of this window and {@code n'}, {@code P'} are those of the window before. The bound is in force
 * only where the load reaches it.
 *
 * <p><b>What is ours.</b> Performance is the throughput. The paper chooses beta for its own plant;
 * here {@code beta = gain * n / P'}, so that a change of 1 % moves the size by {@code gain} percent
 * on every plant; the gain is 2, in the quick form of the wind tunnel the best of 1, 2 and 4. A
 * step is at least 1 worker, without which the rule would stand still for good, and at most half
 * the size. The first step goes up. A change of nothing goes down. Where the size did not change,
 * such as at a bound, the last direction counts. The load reaches the bound where busy workers and
 * waiting tasks together make 95 % of the size; other windows change nothing, and the first one
 * after them is compared with none.
 *
 * <p><b>When it fails.</b> One noisy window turns it round, and a large one throws it far. It never
 * stands still. A change of the work counts as a gain or loss of its own last step.
 */
public final class IncrementalStepsController
    implements Resumable<IncrementalStepsController.State> {

  private static final double LONGEST_STEP = 0.5;

  /**
   * All that the controller knows.
   *
   * @param size of the window before, 0 if there is none to compare with
   * @param throughput of that window, per second
   * @param direction of the last step, 1 or -1
   */
  public record State(int size, double throughput, int direction) {

    /** Knows nothing. */
    public static final State INITIAL = new State(0, 0, 1);
  }

  private final double gain;
  private State state = State.INITIAL;

  /**
   * @param gain relative change of the size for a relative change of the throughput, above 0 and at
   *     most 100
   */
  public IncrementalStepsController(double gain) {
    this.gain = Require.within(0, 100, "gain", gain);
  }

  @Override
  public String name() {
    return "incremental-steps";
  }

  @Override
  public State state() {
    return state;
  }

  @Override
  public IncrementalStepsController resume(State state) {
    IncrementalStepsController resumed = new IncrementalStepsController(gain);
    resumed.state = state;
    return resumed;
  }

  @Override
  public Decision decide(Window window) {
    Optional<String> useless = LoadControl.useless(window);
    if (useless.isPresent()) {
      state = new State(0, 0, state.direction);
      return Decision.keep(window, useless.get());
    }
    int size = window.size();
    double throughput = window.throughput();
    if (state.size == 0) {
      state = new State(size, throughput, 1);
      return Decision.towards(size + 1, "one more worker: there is no window to compare with");
    }
    double change =
        state.throughput > 0
            ? (throughput - state.throughput) / state.throughput
            : Math.signum(throughput);
    int moved = size == state.size ? state.direction : Integer.signum(size - state.size);
    int direction = change == 0 ? -1 : moved * (int) Math.signum(change);
    long wanted = Math.round(gain * size * Math.abs(change));
    long step = Math.max(1, Math.min(wanted, (long) (LONGEST_STEP * size)));
    double before = state.throughput;
    state = new State(size, throughput, direction);
    Map<String, Double> numbers = new LinkedHashMap<>();
    numbers.put("throughput", throughput);
    numbers.put("before", before);
    numbers.put("step", (double) direction * step);
    return Decision.towards(
            (int) Math.max(1, size + direction * step),
            String.format(
                Locale.ROOT,
                "%.1f/s after %.1f/s, the last step went %s: %+d workers",
                throughput,
                before,
                moved > 0 ? "up" : "down",
                direction * step))
        .because(numbers);
  }
}
