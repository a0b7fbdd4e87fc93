package io.poolkeeper.controllers;

import io.poolkeeper.Decision;
import io.poolkeeper.controllers.curves.CurvePosterior;
import io.poolkeeper.controllers.curves.Experiment;
import io.poolkeeper.controllers.curves.SizeChoice;
import io.poolkeeper.controllers.curves.SizeGrid;
import io.poolkeeper.controllers.curves.Tuning;
import java.util.Optional;

/** The last step: choose the size with the smallest expected loss, an experiment, or a visit. */
final class ChooseStep {

  private static final int NO_PLACE = -1;

  private final Draft draft;

  ChooseStep(Draft draft) {
    this.draft = draft;
  }

  /** Returns the decision that stands, or a new one. */
  Decision decide(Comparison comparison) {
    Observation window = comparison.window();
    draft.growth = draft.growth.ended(window);
    Decision standing = draft.standing.decision();
    if (standing != null && window.atCapacity()) {
      return standing;
    }
    Decision chosen = choose(window);
    if (chosen.size() > window.size() && window.atCapacity() && !window.rejecting()) {
      draft.growth =
          draft.growth.begun(
              window, draft.renewPosterior().level(SizeGrid.nearest(window.size())).mean());
    }
    if (chosen.size() == window.size() && window.atCapacity()) {
      double weight = draft.noise.weight(comparison.countNoise(), comparison.blur(), 0);
      double windows = draft.knowledge.weightAt(comparison.index()) / weight;
      draft.standing = StandingDecision.of(chosen, draft.knowledge, windows);
    }
    return chosen;
  }

  /** Returns to the size before a growth that was in vain, and learns little about the larger. */
  Decision shrinkBack(Comparison comparison) {
    Observation window = comparison.window();
    int place = SizeGrid.nearest(window.size());
    double weight = draft.noise.weight(comparison.countNoise(), Tuning.VAIN_BLUR, 0);
    draft.knowledge =
        draft
            .knowledge
            .aged(Draft.aging(window.seconds()))
            .with(place, weight, StrictMath.log(window.rate()), place);
    draft.noise = draft.noise.skipped();
    int from = draft.growth.from();
    Explanation explanation =
        new Explanation(draft, window, draft.renewPosterior(), SizeGrid.coarse());
    String reason = explanation.vainGrowth(from, draft.growth.level());
    draft.growth = draft.growth.barring(window.size());
    return decision(from, SizeGrid.nearest(from), reason, explanation);
  }

  /** Ends a look at a larger size that tells nothing, or goes on with it; nothing is learned. */
  Decision lookBack(Comparison comparison) {
    Observation window = comparison.window();
    int from = draft.exploration.looking();
    boolean looksOn = draft.exploration.looksOn(window, draft.window.seconds());
    draft.noise = draft.noise.skipped();
    Explanation explanation =
        new Explanation(draft, window, draft.renewPosterior(), SizeGrid.coarse());
    int size = looksOn ? window.size() : from;
    String reason =
        looksOn ? explanation.lookGoesOn() : explanation.vagueLook(from, comparison.level());
    return decision(size, SizeGrid.nearest(size), reason, explanation);
  }

  /**
   * Chooses after a window in which a load begins: the best size above the one in force, or the
   * room for the tasks if nothing is known and the processors idle.
   */
  Decision fill() {
    Observation window = draft.window.atEnd();
    Basis basis = basis(window);
    int here = basis.here();
    boolean unknown = draft.knowledge.evidence().isEmpty();
    double room = Math.min(window.inSystem(), Tuning.LEAP * window.size());
    int wanted =
        !unknown ? basis.choice().best() : draft.load.idle() ? SizeGrid.atLeast(room) : here;
    int best = Math.min(Math.max(here, wanted), SizeGrid.nearest(draft.bounds.maximum()));
    Explanation explanation =
        new Explanation(draft, window, basis.posterior(), basis.choice().places());
    int size = best == here ? window.size() : SizeGrid.size(best);
    return decision(size, best, explanation.filling(best, here), explanation);
  }

