import { dot, normals } from "./numbers.js";
import { COUNT, doublingsAt, nearest, sizeAt } from "./size-grid.js";
import { Tuning } from "./tuning.js";

/** Curves that are drawn from each prior once, and then bent to the evidence. */
export const DRAWS = 32;

/** Keeps a matrix whose last digits are rounded away positive definite. */
const JITTER = 1e-10;

/** Normal distribution of the logarithm of the reward at all places of the grid. */
export interface CurveDistribution {
  mean(place: number): number;
  variance(place: number): number;
  covariance(place: number, other: number): number;
  /** Draws a curve at some places; the same number gives the same curve. */
  draw(number: number, places: readonly number[]): Float64Array;
}

/** Triangular factor of a covariance matrix. */
class Cholesky {
  readonly factor: Float64Array[] = [];

  /** Only the lower half of the matrix is read. */
  constructor(covariance: readonly Float64Array[]) {
    for (let i = 0; i < covariance.length; i++) {
      const row = new Float64Array(covariance.length);
      for (let j = 0; j <= i; j++) {
        const other = j === i ? row : this.factor[j];
        let sum = covariance[i][j];
        for (let k = 0; k < j; k++) {
          sum -= row[k] * other[k];
        }
        row[j] = i === j ? Math.sqrt(Math.max(JITTER, sum)) : sum / other[j];
      }
      this.factor.push(row);
    }
  }

  halfLogDeterminant(): number {
    let sum = 0;
    for (let i = 0; i < this.factor.length; i++) {
      sum += Math.log(this.factor[i][i]);
    }
    return sum;
  }

  /** Solves `factor * x = right`. */
  solve(right: ArrayLike<number>): Float64Array {
    const x = new Float64Array(this.factor.length);
    for (let i = 0; i < x.length; i++) {
      const row = this.factor[i];
      let sum = right[i];
      for (let k = 0; k < i; k++) {
        sum -= row[k] * x[k];
      }
      x[i] = sum / row[i];
    }
    return x;
  }
}

/** Gaussian process over the logarithm of the size: a prior for curves that are none of the shapes. */
class ProcessKernel {
  readonly covariance: readonly Float64Array[];
  /** Curves drawn from the prior, at all places. */
  readonly draws: readonly Float64Array[];

  constructor(smooth: number, length: number, rough: number, own: number) {
    const logarithms = Array.from({ length: COUNT }, (_, i) => Math.log(sizeAt(i) / 16.0));
    this.covariance = logarithms.map((x, i) =>
      Float64Array.from(logarithms, (y, j) => {
        const d = Math.abs(x - y);
        return (
          Tuning.PROCESS_SLOPE * Tuning.PROCESS_SLOPE * x * y +
          smooth * smooth * Math.exp((-d * d) / (2 * length * length)) +
          rough * rough * Math.exp(-d / Tuning.ROUGH_LENGTH) +
          (i === j ? own * own : 0)
        );
      }),
    );
    const root = new Cholesky(this.covariance).factor;
    this.draws = normals(DRAWS, COUNT, 1).map((row) =>
      Float64Array.from({ length: COUNT }, (_, i) => {
        let sum = 0;
        for (let j = 0; j <= i; j++) {
          sum += root[i][j] * row[j];
        }
        return sum;
      }),
    );
  }
}

/** Priors from smooth to rough; the first is also that of the parts of a broken curve. */
const KERNELS: readonly ProcessKernel[] = [
  new ProcessKernel(0.8, 0.8, 0.1, 0.02),
  new ProcessKernel(0.8, 1.0, 0.3, 0.03),
  new ProcessKernel(0.8, 1.0, 0.6, 0.05),
  new ProcessKernel(0.5, 1.0, 0.6, 0.3),
];

/** Number of priors without a break; the last of them is the roughest. */
export const PRIORS = KERNELS.length;

/** Normal numbers for the noise of the evidence, the same for every posterior. */
const NORMALS = normals(DRAWS, COUNT, 2);

/** Curves drawn from a Gaussian process, given the evidence; the level of all sizes has a flat prior. */
export class ProcessPosterior implements CurveDistribution {
  readonly logEvidence: number;
  private readonly kernel: ProcessKernel;
  private readonly root: Cholesky;
  private readonly ones: Float64Array;
  private readonly sumOfOnes: number;
  private readonly weights: Float64Array;
  private readonly constant: number;
  private readonly solutions: (Float64Array | undefined)[] = [];

  constructor(
    prior: number,
    private readonly index: readonly number[],
    private readonly level: readonly number[],
    private readonly noise: readonly number[],
  ) {
    const kernel = KERNELS[prior];
    this.kernel = kernel;
    const covariance = index.map((place, i) =>
      Float64Array.from(index, (other, j) => kernel.covariance[place][other] + (i === j ? noise[i] : 0)),
    );
    this.root = new Cholesky(covariance);
    this.ones = this.root.solve(index.map(() => 1));
    this.sumOfOnes = dot(this.ones, this.ones);
    this.weights = this.root.solve(level);
    this.constant = this.withoutConstant(this.weights);
    this.logEvidence =
      -dot(this.weights, this.weights) / 2 - this.root.halfLogDeterminant() - Math.log(this.sumOfOnes) / 2;
  }

