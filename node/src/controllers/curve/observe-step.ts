import { towards, type Decision } from "../../window.js";
import { choose, fill } from "./choose-step.js";
import { aging, type Draft } from "./draft.js";
import { Demand, Drift, StandingDecision } from "./estimates.js";
import { safeSize } from "./guard.js";
import { Knowledge, UNKNOWN_COST } from "./knowledge.js";
import { noiseOfCount } from "./noise.js";
import { WindowAccumulator } from "./observation.js";
import { Recognition } from "./recognition.js";
import { nearest } from "./size-grid.js";
import { Standstill } from "./standstill.js";
import { Tuning } from "./tuning.js";

/** Decides at once where nothing can be learned from the window; returns undefined where something can. */
export function observe(draft: Draft): Decision | undefined {
  const { window } = draft;
  const { size } = window;
  const reduced = draft.guard.reducedSize(size, draft.collecting, draft.settings.processors);
  if (reduced < size) {
    return reduce(draft, size, reduced);
  }
  if (draft.guard.falseAlarm(window.busy, draft.collecting)) {
    return takeBack(draft);
  }
  draft.guard = draft.guard.afterWindow(size, draft.collecting, window.seconds);
  if (window.filling || begins(draft)) {
    skip(draft);
    draft.demand = draft.demand.ofAtLeast(window.left);
    return fill(draft);
  }
  if (window.ended === 0 && window.inSystem < 1) {
    return idle(draft);
  }
  if (window.shrinking) {
    return shrink(draft);
  }
  if (!draft.accumulator.complete && !hasCollapsed(draft)) {
    return gather(draft);
  }
  const gathered = draft.accumulator.observation;
  if (gathered.ofEarlierWork && !gathered.atCapacity) {
    skip(draft);
    return towards(
      size,
      `${window.ended.toFixed(0)} tasks ended on which workers had spent more time before; the next window tells ` +
        `what ${window.busy.toFixed(1)} busy workers do`,
    );
  }
  return undefined;
}

/** Returns whether more tasks than workers came to an idle pool, and none has ended yet. */
function begins({ window, before }: Draft): boolean {
  return window.ended === 0 && window.left > window.size && before.demand === Demand.NONE;
}

/** Leaves a window out that tells nothing. */
function skip(draft: Draft): void {
  draft.standing = StandingDecision.NONE;
  draft.noise = draft.noise.skipped();
  draft.accumulator = draft.accumulator.emptied();
}

/** Reduces the size at once, without waiting for the effect on the reward. */
function reduce(draft: Draft, before: number, reduced: number): Decision {
  const { window, collecting } = draft;
  draft.standing = StandingDecision.NONE;
  const wasFine = draft.knowledge.isFamiliar(nearest(before));
  const again = draft.guard.surprising;
  const largest = Math.trunc(Math.max(before, window.busy));
  draft.guard = draft.guard.afterReduction(largest, reduced, collecting, wasFine);
  if (again) {
    // More than a long pause, at sizes that had been fine.
    draft.detector = draft.detector.remember(draft.knowledge, draft.now);
    draft.knowledge = Knowledge.NONE;
    draft.recognition = Recognition.NONE;
    draft.drift = Drift.NONE;
    draft.dropPosterior();
    draft.guard = draft.guard.withoutSurprise();
  }
  draft.noise = draft.noise.skipped();
  draft.accumulator = WindowAccumulator.EMPTY;
  return towards(
    reduced,
    `garbage collection took ${(100 * collecting).toFixed(0)} % of the time with ${window.busy.toFixed(0)} busy ` +
      `workers; ${reduced} workers are to keep the heap from filling up`,
  );
}

/** Takes a reduction back: garbage collection ended before any workers did. */
function takeBack(draft: Draft): Decision {
  const back = Math.trunc(Math.min(draft.guard.collapsed, (2 ** 31 - 1) / 8.0));
  draft.guard = draft.guard.afterFalseAlarm();
  draft.noise = draft.noise.skipped();
  return towards(
    back,
    `the collector only paused: ${draft.window.busy.toFixed(0)} workers are still busy; back to ${back}`,
  );
}

