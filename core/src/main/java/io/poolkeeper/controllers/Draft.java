package io.poolkeeper.controllers;

import io.poolkeeper.Bounds;
import io.poolkeeper.Objective;
import io.poolkeeper.Window;
import io.poolkeeper.controllers.ResponseCurveController.State;
import io.poolkeeper.controllers.curves.CurvePosterior;
import io.poolkeeper.controllers.curves.Tuning;
import org.jspecify.annotations.Nullable;

/**
 * Working copy of the {@link State} for a window. The steps of the controller read and write it.
 */
final class Draft {

  /** Settings of the controller; they do not change. */
  record Settings(Objective objective, double tolerance, int processors) {}

  /**
   * A reduction of the size before the window was closed.
   *
   * @param size size before, 0 for no reduction
   * @param collecting share of the time in garbage collection
   * @param sudden whether a sudden rate of allocation was the reason
   */
  record Reduction(int size, double collecting, boolean sudden) {

    static final Reduction NONE = new Reduction(0, 0, false);
  }

  final Settings settings;
  final Bounds bounds;
  final State before;
  final Reduction reduction;
  final Observation window;
  final double now;
  final double collecting;
  final long queuedByWorkers;
  final ProcessorLoad load;
  final TaskCost cost;
  final SizeLimits limits;
  Knowledge knowledge;
  Noise noise;
  Drift drift;
  Demand demand;
  ChangeDetector detector;
  WindowAccumulator accumulator;
  CollapseGuard guard;
  int otherCosts;
  StandingDecision standing;
  Exploration exploration;
  GrowthTrial growth;
  Descent descent;
  Recognition recognition;
  double recentExperiments;

  /** True if a task takes longer than a window. */
  boolean slow;

  /** First words of the reason of a decision after a change of the work, else empty. */
  String news = "";

  private @Nullable CurvePosterior posterior;
  private boolean renewed;

  /**
   * @param bounds of the pool
   * @param posterior that of the state, null if it was not worked out
   */
  Draft(
      Settings settings,
      Bounds bounds,
      State before,
      @Nullable CurvePosterior posterior,
      Reduction reduction,
      Window raw,
      Observation window) {
    double elapsed = aging(window.seconds());
    this.settings = settings;
    this.bounds = bounds;
    this.before = before;
    this.posterior = posterior;
    this.reduction = reduction;
    this.window = window;
    this.now = before.now() + window.seconds();
    this.collecting = Math.max(0, Math.min(1, raw.gc() / 1e9 / window.seconds()));
    this.queuedByWorkers = raw.queuedByWorkers();
    this.load = new ProcessorLoad(settings.processors(), raw, window, collecting);
    this.cost = TaskCost.of(raw);
    this.limits = before.limits().afterWindow(window.size(), window.seconds());
    this.knowledge = before.knowledge();
    this.noise = before.noise();
    this.drift = before.drift().afterSeconds(elapsed, before.knowledge().seconds());
    this.demand = before.demand().afterWindow(window);
    this.detector = before.detector();
    this.accumulator = before.accumulator().plus(window);
    this.guard = before.guard();
    this.otherCosts = before.otherCosts();
    this.standing = before.standing();
    this.exploration = before.exploration().afterWindow(window.size(), window.shrinking(), elapsed);
    this.growth = before.growth().afterWindow(window);
    this.descent = before.descent().afterSeconds(window.seconds());
    this.recognition = before.recognition();
    this.recentExperiments =
        before.recentExperiments() * StrictMath.exp(-elapsed / Tuning.RECENT_EXPERIMENT_SECONDS);
  }

  /** Returns the seconds by which time ages knowledge; a process may stand still for days. */
  static double aging(double seconds) {
    return Math.min(Tuning.LONGEST_AGING_SECONDS, seconds);
  }

  /** Returns the warm-up of the work so far. */
  WarmUp warmUp() {
    return new WarmUp(knowledge, before.noise());
  }

  /** Takes the windows gathered so far as a single window, and begins to gather anew. */
  Observation takeGathered() {
    Observation gathered = accumulator.observation();
    slow = gathered.serviceSeconds() > window.seconds();
    accumulator = WindowAccumulator.EMPTY;
    return gathered;
  }

  /** Returns the posterior before this window, worked out when it is first needed. */
  CurvePosterior posteriorBefore() {
    CurvePosterior result = posterior;
    if (result == null) {
      Knowledge basis = before.standing().stands() ? before.standing().basis() : knowledge;
      result = basis.posterior();
      posterior = result;
    }
    return result;
  }

  /** Works the posterior out from the knowledge as it is. */
  CurvePosterior renewPosterior() {
    CurvePosterior result = knowledge.posterior();
    posterior = result;
    renewed = true;
    return result;
  }

  /** Drops the posterior after a change of the knowledge. */
  void dropPosterior() {
    posterior = null;
  }

  /** Returns the posterior of the next state; null if it was not worked out. */
  @Nullable CurvePosterior posteriorAfter() {
    // A posterior from before is that of a decision that may stand no longer.
    boolean outdated = !standing.stands() && before.standing().stands() && !renewed;
    return outdated ? null : posterior;
  }

  /**
   * Returns whether so many workers are busy that fewer may do more, though no task waits: of a
   * fixed number of users all may be in service, and hinder each other.
   */
  boolean isCrowded(Observation observed) {
    return observed.busy() > CollapseGuard.safe(settings.processors());
  }

  /** Returns the sizes that are candidates now. */
  CandidateSizes candidates() {
    return new CandidateSizes(knowledge, demand, guard, growth, load, bounds, slow);
  }

  /** Returns the reward per second beyond which more is of no use; infinite if the size binds. */
  double requiredRate(Observation gathered) {
    return gathered.atCapacity()
        ? Double.POSITIVE_INFINITY
        : demand.requiredRate(gathered.busy())
            * gathered.rate()
            * gathered.seconds()
            / gathered.completions();
  }

  /** Returns the next state, after the request for a size. */
  State toState(int requested) {
    return new State(
        now,
        knowledge,
        noise,
        drift,
        demand,
        detector,
        accumulator,
        limits.afterRequest(requested),
        guard,
        otherCosts,
        standing,
        exploration,
        growth,
        descent,
        recognition,
        recentExperiments,
        window.shrinking() ? before.drainingWindows() + 1 : 0);
  }
}
