package io.poolkeeper.testbed.controllers.peers;

import io.poolkeeper.Decision;
import io.poolkeeper.Window;
import io.poolkeeper.spi.Resumable;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * Half-and-half (Carey, Krishnamurthi and Livny, Load Control for Locking, PODS 1990; built from
 * its description): admits while fewer than half of the active tasks are blocked.
 *
 * <p><b>Rule.</b> A share of blocked tasks below a half lets the size grow, one above a half lets
 * it shrink; within 0.025 of a half it stays.
 *
 * <p><b>What is ours.</b> The paper counts transactions that wait for a lock, inside the database.
 * A window cannot tell them from tasks that wait for a disk or an answer, so this class takes a
 * <b>stand-in</b>: the time that a task takes longer than it takes alone is time blocked. By
 * Little's law the share of blocked tasks is then {@code 1 - alone / mean service time}, and the
 * rule asks for the size at which tasks take twice as long as alone. Waiting for a processor or a
 * full service counts as blocked too. The time alone is the smallest mean service time of a window;
 * a window at size 1 is alone and sets it anew. A step is a quarter of the size, at least 1 worker:
 * the paper admits task by task, and decides between two arrivals. Transactions that are blocked
 * are never aborted, and a transaction counts from its beginning, not from a quarter of its locks.
 * Windows in which busy workers and waiting tasks together make less than 95 % of the size change
 * nothing.
 *
 * <p><b>When it fails.</b> Work that is best where a task takes more than twice as long as alone,
 * or less. Work that became slower by nature looks blocked until the size is down to 1. A size of 1
 * that is itself slow, because others use the machine, raises the time alone.
 */
public final class HalfAndHalfController implements Resumable<HalfAndHalfController.State> {

  private static final double HALF = 0.5;
  private static final double TOLERANCE = 0.025;
  private static final double STEP = 0.25;

  /**
   * All that the controller knows.
   *
   * @param alone mean service time of a task alone, nanoseconds; 0 before it is known
   */
  public record State(double alone) {

    /** Knows nothing. */
    public static final State INITIAL = new State(0);
  }

  private State state = State.INITIAL;

  /** Makes one that knows nothing. */
  public HalfAndHalfController() {}

  @Override
  public String name() {
    return "half-and-half";
  }

  @Override
  public State state() {
    return state;
  }

  @Override
  public HalfAndHalfController resume(State state) {
    HalfAndHalfController resumed = new HalfAndHalfController();
    resumed.state = state;
    return resumed;
  }

  @Override
  public Decision decide(Window window) {
    Optional<String> useless = LoadControl.useless(window);
    if (useless.isPresent()) {
      return Decision.keep(window, useless.get());
    }
    double mean = window.serviceTime().mean();
    if (!(mean > 0)) {
      return Decision.keep(window, "no service time: the share of blocked tasks is unknown");
    }
    int size = window.size();
    double alone = size == 1 || state.alone == 0 ? mean : Math.min(state.alone, mean);
    state = new State(alone);
    double blocked = 1 - alone / mean;
    int step = (int) Math.max(1, Math.round(STEP * size));
    int change = 0;
    if (blocked < HALF - TOLERANCE) {
      change = step;
    } else if (blocked > HALF + TOLERANCE) {
      change = -Math.min(step, size - 1);
    }
    Map<String, Double> numbers = new LinkedHashMap<>();
    numbers.put("blocked", blocked);
    numbers.put("alone", alone);
    return Decision.towards(
            size + change,
            String.format(
                Locale.ROOT,
                "%.0f %% blocked (%.3f ms, alone %.3f ms): %+d workers",
                100 * blocked,
                mean / 1e6,
                alone / 1e6,
                change))
        .because(numbers);
  }
}
