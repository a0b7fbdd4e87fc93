import type { Comparison } from "./comparison.js";
import { aging, type Draft } from "./draft.js";
import type { Noise } from "./noise.js";
import { nearest } from "./size-grid.js";
import { Tuning } from "./tuning.js";

function noiseAfter(draft: Draft, { window, place, level, countNoise }: Comparison): Noise {
  if (window.atCapacity) {
    return draft.noise.plus(place, level, countNoise);
  }
  return draft.isCrowded(window) ? draft.noise.skippedAt(place) : draft.noise.skipped();
}

/** Updates the estimates of the noise, of the level of all sizes, and of a size. */
export function update(draft: Draft, comparison: Comparison): void {
  const { window, place, deviation, blur, level, countNoise } = comparison;
  draft.noise = noiseAfter(draft, comparison);
  let weight = draft.noise.weight(countNoise, blur, deviation);
  let shift = 0;
  if (comparison.posterior.informed) {
    const unsteady = draft.drift.variance;
    const doubt = Tuning.CORRELATION * comparison.variance + blur * blur;
    // A surprise after a change of size is evidence about the size, not about all of them.
    if (place === draft.before.noise.lastPlace) {
      const followed = draft.drift.afterWindow(comparison.surprise, comparison.expected.variance + doubt);
      shift = followed.offset;
      draft.drift = followed.without(shift);
      draft.knowledge = draft.knowledge.shifted(shift);
    } else if (window.rejecting) {
      draft.knowledge = draft.warmUp.knowledgeNow();
    }
    weight *= doubt / (doubt + unsteady);
  }
  draft.knowledge = draft.knowledge
    .aged(aging(window.seconds))
    .withoutCold(draft.cost, place)
    .with(place, weight, level, draft.cost, nearest(window.size));
  draft.standing = draft.before.standing.afterWindow(window.size, deviation, shift);
}
