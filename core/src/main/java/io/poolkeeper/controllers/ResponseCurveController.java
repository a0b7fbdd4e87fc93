package io.poolkeeper.controllers;

import io.poolkeeper.Decision;
import io.poolkeeper.Objective;
import io.poolkeeper.Window;
import io.poolkeeper.spi.Resumable;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Learns how much a pool of each size achieves, and stands at the smallest size that is within a
 * tolerance of the best.
 *
 * <p><b>Why.</b> Controllers that compare two windows and forget the rest [1, 2] lose to noise: at
 * a noise of 8 % a window, a difference of 3 % takes a hundred windows to see. This one keeps a
 * model and lets every window speak for all sizes. Most response curves rise in proportion to the
 * size at first and are then bent by a limit, by contention or by crosstalk [3]: {@link
 * CurveShapes} holds some hundred such shapes. A curve may also have cliffs, humps or stairs. So
 * the belief ({@link CurvePosterior}) is a mixture of the shapes, of Gaussian processes from smooth
 * to rough [4], and of curves with a {@link Break} in the widest step seen. Bayes' rule weighs them
 * by how well they foretold the windows. A step at a size that was not seen is never ruled out.
 *
 * <p><b>Where to stand.</b> Each size has an expected loss: reward missing beyond the tolerance if
 * the best lies elsewhere, a price per doubling for workers that bring nothing ({@link
 * SizeChoice}). The size with the smallest loss is taken.
 *
 * <p><b>When to step aside.</b> An {@link Experiment} at another size is made if it promises more
 * than it costs [5]. Knowledge about the knee of a shape is valued for a minute. A better size
 * somewhere else is valued for as long as the work has lasted so far, from one to three minutes:
 * longer, and the size would not come to rest. Experiments become rarer as the evidence grows, and
 * each makes the next one dearer for some seconds. Size may grow or shrink fourfold at a time.
 * While a decision stands and windows are as expected, the belief is worked out anew only now and
 * then ({@link Settled}). A belief that is wrong promises nothing, so a hundredth of the time goes
 * into visits to sizes far from all that were seen ({@link Survey}).
 *
 * <p><b>What a window says.</b> By Little's law [6] throughput is busy workers over service time,
 * so a window in which the size does not bind tells of the curve at the number of busy workers, and
 * nothing of what is above it; growth needs tasks that wait or are refused. In such a window the
 * size need only carry what arrives and some headroom. The law also makes one rate of all
 * objectives: with P tasks in the system the mean response time is P over throughput, whatever P
 * the load imposes, and a percentile is that times its ratio to the mean. Few completions are
 * enough to leave a size that is worse than another; to call it better takes one task of each
 * worker. A large pool on a long way down passes all sizes in between, and shows what they do.
 *
 * <p><b>What drifts.</b> A virtual machine that compiles its program, or a cache that fills, makes
 * all sizes better. So the level that all sizes share is followed apart from the shape ({@link
 * Drift}), by windows at one and the same size. A surprise after a change of size is evidence about
 * the size.
 *
 * <p><b>When to forget.</b> Not at a fixed rate: a window far from what is expected at a known size
 * is first taken for a stall and held against the next ones ({@link Watch}). If they agree, the
 * work has changed, and what was known is put away; if it fits one of the kinds of work put away
 * before, that one is taken up again. A surprise at a size that was not in force before may be the
 * size's own: a look at a known size tells. The processor time of a task tells other work without
 * any experiment ({@link Cost}), and so it tells what was seen before the program was warm.
 *
 * <p><b>Collapse.</b> Where garbage collection takes much of the time, a large pool falls at once,
 * before the window is closed, and grows back with care ({@link CollapseGuard}); if it was but a
 * pause of the collector, it goes back at once. After a fall to less than half on work that is not
 * known, a large pool first looks at a few workers a processor.
 *
 * <p><b>Processors.</b> Where workers or process keep the processors busy there is nothing to gain
 * above the size in force, and no experiment is made there. The same holds where most workers idle,
 * even if tasks wait: in bursts, or for processors that others use.
 *
 * <p><b>Tuning.</b> Half a second is the recommended window: half the time to find a size, and
 * still some hundred completions in most services; windows of fewer than four completions are taken
 * together, and so are windows shorter than a task. The tolerance buys workers for reward. There is
 * nothing else to set.
 *
 * <p><b>When not to use it.</b> Where fewer than some ten tasks end in a second, it learns slower
 * than people do. Where throughput comes in bursts of several seconds it takes noise for curves. It
 * maximises one pool's own reward: two pools that call each other are two hills with one summit,
 * and it does not know. Work whose best size changes every few seconds is averaged.
 *
 * <p><b>Numbers</b> of its decisions: points of the curve as {@code curve.SIZE.mean} and {@code
 * curve.SIZE.sd}, expected value of the objective and its standard deviation; {@code chosen}, the
 * size; {@code noise}, the standard deviation of one window as a fraction; {@code acceptable}, the
 * value within the tolerance of the best, or what the demand asks for where that is less.
 *
 * <p>[1] Costa, adaptive concurrency control, 2019. [2] Timm, an OS-level adaptive thread pool for
 * I/O, 2021. [3] Gunther, Guerrilla Capacity Planning, 2007: the universal scalability law. [4]
 * Rasmussen and Williams, Gaussian Processes for Machine Learning, 2006. [5] Howard, Information
 * value theory, IEEE Transactions on Systems Science and Cybernetics 2, 1966. [6] Little, A proof
 * for the queuing formula L = λW, Operations Research 9, 1961.
 */
