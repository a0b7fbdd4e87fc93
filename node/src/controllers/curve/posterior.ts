import { mostProbableBreak, PRIORS, ProcessPosterior, type CurveDistribution } from "./processes.js";
import { ShapePosterior } from "./shapes.js";
import { COUNT, sizeAt } from "./size-grid.js";
import { Tuning } from "./tuning.js";

/** Variance of a level of which nothing is known. */
const UNKNOWN = 100;
const PRIOR_OF_PROCESS = (1 - Tuning.SHAPES_PRIOR - Tuning.BREAK_PRIOR) / PRIORS;
const ROUGH = PRIORS - 2;
const ROUGHEST = PRIORS - 1;

/** Logarithm of the reward at a place of the grid, without the noise of a window. */
export interface Level {
  readonly mean: number;
  readonly variance: number;
}

function normal(off: number, variance: number): number {
  return Math.exp((-off * off) / (2 * variance)) / Math.sqrt(2 * Math.PI * variance);
}

/**
 * Posterior of the response curve, given the evidence: a mixture of shapes, of Gaussian processes from smooth to rough,
 * and of curves with a break. Bayes' rule weighs each by its marginal likelihood.
 */
export class CurvePosterior {
  readonly shapes: ShapePosterior;
  readonly processes: CurveDistribution[] = [];
  /** Probability that the curve is one of the shapes. */
  readonly shareOfShapes: number;
  /** Probability that the curve is of a process; 0 if it is negligible. */
  readonly shares: Float64Array;
  private readonly levels: (Level | undefined)[] = [];

  constructor(index: readonly number[], level: readonly number[], noise: readonly number[]) {
    this.shapes = new ShapePosterior(index, level, noise, UNKNOWN);
    const logWeights: number[] = [];
    if (index.length > 0) {
      for (let prior = 0; prior < PRIORS; prior++) {
        const process = new ProcessPosterior(prior, index, level, noise);
        this.processes.push(process);
        logWeights.push(process.logEvidence + Math.log(PRIOR_OF_PROCESS));
      }
      const broken = mostProbableBreak(index, level, noise);
      if (broken !== undefined) {
        const prior = Tuning.BREAK_PRIOR / broken.curves.length;
        this.processes.push(...broken.curves);
        logWeights.push(...broken.curves.map(() => broken.logEvidence + Math.log(prior)));
      }
    }
    this.shares = new Float64Array(this.processes.length);
    this.shareOfShapes = this.weigh(this.shapes.logEvidence + Math.log(Tuning.SHAPES_PRIOR), logWeights);
  }

  /** Applies Bayes' rule over the priors; returns the share of the shapes. */
  private weigh(logOfShapes: number, logWeights: readonly number[]): number {
    const { shares } = this;
    const most = Math.max(logOfShapes, ...logWeights);
    const ofShapes = Math.exp(logOfShapes - most);
    let sum = ofShapes;
    for (let p = 0; p < shares.length; p++) {
      shares[p] = Math.exp(logWeights[p] - most);
      sum += shares[p];
    }
    if (shares.length > 0) {
      shares[ROUGHEST] = Math.max(shares[ROUGHEST], Tuning.ROUGHEST_SHARE * sum);
    }
    const kept = ofShapes < Tuning.NEGLIGIBLE_SHARE * sum ? 0 : ofShapes;
    let total = kept;
    for (let p = 0; p < shares.length; p++) {
      shares[p] = shares[p] < Tuning.NEGLIGIBLE_SHARE * sum ? 0 : shares[p];
      total += shares[p];
    }
    for (let p = 0; p < shares.length; p++) {
      shares[p] /= total;
    }
    return kept / total;
  }

  /** Returns the posterior of the level at a place of the grid for a rough curve. */
  roughLevel(place: number): Level {
    const rough = this.processes[ROUGH];
    return { mean: rough.mean(place), variance: rough.variance(place) };
  }

  private expected(place: number): Level {
    let mean = this.shareOfShapes * this.shapes.mean(place);
    this.processes.forEach((process, p) => {
      mean += this.shares[p] * process.mean(place);
    });
    let off = this.shapes.mean(place) - mean;
    let variance = this.shareOfShapes * (this.shapes.variance(place) + off * off);
    this.processes.forEach((process, p) => {
      off = process.mean(place) - mean;
      variance += this.shares[p] * (process.variance(place) + off * off);
    });
    return { mean, variance };
  }

  /** Moves a level along the expected curve to a place of the grid. */
  levelAt(seen: number, concurrency: number, place: number): number {
    const away = Math.log(sizeAt(place) / concurrency);
    if (concurrency < 1) {
      return seen + away; // In proportion: a single worker meets no contention.
    }
    const other = away < 0 ? place + 1 : place - 1;
    if (Math.abs(away) < 1e-9 || other < 0 || other >= COUNT) {
      return seen;
    }
    const slope = (this.level(other).mean - this.level(place).mean) / Math.log(sizeAt(other) / sizeAt(place));
    return seen + slope * away;
  }

  /** Whether there is any evidence. */
  get informed(): boolean {
    return this.shares.length > 0;
  }

  /** Returns the probability density of a level at a place of the grid. */
  density(place: number, seen: number, noise: number): number {
    let sum = this.shareOfShapes * normal(seen - this.shapes.mean(place), this.shapes.variance(place) + noise);
    this.processes.forEach((process, p) => {
      sum += this.shares[p] * normal(seen - process.mean(place), process.variance(place) + noise);
    });
    return sum;
  }

  level(place: number): Level {
    return (this.levels[place] ??= this.expected(place));
  }

  /** Returns the seconds in which the busy workers fall from one place of the grid to another. */
  drainSeconds(start: number, end: number): number {
    if (end >= start) {
      return 0;
    }
    const service = sizeAt(start) / Math.exp(this.level(start).mean);
    return service * Math.log(sizeAt(start) / sizeAt(end));
  }
}
