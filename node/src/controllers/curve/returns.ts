import { placeOf } from "./comparison.js";
import type { Draft } from "./draft.js";
import { Exploration, type Rest } from "./estimates.js";
import { safeSize } from "./guard.js";
import type { Observation } from "./observation.js";
import type { CurvePosterior } from "./posterior.js";
import { nearest, nearestCoarse } from "./size-grid.js";
import { Tuning } from "./tuning.js";

/** Returns where the pool stands. */
export function restOf(posterior: CurvePosterior, window: Observation): Rest {
  const place = placeOf(window);
  return { place, level: posterior.level(place).mean };
}

/** Returns whether a size was tried with this work, and is surely worse than another. */
function isWorse(draft: Draft, posterior: CurvePosterior, place: number, other: number): boolean {
  const { mean, variance } = posterior.level(place);
  return (
    draft.knowledge.weightAt(place) > 0 &&
    mean + Tuning.HOPELESS_CERTAINTY * Math.sqrt(variance) < posterior.level(other).mean
  );
}

/**
 * Returns the place of a size that did better before the work changed, if it is time to try whether it does so again.
 * If the work of before would do something else here, it must have done far better, and the pool must be settled and not
 * be recovering from a collapse. Where no task waits, only smaller sizes can do better.
 */
export function formerPlace(
  draft: Draft,
  posterior: CurvePosterior,
  window: Observation,
  here: number,
  settled: boolean,
): number | undefined {
  const rest = restOf(posterior, window);
  const moved = draft.exploration.hasMoved(rest, Math.sqrt(draft.noise.lasting));
  if (settled) {
    draft.exploration = draft.exploration.settledAt(rest);
  }
  if (!draft.exploration.isReturnDue(0, moved)) {
    return undefined;
  }
  const free = !window.atCapacity;
  const limit = Math.min(draft.limits.ceiling, draft.bounds.maximum);
  const ceiling = nearest(Math.min(draft.guard.ceiling, draft.growth.ceiling, limit));
  const fitting = free || draft.load.saturated ? here : ceiling;
  const found = settled && !draft.guard.recovering;
  const other = found ? (draft.load.idle && !free ? ceiling : here) : -1;
  const place = draft.detector.better(
    here,
    posterior.level(here),
    fitting,
    other,
    moved ? Tuning.MOVED_GAIN : Tuning.RETURN_GAIN,
    draft.cost,
    draft.exploration.former,
  );
  const pays =
    place !== undefined &&
    draft.exploration.isReturnDue(posterior.drainSeconds(here, place), moved) &&
    (moved || !free || !isWorse(draft, posterior, place, here));
  return pays ? place : undefined;
}

/**
 * Returns the place of the safe size if a large pool has come to do less than when it settled: what is known of small
 * sizes may be of earlier work. If it is not, little time is lost, except by a pool that grows slowly.
 */
export function safePlace(
  draft: Draft,
  posterior: CurvePosterior,
  window: Observation,
  here: number,
): number | undefined {
  const rest = restOf(posterior, window);
  const safe = safeSize(draft.settings.processors);
  const { minimum, maximum } = draft.bounds;
  const place = nearest(Math.max(minimum, Math.min(maximum, safe)));
  const fell =
    draft.exploration.hasMoved(rest, Math.sqrt(draft.noise.lasting)) && rest.level < draft.exploration.rest.level;
  const due = draft.exploration.isReturnDue(posterior.drainSeconds(here, place), true);
  return fell && draft.limits.growth === Infinity && window.size > 2 * safe && due ? place : undefined;
}

/**
 * Returns the place of a larger size if the reward has moved since the pool settled or since a larger size was in
 * force, while many tasks wait and the processors have time for more workers: what is known of larger sizes may be of
 * earlier work.
 *
 * @param most last place for experiments
 */
export function abovePlace(
  draft: Draft,
  posterior: CurvePosterior,
  window: Observation,
  here: number,
  most: number,
): number | undefined {
  const noise = Math.sqrt(draft.noise.lasting);
  const moved = draft.exploration.hasMoved(restOf(posterior, window), noise);
  const outdated = moved || draft.knowledge.isOutdatedAbove(here, Exploration.movement(noise));
  const place = Math.min(nearestCoarse(Tuning.LOOK_ABOVE * window.size), most);
  const looks =
    outdated &&
    window.atCapacity &&
    !window.rejecting &&
    window.waiting >= window.size &&
    !draft.load.saturated &&
    !draft.guard.limiting &&
    draft.limits.growth === Infinity &&
    place > here &&
    draft.exploration.isReturnDue(posterior.drainSeconds(place, here), moved);
  return looks ? place : undefined;
}
