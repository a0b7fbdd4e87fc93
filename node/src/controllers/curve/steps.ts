import { towards, type Decision } from "../../window.js";
import { bestExperiment, SizeChoice, type Experiment } from "./choice.js";
import type { Epoch, Residual, Verdict } from "./change.js";
import type { Comparison } from "./comparison.js";
import { aging, type Draft } from "./draft.js";
import { Demand, Drift, Exploration, StandingDecision } from "./estimates.js";
import { Explanation } from "./explanation.js";
import { GrowthTrial } from "./growth.js";
import { safeSize } from "./guard.js";
import { Knowledge, UNKNOWN_COST } from "./knowledge.js";
import { noiseOfCount, type Noise } from "./noise.js";
import { WindowAccumulator, type Observation } from "./observation.js";
import { atLeast, COARSE, nearest, sizeAt } from "./size-grid.js";
import { Recognition } from "./recognition.js";
import { formerPlace, probePlace, restOf } from "./returns.js";
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
  if (window.ended === 0 && window.inSystem < 1) {
    return idle(draft);
  }
  if (window.shrinking) {
    return shrink(draft);
  }
  if (!draft.accumulator.complete && !hasCollapsed(draft)) {
    return gather(draft);
  }
  return undefined;
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

/** Detects a change of the work; returns a decision if the window is suspect or the work has changed. */
export function detect(draft: Draft, comparison: Comparison): Decision | undefined {
  if (!comparison.posterior.informed) {
    draft.descent = draft.descent.inVain();
    return undefined;
  }
  const { earlier } = draft.recognition;
  if (earlier !== undefined && draft.recognition.isRefutedBy(comparison)) {
    return withoutRecognition(draft, comparison, earlier);
  }
  draft.recognition = draft.recognition.after(comparison, weightOf(draft, comparison), draft.cost);
  const verdict = verdictOf(draft, comparison);
  if (verdict === "suspect") {
    return suspect(draft, comparison);
  }
  if (verdict === "changed") {
    return restart(draft, comparison);
  }
  draft.descent = draft.descent.inVain();
  if (draft.knowledge.isFamiliar(comparison.place)) {
    draft.guard = draft.guard.withoutSurprise();
  }
  if (comparison.window.atCapacity) {
    const { place, surprise, uncertainty, countNoise } = comparison;
    draft.noise = draft.noise.afterSurprise(place, surprise, uncertainty, countNoise);
  }
  return undefined;
}

/** Continues as with new work. */
function withoutRecognition(draft: Draft, comparison: Comparison, mistaken: Epoch): Decision {
  const { place, level, window } = comparison;
  draft.detector = draft.detector.withoutRecognition(mistaken);
  draft.knowledge = draft.recognition.otherwise.with(place, weightOf(draft, comparison), level, draft.cost, place);
  draft.recognition = Recognition.NONE;
  draft.noise = draft.noise.skipped();
  draft.otherCosts = 0;
  draft.dropPosterior();
  draft.news = "this is other work than was recognised; ";
  return choose(draft, window);
}

function weightOf(draft: Draft, { countNoise, blur }: Comparison): number {
  return draft.noise.weight(countNoise, blur, 0);
}

function verdictOf(draft: Draft, comparison: Comparison): Verdict {
  const { place, level, window, surprise, deviation, familiar } = comparison;
  const weight = weightOf(draft, comparison);
  const { cost } = draft;
  const { seconds } = window;
  const completions = completionsOfFall(draft, comparison);
  const otherCost = costsDiffer(draft, comparison);
  const found = { place, level, weight, seconds, completions, surprise, deviation };
  const residual: Residual = { ...found, familiar, cost, otherCost };
  for (const own of draft.detector.explainedBy(residual)) {
    draft.dropPosterior();
    draft.knowledge = draft.knowledge.with(own.place, own.weight, own.level, UNKNOWN_COST, own.place);
  }
  draft.detector = draft.detector.plus(residual);
  draft.otherCosts = otherCost ? draft.otherCosts + 1 : 0;
  if (draft.otherCosts === 0) {
    const enough = draft.exploration.returning ? 1 : Tuning.RECOGNITION_WINDOWS;
    return draft.detector.recognises(enough) ? "changed" : draft.detector.verdict();
  }
  return draft.otherCosts < Tuning.COST_WINDOWS ? "suspect" : "changed";
}

/**
 * Returns the completions that tell a fall from a stall: none if the last of the gathered windows does more than half
 * of what was expected, so that the stall may just have ended.
 */
function completionsOfFall(draft: Draft, { window, expected }: Comparison): number {
  const back = window.seconds > draft.window.seconds && draft.window.rate > Math.exp(expected.mean) / 2;
  return back ? 0 : window.completions;
}

/**
 * Returns whether tasks need another amount of processor time than before. That of the process includes other pools,
 * and a program that warms up needs less from window to window. In both cases the reward must have deviated as well.
 */
