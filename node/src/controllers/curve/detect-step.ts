import { towards, type Decision } from "../../window.js";
import type { Epoch, Residual, Verdict } from "./change.js";
import { choose } from "./choose-step.js";
import type { Comparison } from "./comparison.js";
import type { Draft } from "./draft.js";
import { Drift, Exploration } from "./estimates.js";
import { Explanation } from "./explanation.js";
import { GrowthTrial } from "./growth.js";
import { safeSize } from "./guard.js";
import { UNKNOWN_COST, type Knowledge } from "./knowledge.js";
import { Recognition } from "./recognition.js";
import { COARSE, sizeAt } from "./size-grid.js";
import { Tuning } from "./tuning.js";

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
  draft.news = "this is not the work that was recognised; ";
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
function restart(draft: Draft, comparison: Comparison): Decision {
  const { window } = comparison;
  const earlier = draft.knowledge;
  const { detector, knowledge, recognition, since, fell } = draft.detector.restart(earlier, draft.now);
  draft.knowledge = draft.descent.addTo(knowledge, draft.noise);
  if (since === undefined && draft.otherCosts === 0) {
    draft.knowledge = withShapeOf(draft, comparison, earlier);
  }
  draft.detector = detector;
  draft.recognition = recognition;
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

/**
 * Returns the knowledge since the change, and a little of that before it: what looks like a change may be noise in
 * bursts, or a stall, and then the curve has the same shape.
 */
function withShapeOf(draft: Draft, { level, expected }: Comparison, earlier: Knowledge): Knowledge {
  const shift = level - expected.mean;
  const weight = Tuning.SAME_SHAPE_WEIGHT * Math.max(draft.noise.chanceOfBurst(shift), draft.detector.chanceOfPassing);
  return weight < Tuning.NEGLIGIBLE_WEIGHT ? draft.knowledge : draft.knowledge.withShapeOf(earlier, shift, weight);
}