  /**
   * Basis of a choice: the posterior, the losses of the candidates, and the places to try.
   *
   * @param here place of the size in force
   * @param smallest first place for experiments and visits
   * @param top last place for them
   * @param largest place of the largest candidate
   */
  private record Basis(
      Observation window,
      CurvePosterior posterior,
      SizeChoice choice,
      int here,
      int smallest,
      int top,
      int largest) {}

  /** Chooses by the posterior of the knowledge as it is. */
  Decision choose(Observation window) {
    Basis basis = basis(window);
    SizeChoice choice = basis.choice();
    int here = basis.here();
    Explanation explanation = new Explanation(draft, window, basis.posterior(), choice.places());
    if (window.rejecting() && draft.warmUp().needsAnotherWindow(draft.noise)) {
      return decision(window.size(), here, explanation.warmUp(), explanation);
    }
    boolean inert = choice.lossAt(here) - choice.leastLoss() < Tuning.INERTIA;
    boolean outdoes = !inert && outdoes(window, basis.posterior().level(choice.best()));
    int best = inert || outdoes ? here : choice.best();
    Experiment experiment = experiment(basis);
    Optional<Decision> excursion = excursion(basis, best, experiment, explanation);
    if (excursion.isPresent()) {
      return excursion.get();
    }
    if (experiment.isNone()) {
      int wanted = best == here ? window.size() : SizeGrid.size(best);
      String reason =
          outdoes
              ? explanation.outdoing(choice.best())
              : explanation.best(best, here, basis.largest());
      return decision(wanted, best, reason, explanation);
    }
    int index = experiment.index();
    draft.recentExperiments += index == here ? 0 : 1;
    String reason = explanation.experiment(experiment);
    return decision(SizeGrid.size(index), index, reason, explanation);
  }

  private Basis basis(Observation window) {
    CurvePosterior posterior = draft.renewPosterior();
    draft.exploration =
        draft.exploration.of(1 - posterior.shareOfShapes(), draft.knowledge.seconds());
    CandidateSizes candidates = draft.candidates();
    int largest = candidates.largest(window);
    int here = SizeGrid.nearest(window.size());
    SizeChoice choice =
        new SizeChoice(
            posterior,
            Tuning.TOLERANCE_USED * draft.settings.tolerance(),
            candidates.upTo(largest, here),
            draft.requiredRate(window),
            window.rejecting() ? Tuning.REJECTING_DOUBLING_PRICE : Tuning.DOUBLING_PRICE);
    // Where the size does not bind, nothing above it can be learned, and little is lost.
    int smallest = Math.max(SizeGrid.atLeast(draft.limits.floor()), candidates.smallest(window));
    int top =
        Math.min(
            SizeGrid.nearest(draft.limits.ceiling()),
            window.atCapacity()
                ? largest
                : Math.min(here - 1, SizeGrid.atLeast(Tuning.BINDING * window.inSystem())));
    return new Basis(window, posterior, choice, here, smallest, top, largest);
  }

