import { COUNT, sizeAt } from "./size-grid.js";
import { Tuning } from "./tuning.js";

const FINE = Math.sqrt(Math.sqrt(2));
const COARSE = Math.sqrt(2);

/** Largest knee: a curve with a knee beyond the grid is a straight line. */
const LAST = 4100;
const LOSS_PER_WORKER = [0, 0.001, 0.005, 0.03];
const CROSSTALK = [0, 1.0 / 64, 1.0 / 8, 1];
const CONTENTION = [0, 0.005, 0.01, 0.02, 0.035, 0.06, 0.1, 0.17, 0.3, 0.6];

/** Shape that a response curve may have, up to a factor. */
interface Shape {
  /** Logarithm of the reward at each place of the grid. */
  readonly logs: Float64Array;
  readonly logPrior: number;
}

type Curve = (size: number) => number;

function weigh(curves: readonly Curve[], share: number): Shape[] {
  const logPrior = Math.log(share / curves.length);
  return curves.map((curve) => ({
    logs: Float64Array.from({ length: COUNT }, (_, i) => Math.log(curve(sizeAt(i)))),
    logPrior,
  }));
}

/** In proportion to the size up to the knee, then flat or falling by a part per worker. */
function hardKnees(): Curve[] {
  const curves: Curve[] = [];
  for (let k = 1; k < LAST; k *= FINE) {
    const knee = k;
    for (const loss of LOSS_PER_WORKER) {
      curves.push((n) => Math.min(n, knee) / (1 + loss * Math.max(0, n - knee)));
    }
  }
  return curves;
}

/** As of a queueing network, less the loss by crosstalk. */
function roundKnees(): Curve[] {
  const curves: Curve[] = [];
  for (let k = 1; k < LAST; k *= COARSE) {
    const knee = k;
    for (const crosstalk of CROSSTALK) {
      curves.push((n) => {
        const r = n / knee;
        return n / (Math.cbrt(1 + r * r * r) + crosstalk * r * r);
      });
    }
  }
  return curves;
}

/** Contention and coherence (Gunther 2007). */
function scalabilityLaw(): Curve[] {
  const curves: Curve[] = [];
  for (const contention of CONTENTION) {
    for (let peak = COARSE; peak < LAST; peak *= COARSE) {
      const coherence = (1 - contention) / (peak * peak);
      curves.push((n) => n / (1 + contention * (n - 1) + coherence * n * (n - 1)));
    }
  }
  return curves;
}

/** A second rise beyond a flat stretch, as of disks that reorder requests. */
function secondRise(): Curve[] {
  const curves: Curve[] = [];
  for (let k = 1; k < LAST; k *= 2) {
    const knee = k;
    for (const gain of [0.1, 0.25]) {
      for (const distance of [4, 8, 16]) {
        for (const width of [4, LAST]) {
          const top = knee * distance;
          curves.push((n) => {
            const rise = Math.log((2 * n) / top) / Math.log(2);
            const fall = Math.log((width * top) / n) / Math.log(2);
            const share = Math.max(0, Math.min(1, Math.min(rise, fall)));
            return Math.min(n, knee) * (1 + gain * share);
          });
        }
      }
    }
  }
  return curves;
}

const SHAPES: readonly Shape[] = [
  ...weigh(hardKnees(), Tuning.COMMON_SHAPES),
  ...weigh(roundKnees(), Tuning.COMMON_SHAPES),
  ...weigh(scalabilityLaw(), Tuning.COMMON_SHAPES),
  ...weigh(secondRise(), Tuning.RARE_SHAPES),
];

/** Logarithm of the probability against the best shape below which shapes are left out. */
const NEGLIGIBLE = Math.log(Tuning.NEGLIGIBLE_SHAPE);

const MISFIT = Tuning.MISFIT * Tuning.MISFIT;

