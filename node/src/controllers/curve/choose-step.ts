import { towards, type Decision } from "../../window.js";
import { bestExperiment, SizeChoice, type Experiment } from "./choice.js";
import type { Comparison } from "./comparison.js";
import { aging, type Draft } from "./draft.js";
import { StandingDecision } from "./estimates.js";
import { Explanation } from "./explanation.js";
import type { CandidateSizes } from "./guard.js";
import { UNKNOWN_COST } from "./knowledge.js";
import { noiseOfCount } from "./noise.js";
import type { Observation } from "./observation.js";
import type { CurvePosterior } from "./posterior.js";
import { abovePlace, formerPlace, restOf, safePlace } from "./returns.js";
import { atLeast, COARSE, nearest, sizeAt } from "./size-grid.js";
import { Tuning } from "./tuning.js";

/** Returns the decision that stands, or a new one. */
export function decideStanding(draft: Draft, comparison: Comparison): Decision {
  const { window } = comparison;
  draft.growth = draft.growth.ended(window);
  const standing = draft.standing.decision;
  if (standing !== undefined && window.atCapacity) {
    return standing;
  }
  const chosen = choose(draft, window);
  if (chosen.size > window.size && window.atCapacity && !window.rejecting) {
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

/** Ends a look at a larger size that tells nothing, or goes on with it; nothing is learned. */
export function lookBack(draft: Draft, { window, level }: Comparison): Decision {
  const from = draft.exploration.looking;
  const looksOn = draft.exploration.looksOn(window, draft.window.seconds);
  draft.noise = draft.noise.skipped();
  const explanation = new Explanation(draft, window, draft.renewPosterior(), COARSE);
  const size = looksOn ? window.size : from;
  const reason = looksOn ? explanation.lookGoesOn() : explanation.vagueLook(from, level);
  return clamped(draft, size, nearest(size), reason, explanation);
}

interface Basis {
  posterior: CurvePosterior;
  candidates: CandidateSizes;
  /** Place of the largest candidate. */
  largest: number;
  /** Place of the size in force. */
  here: number;
  choice: SizeChoice;
}

/** Returns the posterior, and the losses of the candidates. */
function basisOf(draft: Draft, window: Observation): Basis {
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
  return { posterior, candidates, largest, here, choice };
}

/**
 * Chooses after a window in which a load begins: the best size above the one in force, or the room for the tasks if
 * nothing is known and the processors idle.
 */
export function fill(draft: Draft): Decision {
  const window = draft.window.atEnd();
  const { posterior, here, choice } = basisOf(draft, window);
  const unknown = draft.knowledge.evidence.length === 0;
  const room = Math.min(window.inSystem, Tuning.LEAP * window.size);
  const wanted = !unknown ? choice.best : draft.load.idle ? atLeast(room) : here;
  const best = Math.min(Math.max(here, wanted), nearest(draft.bounds.maximum));
  const explanation = new Explanation(draft, window, posterior, choice.places);
  const size = best === here ? window.size : sizeAt(best);
  return clamped(draft, size, best, explanation.filling(best, here), explanation);
}

function clamped(draft: Draft, size: number, place: number, reason: string, explanation: Explanation): Decision {
  const { minimum, maximum } = draft.bounds;
  const within = Math.max(minimum, Math.min(maximum, size));
  return towards(within, draft.news + reason, explanation.numbers(place));
}

/** Chooses the size with the smallest expected loss, an experiment, or a visit. */
export function choose(draft: Draft, window: Observation): Decision {
  const { posterior, candidates, largest, here, choice } = basisOf(draft, window);
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
    clamped(draft, size, place, reason, explanation);
  if (window.rejecting && draft.warmUp.needsAnotherWindow(draft.noise)) {
    return decision(window.size, here, explanation.warmUp());
  }
  const experiment = experimentOf(draft, choice, window, here, smallest, top);
  const improvable = window.atCapacity || draft.isCrowded(window);
  const settled = experiment === undefined && improvable && (best === here || !window.atCapacity);
  // On the way down to a size nothing is seen of it yet.
  const returns = improvable && !draft.window.shrinking;
  const former = returns ? formerPlace(draft, posterior, window, here, settled) : undefined;
  if (former !== undefined) {
    draft.exploration = draft.exploration.returnTo(former, restOf(posterior, window));
    return decision(sizeAt(former), former, explanation.returning(former, here));
  }
  const most = Math.min(top, largest);
  const probe = settled
    ? (safePlace(draft, posterior, window, here) ?? abovePlace(draft, posterior, window, here, most))
    : undefined;
  if (probe !== undefined) {
    const reason = explanation.probe(probe, here, draft.exploration.rest.level);
    const rest = restOf(posterior, window);
    draft.exploration =
      probe > here ? draft.exploration.lookAt(probe, rest, window.size) : draft.exploration.returnTo(probe, rest);
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
