import type { Objective } from "../objective.js";
import { towards, type Bounds, type Controller, type Decision, type Window } from "../window.js";
import { compare } from "./curve/comparison.js";
import { Draft, INITIAL, type CurveSettings } from "./curve/draft.js";
import { Observation } from "./curve/observation.js";
import type { CurvePosterior } from "./curve/posterior.js";
import { decideStanding, lookBack, shrinkBack } from "./curve/choose-step.js";
import { detect } from "./curve/detect-step.js";
import { observe } from "./curve/observe-step.js";
import { update } from "./curve/update-step.js";
import { StandingDecision } from "./curve/estimates.js";

/**
 * Learns the response curve, the reward at each size, and keeps the smallest size within a tolerance of the best. The
 * Java class `ResponseCurveController` explains the model; both decide the same about the windows of
 * `contract/vectors`. What that class does between two windows, when a heap fills up, has no counterpart here: the tasks
 * of a pool of libuv do not hold the heap.
 */
export class ResponseCurveController implements Controller {
  readonly name = "response-curve";
  readonly windowMillis = 500;
  private readonly settings: CurveSettings;
  private bounds: Bounds = { minimum: 1, maximum: Infinity };
  private state = INITIAL;
  /** Posterior of the state, kept because it takes a while. */
  private posterior: CurvePosterior | undefined;

  /**
   * @param tolerance fraction of the best reward that may be missing for fewer workers, above 0 and below 0.5
   * @param processors processors that the work may use, 1 or more
   * @throws RangeError naming the setting that is out of its range
   */
  constructor(objective: Objective, tolerance: number, processors: number) {
    if (!(tolerance > 0 && tolerance < 0.5)) {
      throw new RangeError(`tolerance must be a fraction above 0 and below 0.5, such as 0.03, but is ${tolerance}`);
    }
    if (!(Number.isInteger(processors) && processors >= 1)) {
      throw new RangeError(`processors must be a whole number of 1 or more, but is ${processors}`);
    }
    this.settings = { objective, tolerance, processors };
  }

  requireBounds(bounds: Bounds): void {
    this.bounds = bounds;
  }

  decide(window: Window): Decision {
    const { objective } = this.settings;
    const observation = Observation.of(window, objective);
    if (observation === undefined) {
      const missing = objective.kind === "disk-throughput" && "problem" in window.disk;
      const why =
        missing && "problem" in window.disk ? window.disk.problem : "its values are not finite or out of range";
      return towards(Math.max(1, window.size), `window ignored: ${why}`);
    }
    const draft = new Draft(this.settings, this.bounds, this.state, this.posterior, window, observation);
    const decision = decideDraft(draft);
    this.state = draft.toState(decision.size);
    this.posterior = draft.posteriorAfter();
    return decision;
  }
}

/** Observes, detects a change, updates the posterior, chooses. */
function decideDraft(draft: Draft): Decision {
  const immediate = observe(draft);
  if (immediate !== undefined) {
    return immediate;
  }
  const comparison = compare(draft.takeGathered(), draft);
  draft.standing = StandingDecision.NONE;
  if (draft.growth.isVain(comparison.window, comparison.variance)) {
    return shrinkBack(draft, comparison);
  }
  if (draft.exploration.isVague(comparison.window, comparison.level)) {
    return lookBack(draft, comparison);
  }
  draft.exploration = draft.exploration.withoutLook();
  const interruption = detect(draft, comparison);
  if (interruption !== undefined) {
    return interruption;
  }
  update(draft, comparison);
  return decideStanding(draft, comparison);
}
