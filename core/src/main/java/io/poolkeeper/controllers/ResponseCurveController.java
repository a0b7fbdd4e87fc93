package io.poolkeeper.controllers;

import io.poolkeeper.Bounds;
import io.poolkeeper.Decision;
import io.poolkeeper.Objective;
import io.poolkeeper.Window;
import io.poolkeeper.controllers.curves.CurvePosterior;
import io.poolkeeper.controllers.curves.CurveShapes;
import io.poolkeeper.controllers.curves.Experiment;
import io.poolkeeper.controllers.curves.SizeChoice;
import io.poolkeeper.controllers.curves.Tuning;
import io.poolkeeper.spi.Resumable;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Learns the response curve, the reward at each size, and keeps the smallest size within a
 * tolerance of the best. A window goes through four steps: observe, detect a change of the work,
 * update the posterior, choose.
 *
 * <p><b>Model.</b> Controllers that compare two windows and forget the rest [1, 2] lose to noise:
 * at a noise of 8 % a window, a difference of 3 % takes a hundred windows to see. This controller
 * keeps a model, and every window is evidence about all sizes. Most response curves rise in
 * proportion to the size and are then bent by a limit, by contention or by crosstalk [3]: {@link
 * CurveShapes} holds some hundred such shapes. A curve may also have cliffs, humps or stairs. So
 * the {@link CurvePosterior} is a mixture of the shapes, of Gaussian processes from smooth to rough
 * [4], and of curves with a break in the widest step so far. Bayes' rule weighs them by their
 * predictions. A step at a size without evidence is never ruled out.
 *
 * <p><b>Observe</b> ({@link ObserveStep}). By Little's law [6] throughput is busy workers over
 * service time. So a window in which the size does not bind is evidence at the number of busy
 * workers, and none about larger sizes; growth needs tasks that wait or are rejected. In such a
 * window the size need only carry the arrivals and some headroom. A load that begins at the end of
 * a window shows neither, nor does one that ends, whose work was done before; what is known
 * decides. The law also makes a rate of each objective: with P tasks in the system the mean
 * response time is P over throughput, whatever P the load imposes, and a percentile is that times
 * its ratio to the mean. A few completions are enough to leave a bad size; to prefer it takes a
 * task of each worker. A large pool on a long way down passes all sizes in between, and shows their
 * rewards. Where garbage collection takes much of the time, a large pool is reduced at once, before
 * the window is closed, and grows back with care ({@link CollapseGuard}); if the collector only
 * paused, it goes back at once. Where nothing ends, workers are added for waiting tasks that the
 * pool's own workers submitted, and else hardly any ({@link Standstill}).
 *
 * <p><b>Detect</b> ({@link DetectStep}). Knowledge is not forgotten at a fixed rate. A window far
 * from the expectation at a familiar size is first taken for a stall, and the next windows decide
 * ({@link ChangeDetector}). If they agree, the work has changed, and the knowledge is put away; if
 * it fits an earlier kind of work, that knowledge is used again, from the second far window on,
 * until a window at another size refutes it ({@link Recognition}). A surprise at a new size may be
 * the size's own, so the controller looks at a familiar size. The processor time of a task reveals
 * other work without any experiment ({@link TaskCost}), and also evidence from before the program
 * was warm; while the work is new, the reward must have deviated as well. A large pool whose reward
 * falls to half or less, beyond its noise, goes down to a few workers a processor at once, and
 * learns there whether the fall was a stall ({@link Descent}): a collapse noticed late costs
 * everything, a step down that was not needed a window or two. What many workers did on the way is
 * evidence about the new work. After other falls to unknown work that does half or less, a large
 * pool goes there once the change is certain. If it has come to do less little by little, it looks
 * there once: what is known of small sizes may be of earlier work. Where the level of the reward
 * has moved and many tasks wait, twice the size is looked at, for the same reason; it must do a
 * quarter more to be believed, since pools that share a resource take from each other. A fall in
 * which next to nothing ends is more often a stall, and must last longer; a deep one in which each
 * worker goes on ending tasks is no stall. Where noise comes in bursts, or falls have passed
 * lately, what looks like a change is often none: then a little of what was known of other sizes is
 * kept, moved to the new level. The size from before a fall is tried again, the more rarely the
 * oftener it was in vain: many workers can keep a stalled disk slow for good.
 *
 * <p><b>Update</b> ({@link UpdateStep}). A virtual machine that compiles its program, or a cache
 * that fills, makes all sizes better. So the level of all sizes is followed apart from the shape
 * ({@link Drift}), by neighbouring windows at the same size, also without a queue where many
 * workers are busy. A surprise after a resize is evidence about the size. What was seen before the
 * level moved is doubted by half of the movement, which may have been that of the size in force
 * alone. While a decision stands and windows are as expected, the posterior is worked out only now
 * and then ({@link StandingDecision}).
 *
 * <p><b>Choose</b> ({@link ChooseStep}). Each size has an expected loss: missing reward beyond the
 * tolerance, and a price per doubling for workers without use. {@link SizeChoice} takes the
 * smallest. An {@link Experiment} at another size is made if it promises more than it costs [5].
 * Knowledge about the knee of a shape is valued for a minute. A better size elsewhere is valued for
 * as long as the work has lasted so far, from one to three minutes: longer, and the size would not
 * settle. Experiments become rarer as the evidence grows, and each makes the next dearer for some
 * seconds. The size may grow or shrink fourfold at a time, within the bounds of the pool. A wrong
 * posterior promises nothing, so a hundredth of the time goes into visits to sizes far from all
 * evidence, and more where the curve is none of the shapes ({@link Exploration}). A size that does
 * more than is expected of the best is kept for another window. Where workers or process keep the
 * processors busy, nothing is gained above the size in force, and no experiment is made there. The
 * same holds where most workers idle though tasks wait: in bursts, or for processors that others
 * use. Growth that ends with idle workers and less done was in vain: its source slows down as the
 * pool grows, and the size is barred for a while ({@link GrowthTrial}). Users who are all in
 * service may hinder each other: without a queue, smaller sizes that did better with earlier work
 * are tried.
 *
 * <p><b>Settings.</b> Half a second is the recommended window: it halves the time to find a size,
 * and holds some hundred completions in most services. Windows of fewer than four completions are
 * gathered, and so are windows shorter than a task. The tolerance buys workers for reward. There is
 * nothing else to set; {@link Tuning} holds the constants.
 *
 * <p><b>When not to use it.</b> Where fewer than some ten tasks end in a second, it learns slower
 * than people do. Where throughput comes in bursts of several seconds, it takes noise for curves.
 * It maximises the reward of a single pool: two pools that call each other are two hills with one
 * summit, and it does not know. Work whose best size changes every few seconds is averaged.
 *
 * <p><b>Numbers</b> of its decisions: points of the curve as {@code curve.SIZE.mean} and {@code
 * curve.SIZE.sd}, expected value of the objective and its standard deviation; {@code chosen}, the
 * size; {@code noise}, the standard deviation of a window as a fraction; {@code acceptable}, the
 * value within the tolerance of the best, or the demand where that is less.
 *
 * <p>[1] Costa, adaptive concurrency control, 2019. [2] Timm, an OS-level adaptive thread pool for
 * I/O, 2021. [3] Gunther, Guerrilla Capacity Planning, 2007: the universal scalability law. [4]
 * Rasmussen and Williams, Gaussian Processes for Machine Learning, 2006. [5] Howard, Information
 * value theory, IEEE Transactions on Systems Science and Cybernetics 2, 1966. [6] Little, A proof
 * for the queuing formula L = λW, Operations Research 9, 1961.
 */
