package io.poolkeeper.testbed.controllers.disk;

import io.poolkeeper.Decision;
import io.poolkeeper.Window;
import io.poolkeeper.spi.Resumable;
import io.poolkeeper.testbed.controllers.disk.ScaleSettings.AskedBy;
import io.poolkeeper.testbed.controllers.windows.Soundness;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * Hill climbing on the logical disk throughput of a pool (Timm 2021, chapters 4 and 6, with what
 * the author's code fixes): a state machine that scales while it pays, settles, and explores by
 * single steps.
 *
 * <p><b>Intervals.</b> A window of 200 ms is a subinterval; one in which the size changed, or in
 * which workers that are too many still run, is thrown away. When the scale interval has passed,
 * the rest gives {@code latest}: the mean of the rate, weighted by time, and its standard
 * deviation. {@code latest * stability > previous} is significantly higher, {@code previous *
 * stability > latest} significantly lower.
 *
 * <pre>
 * Startup              +1, Scaling(2)
 * Scaling(step)        higher: |step| + 1, at most 4, Scaling; lower: the step back, Settled(now);
 *                      else 0, Settled(now)
 * Settled(until)       before until: 0; higher: +1; lower, or 0.8 * deviation above the one before:
 *                      -1; else 1 against the last direction; Exploring
 * Exploring(direction) higher: 1 more, Scaling(1); up, or down and latest below previous: the step
 *                      back, Settled(2 s); else -1, Exploring
 * </pre>
 *
 * <p><b>Extensions</b>, as {@link ScaleSettings}: the drop exception keeps state and size when
 * {@code latest < 0.3 * previous}; the moving average takes the mean over several intervals; the
 * third variant ends steps down, for 2 s, when the mean time of a call rises significantly.
 *
 * <p><b>Where the source is silent.</b> A dropped interval still is the next one's previous. An
 * interval without a valid subinterval stays open until it has one. Of a step that the pool took in
 * part, because of a bound or a person, only that part is taken back. In a window without any task
 * there is no advice. The third variant tests the time of calls before a loss, since both take the
 * step back.
 *
 * <p><b>Who asks.</b> A manager does, every interval. The original knows another way, without a
 * thread of its own: workers ask between two jobs. Then an interval lasts until a job ends.
 *
 * <p><b>When it fails.</b> Two intervals are compared and all others forgotten, so it follows
 * noise; a rate that swings every other interval keeps it small (the author's Node workloads). It
 * starts at 1 and needs an interval a step. On a flat curve it wanders. Jobs longer than the
 * interval leave it no valid subinterval after a step down.
 */
public final class ScaleAdapter implements Resumable<ScaleAdapter.State> {

  private static final int LARGEST_STEP = 4;
  private static final double DROP = 0.3;
  private static final double DEVIATION_ROSE = 0.8;
  private static final long PAUSE = 2_000_000_000L;

  /** Direction of a change of the size. */
  public enum Direction {
    UP(1, "up"),
    DOWN(-1, "down");

    private final int sign;
    private final String word;

    Direction(int sign, String word) {
      this.sign = sign;
      this.word = word;
    }

    Direction opposite() {
      return this == UP ? DOWN : UP;
    }

    static Direction of(int step) {
      return step < 0 ? DOWN : UP;
    }
  }

  /** Use of the next interval. */
  public sealed interface Phase permits Startup, Scaling, Settled, Exploring {}

  /** Nothing was tried. */
  public record Startup() implements Phase {}

  /**
   * Goes on as long as it pays.
   *
   * @param step workers of the last step, below 0 downwards
   */
  public record Scaling(int step) implements Phase {}

  /**
   * Keeps the size.
   *
   * @param until end of the pause, nanoseconds of {@link State#clock}
   * @param last direction of the last step
   */
  public record Settled(long until, Direction last) implements Phase {}

  /**
   * Tried one worker more or less.
   *
   * @param direction which
   */
  public record Exploring(Direction direction) implements Phase {}

  /**
   * A valid subinterval.
   *
   * @param end on {@link State#clock}
   * @param length nanoseconds
   * @param rate the metric
   * @param callTime mean time of a call; NaN if it was not measured
   */
  public record Sub(long end, long length, double rate, double callTime) {

    /** Returns both as one, with the time of calls of the first: in the second none has ended. */
    Sub with(Sub next) {
      long both = length + next.length;
      return new Sub(next.end, both, (rate * length + next.rate * next.length) / both, callTime);
    }
  }

  /**
   * Measurements of an interval.
   *
   * @param mean mean rate, weighted by time
   * @param deviation its standard deviation
   * @param callTime mean time of a call; NaN if it was not measured
   */
  public record Measured(double mean, double deviation, double callTime) {}

  /**
   * All that the adapter knows.
   *
   * @param phase what the next interval is used for
   * @param clock nanoseconds of sound windows seen; the origin of their own clock may change
   * @param intervalStart where the open interval began, on that clock
   * @param subs valid subintervals that still count, oldest first
   * @param previous what the interval before gave; empty before the first
   * @param lastSize size of the window before, 0 before the first
   * @param from size before the last step, 0 before the first
   */
  public record State(
      Phase phase,
      long clock,
      long intervalStart,
      List<Sub> subs,
      Optional<Measured> previous,
      int lastSize,
      int from) {

    /** Knows nothing. */
    public static final State INITIAL =
        new State(new Startup(), 0, 0, List.of(), Optional.empty(), 0, 0);

    /** Copies {@code subs}. */
    public State {
      subs = List.copyOf(subs);
    }
  }

  private final String name;
  private final ScaleSettings settings;
  private final Signal rate;
  private final Signal callTime;
  private State state = State.INITIAL;

  /**
   * @param name name by which people know it
   * @param rate what is to be as high as possible
   * @param callTime mean time of a call, used if the settings watch it
   */
  public ScaleAdapter(String name, ScaleSettings settings, Signal rate, Signal callTime) {
    this.name = name;
    this.settings = settings;
    this.rate = rate;
    this.callTime = callTime;
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
  public ScaleAdapter resume(State state) {
    ScaleAdapter resumed = new ScaleAdapter(name, settings, rate, callTime);
    resumed.state = state;
    return resumed;
  }

  @Override
  public Decision decide(Window window) {
    Optional<String> fault = Soundness.fault(window);
    if (fault.isPresent()) {
      return Decision.keep(window, "window passed over: " + fault.get());
    }
    Optional<String> thrownAway = take(window);
    if (Soundness.empty(window)) {
      return Decision.keep(window, "no advice: no task ran");
    }
    if (window.busy() > window.size()) {
      return Decision.keep(window, "no advice: workers that are too many still run");
    }
    long open = state.clock - state.intervalStart;
    if (open < settings.interval().toNanos()) {
      return Decision.keep(
          window,
          "%d of %d ms of the interval have passed%s"
              .formatted(
                  open / 1_000_000,
                  settings.interval().toMillis(),
                  thrownAway.map("; "::concat).orElse("")));
    }
    if (!asked(window)) {
      return Decision.keep(window, "no advice: no worker asked, since no job ended");
    }
    if (state.subs.isEmpty()) {
      return Decision.keep(window, "no advice: no valid subinterval; " + thrownAway.orElse(""));
    }
    return advise(window);
  }

  private boolean asked(Window window) {
    return settings.askedBy() == AskedBy.MANAGER || !window.idle();
  }

  /** Moves time on, and keeps the window as a subinterval or says why not. */
  private Optional<String> take(Window window) {
    long length = window.end() - window.start();
    long clock = state.clock + length;
    double value = rate.of(window);
    Optional<String> thrownAway = Optional.empty();
    if (state.lastSize != 0 && window.size() != state.lastSize) {
      thrownAway = Optional.of("this window is thrown away, the size changed");
    } else if (window.busy() > window.size()) {
      thrownAway = Optional.of("this window is thrown away, workers are leaving");
    } else if (Double.isNaN(value) || Soundness.empty(window)) {
      thrownAway = Optional.of("this window is thrown away, it has no " + rate.name());
    }
    List<Sub> subs = new ArrayList<>(state.subs);
    if (thrownAway.isEmpty()) {
      Sub sub = new Sub(clock, length, value, callTime.of(window));
      int last = subs.size() - 1;
      if (last >= 0 && !asked(window)) { // Nobody read the counters meanwhile.
        subs.set(last, subs.get(last).with(sub));
      } else {
        subs.add(sub);
      }
    }
    if (!settings.averaging().isZero()) {
      subs.removeIf(sub -> sub.end() <= clock - settings.averaging().toNanos());
    }
    state =
        new State(
            state.phase,
            clock,
            state.intervalStart,
            subs,
            state.previous,
            window.size(),
            state.from);
    return thrownAway;
  }

  private Decision advise(Window window) {
    Measured latest = measured(state.subs);
    Advice advice = state.previous.map(before -> compare(window, latest, before)).orElse(startup());
    boolean averaging = !settings.averaging().isZero();
    state =
        new State(
            advice.next,
            state.clock,
            state.subs.get(state.subs.size() - 1).end(),
            averaging ? state.subs : List.of(),
            Optional.of(latest),
            state.lastSize,
            advice.step == 0 ? state.from : window.size());
    Map<String, Double> numbers = new LinkedHashMap<>();
    numbers.put("latest", latest.mean);
    numbers.put("deviation", latest.deviation);
    advice.previous.ifPresent(before -> numbers.put("previous", before.mean));
    numbers.put("stability", settings.stability());
    numbers.put("advice", (double) advice.step);
    return Decision.towards(Math.max(1, window.size() + advice.step), advice.reason)
        .because(numbers);
  }

  private static Measured measured(List<Sub> subs) {
    double time = 0;
    double mean = 0;
    double callTime = 0;
    for (Sub sub : subs) {
      time += sub.length;
      mean += sub.rate * sub.length;
      callTime += sub.callTime * sub.length;
    }
    mean /= time;
    double squares = 0;
    for (Sub sub : subs) {
      squares += (sub.rate - mean) * (sub.rate - mean) * sub.length;
    }
    return new Measured(mean, Math.sqrt(squares / time), callTime / time);
  }

  private record Advice(int step, Phase next, Optional<Measured> previous, String reason) {}

  private static Advice startup() {
    return new Advice(
        1, new Scaling(2), Optional.empty(), "one worker more, to have something to compare with");
  }

  private Advice compare(Window window, Measured latest, Measured before) {
    String rates =
        String.format(Locale.ROOT, "%s %.4g against %.4g", rate.name(), latest.mean, before.mean);
    if (settings.passDrops() && latest.mean < DROP * before.mean) {
      return new Advice(
          0, state.phase, Optional.of(before), rates + ": a drop of 70 % or more is passed over");
    }
    boolean higher = latest.mean * settings.stability() > before.mean;
    boolean lower = before.mean * settings.stability() > latest.mean;
    boolean callsSlower =
        settings.watchCalls() && latest.callTime * settings.stability() > before.callTime;
    Turn turn = new Turn(window, latest, before, higher, lower, callsSlower, rates);
    if (state.phase instanceof Scaling scaling) {
      return turn.scaling(scaling.step());
    } else if (state.phase instanceof Exploring exploring) {
      return turn.exploring(exploring.direction());
    }
    return turn.settled((Settled) state.phase);
  }

  /** One interval's way through the state machine. */
  private final class Turn {
    private final Window window;
    private final Measured latest;
    private final Measured before;
    private final boolean higher;
    private final boolean lower;
    private final boolean callsSlower;
    private final String rates;

    Turn(
        Window window,
        Measured latest,
        Measured before,
        boolean higher,
        boolean lower,
        boolean callsSlower,
        String rates) {
      this.window = window;
      this.latest = latest;
      this.before = before;
      this.higher = higher;
      this.lower = lower;
      this.callsSlower = callsSlower;
      this.rates = rates;
    }

    Advice scaling(int step) {
      Direction direction = Direction.of(step);
      if (higher) {
        int next = direction.sign * Math.min(LARGEST_STEP, Math.abs(step) + 1);
        return advice(
            next, new Scaling(next), "significantly higher, scaling " + direction.word + " on");
      } else if (step < 0 && callsSlower) {
        return advice(
            back(step),
            settled(PAUSE, direction),
            "calls take longer, the step down is taken back");
      } else if (lower) {
        return advice(
            back(step), settled(0, direction), "significantly lower, the step is taken back");
      }
      return advice(0, settled(0, direction), "no significant change, settled");
    }

    Advice settled(Settled settled) {
      if (state.clock < settled.until()) {
        return advice(0, settled, "settled until the pause ends");
      }
      boolean unsteady = latest.deviation * DEVIATION_ROSE > before.deviation;
      Direction direction = settled.last().opposite();
      String why = "no significant change, against the last direction";
      if (higher) {
        direction = Direction.UP;
        why = "significantly higher";
      } else if (lower || unsteady) {
        direction = Direction.DOWN;
        why = lower ? "significantly lower" : "the deviation rose";
      }
      return advice(
          direction.sign, new Exploring(direction), why + ", exploring " + direction.word);
    }

    Advice exploring(Direction direction) {
      if (higher) {
        return advice(
            direction.sign,
            new Scaling(direction.sign),
            "significantly higher, scaling " + direction.word);
      }
      boolean loss = latest.mean < before.mean;
      if (direction == Direction.UP || loss || callsSlower) {
        String why = direction == Direction.UP ? "no gain" : loss ? "a loss" : "calls take longer";
        return advice(
            back(direction.sign), settled(PAUSE, direction), why + ", the step is taken back");
      }
      return advice(-1, state.phase, "no loss, exploring down on");
    }

    /** Takes back what the pool took of the last step. */
    private int back(int step) {
      int taken = (window.size() - state.from) * Integer.signum(step);
      return -Integer.signum(step) * Math.max(0, Math.min(Math.abs(step), taken));
    }

    private Settled settled(long pause, Direction last) {
      return new Settled(state.clock + pause, last);
    }

    private Advice advice(int step, Phase next, String why) {
      return new Advice(step, next, Optional.of(before), rates + ": " + why);
    }
  }
}
