package io.poolkeeper.controllers;

import io.poolkeeper.Decision;
import io.poolkeeper.Objective;
import io.poolkeeper.Window;
import io.poolkeeper.spi.Resumable;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/**
 * Takes a fixed step, compares one window with the one before, and undoes the step if it brought
 * too little: the three published controllers for throughput, mean response time and the 99th
 * percentile (Costa 2019, chapter 4).
 *
 * <p>For a rate the cycle is INCREASE, CHECK_INCREASE; for a response time DECREASE and
 * CHECK_DECREASE follow. A step that fails its check is taken back and its direction locked for
 * some windows. An idle window sets the size to 1. For a rate there is also a table of the mean
 * throughput at each size. When the rate falls by more than {@value #DROP} of itself, the size
 * jumps to that of the new rate in the table.
 *
 * <p>Choices where the source is silent: a step that the pool did not take, because a bound, a
 * person or another mode was in the way, is not given back; a window that cannot be compared (idle,
 * without length, without a size, or after such a one) neither confirms nor undoes a step; one in
 * which tasks ended and every one failed, or was too late for a goodput, undoes it, or the size
 * would climb to its bound while nothing succeeds.
 *
 * <p><b>When not to use it.</b> It needs ten windows to reach 100 workers, reacts to noise, because
 * two single windows are compared, and falls to 1 in every idle window, whatever comes next. Below
 * some hundred requests a window the comparison is a coin flip.
 */
public final class StepController implements Resumable<StepController.State> {

  /** Fall of the rate, as a fraction, from which the throughput table is used. */
  static final double DROP = 0.10;

  /** Use of the next window. */
  public enum Phase {
    INCREASE,
    CHECK_INCREASE,
    DECREASE,
    CHECK_DECREASE
  }

  /**
   * A lock on steps in a direction.
   *
   * @param closed whether steps are locked
   * @param counter passes until the one that opens it
   */
  public record Lock(boolean closed, int counter) {
    static final Lock OPEN = new Lock(false, 0);

    /**
     * Counts a pass. The pass that closed the lock counts too, and the pass that finds the counter
     * at 0 opens it: a lock of 6 ends after six further passes.
     */
    Lock passed() {
      return counter > 0 ? new Lock(closed, counter - 1) : OPEN;
    }
  }

  /**
   * State between two windows.
   *
   * @param phase use of the next window
   * @param started whether a window has held a request
   * @param increases the lock on steps up
   * @param decreases the lock on steps down
   * @param previousValue the objective in the window before, NaN if nothing can be compared with it
   * @param previousSize the size before the last step, 0 at the start
   * @param table mean throughput by size; stays empty for a response time
   */
  public record State(
      Phase phase,
      boolean started,
      Lock increases,
      Lock decreases,
      double previousValue,
      int previousSize,
      SizeTable table) {

    /** State without any window. */
    public static final State INITIAL =
        new State(Phase.INCREASE, false, Lock.OPEN, Lock.OPEN, Double.NaN, 0, SizeTable.EMPTY);
  }

  private final String name;
  private final Objective objective;
  private final StepSettings settings;
  private State state = State.INITIAL;