function idle(draft: Draft): Decision {
  draft.standing = StandingDecision.NONE;
  draft.demand = Demand.NONE;
  draft.noise = draft.noise.skipped();
  draft.accumulator = WindowAccumulator.EMPTY;
  // Few enough to cost nothing, and enough for the first of the next tasks. A pool that grows slowly would not be back
  // in time.
  const rest = safeSize(draft.settings.processors);
  const least = Math.max(1, draft.window.size);
  const stays = least <= rest || draft.limits.growth < Infinity;
  return towards(stays ? least : Math.max(rest, Math.floor(least / 2)), "idle: no task runs, waits or has ended");
}

/** Waits for workers that are busy beyond the size. A long way down shows the curve at the sizes in between. */
function shrink(draft: Draft): Decision {
  const { size, busy } = draft.window;
  draft.noise = draft.noise.skipped();
  const mixed = draft.before.drainingWindows < Tuning.MIXED_DRAINING_WINDOWS;
  const doubtful = draft.descent.underWay && draft.before.drainingWindows < Tuning.DOUBTFUL_WINDOWS;
  draft.descent = mixed ? draft.descent : draft.descent.with(draft.window);
  if (mixed || doubtful || draft.guard.limiting) {
    draft.accumulator = draft.accumulator.emptied();
  } else if (draft.accumulator.hasEnoughCompletions) {
    const gathered = draft.accumulator.observation;
    draft.accumulator = WindowAccumulator.EMPTY;
    draft.standing = StandingDecision.NONE;
    const aged = draft.knowledge.aged(aging(gathered.seconds));
    draft.knowledge = aged.withDraining(gathered, draft.posteriorBefore(), draft.noise);
    if (draft.exploration.visiting !== size) {
      const before = draft.exploration;
      const chosen = choose(draft, gathered);
      if (chosen.size > size) {
        return chosen;
      }
      draft.exploration = before;
    }
  }
  return towards(size, `${busy.toFixed(1)} workers are still busy on the way down to ${size}`);
}

/** Returns whether the first completions show that the size is bad, or has become bad. */
function hasCollapsed(draft: Draft): boolean {
  const posterior = draft.posteriorBefore();
  const here = nearest(draft.window.size);
  const expected = posterior.level(here).mean;
  if (draft.knowledge.isFamiliar(here) && draft.accumulator.hasFallenFrom(Math.exp(expected))) {
    return true;
  }
  let best = -Infinity;
  for (const entry of draft.knowledge.evidence) {
    best = Math.max(best, posterior.level(entry.place).mean);
  }
  return draft.accumulator.isWorseThan(Math.exp(best));
}

/** Gathers another window, with more workers where these are the only way to completions. */
function gather(draft: Draft): Decision {
  const { window, accumulator } = draft;
  const { size, waiting } = window;
  const full = window.utilisation > Tuning.FULL;
  const count = accumulator.completions.toFixed(0);
  const standstill = new Standstill(draft);
  const blind =
    accumulator.seconds >= Tuning.SPARSE_SECONDS &&
    accumulator.completions < Tuning.SPARSE_COMPLETIONS &&
    full &&
    waiting >= size &&
    draft.load.idle &&
    draft.knowledge.largestTried <= nearest(size) &&
    size < draft.guard.ceiling &&
    !standstill.stalls;
  if (blind) {
    draft.standing = StandingDecision.NONE;
    learnFromFew(draft);
    return towards(
      Math.trunc(Math.min(2.0 * size, draft.guard.ceiling)),
      `only ${count} tasks completed in ${accumulator.seconds.toFixed(1)} s, ${waiting.toFixed(0)} tasks wait and the ` +
        "processors idle; more workers are to show more",
    );
  }
  const standing = standstill.decide();
  if (standing !== undefined) {
    return standing;
  }
  return towards(
    size,
    `only ${count} tasks completed in ${accumulator.seconds.toFixed(1)} s at this size, too few to learn from`,
  );
}

/** Takes a few completions for a rough estimate; even none shows that there are not many. */
function learnFromFew(draft: Draft): void {
  const { seconds, completions, roughRate } = draft.accumulator;
  const weight = draft.noise.weight(noiseOfCount(completions + 0.5), 0, 0);
  const place = nearest(draft.window.size);
  draft.knowledge = draft.knowledge.aged(seconds).with(place, weight, Math.log(roughRate), UNKNOWN_COST, place);
  draft.dropPosterior();
}
