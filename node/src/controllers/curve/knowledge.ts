import type { Window } from "../../window.js";
import { noiseOfCount, USUAL, type Noise } from "./noise.js";
import type { Observation } from "./observation.js";
import { CurvePosterior } from "./posterior.js";
import { COUNT, doublingsAt, nearestCoarse, sizeAt } from "./size-grid.js";
import { Tuning } from "./tuning.js";

const OTHER = Math.log(Tuning.OTHER_COST);
const GROWTH = Math.log(Tuning.COST_GROWTH);
const COLD = Math.log(Tuning.COLD_COST);

/** Processor time of a task in nanoseconds, of the pool's workers alone and of the process; NaN if it is unknown. */
export interface TaskCost {
  readonly own: number;
  readonly process: number;
}

export const UNKNOWN_COST: TaskCost = { own: NaN, process: NaN };

/** Returns the cost of the tasks of a window. */
export function costOf(window: Window): TaskCost {
  const tasks = window.completions + window.failures;
  const each = (nanos: number): number => (nanos > 0 ? nanos / tasks : NaN);
  return tasks < Tuning.COST_TASKS ? UNKNOWN_COST : { own: each(window.workerCpu), process: each(window.processCpu) };
}

function follow(before: TaskCost, later: TaskCost, share: number): TaskCost {
  const part = Math.max(Tuning.COST_FOLLOW, share);
  const mean = (first: number, second: number): number =>
    Number.isNaN(first) || Number.isNaN(second)
      ? Number.isNaN(first)
        ? second
        : first
      : first * Math.pow(second / first, part);
  return { own: mean(before.own, later.own), process: mean(before.process, later.process) };
}

/** Returns whether an earlier cost and one now differ by more than the effect of more workers explains. */
export function rulesOut(before: number, there: number, now: number, here: number): boolean {
  const more = Math.log(now / before);
  const explained = Math.max(0, Math.sign(more) * (doublingsAt(here) - doublingsAt(there))) * GROWTH;
  return Math.abs(more) > OTHER + explained;
}

/** Returns whether earlier tasks were much dearer than those now: the program was still being compiled. */
function coldComparedWith(before: TaskCost, there: number, now: TaskCost, here: number): boolean {
  let dearer = Math.log(before.own / now.own);
  if (Number.isNaN(dearer)) {
    dearer = Math.log(before.process / now.process);
  }
  const more = Math.max(0, doublingsAt(there) - doublingsAt(here));
  return more < Tuning.COST_DOUBLINGS && dearer > COLD + more * Math.log(2);
}

/** Evidence of the windows at a place of the grid. */
export interface Evidence {
  readonly place: number;
  /** Number of windows with the usual noise that would be as informative; fades with time. */
  readonly weight: number;
  /** Weighted mean of the logarithm of the reward. */
  readonly level: number;
  /** Movement of the level of all sizes since the last window at this size. */
  readonly moved: number;
  readonly cost: TaskCost;
}

/** Knowledge of the response curve of a kind of work: the evidence, at most one entry a size. Immutable. */
export class Knowledge {
  static readonly NONE = new Knowledge([], -1, 0);

  /**
   * @param evidence sorted by size
   * @param largestTried place of the largest size that was in force, -1 for none
   * @param seconds total time for which this kind of work has been in force
   */
  constructor(
    readonly evidence: readonly Evidence[],
    readonly largestTried: number,
    readonly seconds: number,
  ) {}

  posterior(): CurvePosterior {
    return new CurvePosterior(
      this.evidence.map(({ place }) => place),
      this.evidence.map(({ level }) => level),
      this.evidence.map(varianceOf),
    );
  }

  get weight(): number {
    return this.evidence.reduce((sum, entry) => sum + entry.weight, 0);
  }

  weightAt(place: number): number {
    return this.at(place)?.weight ?? 0;
  }

  /** Returns the evidence at a place; undefined without any. */
  at(place: number): Evidence | undefined {
    return this.evidence.find((entry) => entry.place === place);
  }

  /** Returns whether some of what is known of larger sizes is from before such a movement. */
  isOutdatedAbove(place: number, movement: number): boolean {
    return this.evidence.some((entry) => entry.place > place && Math.abs(entry.moved) > movement);
  }

  /** Returns the share of the evidence that cannot be of the same work as a cost measured now. */
  ruledOut(now: number, place: number, kind: keyof TaskCost): number {
    let total = 0;
    let out = 0;
    for (const entry of this.evidence) {
      const before = entry.cost[kind];
      total += Number.isNaN(before) ? 0 : entry.weight;
      out += rulesOut(before, entry.place, now, place) ? entry.weight : 0;
    }
    return total === 0 ? 0 : out / total;
  }

  /** Reduces the weight of evidence from a time at which tasks were much dearer than now. */
  withoutCold(now: TaskCost, place: number): Knowledge {
    return this.map((entry) =>
      coldComparedWith(entry.cost, entry.place, now, place)
        ? { ...entry, weight: entry.weight * Tuning.COLD_WEIGHT }
        : entry,
    );
  }

  isFamiliar(place: number): boolean {
    return this.weightAt(place) >= Tuning.FAMILIAR || place === this.mostFamiliar;
  }

  /** Place of the size that was in force longest; 0 without evidence. */
  get mostFamiliar(): number {
    let place = 0;
    let most = 0;
    for (const entry of this.evidence) {
      if (entry.weight > most) {
        most = entry.weight;
        place = entry.place;
      }
    }
    return place;
  }