  /**
   * Returns a decision for a size that neither the losses nor an experiment ask for: a return to
   * the size of earlier work, a look at the safe size or at a larger one, or a visit; empty if none
   * is due.
   *
   * @param best place of the best size
   */
  private Optional<Decision> excursion(
      Basis basis, int best, Experiment experiment, Explanation explanation) {
    Observation window = basis.window();
    CurvePosterior posterior = basis.posterior();
    int here = basis.here();
    boolean improvable = window.atCapacity() || draft.isCrowded(window);
    boolean settled = experiment.isNone() && improvable && (best == here || !window.atCapacity());
    // On the way down to a size nothing is seen of it yet.
    boolean returns = improvable && !draft.window.shrinking();
    int former = returns ? former(posterior, window, here, settled) : NO_PLACE;
    if (former != NO_PLACE) {
      draft.exploration = draft.exploration.returnTo(former, rest(posterior, window));
      String reason = explanation.returning(former, here);
      return Optional.of(decision(SizeGrid.size(former), former, reason, explanation));
    }
    int probe = settled ? probe(basis) : NO_PLACE;
    if (probe != NO_PLACE) {
      String reason = explanation.probe(probe, here, draft.exploration.rest().level());
      Exploration.Rest rest = rest(posterior, window);
      draft.exploration =
          probe > here
              ? draft.exploration.lookAt(probe, rest, window.size())
              : draft.exploration.returnTo(probe, rest);
      return Optional.of(decision(SizeGrid.size(probe), probe, reason, explanation));
    }
    int rival = basis.choice().best();
    if (rival != here
        && window.atCapacity()
        && draft.exploration.continues(posterior, window.size(), rival)) {
      String reason = explanation.visitGoesOn(rival);
      return Optional.of(decision(window.size(), here, reason, explanation));
    }
    int visit = settled ? nextVisit(basis) : NO_PLACE;
    return visit == NO_PLACE ? Optional.empty() : Optional.of(visit(visit, explanation));
  }

  private int nextVisit(Basis basis) {
    return draft.exploration.next(
        basis.posterior(),
        draft.knowledge,
        basis.choice().places(),
        basis.smallest(),
        basis.top(),
        basis.here());
  }

  /**
   * Returns whether a window did more than is expected of another size, beyond its noise. Then
   * another window here costs nothing, and tells whether the posterior was wrong.
   */
  private boolean outdoes(Observation window, CurvePosterior.Level other) {
    double variance = draft.noise.single() + Noise.ofCount(window.completions());
    return window.atCapacity()
        && !window.rejecting()
        && StrictMath.log(window.rate()) > other.mean() + Tuning.OUTDOING * Math.sqrt(variance);
  }

  private Experiment experiment(Basis basis) {
    Observation window = basis.window();
    return Experiment.best(
        basis.choice(),
        new Experiment.Conditions(
            basis.here(),
            basis.smallest(),
            basis.top(),
            draft.noise.lasting() + Noise.ofCount(window.completions()),
            draft.drift.variance(),
            window.seconds(),
            draft.knowledge.seconds(),
            worthwhileGain(window),
            draft.limits.growth()));
  }

  /**
   * Returns the gain that an experiment must promise, in windows of reward. It rises with the
   * number of recent experiments, except while the work is new.
   */
  private double worthwhileGain(Observation window) {
    double least = window.atCapacity() ? Tuning.WORTHWHILE : Tuning.WORTHWHILE_FREE;
    double settled = Math.min(1, draft.knowledge.seconds() / Tuning.NEW_WORK_SECONDS);
    return least * (1 + draft.recentExperiments * settled);
  }

  /**
   * Returns the place of a size that did better before the work changed, if it is time to try
   * whether it does so again. If the work of before would do something else here, it must have done
   * far better, and the pool must have found its size, which it has not while larger ones are
   * barred after a collapse. Where no task waits, only smaller sizes can do better.
   */
  private int former(CurvePosterior posterior, Observation window, int here, boolean settled) {
    Exploration.Rest rest = rest(posterior, window);
    boolean moved = draft.exploration.hasMoved(rest, Math.sqrt(draft.noise.lasting()));
    if (settled) {
      draft.exploration = draft.exploration.settledAt(rest);
    }
    if (!draft.exploration.isReturnDue(0, moved)) {
      return NO_PLACE;
    }
    boolean free = !window.atCapacity();
    double most = Math.min(draft.guard.ceiling(), draft.growth.ceiling());
    int largest = Math.min(draft.limits.ceiling(), draft.bounds.maximum());
    int ceiling = SizeGrid.nearest(Math.min(most, largest));
    int fitting = free || draft.load.saturated() ? here : ceiling;
    boolean found = settled && !draft.guard.recovering();
    int other = !found ? -1 : draft.load.idle() && !free ? ceiling : here;
    int place =
        draft.detector.better(
            here,
            posterior.level(here),
            fitting,
            other,
            moved ? Tuning.MOVED_GAIN : Tuning.RETURN_GAIN,
            draft.cost,
            draft.exploration.former());
    boolean pays =
        place != NO_PLACE
            && draft.exploration.isReturnDue(posterior.drainSeconds(here, place), moved)
            && (moved || !free || !isWorse(posterior, place, here));
    return pays ? place : NO_PLACE;
  }

