import { rint, smallest } from "./numbers.js";
import type { CurvePosterior } from "./posterior.js";
import { DRAWS } from "./processes.js";
import { doublingsAt, sizeAt } from "./size-grid.js";
import { Tuning } from "./tuning.js";

/** Returns the fraction lost where the logarithm is smaller: `1 - exp(-less)`, nearly. */
function lost(less: number): number {
  let square = 1 + less / 4;
  square *= square;
  return 1 - 1 / (square * square);
}

/** Expected loss of each size, given the posterior of the curve, and the size where it is smallest. */
export class SizeChoice {
  /** Place with the smallest expected loss. */
  readonly best: number;
  readonly leastLoss: number;
  readonly loss: Float64Array;
  /** By shape and candidate: loss if the shape holds, times its probability. */
  readonly lossOfShapes: Float64Array[] = [];
  private readonly logEnough: number;

  /**
   * `places` are the candidates; `enough` is the reward beyond which more is of no use; `doublingPrice` is that of
   * twice as many workers as are needed.
   */
  constructor(
    readonly posterior: CurvePosterior,
    private readonly tolerance: number,
    readonly places: readonly number[],
    enough: number,
    private readonly doublingPrice: number,
  ) {
    this.logEnough = Math.log(enough) + tolerance;
    this.loss = new Float64Array(places.length);
    this.loseOnShapes();
    this.loseOnDraws();
    const best = smallest(this.loss);
    this.best = places[best];
    this.leastLoss = this.loss[best];
  }

  private loseOnShapes(): void {
    const { shapes, shareOfShapes } = this.posterior;
    if (shareOfShapes === 0) {
      return;
    }
    for (let h = 0; h < shapes.hypotheses; h++) {
      const curve = Float64Array.from(this.places, (place) => shapes.level(h, place));
      this.lossOfShapes.push(this.losses(curve, shareOfShapes * shapes.probability(h)));
    }
  }

  private loseOnDraws(): void {
    this.posterior.processes.forEach((process, p) => {
      const share = this.posterior.shares[p] / DRAWS;
      for (let d = 0; d < DRAWS && share > 0; d++) {
        this.losses(process.draw(d, this.places), share);
      }
    });
  }

  /** Returns the losses if a curve holds, times its probability; adds them to the expected. */
  private losses(curve: Float64Array, probability: number): Float64Array {
    const { places } = this;
    let top = -Infinity;
    for (const level of curve) {
      top = Math.max(top, level);
    }
    const acceptable = Math.min(top, this.logEnough) - this.tolerance;
    const losses = new Float64Array(places.length);
    let first = 0;
    while (first < places.length && curve[first] < acceptable) {
      losses[first] = Tuning.SHORTFALL_PRICE * probability * lost(acceptable - curve[first]);
      first++;
    }
    for (let i = first; i < places.length; i++) {
      const wasted = doublingsAt(places[i]) - doublingsAt(places[first]);
      losses[i] =
        probability * (Tuning.SHORTFALL_PRICE * lost(Math.max(0, acceptable - curve[i])) + this.doublingPrice * wasted);
    }
    for (let i = 0; i < places.length; i++) {
      this.loss[i] += losses[i];
    }
    return losses;
  }

  /** Returns the expected loss at a place in the grid, infinite if that is no candidate. */
  lossAt(place: number): number {
    const i = this.places.indexOf(place);
    return i < 0 ? Infinity : this.loss[i];
  }
}

/** A few windows at another size than the best, made for their information (Howard 1966). */
export interface Experiment {
  readonly place: number;
  /** Promised gain in windows' worth of reward, the cost taken off. */
  readonly gain: number;
}

/** Conditions of an experiment. */
export interface Conditions {
  /** Place of the size in force, and the smallest and largest place to consider. */
  readonly here: number;
  readonly first: number;
  readonly last: number;
  /** Variance of the logarithm of the reward of a window. */
  readonly variance: number;
  /** Variance of the level of all sizes. */
  readonly unsteady: number;
  /** Length of a window. */
  readonly seconds: number;
  /** Seconds for which the work has been the same. */
  readonly age: number;
  /** Least gain. */
  readonly worthwhile: number;
  /** Sizes a second by which the pool grows. */
  readonly growth: number;
}

const LENGTHS = [Tuning.SHORT_EXPERIMENT, Tuning.USUAL_EXPERIMENT, Tuning.LONG_EXPERIMENT];
const OUTCOMES = 9;
const MIDDLE = Math.floor(OUTCOMES / 2);