  /** Place with the best reward; 0 without evidence. */
  get best(): number {
    let most = -Infinity;
    let place = 0;
    for (const entry of this.evidence) {
      if (entry.level > most) {
        most = entry.level;
        place = entry.place;
      }
    }
    return place;
  }

  /**
   * Smallest place that may do as much as the best. Where more workers share the same resources, each does hardly more
   * than among fewer of them; what each does among fewer than were ever tried is less certain.
   */
  get smallestHopeful(): number {
    const best = this.evidence.find((entry) => entry.place === this.best);
    if (best === undefined) {
      return 0;
    }
    let next = 0;
    let each = mostOfEach(this.evidence[0]);
    for (let place = 0; place < best.place; place++) {
      for (; this.evidence[next].place <= place; next++) {
        each = Math.max(each, mostOfEach(this.evidence[next]));
      }
      const gain = next === 0 ? Tuning.GAIN_AMONG_FEWER : Tuning.GAIN_AMONG_MORE;
      if (each + Math.log(gain * sizeAt(place)) >= best.level) {
        return place;
      }
    }
    return best.place;
  }

  /**
   * Returns the first place above the best with less than a part of its reward, by so many standard deviations of the
   * evidence, or the last of the grid.
   */
  firstBeyond(part: number, certainty: number): number {
    const { best } = this;
    let least = -Infinity;
    for (const entry of this.evidence) {
      if (entry.place === best) {
        least = entry.level + Math.log(part);
      } else if (entry.place > best && entry.level + certainty * Math.sqrt(varianceOf(entry)) < least) {
        return entry.place;
      }
    }
    return COUNT - 1;
  }

  /** Adds a window. */
  with(place: number, weight: number, level: number, cost: TaskCost, placeInForce: number): Knowledge {
    const before = this.at(place);
    const others = this.evidence.filter((entry) => entry.place !== place);
    const changed = before === undefined ? { place, weight, level, moved: 0, cost } : plus(before, weight, level, cost);
    const next = others.findIndex((entry) => entry.place > place);
    others.splice(next < 0 ? others.length : next, 0, changed);
    return new Knowledge(others, Math.max(this.largestTried, placeInForce), this.seconds);
  }

  /**
   * Adds evidence of earlier work about sizes of which nothing is known. Its curve probably has the same shape at another
   * level.
   *
   * @param shift movement of the level since then
   * @param most weight of each, at most
   */
  withShapeOf(earlier: Knowledge, shift: number, most: number): Knowledge {
    return earlier.evidence
      .filter(({ place }) => this.at(place) === undefined)
      .reduce<Knowledge>(
        (sum, { place, weight, level }) =>
          sum.with(place, Math.min(most, weight), level + shift, UNKNOWN_COST, this.largestTried),
        this,
      );
  }

  /** Adds windows on a way down, at the mean number of workers that were still busy. */
  withDraining(gathered: Observation, expected: CurvePosterior, noise: Noise): Knowledge {
    const place = nearestCoarse(gathered.busy);
    const level = expected.levelAt(Math.log(gathered.rate), gathered.busy, place);
    const weight = noise.weight(noiseOfCount(gathered.completions), Tuning.DRAINING_BLUR, 0);
    return this.with(place, weight, level, UNKNOWN_COST, place);
  }

  /** Ages the knowledge by time of the same work; it fades the slower the longer the work has been the same. */
  aged(elapsed: number): Knowledge {
    const factor = Math.exp(-elapsed / (Tuning.FADE_SECONDS + Tuning.FADE_AGES * this.seconds));
    const faded = this.map((entry) => ({ ...entry, weight: entry.weight * factor }));
    return new Knowledge(faded.evidence, this.largestTried, this.seconds + elapsed);
  }

  /** Moves the level of all sizes. */
  shifted(shift: number): Knowledge {
    return this.map((entry) => ({ ...entry, level: entry.level + shift, moved: entry.moved + shift }));
  }

  /** Adds a standard deviation to the level of each size. */
  doubted(deviation: number): Knowledge {
    const variance = (deviation * deviation) / USUAL;
    return this.map((entry) => ({ ...entry, weight: entry.weight * (1 / (1 + variance * entry.weight)) }));
  }

  private map(change: (entry: Evidence) => Evidence): Knowledge {
    const all = this.evidence.map(change).filter((entry) => entry.weight > Tuning.NEGLIGIBLE_WEIGHT);
    return new Knowledge(all, this.largestTried, this.seconds);
  }
}

/** Returns the variance of the level. A movement may have been that of another size alone. */
function varianceOf({ weight, moved }: Evidence): number {
  const doubt = Tuning.MOVEMENT_DOUBT * moved;
  return (Tuning.CORRELATION * USUAL) / weight + doubt * doubt;
}

/** Returns the logarithm of the most that each worker may do. */
function mostOfEach(entry: Evidence): number {
  return entry.level + 2 * Math.sqrt(varianceOf(entry)) - Math.log(sizeAt(entry.place));
}

function plus(entry: Evidence, moreWeight: number, moreLevel: number, moreCost: TaskCost): Evidence {
  const share = moreWeight / (entry.weight + moreWeight);
  return {
    place: entry.place,
    weight: entry.weight + moreWeight,
    level: entry.level + (moreLevel - entry.level) * share,
    moved: 0,
    cost: follow(entry.cost, moreCost, share),
  };
}