  /** Returns the place of a size whose look tells whether the work has changed. */
  private int probe(Basis basis) {
    int safe = safe(basis.posterior(), basis.window(), basis.here());
    return safe == NO_PLACE ? above(basis) : safe;
  }

  /**
   * Returns the place of the safe size if a large pool has come to do less than when it settled:
   * what is known of small sizes may be of earlier work. If it is not, little time is lost, except
   * by a pool that grows slowly.
   */
  private int safe(CurvePosterior posterior, Observation window, int here) {
    Exploration.Rest rest = rest(posterior, window);
    int safe = CollapseGuard.safe(draft.settings.processors());
    int place = SizeGrid.nearest(draft.bounds.clamp(safe));
    boolean fell =
        draft.exploration.hasMoved(rest, Math.sqrt(draft.noise.lasting()))
            && rest.level() < draft.exploration.rest().level();
    return fell
            && draft.limits.growsAtOnce()
            && window.size() > 2 * safe
            && draft.exploration.isReturnDue(posterior.drainSeconds(here, place), true)
        ? place
        : NO_PLACE;
  }

  /**
   * Returns the place of a larger size if the reward has moved since the pool settled or since a
   * larger size was in force, while many tasks wait and the processors have time for more workers:
   * what is known of larger sizes may be of earlier work.
   */
  private int above(Basis basis) {
    Observation window = basis.window();
    CurvePosterior posterior = basis.posterior();
    int here = basis.here();
    Exploration.Rest rest = rest(posterior, window);
    double noise = Math.sqrt(draft.noise.lasting());
    boolean moved = draft.exploration.hasMoved(rest, noise);
    boolean outdated = moved || draft.knowledge.isOutdatedAbove(here, Exploration.movement(noise));
    int most = Math.min(basis.top(), basis.largest());
    int place = Math.min(SizeGrid.nearestCoarse(Tuning.LOOK_ABOVE * window.size()), most);
    return outdated
            && window.atCapacity()
            && !window.rejecting()
            && window.waiting() >= window.size()
            && !draft.load.saturated()
            && !draft.guard.limiting()
            && draft.limits.growsAtOnce()
            && place > here
            && draft.exploration.isReturnDue(posterior.drainSeconds(place, here), moved)
        ? place
        : NO_PLACE;
  }

  private static Exploration.Rest rest(CurvePosterior posterior, Observation window) {
    int place = Comparison.place(window);
    return new Exploration.Rest(place, posterior.level(place).mean());
  }

  /** Returns whether a size was tried with this work, and is surely worse than another. */
  private boolean isWorse(CurvePosterior posterior, int place, int other) {
    CurvePosterior.Level level = posterior.level(place);
    return draft.knowledge.weightAt(place) > 0
        && level.mean() + Tuning.HOPELESS_CERTAINTY * Math.sqrt(level.variance())
            < posterior.level(other).mean();
  }

  private Decision visit(int place, Explanation explanation) {
    int size = SizeGrid.size(place);
    draft.exploration = draft.exploration.visit(size);
    return decision(size, place, explanation.visit(place), explanation);
  }

  private Decision decision(int size, int place, String reason, Explanation explanation) {
    return Decision.towards(draft.bounds.clamp(size), draft.news + reason)
        .because(explanation.numbers(place));
  }
}