/** Shapes with their probabilities and factors, given the evidence; the factor has a flat prior. */
export class ShapePosterior {
  /** Logarithm of the marginal likelihood, up to a constant that priors share. */
  readonly logEvidence: number;
  /** Number of probable shapes. */
  hypotheses = 0;
  private readonly shape = new Int32Array(SHAPES.length);
  private readonly probabilities = new Float64Array(SHAPES.length);
  private readonly factor = new Float64Array(SHAPES.length);
  private readonly factorVariance: number;
  private readonly precision = new Float64Array(COUNT);

  /** `unknown` is the variance of a factor of which nothing is known. */
  constructor(index: readonly number[], level: readonly number[], noise: readonly number[], unknown: number) {
    const weight = index.map(() => 0);
    let sum = 0;
    let logDeterminant = 0;
    for (let j = 0; j < index.length; j++) {
      weight[j] = 1 / (noise[j] + MISFIT);
      this.precision[index[j]] = weight[j];
      sum += weight[j];
      logDeterminant -= Math.log(weight[j]);
    }
    this.factorVariance = index.length === 0 ? unknown : 1 / sum;
    const best = this.weigh(index, level, weight);
    const total = this.keepTheProbable(best);
    this.logEvidence = best + Math.log(total) - logDeterminant / 2 + Math.log(this.factorVariance) / 2;
  }

  /** Works out the best factor of each shape and the misfit with it. */
  private weigh(index: readonly number[], level: readonly number[], weight: readonly number[]): number {
    let best = -Infinity;
    for (let s = 0; s < SHAPES.length; s++) {
      const { logs, logPrior } = SHAPES[s];
      let mean = 0;
      for (let j = 0; j < index.length; j++) {
        mean += weight[j] * (level[j] - logs[index[j]]);
      }
      mean = index.length === 0 ? 0 : mean * this.factorVariance;
      let misfit = 0;
      for (let j = 0; j < index.length; j++) {
        const off = level[j] - logs[index[j]] - mean;
        misfit += weight[j] * off * off;
      }
      this.factor[s] = mean;
      this.probabilities[s] = logPrior - misfit / 2;
      best = Math.max(best, this.probabilities[s]);
    }
    return best;
  }

  private keepTheProbable(best: number): number {
    let sum = 0;
    for (let s = 0; s < SHAPES.length; s++) {
      if (this.probabilities[s] - best >= NEGLIGIBLE) {
        const h = this.hypotheses++;
        this.shape[h] = s;
        this.factor[h] = this.factor[s];
        this.probabilities[h] = Math.exp(this.probabilities[s] - best);
        sum += this.probabilities[h];
      }
    }
    for (let h = 0; h < this.hypotheses; h++) {
      this.probabilities[h] /= sum;
    }
    return sum;
  }

  mean(place: number): number {
    let sum = 0;
    for (let h = 0; h < this.hypotheses; h++) {
      sum += this.probabilities[h] * this.level(h, place);
    }
    return sum;
  }

  variance(place: number): number {
    const mean = this.mean(place);
    let squares = 0;
    for (let h = 0; h < this.hypotheses; h++) {
      const off = this.level(h, place) - mean;
      squares += this.probabilities[h] * off * off;
    }
    return squares + this.factorVariance;
  }

  /** Returns the variance of the news that more windows at a place would bring. */
  surprise(place: number, noise: number): number {
    const present = this.precision[place];
    if (present === 0) {
      return noise + MISFIT;
    }
    const ofNoise = Math.max(1e-9, 1 / present - MISFIT);
    const then = 1 / (1 / (1 / ofNoise + 1 / noise) + MISFIT);
    return 1 / Math.max(1e-9, then - present);
  }

  probability(hypothesis: number): number {
    return this.probabilities[hypothesis];
  }

  /** Returns the expected logarithm of the reward if the hypothesis holds. */
  level(hypothesis: number, place: number): number {
    return this.factor[hypothesis] + SHAPES[this.shape[hypothesis]].logs[place];
  }
}