  private solved(place: number): Float64Array {
    let solution = this.solutions[place];
    if (solution === undefined) {
      const row = this.kernel.covariance[place];
      solution = this.root.solve(this.index.map((other) => row[other]));
      this.solutions[place] = solution;
    }
    return solution;
  }

  /** Takes the level that fits best out of a solved vector, and returns it. */
  private withoutConstant(vector: Float64Array): number {
    const fitted = dot(this.ones, vector) / this.sumOfOnes;
    for (let j = 0; j < vector.length; j++) {
      vector[j] -= fitted * this.ones[j];
    }
    return fitted;
  }

  mean(place: number): number {
    return this.constant + dot(this.solved(place), this.weights);
  }

  variance(place: number): number {
    return this.covariance(place, place);
  }

  covariance(place: number, other: number): number {
    const ofLevel = 1 - dot(this.solved(place), this.ones);
    const ofLevelThere = 1 - dot(this.solved(other), this.ones);
    return (
      this.kernel.covariance[place][other] -
      dot(this.solved(place), this.solved(other)) +
      (ofLevel * ofLevelThere) / this.sumOfOnes
    );
  }

  /** Bends a curve of the prior so that it meets the evidence (Matheron's rule). */
  draw(number: number, places: readonly number[]): Float64Array {
    const prior = this.kernel.draws[number];
    const missing = this.index.map((place, j) => {
      const error = NORMALS[number][place] * Math.sqrt(this.noise[j]);
      return this.level[j] - prior[place] - error;
    });
    const bend = this.root.solve(missing);
    const shift = this.withoutConstant(bend);
    return Float64Array.from(places, (place) => prior[place] + shift + dot(this.solved(place), bend));
  }
}

/** Curves with a break: evidence on one side of it tells nothing about the other. */
class BrokenCurve implements CurveDistribution {
  /** `first` is the place from which on `above` holds. */
  constructor(
    private readonly below: CurveDistribution,
    private readonly above: CurveDistribution,
    private readonly first: number,
  ) {}

  private at(place: number): CurveDistribution {
    return place < this.first ? this.below : this.above;
  }

  mean(place: number): number {
    return this.at(place).mean(place);
  }

  variance(place: number): number {
    return this.at(place).variance(place);
  }

  covariance(place: number, other: number): number {
    return this.at(place) === this.at(other) ? this.at(place).covariance(place, other) : 0;
  }

  draw(number: number, places: readonly number[]): Float64Array {
    const drawn = this.below.draw(number, places);
    const above = this.above.draw(number, places);
    return drawn.map((value, i) => (places[i] >= this.first ? above[i] : value));
  }
}

/** Positions of a break within a gap. */
const POSITIONS = [1 / 6.0, 0.5, 5 / 6.0];

/** Gap between two sizes with evidence that most probably holds a break of the curve. */
export interface Break {
  readonly logEvidence: number;
  /** Curves with the break at different positions, each as likely as the others. */
  readonly curves: readonly CurveDistribution[];
}

/** Returns the most probable break; undefined if no neighbours differ much. */
export function mostProbableBreak(
  index: readonly number[],
  level: readonly number[],
  noise: readonly number[],
): Break | undefined {
  const part = (first: number, end: number): ProcessPosterior =>
    new ProcessPosterior(0, index.slice(first, end), level.slice(first, end), noise.slice(first, end));
  let found: { j: number; below: ProcessPosterior; above: ProcessPosterior; logEvidence: number } | undefined;
  for (let j = 1; j < index.length; j++) {
    if (Math.abs(level[j] - level[j - 1]) < Tuning.LEAST_BREAK) {
      continue;
    }
    const below = part(0, j);
    const above = part(j, index.length);
    const logEvidence = below.logEvidence + above.logEvidence - Math.log(Tuning.BREAK_LEVEL * (index.length - 1));
    if (found === undefined || logEvidence > found.logEvidence) {
      found = { j, below, above, logEvidence };
    }
  }
  if (found === undefined) {
    return undefined;
  }
  const { below, above, logEvidence } = found;
  const lower = index[found.j - 1];
  const upper = index[found.j];
  const width = doublingsAt(upper) - doublingsAt(lower);
  const curves: CurveDistribution[] = [];
  let last = lower;
  for (const position of POSITIONS) {
    const doublings = doublingsAt(lower) + position * width;
    const first = Math.min(upper, Math.max(lower + 1, nearest(2 ** doublings)));
    if (first > last) {
      curves.push(new BrokenCurve(below, above, first));
    }
    last = first;
  }
  return { logEvidence, curves };
}