function costsDiffer(draft: Draft, { place, deviation }: Comparison): boolean {
  const { knowledge, cost } = draft;
  const supported = Math.abs(deviation) > Tuning.SUPPORTING_DEVIATION;
  const warm = knowledge.seconds > Tuning.WARM_UP_SECONDS;
  return (
    ((supported || warm) && knowledge.ruledOut(cost.own, place, "own") > Tuning.RULED_OUT) ||
    (supported && knowledge.ruledOut(cost.process, place, "process") > Tuning.RULED_OUT)
  );
}

/** Waits for another window, at a familiar size if the surprise may be the size's own. */
function suspect(draft: Draft, comparison: Comparison): Decision {
  const { window } = comparison;
  draft.noise = draft.noise.skipped();
  const explanation = new Explanation(draft, window, comparison.posterior, COARSE);
  const familiar = sizeAt(draft.knowledge.mostFamiliar);
  const stays =
    comparison.familiar ||
    comparison.deviation > 0 ||
    (comparison.deviation === 0 && isBest(draft, comparison)) ||
    familiar > draft.guard.ceiling; // It was fine before it collapsed.
  let next = stays ? window.size : familiar;
  let kind = "familiar";
  const safe = safeSize(draft.settings.processors);
  if (descends(draft, comparison, safe)) {
    draft.descent = draft.descent.begun(draft.window.size);
    next = safe;
    kind = "safe";
  }
  const look = next === window.size ? "the next window tells" : `a look at ${next}, a ${kind} size, tells`;
  return towards(
    next,
    `${explanation.value(comparison.level)} deviates from the expected ${explanation.expected(comparison.place)}; ` +
      `${look} a stall from a change of the work`,
    explanation.numbers(comparison.place),
  );
}

/** Returns whether the size does more than any other is known to do: then it is no cause. */
function isBest({ knowledge }: Draft, { level }: Comparison): boolean {
  const best = knowledge.at(knowledge.best);
  return best !== undefined && level > best.level;
}

/**
 * Returns whether the reward fell so deep that a large pool goes down before the cause is known. A pool that grows
 * slowly would not be back in time if it was a stall.
 */
function descends(draft: Draft, comparison: Comparison, safe: number): boolean {
  const { window, surprise, deviation } = comparison;
  return (
    draft.descent.allowed &&
    draft.limits.growth === Infinity &&
    window.size > 2 * safe &&
    draft.isCrowded(window) &&
    surprise < -Math.log(Tuning.DEEP_FALL) &&
    deviation < -Tuning.DEEP_FALL_DEVIATION &&
    completionsOfFall(draft, comparison) > 0
  );
}

/** Puts the knowledge of the work before away, and continues with knowledge that fits now. */
function restart(draft: Draft, { window }: Comparison): Decision {
  const { detector, knowledge, recognition, since, fell } = draft.detector.restart(draft.knowledge, draft.now);
  draft.detector = detector;
  draft.recognition = recognition;
  draft.knowledge = draft.descent.addTo(knowledge, draft.noise);
  draft.noise = draft.noise.skipped();
  draft.drift = Drift.NONE;
  draft.otherCosts = 0;
  draft.exploration = Exploration.NONE;
  draft.growth = GrowthTrial.NONE;
  draft.descent = draft.descent.proved();
  draft.guard = draft.guard.afterWorkChange();
  draft.dropPosterior();
  draft.news = since === undefined ? "the work has changed; " : `the work of ${since.toFixed(0)} s ago is back; `;
  const safe = safeSize(draft.settings.processors);
  if (fell && since === undefined && window.size > 2 * safe) {
    const reason = `the throughput of ${window.size} workers fell to half or less; ${safe} workers are safe`;
    return towards(safe, draft.news + reason);
  }
  return choose(draft, window);
}

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

/** Returns the decision that stands, or a new one. */
export function decideStanding(draft: Draft, comparison: Comparison): Decision {
  const { window } = comparison;
  draft.growth = draft.growth.ended(window);
  const standing = draft.standing.decision;
  if (standing !== undefined && window.atCapacity) {
    return standing;
  }
  const chosen = choose(draft, window);
  if (chosen.size > window.size && window.sizeLimited && !window.rejecting) {
    draft.growth = draft.growth.begun(window, draft.renewPosterior().level(nearest(window.size)).mean);
  }
  if (chosen.size === window.size && window.atCapacity) {
    const weight = draft.noise.weight(comparison.countNoise, comparison.blur, 0);
    const windows = draft.knowledge.weightAt(comparison.place) / weight;
    draft.standing = StandingDecision.of(chosen, draft.knowledge, windows);
  }
  return chosen;
}

/** Returns to the size before a growth that was in vain, and learns little about the larger. */
export function shrinkBack(draft: Draft, { window, countNoise }: Comparison): Decision {
  const place = nearest(window.size);
  const weight = draft.noise.weight(countNoise, Tuning.VAIN_BLUR, 0);
  draft.knowledge = draft.knowledge
    .aged(aging(window.seconds))
    .with(place, weight, Math.log(window.rate), UNKNOWN_COST, place);
  draft.noise = draft.noise.skipped();
  const { from, level } = draft.growth;
  const explanation = new Explanation(draft, window, draft.renewPosterior(), COARSE);
  const reason = explanation.vainGrowth(from, level);
  draft.growth = draft.growth.barring(window.size);
  return towards(from, draft.news + reason, explanation.numbers(nearest(from)));
}