public final class ResponseCurveController implements Resumable<ResponseCurveController.State> {

  /** Name by which people know it. */
  public static final String NAME = "response-curve";

  /**
   * All that the controller knows.
   *
   * @param now its own time: seconds of all sound windows
   * @param knowledge of the curve
   * @param noise of a window
   * @param drift of the level of all sizes
   * @param demand for workers
   * @param watch over changes of the work
   * @param gathering windows that say too little each
   * @param latitude where the pool can be sent
   * @param guard against a full heap
   * @param odd windows in a row whose tasks cost what those before did not
   * @param settled a decision that stands
   * @param survey visits to sizes far from all that were seen
   * @param restless number of experiments lately, fading
   * @param draining windows in a row in which more workers were busy than asked for
   */
  public record State(
      double now,
      Knowledge knowledge,
      Noise noise,
      Drift drift,
      Demand demand,
      Watch watch,
      Gathering gathering,
      Latitude latitude,
      CollapseGuard guard,
      int odd,
      Settled settled,
      Survey survey,
      double restless,
      int draining) {

    /** Knows nothing. */
    public static final State INITIAL =
        new State(
            0,
            Knowledge.NONE,
            Noise.INITIAL,
            Drift.NONE,
            Demand.NONE,
            Watch.INITIAL,
            Gathering.NONE,
            Latitude.UNKNOWN,
            CollapseGuard.INITIAL,
            0,
            Settled.NONE,
            Survey.NONE,
            0,
            0);
  }

  private final Turn.Settings settings;
  private State state = State.INITIAL;

  /** The size that was left at once before the window was closed, 0 for none. */
  private int relievedFrom;

  /** Share of the time in garbage collection for which it was left. */
  private double relievedShare;

  /** What follows from the state, kept because it takes a while; null if not worked out. */
  private @Nullable CurvePosterior belief;

  /**
   * @param objective what is optimised
   * @param tolerance fraction of the best reward that may be missing for the sake of fewer workers,
   *     above 0 and below 0.5; 0.03 is recommended
   * @param processors that the work may use, 1 or more
   * @throws IllegalArgumentException naming the setting that is out of its range
   */
  public ResponseCurveController(Objective objective, double tolerance, int processors) {
    if (!(tolerance > 0 && tolerance < 0.5)) {
      throw new IllegalArgumentException(
          "tolerance must be a fraction above 0 and below 0.5, such as 0.03, but is " + tolerance);
    }
    if (processors < 1) {
      throw new IllegalArgumentException("processors must be >= 1, but is " + processors);
    }
    this.settings = new Turn.Settings(objective, tolerance, processors);
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public Duration window() {
    return Duration.ofMillis(500);
  }

  @Override
  public State state() {
    return state;
  }

  @Override
  public ResponseCurveController resume(State state) {
    ResponseCurveController resumed =
        new ResponseCurveController(
            settings.objective(), settings.tolerance(), settings.processors());
    resumed.state = state;
    return resumed;
  }

  @Override
  public String conditions() {
    return "%s, tolerance %s, %d processors"
        .formatted(settings.objective().name(), settings.tolerance(), settings.processors());
  }

  /** What was asked of the pool and what waited in it is gone; the curve may have changed. */
  @Override
  public State doubted(State state, Duration pause) {
    double seconds = pause.toMillis() / 1e3;
    double elapsed = Turn.aging(seconds);
    return new State(
        state.now + seconds,
        state.knowledge.after(elapsed),
        state.noise,
        state.drift.after(elapsed, state.knowledge.seconds()),
        Demand.NONE,
        state.watch,
        Gathering.NONE,
        Latitude.UNKNOWN,
        state.guard,
        0,
        Settled.NONE,
        state.survey,
        0,
        0);
  }

  @Override
  public int relieve(int size, long nanos, long collecting) {
    double share = (double) collecting / nanos;
    int relieved = state.guard.relieved(size, share, settings.processors());
    if (relieved < size) {
      relievedFrom = Math.max(size, relievedFrom);
      relievedShare = Math.max(share, relievedShare);
    }
    return relieved;
  }

  @Override
  public Decision decide(Window window) {
    Optional<Reading> read = Reading.of(window, settings.objective());
    if (read.isEmpty()) {
      return Decision.towards(Math.max(1, window.size()), "no sense in this window, size kept");
    }
    Turn.Relief relief =
        relievedFrom == 0 ? Turn.Relief.NONE : new Turn.Relief(relievedFrom, relievedShare);
    Turn turn = new Turn(settings, state, belief, relief, window, read.get());
    Decision decision = turn.decide();
    relievedFrom = 0;
    relievedShare = 0;
    state = turn.next(decision.size());
    belief = turn.after();
    return decision;
  }
}