  /**
   * @param name published name of the controller
   * @param objective value to optimise; whether higher values are better selects the cycle
   */
  public StepController(String name, Objective objective, StepSettings settings) {
    this.name = name;
    this.objective = objective;
    this.settings = settings;
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public State state() {
    return state;
  }

  @Override
  public String conditions() {
    return objective.name() + ", " + settings;
  }

  @Override
  public StepController resume(State state) {
    StepController resumed = new StepController(name, objective, settings);
    resumed.state = state;
    return resumed;
  }

  @Override
  public Decision decide(Window window) {
    boolean idle = window.idle();
    if (!state.started && idle) {
      return Decision.towards(1, "no request yet");
    }
    Pass pass = new Pass(window, state);
    Decision decision = pass.decide();
    state = pass.next();
    return idle ? Decision.towards(1, "idle: nothing ended in this window") : decision;
  }

  /** A pass of a window through the cycle. */
  private final class Pass {
    private final Window window;
    private final State before;
    private final double value;
    private int size;
    private int stepFrom;
    private Lock increases;
    private Lock decreases;
    private String reason;
    private final Map<String, Double> numbers = new LinkedHashMap<>();

    Pass(Window window, State before) {
      this.window = window;
      this.before = before;
      double read = window.idle() ? Double.NaN : objective.value(window);
      this.value = Double.isFinite(read) && read > 0 && window.size() > 0 ? read : Double.NaN;
      this.size = window.size();
      this.stepFrom = window.size();
      this.increases = before.increases;
      this.decreases = before.decreases;
      this.reason = "";
    }

    Decision decide() {
      numbers.put("value", value);
      numbers.put("previous", before.previousValue);
      if (objective.higherIsBetter()) {
        lookUpAfterDrop();
      }
      switch (before.phase) {
        case INCREASE -> increase();
        case CHECK_INCREASE -> checkIncrease();
        case DECREASE -> decrease();
        case CHECK_DECREASE -> checkDecrease();
      }
      return Decision.towards(size, reason).because(numbers);
    }

    State next() {
      boolean tabled = objective.higherIsBetter() && !Double.isNaN(value);
      return new State(
          following(before.phase),
          true,
          increases.passed(),
          decreases.passed(),
          value,
          stepFrom,
          tabled ? before.table.with(window.size(), value) : before.table);
    }

    private void lookUpAfterDrop() {
      double drop = (before.previousValue - value) / before.previousValue;
      if (drop > DROP) {
        before
            .table
            .rowFor(value)
            .ifPresent(
                row -> {
                  size = row.size();
                  stepFrom = row.size();
                  append(
                      "%s fell from %s to %s; continues from %s, whose mean of %s is the nearest",
                      objective,
                      objective.format(before.previousValue),
                      objective.format(value),
                      count(row.size(), "worker"),
                      objective.format(row.mean()));
                });
      }
    }

    private void increase() {
      if (increases.closed) {
        append("no step up: locked for %s", windowsMore(increases));
      } else {
        step(settings.step());
        append("step up by %d, to be checked in the next window", settings.step());
      }
    }

    private void decrease() {
      if (decreases.closed) {
        append("no step down: locked for %s", windowsMore(decreases));
      } else if (size <= settings.step()) {
        append("no step down: %d is not more than the step of %d", size, settings.step());
      } else {
        step(-settings.step());
        append("step down by %d, to be checked in the next window", settings.step());
      }
    }

    private void checkIncrease() {
      if (increases.closed) {
        append("steps up are locked for %s", windowsMore(increases));
      } else if (failed("increase")) {
        step(-taken((long) window.size() - before.previousSize));
        increases = new Lock(true, settings.lock());
      }
    }

    private void checkDecrease() {
      if (decreases.closed) {
        append("steps down are locked for %s", windowsMore(decreases));
      } else if (failed("decrease")) {
        step(taken((long) before.previousSize - window.size()));
        decreases = new Lock(true, settings.lock());
      }
    }

    /** Returns the part of the last step that the pool took; others may have changed it too. */
    private long taken(long change) {
      return Math.max(0, Math.min(settings.step(), change));
    }

    /** Changes the size, of any value: a recorded window may hold any. */
    private void step(long change) {
      size = (int) Math.max(1, Math.min(Integer.MAX_VALUE, size + change));
    }

    /** Returns whether the last step gained less than the threshold, and appends the reason. */
    private boolean failed(String step) {
      double change = (value - before.previousValue) / before.previousValue;
      double gain = objective.higherIsBetter() ? change : -change;
      if (objective.higherIsBetter() && !window.idle() && objective.value(window) == 0) {
        append("%s undone: tasks ended, and none of them counts as %s", step, objective);
        return true;
      }
      if (Double.isNaN(gain)) {
        append("%s neither kept nor undone: no two windows to compare", step);
        return false;
      }
      numbers.put("gain", gain);
      numbers.put("threshold", settings.threshold());
      boolean failed = gain < settings.threshold();
      append(
          "%s %s: %s %s against %s before, needed at least %s %% %s",
          step,
          failed ? "undone" : "kept",
          objective,
          objective.format(value),
          objective.format(before.previousValue),
          percent(settings.threshold()),
          objective.higherIsBetter() ? "more" : "less");
      return failed;
    }

    private static String windowsMore(Lock lock) {
      return count(lock.counter + 1L, "more window");
    }

    private static String count(long number, String thing) {
      return number + " " + thing + (number == 1 ? "" : "s");
    }

    private void append(String format, Object... values) {
      String sentence = String.format(Locale.ROOT, format, values);
      reason = reason.isEmpty() ? sentence : reason + "; " + sentence;
    }
  }

  private Phase following(Phase phase) {
    return switch (phase) {
      case INCREASE -> Phase.CHECK_INCREASE;
      case CHECK_INCREASE -> objective.higherIsBetter() ? Phase.INCREASE : Phase.DECREASE;
      case DECREASE -> Phase.CHECK_DECREASE;
      case CHECK_DECREASE -> Phase.INCREASE;
    };
  }

  private static String percent(double fraction) {
    double percent = Math.round(fraction * 1000) / 10.0;
    return percent == Math.rint(percent) ? Long.toString((long) percent) : Double.toString(percent);
  }
}
