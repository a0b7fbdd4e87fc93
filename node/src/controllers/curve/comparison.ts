import type { Draft } from "./draft.js";
import { noiseOfCount } from "./noise.js";
import type { Observation } from "./observation.js";
import type { CurvePosterior, Level } from "./posterior.js";
import { nearest, nearestCoarse } from "./size-grid.js";
import { Tuning } from "./tuning.js";

/** Density of a level after a change of the work: to anything within a factor of about 3. */
const OTHER_WORK = Tuning.CHANGE_RATE / 3;

/** Gathered windows compared with the expectation. */
export interface Comparison {
  readonly window: Observation;
  readonly posterior: CurvePosterior;
  readonly place: number;
  readonly level: number;
  readonly expected: Level;
  readonly countNoise: number;
  readonly variance: number;
  readonly blur: number;
  readonly surprise: number;
  readonly uncertainty: number;
  readonly familiar: boolean;
  /** Surprise in standard deviations, as evidence of other work. */
  readonly deviation: number;
}

/** Returns the place in the grid at which a window shows the reward. */
export function placeOf({ atCapacity, utilisation, concurrency }: Observation): number {
  return atCapacity || utilisation > Tuning.FULL ? nearest(concurrency) : nearestCoarse(concurrency);
}

/** Compares gathered windows with the posterior before. */
export function compare(window: Observation, draft: Draft): Comparison {
  const posterior = draft.posteriorBefore();
  const place = placeOf(window);
  const level = posterior.levelAt(Math.log(window.rate), window.concurrency, place);
  const expected = posterior.level(place);
  const countNoise = noiseOfCount(window.completions);
  const variance = draft.noise.single + countNoise;
  const { shift } = draft.before.standing;
  const surprise = level - expected.mean - shift;
  const blur = window.blur(draft.before.limits.size);
  const uncertainty = expected.variance + draft.drift.variance + blur * blur + Tuning.MISFIT * Tuning.MISFIT;
  const familiar = draft.knowledge.isFamiliar(place) || draft.guard.surprising;
  let deviation = surprise / Math.sqrt(variance + uncertainty);
  if (!posterior.informed) {
    deviation = 0;
  } else if (!familiar) {
    // A surprise at a new size is the size's own, unless other work is the likelier cause.
    const own = posterior.density(place, level - shift, variance) > OTHER_WORK;
    const farAtLeast =
      Math.abs(deviation) < Tuning.OTHER_WORK_DEVIATION
        ? Tuning.OTHER_WORK_DEVIATION * (deviation < 0 || Object.is(deviation, -0) ? -1 : 1)
        : deviation;
    deviation = own ? 0 : farAtLeast;
  }
  return {
    window,
    posterior,
    place,
    level,
    expected,
    countNoise,
    variance,
    blur,
    surprise,
    uncertainty,
    familiar,
    deviation,
  };
}