public final class ResponseCurveController implements Resumable<ResponseCurveController.State> {

  /** Published name of the controller. */
  public static final String NAME = "response-curve";

  /** Length of the windows that it decides best on. */
  public static final Duration WINDOW = Duration.ofMillis(500);

  /**
   * State between two windows.
   *
   * @param now its own time: seconds of all valid windows
   * @param knowledge of the curve
   * @param noise of a window
   * @param drift of the level of all sizes
   * @param demand for workers
   * @param detector of changes of the work
   * @param accumulator of windows with too few completions
   * @param limits sizes that the pool accepts
   * @param guard against a full heap
   * @param otherCosts windows in a row whose tasks had other costs than those before
   * @param standing a decision that stands
   * @param exploration visits to sizes far from all evidence
   * @param growth for tasks that wait, and sizes at which it was in vain
   * @param descent way down after a deep fall
   * @param recognition earlier work that was recognised, as long as it is doubtful
   * @param recentExperiments number of experiments lately, fading
   * @param drainingWindows windows in a row with more busy workers than the size
   */
  public record State(
      double now,
      Knowledge knowledge,
      Noise noise,
      Drift drift,
      Demand demand,
      ChangeDetector detector,
      WindowAccumulator accumulator,
      SizeLimits limits,
      CollapseGuard guard,
      int otherCosts,
      StandingDecision standing,
      Exploration exploration,
      GrowthTrial growth,
      Descent descent,
      Recognition recognition,
      double recentExperiments,
      int drainingWindows) {

    /** State without any knowledge. */
    public static final State INITIAL =
        new State(
            0,
            Knowledge.NONE,
            Noise.INITIAL,
            Drift.NONE,
            Demand.NONE,
            ChangeDetector.INITIAL,
            WindowAccumulator.EMPTY,
            SizeLimits.UNKNOWN,
            CollapseGuard.INITIAL,
            0,
            StandingDecision.NONE,
            Exploration.NONE,
            GrowthTrial.NONE,
            Descent.NONE,
            Recognition.NONE,
            0,
            0);
  }

  private final Draft.Settings settings;
  private volatile State state = State.INITIAL;