/** Returns the most promising experiment of any length; undefined if none is worth it. */
export function bestExperiment(choice: SizeChoice, conditions: Conditions): Experiment | undefined {
  const { posterior, places } = choice;
  const age = Math.max(Tuning.LEAST_HORIZON_SECONDS, Math.min(Tuning.LONGEST_HORIZON_SECONDS, conditions.age));
  const windows = age / conditions.seconds;
  // Outcomes overlap, so half of what separate ones would teach.
  const windowsOfShapes = (0.5 * Tuning.SHAPE_HORIZON_SECONDS) / conditions.seconds;
  const mostOfShapes = savedByCertainty(choice);
  const tops = topPlaces(choice);
  let found: Experiment | undefined;
  for (let i = 0; i < places.length; i++) {
    const place = places[i];
    if (place < conditions.first || place > conditions.last || place === choice.best) {
      continue;
    }
    const price = choice.loss[i] - choice.leastLoss;
    // No window is informative before tasks have ended, and they must end again on the way back.
    const service = sizeAt(place) / Math.exp(posterior.level(place).mean);
    const slowness = service / conditions.seconds;
    const drain = (0.5 * posterior.drainSeconds(conditions.here, place)) / conditions.seconds;
    const distance = Math.abs(sizeAt(conditions.here) - sizeAt(place));
    const way = drain + (0.5 * distance) / conditions.growth / conditions.seconds;
    for (const length of LENGTHS) {
      const noise = (Tuning.CORRELATION * conditions.variance) / length;
      let gain = -Tuning.EXPERIMENT_PRICE * price * (Math.max(length, 1.5 * slowness) + way);
      const least = Math.max(conditions.worthwhile * (1 + Math.max(0, slowness - 1) / 2), found?.gain ?? 0);
      gain += windows * gainOfProcesses(posterior, place, noise, tops);
      // Saves the work where not even certainty would be worth it.
      if (length > Tuning.SHORT_EXPERIMENT && gain + windowsOfShapes * mostOfShapes > least) {
        const surprise = posterior.shapes.surprise(place, noise);
        const width = 2 * Math.sqrt(surprise + conditions.unsteady);
        gain += windowsOfShapes * gainOfShapes(choice, place, width);
      }
      if (gain > least) {
        found = { place, gain };
      }
    }
  }
  return found;
}

/** Returns the loss that certainty about the shape would save, at most. */
function savedByCertainty(choice: SizeChoice): number {
  let least = Infinity;
  for (let i = 0; i < choice.places.length; i++) {
    let sum = 0;
    for (const losses of choice.lossOfShapes) {
      sum += losses[i];
    }
    least = Math.min(least, sum);
  }
  return choice.lossOfShapes.length === 0 ? 0 : least;
}

/** Returns the reduction of the expected loss by an outcome of a given width, if the curve is one of the shapes. */
function gainOfShapes(choice: SizeChoice, place: number, width: number): number {
  const { shapes } = choice.posterior;
  const centre = shapes.mean(place);
  const count = choice.places.length;
  const losses = Array.from({ length: OUTCOMES }, () => new Float64Array(count));
  const all = new Float64Array(count);
  choice.lossOfShapes.forEach((ofShape, h) => {
    const off = (shapes.level(h, place) - centre) / width;
    const outcome = MIDDLE + rint(Math.max(-MIDDLE, Math.min(MIDDLE, off)));
    for (let i = 0; i < count; i++) {
      losses[outcome][i] += ofShape[i];
      all[i] += ofShape[i];
    }
  });
  let gain = all[smallest(all)];
  for (const sum of losses) {
    gain -= sum[smallest(sum)];
  }
  return gain;
}

/** Returns the best place of each process; -1 where the process is negligible. */
function topPlaces(choice: SizeChoice): number[] {
  return choice.posterior.processes.map((process, p) => {
    let top = choice.places[0];
    for (const place of choice.places) {
      if (process.mean(place) > process.mean(top)) {
        top = place;
      }
    }
    return choice.posterior.shares[p] > 0 ? top : -1;
  });
}

/** Returns the mean gain if the size turns out to be better than the best so far, as a fraction of the reward. */
function gainOfProcesses(posterior: CurvePosterior, place: number, noise: number, tops: readonly number[]): number {
  let gain = 0;
  tops.forEach((top, p) => {
    if (top >= 0 && top !== place) {
      const process = posterior.processes[p];
      const doublings = Math.max(0, doublingsAt(place) - doublingsAt(top));
      const lead = process.mean(place) - process.mean(top) - Tuning.DOUBLING_WORTH * doublings;
      const variance = process.variance(place);
      const spread = Math.abs(variance - process.covariance(place, top)) / Math.sqrt(variance + noise);
      gain += posterior.shares[p] * improvement(lead, spread);
    }
  });
  return gain;
}

/** Returns the mean of the positive part of a normal variable. */
function improvement(mean: number, deviation: number): number {
  if (deviation < 1e-9 || mean < -6 * deviation) {
    return 0;
  }
  const z = mean / deviation;
  const density = Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI);
  return deviation * density + mean * below(z, density);
}

/** Normal distribution function (Abramowitz and Stegun 1964, 26.2.17). */
function below(z: number, density: number): number {
  const t = 1 / (1 + 0.2316419 * Math.abs(z));
  const tail =
    density * t * (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
  return z < 0 ? tail : 1 - tail;
}