/** Chooses the size with the smallest expected loss, an experiment, or a visit. */
function choose(draft: Draft, window: Observation): Decision {
  const posterior = draft.renewPosterior();
  draft.exploration = draft.exploration.of(1 - posterior.shareOfShapes, draft.knowledge.seconds);
  const candidates = draft.candidates();
  const largest = candidates.largest(window);
  const here = nearest(window.size);
  const choice = new SizeChoice(
    posterior,
    Tuning.TOLERANCE_USED * draft.settings.tolerance,
    candidates.upTo(largest, here),
    draft.requiredRate(window),
    window.rejecting ? Tuning.REJECTING_DOUBLING_PRICE : Tuning.DOUBLING_PRICE,
  );
  const inert = choice.lossAt(here) - choice.leastLoss < Tuning.INERTIA;
  const outdone = !inert && outdoes(draft, window, posterior.level(choice.best).mean);
  const best = inert || outdone ? here : choice.best;
  // While the size does not bind, nothing above it can be learned, and little is lost.
  const smallest = Math.max(atLeast(draft.limits.floor), candidates.smallest(window));
  const top = Math.min(
    nearest(draft.limits.ceiling),
    window.atCapacity ? largest : Math.min(here - 1, atLeast(Tuning.BINDING * window.inSystem)),
  );
  const explanation = new Explanation(draft, window, posterior, choice.places);
  const decision = (size: number, place: number, reason: string): Decision =>
    towards(size, draft.news + reason, explanation.numbers(place));
  if (window.rejecting && draft.warmUp.needsAnotherWindow(draft.noise)) {
    return decision(window.size, here, explanation.warmUp());
  }
  const experiment = experimentOf(draft, choice, window, here, smallest, top);
  const improvable = window.atCapacity || draft.isCrowded(window);
  const settled = experiment === undefined && improvable && (best === here || !window.atCapacity);
  const former = improvable ? formerPlace(draft, posterior, window, here, settled) : undefined;
  if (former !== undefined) {
    draft.exploration = draft.exploration.returnTo(former, restOf(posterior, window));
    return decision(sizeAt(former), former, explanation.returning(former, here));
  }
  const probe = settled ? probePlace(draft, posterior, window, here) : undefined;
  if (probe !== undefined) {
    const reason = explanation.probe(probe, here, draft.exploration.rest.level);
    draft.exploration = draft.exploration.returnTo(probe, restOf(posterior, window));
    return decision(sizeAt(probe), probe, reason);
  }
  const rival = choice.best;
  if (rival !== here && window.atCapacity && draft.exploration.continues(posterior, window.size, rival)) {
    return decision(window.size, here, explanation.visitGoesOn(rival));
  }
  if (experiment !== undefined) {
    const { place } = experiment;
    draft.recentExperiments += place === here ? 0 : 1;
    return decision(sizeAt(place), place, explanation.experiment(experiment));
  }
  if (settled) {
    const visit = draft.exploration.next(posterior, draft.knowledge, choice.places, smallest, top, here);
    if (visit !== undefined) {
      draft.exploration = draft.exploration.visit(sizeAt(visit));
      return decision(sizeAt(visit), visit, explanation.visit(visit));
    }
  }
  const wanted = best === here ? window.size : sizeAt(best);
  const reason = outdone ? explanation.outdoing(choice.best) : explanation.best(best, here, largest);
  return decision(wanted, best, reason);
}

/**
 * Returns whether a window did more than is expected of another size, beyond its noise. Then another window here costs
 * nothing, and tells whether the posterior was wrong.
 */
function outdoes(draft: Draft, window: Observation, expected: number): boolean {
  const variance = draft.noise.single + noiseOfCount(window.completions);
  return (
    window.atCapacity && !window.rejecting && Math.log(window.rate) > expected + Tuning.OUTDOING * Math.sqrt(variance)
  );
}

function experimentOf(
  draft: Draft,
  choice: SizeChoice,
  window: Observation,
  here: number,
  first: number,
  last: number,
): Experiment | undefined {
  // The gain that is worth it rises with the number of recent experiments, except while the work is new.
  const least = window.atCapacity ? Tuning.WORTHWHILE : Tuning.WORTHWHILE_FREE;
  const settled = Math.min(1, draft.knowledge.seconds / Tuning.NEW_WORK_SECONDS);
  return bestExperiment(choice, {
    here,
    first,
    last,
    variance: draft.noise.lasting + noiseOfCount(window.completions),
    unsteady: draft.drift.variance,
    seconds: window.seconds,
    age: draft.knowledge.seconds,
    worthwhile: least * (1 + draft.recentExperiments * settled),
    growth: draft.limits.growth,
  });
}