  /**
   * Bounds of the pool, which may change on another thread; sizes beyond them are no candidates.
   */
  private volatile Bounds bounds = new Bounds(1, Integer.MAX_VALUE);

  /** Reductions since the last window; they may be made while it is decided on. */
  private final Reductions reductions = new Reductions();

  /** Posterior of the state, kept because it takes a while; null if it was not worked out. */
  private @Nullable CurvePosterior posterior;

  /**
   * @param objective value to optimise
   * @param tolerance fraction of the best reward that may be missing for the sake of fewer workers,
   *     above 0 and below 0.5; 0.03 is recommended
   * @param processors processors that the work may use, 1 or more
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
    Tuning.check();
    this.settings = new Draft.Settings(objective, tolerance, processors);
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public Optional<Objective> objective() {
    return Optional.of(settings.objective());
  }

  @Override
  public Duration window() {
    return WINDOW;
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
    resumed.bounds = bounds;
    return resumed;
  }

  @Override
  public String conditions() {
    return "%s, tolerance %s, %d processors"
        .formatted(settings.objective().name(), settings.tolerance(), settings.processors());
  }

  @Override
  public void requireBounds(Bounds bounds) {
    this.bounds = bounds;
  }

  @Override
  public int restingSize(int inForce) {
    return state.knowledge.restingSize(inForce);
  }

  /** Ages the knowledge, and drops the requests and the demand; the curve may have changed. */
  @Override
  public State doubted(State state, Duration pause) {
    double seconds = pause.toMillis() / 1e3;
    double elapsed = Draft.aging(seconds);
    return new State(
        state.now + seconds,
        state.knowledge.aged(elapsed),
        state.noise,
        state.drift.afterSeconds(elapsed, state.knowledge.seconds()),
        Demand.NONE,
        state.detector,
        WindowAccumulator.EMPTY,
        SizeLimits.UNKNOWN,
        state.guard,
        0,
        StandingDecision.NONE,
        state.exploration,
        GrowthTrial.NONE,
        Descent.NONE,
        Recognition.NONE,
        0,
        0);
  }

  @Override
  public int relieve(int size, double collecting, double filling) {
    int processors = settings.processors();
    CollapseGuard guard = state.guard;
    int reduced = guard.reducedSize(size, collecting, processors);
    boolean sudden = false;
    if (reduced == size && filling >= 1 && reductions.isEmpty()) {
      reduced = guard.cautiousSize(size, processors);
      sudden = reduced < size;
    }
    if (reduced < size) {
      reductions.add(size, collecting, sudden);
    }
    return reduced;
  }

  /** Reduces the size that was asked for last: experiments stay within it until it is lifted. */
  void reduce(int size) {
    state = withLimits(state.limits.afterReduction(size));
  }

  /** Lifts the reduction. */
  void lift() {
    state = withLimits(state.limits.withoutCeiling());
  }

  private State withLimits(SizeLimits limits) {
    return new State(
        state.now,
        state.knowledge,
        state.noise,
        state.drift,
        state.demand,
        state.detector,
        state.accumulator,
        limits,
        state.guard,
        state.otherCosts,
        state.standing,
        state.exploration,
        state.growth,
        state.descent,
        state.recognition,
        state.recentExperiments,
        state.drainingWindows);
  }

  @Override
  public Decision decide(Window window) {
    Optional<Observation> observation = Observation.of(window, settings.objective());
    if (observation.isEmpty()) {
      String why =
          settings.objective().problem(window).orElse("its values are not finite or out of range");
      return Decision.towards(Math.max(1, window.size()), "window ignored: " + why);
    }
    Draft.Reduction reduction = reductions.take(window.size());
    Draft draft =
        new Draft(settings, bounds, state, posterior, reduction, window, observation.get());
    Decision decision = decide(draft);
    reductions.settle();
    state = draft.toState(decision.size());
    posterior = draft.posteriorAfter();
    return decision;
  }

  /** Observes, detects a change, updates the posterior, chooses. */
  private static Decision decide(Draft draft) {
    Optional<Decision> immediate = new ObserveStep(draft).decide();
    if (immediate.isPresent()) {
      return immediate.get();
    }
    Comparison comparison = Comparison.of(draft.takeGathered(), draft);
    draft.standing = StandingDecision.NONE;
    if (draft.growth.isVain(comparison.window(), comparison.variance())) {
      return new ChooseStep(draft).shrinkBack(comparison);
    }
    if (draft.exploration.isVague(comparison.window(), comparison.level())) {
      return new ChooseStep(draft).lookBack(comparison);
    }
    draft.exploration = draft.exploration.withoutLook();
    Optional<Decision> interruption = new DetectStep(draft, comparison).decide();
    if (interruption.isPresent()) {
      return interruption.get();
    }
    new UpdateStep(draft, comparison).update();
    return new ChooseStep(draft).decide(comparison);
  }
}
