import type { Objective } from "../../objective.js";
import { NOT_MEASURED, type Bounds, type Window } from "../../window.js";
import { ChangeDetector } from "./change.js";
import { Descent } from "./descent.js";
import { Demand, Drift, Exploration, SizeLimits, StandingDecision } from "./estimates.js";
import { GrowthTrial } from "./growth.js";
import { CandidateSizes, CollapseGuard, ProcessorLoad, safeSize } from "./guard.js";
import { costOf, Knowledge, type TaskCost } from "./knowledge.js";
import { Noise } from "./noise.js";
import { Recognition } from "./recognition.js";
import { type Observation, WindowAccumulator } from "./observation.js";
import type { CurvePosterior } from "./posterior.js";
import { Tuning } from "./tuning.js";
import { WarmUp } from "./warm-up.js";

/** Settings of the controller. */
export interface CurveSettings {
  readonly objective: Objective;
  readonly tolerance: number;
  readonly processors: number;
}

/** State between two windows. */
export interface State {
  /** Seconds of all valid windows. */
  readonly now: number;
  readonly knowledge: Knowledge;
  readonly noise: Noise;
  readonly drift: Drift;
  readonly demand: Demand;
  readonly detector: ChangeDetector;
  readonly accumulator: WindowAccumulator;
  readonly limits: SizeLimits;
  readonly guard: CollapseGuard;
  /** Windows in a row whose tasks had other costs than those before. */
  readonly otherCosts: number;
  readonly standing: StandingDecision;
  readonly exploration: Exploration;
  readonly growth: GrowthTrial;
  readonly descent: Descent;
  readonly recognition: Recognition;
  readonly recentExperiments: number;
  /** Windows in a row with more busy workers than the size. */
  readonly drainingWindows: number;
}

/** State without any knowledge. */
export const INITIAL: State = {
  now: 0,
  knowledge: Knowledge.NONE,
  noise: Noise.INITIAL,
  drift: Drift.NONE,
  demand: Demand.NONE,
  detector: ChangeDetector.INITIAL,
  accumulator: WindowAccumulator.EMPTY,
  limits: SizeLimits.UNKNOWN,
  guard: CollapseGuard.INITIAL,
  otherCosts: 0,
  standing: StandingDecision.NONE,
  exploration: Exploration.NONE,
  growth: GrowthTrial.NONE,
  descent: Descent.NONE,
  recognition: Recognition.NONE,
  recentExperiments: 0,
  drainingWindows: 0,
};

/** Returns the seconds by which time ages knowledge; a process may stand still for days. */
export function aging(seconds: number): number {
  return Math.min(Tuning.LONGEST_AGING_SECONDS, seconds);
}

/** Working copy of the state for a window, which the steps read and write. */
export class Draft {
  readonly now: number;
  /** Share of the time in garbage collection. */
  readonly collecting: number;
  /** Waiting tasks that the pool's own workers submitted, -1 if nothing tells. */
  readonly queuedByWorkers: number;
  readonly load: ProcessorLoad;
  readonly cost: TaskCost;
  readonly limits: SizeLimits;
  knowledge: Knowledge;
  noise: Noise;
  drift: Drift;
  demand: Demand;
  detector: ChangeDetector;
  accumulator: WindowAccumulator;
  guard: CollapseGuard;
  otherCosts: number;
  standing: StandingDecision;
  exploration: Exploration;
  growth: GrowthTrial;
  descent: Descent;
  recognition: Recognition;
  recentExperiments: number;
  /** First words of the reason of a decision after a change of the work, else empty. */
  news = "";
  /** Whether a task takes longer than a window. */
  private slow = false;
  private renewed = false;

