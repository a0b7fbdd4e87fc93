package io.poolkeeper.controllers;

import io.poolkeeper.controllers.curves.SizeGrid;
import io.poolkeeper.controllers.curves.Tuning;

/** The third step: update the estimates of the noise, of the level of all sizes, and of a size. */
final class UpdateStep {

  private final Draft draft;
  private final Comparison comparison;

  UpdateStep(Draft draft, Comparison comparison) {
    this.draft = draft;
    this.comparison = comparison;
  }

  /** Adds the gathered windows to the knowledge. */
  void update() {
    Observation window = comparison.window();
    int index = comparison.index();
    double deviation = comparison.deviation();
    double blur = comparison.blur();
    draft.noise = noiseAfter(window, index);
    double weight = draft.noise.weight(comparison.countNoise(), blur, deviation);
    double shift = 0;
    if (comparison.informed()) {
      double unsteady = draft.drift.variance();
      double doubt = Tuning.CORRELATION * comparison.variance() + blur * blur;
      // A surprise after a change of size is evidence about the size, not about all of them.
      if (index == draft.before.noise().lastIndex()) {
        shift = followLevel(doubt);
      } else if (window.rejecting()) {
        draft.knowledge = draft.warmUp().knowledgeNow();
      }
      weight *= doubt / (doubt + unsteady);
    }
    draft.knowledge =
        draft
            .knowledge
            .aged(Draft.aging(window.seconds()))
            .withoutCold(draft.cost, index)
            .with(index, weight, comparison.level(), draft.cost, SizeGrid.nearest(window.size()));
    draft.standing = draft.before.standing().afterWindow(window.size(), deviation, shift);
  }

  private Noise noiseAfter(Observation window, int index) {
    if (window.atCapacity()) {
      return draft.noise.plus(index, comparison.level(), comparison.countNoise());
    }
    return draft.isCrowded(window) ? draft.noise.skippedAt(index) : draft.noise.skipped();
  }

  /** Moves the level of all sizes by its drift, and returns the movement. */
  private double followLevel(double doubt) {
    Drift followed =
        draft.drift.afterWindow(comparison.surprise(), comparison.expected().variance() + doubt);
    double shift = followed.offset();
    draft.drift = followed.without(shift);
    draft.knowledge = draft.knowledge.shifted(shift);
    return shift;
  }
}
