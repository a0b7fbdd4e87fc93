import { Tuning } from "./tuning.js";

/** Variance of a window of which nothing else is known, and the unit of evidence. */
export const USUAL = Tuning.USUAL_NOISE * Tuning.USUAL_NOISE;

/** Distance of the windows whose differences are compared with those of neighbours. */
const APART = 3;
const SMALLEST = Tuning.LEAST_NOISE * Tuning.LEAST_NOISE;
const NEIGHBOURS = Tuning.NEIGHBOUR_VARIANCE / 2;

/** Returns the variance due to the number of completions. */
export function noiseOfCount(completions: number): number {
  return Tuning.COUNT_NOISE / completions;
}

/** Noise of windows: the difference between the rewards of neighbouring windows at the same size. */
export class Noise {
  /** The usual noise. */
  static readonly INITIAL = new Noise(USUAL, Tuning.USUAL_NOISE_WEIGHT, 0.98 * USUAL, -1, []);

  /**
   * @param variance of the logarithm of the reward
   * @param count number of windows behind it
   * @param far half the mean square of the difference of windows that are three apart
   * @param lastPlace place of the size of the window before, -1 for none
   * @param levels logarithms of the reward in the windows before at that size, the latest first
   */
  constructor(
    readonly variance: number,
    private readonly count: number,
    private readonly far: number,
    readonly lastPlace: number,
    private readonly levels: readonly number[],
  ) {}

  /** Skips a window that is not informative about noise. */
  skipped(): Noise {
    return this.lastPlace < 0 ? this : new Noise(this.variance, this.count, this.far, -1, []);
  }

  /** Skips a window in which the size did not bind: it tells about the level, not about noise. */
  skippedAt(place: number): Noise {
    return new Noise(this.variance, this.count, this.far, place, []);
  }

  /** Mean rise of the level from window to window at the last size; 0 if unknown. */
  get rise(): number {
    const steps = this.levels.length - 1;
    return steps < 1 ? 0 : (this.levels[0] - this.levels[steps]) / steps;
  }

  /** Number of the last windows at the same size. */
  get windows(): number {
    return this.levels.length;
  }

  /** Correlation of neighbours, of a noise that fades by a constant factor a window. */
  private get correlation(): number {
    const ratio = (this.far * NEIGHBOURS * 2) / this.variance;
    const beyond = Math.min(
      3,
      Tuning.USUAL_NOISE_RATIO + Math.max(0, ratio - Tuning.USUAL_NOISE_RATIO - Tuning.NOISE_RATIO_CHANCE),
    );
    return Math.min(Tuning.LARGEST_CORRELATION, (Math.sqrt(4 * beyond - 3) - 1) / 2);
  }

  /** Variance of a single window. */
  get single(): number {
    return (this.variance * (1 - Tuning.USUAL_CORRELATION)) / (1 - this.correlation);
  }

  /** Variance for which the mean of many windows counts. */
  get lasting(): number {
    const rho = this.correlation;
    const usual = (1 + Tuning.USUAL_CORRELATION) / (1 - Tuning.USUAL_CORRELATION);
    return this.single * Math.max(1, (1 + rho) / (1 - rho) / usual);
  }

  /**
   * Returns the trust, 0 to 1, that a movement of the level is noise in bursts: the noise must be large, and the
   * movement not much larger.
   */
  chanceOfBurst(movement: number): number {
    const deviation = Math.sqrt(this.lasting);
    const bursts = (deviation - Tuning.STEADY_NOISE) / (Tuning.BURSTY_NOISE - Tuning.STEADY_NOISE);
    const reach = movement / deviation / Tuning.BURST_DEVIATION;
    return Math.max(0, Math.min(1, bursts)) * Math.exp(-reach * reach);
  }

  /** Follows the surprise of a window after a resize. */
  afterSurprise(place: number, surprise: number, explained: number, ofCount: number): Noise {
    if (place === this.lastPlace) {
      return this;
    }
    const expected = this.variance + ofCount + explained;
    const share = this.variance / expected;
    const capped = Math.min(surprise * surprise, Tuning.NOISE_CLIP * expected);
    const count = Math.min(Tuning.NOISE_MEMORY, this.count + share);
    const corrected = this.variance + (share * share * (capped - expected)) / count;
    return new Noise(Math.max(SMALLEST, corrected), count, this.far, this.lastPlace, this.levels);
  }

  /** Follows a window. */
  plus(place: number, level: number, ofCount: number): Noise {
    if (place !== this.lastPlace || this.levels.length === 0) {
      return new Noise(this.variance, this.count, this.far, place, [level]);
    }
    const count = Math.min(Tuning.NOISE_MEMORY, this.count + 1);
    const near = this.clipped(level - this.levels[0], 2 * NEIGHBOURS, ofCount);
    let farther = this.far;
    if (this.levels.length === APART) {
      farther += (this.clipped(level - this.levels[APART - 1], 1, ofCount) - this.far) / count;
    }
    const latest = [level, ...this.levels.slice(0, APART - 1)];
    const corrected = this.variance + (near - this.variance) / count;
    return new Noise(Math.max(SMALLEST, corrected), count, Math.max(SMALLEST, farther), place, latest);
  }

  /** Returns the variance that a difference shows, without that of counting. */
  private clipped(difference: number, factor: number, ofCount: number): number {
    const square = ((difference * difference) / 2) * factor;
    return Math.max(0, Math.min(square, Tuning.DIFFERENCE_CLIP * (this.variance + ofCount)) - ofCount);
  }

  /** Returns the weight of a window as evidence; a window with the usual noise alone has 1. */
  weight(countNoise: number, blur: number, deviation: number): number {
    const all = this.lasting + countNoise + blur * blur;
    return (USUAL / all) * Math.min(1, (Tuning.OUTLIER_FREEDOM + 1) / (Tuning.OUTLIER_FREEDOM + deviation * deviation));
  }
}