  constructor(
    readonly settings: CurveSettings,
    readonly bounds: Bounds,
    readonly before: State,
    private posterior: CurvePosterior | undefined,
    raw: Window,
    readonly window: Observation,
  ) {
    const elapsed = aging(window.seconds);
    this.now = before.now + window.seconds;
    this.collecting = Math.max(0, Math.min(1, raw.gc / 1e9 / window.seconds));
    this.queuedByWorkers = raw.queuedByWorkers ?? NOT_MEASURED;
    this.load = new ProcessorLoad(settings.processors, raw, window, this.collecting);
    this.cost = costOf(raw);
    this.limits = before.limits.afterWindow(window.size, window.seconds);
    this.knowledge = before.knowledge;
    this.noise = before.noise;
    this.drift = before.drift.afterSeconds(elapsed, before.knowledge.seconds);
    this.demand = before.demand.afterWindow(window);
    this.detector = before.detector;
    this.accumulator = before.accumulator.plus(window);
    this.guard = before.guard;
    this.otherCosts = before.otherCosts;
    this.standing = before.standing;
    this.exploration = before.exploration.afterWindow(window.size, window.shrinking, elapsed);
    this.growth = before.growth.afterWindow(window);
    this.descent = before.descent.afterSeconds(window.seconds);
    this.recognition = before.recognition;
    this.recentExperiments = before.recentExperiments * Math.exp(-elapsed / Tuning.RECENT_EXPERIMENT_SECONDS);
  }

  /** Takes the windows gathered so far as a single window, and begins to gather anew. */
  takeGathered(): Observation {
    const gathered = this.accumulator.observation;
    this.slow = gathered.serviceSeconds > this.window.seconds;
    this.accumulator = WindowAccumulator.EMPTY;
    return gathered;
  }

  /** Returns the posterior before this window. */
  posteriorBefore(): CurvePosterior {
    const { standing } = this.before;
    return (this.posterior ??= (standing.stands ? standing.basis : this.knowledge).posterior());
  }

  /** Works the posterior out from the knowledge as it is. */
  renewPosterior(): CurvePosterior {
    this.renewed = true;
    return (this.posterior = this.knowledge.posterior());
  }

  /** Drops the posterior after a change of the knowledge. */
  dropPosterior(): void {
    this.posterior = undefined;
  }

  /** Returns the posterior of the next state; undefined if it was not worked out. */
  posteriorAfter(): CurvePosterior | undefined {
    // A posterior from before is that of a decision that may stand no longer.
    const outdated = !this.standing.stands && this.before.standing.stands && !this.renewed;
    return outdated ? undefined : this.posterior;
  }

  /** Warm-up of the work so far. */
  get warmUp(): WarmUp {
    return new WarmUp(this.knowledge, this.before.noise);
  }

  /**
   * Returns whether so many workers are busy that fewer may do more, though no task waits: of a fixed number of users
   * all may be in service, and hinder each other.
   */
  isCrowded(observed: Observation): boolean {
    return observed.busy > safeSize(this.settings.processors);
  }

  candidates(): CandidateSizes {
    const { knowledge, demand, guard, growth, load, bounds, slow } = this;
    return new CandidateSizes(knowledge, demand, guard, growth, load, bounds, slow);
  }

  /** Returns the reward per second beyond which more is of no use; infinite if the size binds. */
  requiredRate(gathered: Observation): number {
    return gathered.atCapacity
      ? Infinity
      : (this.demand.requiredRate(gathered.busy) * gathered.rate * gathered.seconds) / gathered.completions;
  }

  /** Returns the next state, after the request for a size. */
  toState(requested: number): State {
    return {
      now: this.now,
      knowledge: this.knowledge,
      noise: this.noise,
      drift: this.drift,
      demand: this.demand,
      detector: this.detector,
      accumulator: this.accumulator,
      limits: this.limits.afterRequest(requested),
      guard: this.guard,
      otherCosts: this.otherCosts,
      standing: this.standing,
      exploration: this.exploration,
      growth: this.growth,
      descent: this.descent,
      recognition: this.recognition,
      recentExperiments: this.recentExperiments,
      drainingWindows: this.window.shrinking ? this.before.drainingWindows + 1 : 0,
    };
  }
}
