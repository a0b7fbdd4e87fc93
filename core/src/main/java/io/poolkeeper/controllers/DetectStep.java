package io.poolkeeper.controllers;

import static io.poolkeeper.controllers.Explanation.format;

import io.poolkeeper.Decision;
import io.poolkeeper.controllers.ChangeDetector.Epoch;
import io.poolkeeper.controllers.ChangeDetector.Residual;
import io.poolkeeper.controllers.ChangeDetector.Restart;
import io.poolkeeper.controllers.ChangeDetector.Verdict;
import io.poolkeeper.controllers.curves.SizeGrid;
import io.poolkeeper.controllers.curves.Tuning;
import java.util.Optional;
import java.util.function.ToDoubleFunction;

/** The second step: detect a change of the work, by the reward and by the cost of a task. */
final class DetectStep {

  private final Draft draft;
  private final Comparison comparison;

  DetectStep(Draft draft, Comparison comparison) {
    this.draft = draft;
    this.comparison = comparison;
  }

  /** Returns a decision if the window is suspect or the work has changed, else empty. */
  Optional<Decision> decide() {
    if (!comparison.informed()) {
      draft.descent = draft.descent.inVain();
      return Optional.empty();
    }
    Epoch mistaken = draft.recognition.earlier();
    if (mistaken != null && draft.recognition.isRefutedBy(comparison)) {
      return Optional.of(withoutRecognition(mistaken));
    }
    draft.recognition = draft.recognition.after(comparison, weight(), draft.cost);
    Verdict verdict = verdict();
    if (verdict == Verdict.SUSPECT) {
      return Optional.of(suspect());
    }
    if (verdict == Verdict.CHANGED) {
      return Optional.of(restart());
    }
    draft.descent = draft.descent.inVain();
    if (draft.knowledge.isFamiliar(comparison.index())) {
      draft.guard = draft.guard.withoutSurprise();
    }
    if (comparison.window().atCapacity()) {
      draft.noise =
          draft.noise.afterSurprise(
              comparison.index(),
              comparison.surprise(),
              comparison.uncertainty(),
              comparison.countNoise());
    }
    return Optional.empty();
  }

  /** Continues as with new work. */
  private Decision withoutRecognition(Epoch mistaken) {
    Observation window = comparison.window();
    int index = comparison.index();
    draft.detector = draft.detector.withoutRecognition(mistaken);
    draft.knowledge =
        draft.recognition.otherwise().with(index, weight(), comparison.level(), draft.cost, index);
    draft.recognition = Recognition.NONE;
    draft.noise = draft.noise.skipped();
    draft.otherCosts = 0;
    draft.dropPosterior();
    draft.news = "this is not the work that was recognised; ";
    return new ChooseStep(draft).choose(window);
  }

  private double weight() {
    return draft.noise.weight(comparison.countNoise(), comparison.blur(), 0);
  }

  private Verdict verdict() {
    boolean otherCost = costsDiffer();
    Residual residual =
        new Residual(
            comparison.index(),
            comparison.level(),
            weight(),
            comparison.window().seconds(),
            completionsOfFall(),
            comparison.surprise(),
            comparison.deviation(),
            comparison.familiar(),
            draft.cost,
            otherCost);
    for (Residual own : draft.detector.explainedBy(residual)) {
      draft.dropPosterior();
      draft.knowledge = draft.knowledge.with(own.index(), own.weight(), own.level(), own.index());
    }
    draft.detector = draft.detector.plus(residual);
    draft.otherCosts = otherCost ? draft.otherCosts + 1 : 0;
    if (draft.otherCosts == 0) {
      int enough = draft.exploration.returning() ? 1 : Tuning.RECOGNITION_WINDOWS;
      return draft.detector.recognises(enough) ? Verdict.CHANGED : draft.detector.verdict();
    }
    return draft.otherCosts < Tuning.COST_WINDOWS ? Verdict.SUSPECT : Verdict.CHANGED;
  }

  /**
   * Returns the completions that tell a fall from a stall: none if the last of the gathered windows
   * does more than half of what was expected, so that the stall may just have ended.
   */
  private double completionsOfFall() {
    Observation gathered = comparison.window();
    double expected = StrictMath.exp(comparison.posterior().level(comparison.index()).mean());
    boolean back =
        gathered.seconds() > draft.window.seconds() && draft.window.rate() > expected / 2;
    return back ? 0 : gathered.completions();
  }

  /**
   * Returns whether tasks need another amount of processor time than before. That of the process
   * includes other pools, and a program that warms up needs less from window to window. In both
   * cases the reward must have deviated as well.
   */
  private boolean costsDiffer() {
    boolean supported = Math.abs(comparison.deviation()) > Tuning.SUPPORTING_DEVIATION;
    boolean warm = draft.knowledge.seconds() > Tuning.WARM_UP_SECONDS;
    return ((supported || warm) && rulesOut(draft.cost.own(), TaskCost::own))
        || (supported && rulesOut(draft.cost.process(), TaskCost::process));
  }

  private boolean rulesOut(double cost, ToDoubleFunction<TaskCost> kind) {
    return draft.knowledge.ruledOut(cost, comparison.index(), kind) > Tuning.RULED_OUT;
  }

  /** Waits for another window, at a familiar size if the surprise may be the size's own. */
  private Decision suspect() {
    Observation window = comparison.window();
    draft.noise = draft.noise.skipped();
    Explanation explanation =
        new Explanation(draft, window, comparison.posterior(), SizeGrid.coarse());
    int familiar = SizeGrid.size(draft.knowledge.mostFamiliar());
    boolean stays =
        comparison.familiar()
            || comparison.deviation() > 0
            || (comparison.deviation() == 0 && isBest())
            || familiar > draft.guard.ceiling(); // It was fine before it collapsed.
    int next = stays ? window.size() : familiar;
    int safe = CollapseGuard.safe(draft.settings.processors());
    String kind = "familiar";
    if (descends(safe)) {
      draft.descent = draft.descent.begun(window.size());
      next = safe;
      kind = "safe";
    }
    String look =
        next == window.size()
            ? "the next window tells"
            : format("a look at %d, a %s size, tells", next, kind);
    return Decision.towards(
            next,
            format(
                "%s deviates from the expected %s; %s a stall from a change of the work",
                explanation.value(comparison.level()),
                explanation.expected(comparison.index()),
                look))
        .because(explanation.numbers(comparison.index()));
  }

  /** Returns whether the size does more than any other is known to do: then it is no cause. */
  private boolean isBest() {
    Evidence best = draft.knowledge.at(draft.knowledge.best());
    return best != null && comparison.level() > best.level();
  }

  /**
   * Returns whether the reward fell so deep that a large pool goes down before the cause is known.
   * A pool that grows slowly would not be back in time if it was a stall.
   */
  private boolean descends(int safe) {
    Observation window = comparison.window();
    return draft.descent.allowed()
        && draft.limits.growsAtOnce()
        && window.size() > 2 * safe
        && draft.isCrowded(window)
        && comparison.surprise() < -StrictMath.log(Tuning.DEEP_FALL)
        && comparison.deviation() < -Tuning.DEEP_FALL_DEVIATION
        && completionsOfFall() > 0;
  }

  /** Puts the knowledge of the work before away, and continues with knowledge that fits now. */
  private Decision restart() {
    Restart restart = draft.detector.restart(draft.knowledge, draft.now);
    boolean unknown = Double.isNaN(restart.since());
    Knowledge earlier = draft.knowledge;
    draft.knowledge = draft.descent.addTo(restart.knowledge(), draft.noise);
    if (unknown && draft.otherCosts == 0) {
      draft.knowledge = withShapeOf(earlier);
    }
    draft.detector = restart.detector();
    draft.recognition = restart.recognition();
    draft.noise = draft.noise.skipped();
    draft.drift = Drift.NONE;
    draft.otherCosts = 0;
    draft.exploration = Exploration.NONE;
    draft.growth = GrowthTrial.NONE;
    draft.descent = draft.descent.proved();
    draft.guard = draft.guard.afterWorkChange();
    draft.dropPosterior();
    draft.news =
        unknown
            ? "the work has changed; "
            : format("the work of %.0f s ago is back; ", restart.since());
    Observation window = comparison.window();
    int safe = CollapseGuard.safe(draft.settings.processors());
    if (restart.fell() && unknown && window.size() > 2 * safe) {
      return Decision.towards(
          safe,
          format(
              "%sthe throughput of %d workers fell to half or less; %d workers are safe",
              draft.news, window.size(), safe));
    }
    return new ChooseStep(draft).choose(window);
  }

  /**
   * Returns the knowledge since the change, and a little of that before it: what looks like a
   * change may be noise in bursts, or a stall, and then the curve has the same shape.
   */
  private Knowledge withShapeOf(Knowledge earlier) {
    double shift = comparison.level() - comparison.expected().mean();
    double chance = Math.max(draft.noise.chanceOfBurst(shift), draft.detector.chanceOfPassing());
    double weight = Tuning.SAME_SHAPE_WEIGHT * chance;
    return weight < Tuning.NEGLIGIBLE_WEIGHT
        ? draft.knowledge
        : draft.knowledge.withShapeOf(earlier, shift, weight);
  }
}
