import type { Decision } from "../../window.js";
import { Knowledge } from "./knowledge.js";
import type { Observation } from "./observation.js";
import type { CurvePosterior } from "./posterior.js";
import { nearest, sizeAt } from "./size-grid.js";
import { Tuning } from "./tuning.js";

const PACES = [Tuning.DRIFT_SLOW, Tuning.DRIFT_MIDDLE, Tuning.DRIFT_FAST];

interface Track {
  readonly offset: number;
  readonly variance: number;
  readonly merit: number;
}

/** Recent movement of the level of all sizes: a random walk of unknown pace, followed by a Kalman filter a pace. */
export class Drift {
  static readonly NONE = new Drift(PACES.map(() => ({ offset: 0, variance: 0, merit: 0 })));

  constructor(private readonly tracks: readonly Track[]) {}

  /** Lets time pass without a window. */
  afterSeconds(seconds: number, age: number): Drift {
    const pace = Tuning.DRIFT_CALM_SECONDS / (Tuning.DRIFT_CALM_SECONDS + age);
    const keep = Math.exp(-seconds / Tuning.DRIFT_MEMORY_SECONDS);
    return new Drift(
      this.tracks.map(({ offset, variance, merit }, i) => ({
        offset,
        variance: variance + PACES[i] * pace * seconds,
        merit: keep * merit,
      })),
    );
  }

  /** Follows a window; `doubt` is the variance of the surprise apart from drift. */
  afterWindow(surprise: number, doubt: number): Drift {
    return new Drift(
      this.tracks.map((track) => {
        const error = surprise - track.offset;
        const variance = track.variance + doubt;
        const square = (error * error) / variance;
        const gain = (track.variance / variance) * Math.min(1, Tuning.DRIFT_CLIP / Math.max(Tuning.DRIFT_CLIP, square));
        return {
          offset: track.offset + gain * error,
          variance: track.variance * (1 - gain),
          merit: track.merit - (Math.min(Tuning.DRIFT_CLIP, square) + Math.log(variance)) / 2,
        };
      }),
    );
  }

  private weights(): number[] {
    const best = Math.max(...this.tracks.map(({ merit }) => merit));
    const weights = this.tracks.map(({ merit }) => Math.exp(merit - best));
    // Summed with compensation, as Java's streams do.
    let sum = 0;
    let lost = 0;
    for (const weight of weights) {
      const part = weight - lost;
      const next = sum + part;
      lost = next - sum - part;
      sum = next;
    }
    return weights.map((weight) => weight / (sum - lost));
  }

  /** Expected movement since it was last taken over. */
  get offset(): number {
    const weights = this.weights();
    return this.tracks.reduce((mean, track, i) => mean + weights[i] * track.offset, 0);
  }

  /** Variance of the level. */
  get variance(): number {
    const weights = this.weights();
    const mean = this.offset;
    return this.tracks.reduce(
      (sum, { offset, variance }, i) => sum + weights[i] * (variance + (offset - mean) * (offset - mean)),
      0,
    );
  }

  /** Takes out an offset that has been taken over into the knowledge. */
  without(offset: number): Drift {
    return new Drift(this.tracks.map((track) => ({ ...track, offset: track.offset - offset })));
  }
}

function follow(before: number, now: number, elapsed: number, constant: number): number {
  return before + (now - before) * Math.min(1, elapsed / constant);
}

/** Demand for workers: the largest number of tasks in the system lately, and their arrivals. */
export class Demand {
  static readonly NONE = new Demand(0, 0, 0, 1);

  constructor(
    private readonly inSystem: number,
    private readonly fastArrivals: number,
    private readonly slowArrivals: number,
    private readonly headroom: number,
  ) {}

  afterWindow(window: Observation): Demand {
    const now = window.inSystem;
    const { seconds } = window;
    const rate = window.arrivals / seconds;
    const { inSystem, fastArrivals, slowArrivals } = this;
    return new Demand(
      now > inSystem ? now : follow(inSystem, now, seconds, Tuning.DEMAND_FALL_SECONDS),
      // While the size binds, closed users arrive as fast as they are served, no faster.
      window.atCapacity
        ? 0
        : fastArrivals === 0
          ? rate
          : follow(fastArrivals, rate, seconds, Tuning.FAST_ARRIVAL_SECONDS),
      slowArrivals === 0 ? rate : follow(slowArrivals, rate, seconds, Tuning.SLOW_ARRIVAL_SECONDS),
      this.headroomAfter(window),
    );
  }

  /** Returns the demand of at least so many tasks in the system. */
  ofAtLeast(tasks: number): Demand {
    return new Demand(Math.max(this.inSystem, tasks), this.fastArrivals, this.slowArrivals, this.headroom);
  }

  private headroomAfter(window: Observation): number {
    const waiting = window.waiting / Math.max(1, window.busy);
    if (waiting > Tuning.MANY_WAITING) {
      return Math.min(1, Tuning.HEADROOM_GROWTH * this.headroom + Tuning.HEADROOM_STEP);
    }
    return waiting < Tuning.FEW_WAITING
      ? follow(this.headroom, 0, window.seconds, Tuning.HEADROOM_FALL_SECONDS)
      : this.headroom;
  }

  /** Returns the completions per second that a size must be able to reach if it does not bind. */
  requiredRate(busy: number): number {
    const share = Tuning.HEADROOM + Tuning.SINGLE_HEADROOM / Math.sqrt(Math.max(1, busy));
    return this.arrivals * (1 + this.headroom * share);
  }

  /** Returns the number of workers that could have something to do. */
  usefulWorkers(atCapacity: boolean): number {
    const { inSystem, headroom } = this;
    return atCapacity ? inSystem : inSystem * (1 + Tuning.HEADROOM * headroom) + headroom * Math.sqrt(inSystem);
  }

  get arrivals(): number {
    return Math.max(this.fastArrivals, this.slowArrivals);
  }
}

const LARGEST_INT = 2 ** 31 - 1;

/** Sizes that the pool accepts, and how fast it grows: a size that was requested and not applied shows a bound. */
export class SizeLimits {
  static readonly UNKNOWN = new SizeLimits(0, 0, 1, LARGEST_INT, Infinity, false);

  constructor(
    readonly size: number,
    private readonly requested: number,
    readonly floor: number,
    readonly ceiling: number,
    /** Sizes a second by which the pool grows; infinite if it is at the size at once. */
    readonly growth: number,
    /** Whether the window before had fewer workers than were requested. */
    private readonly behind: boolean,
  ) {}

  afterWindow(size: number, seconds: number): SizeLimits {
    let low = size < this.floor ? 1 : this.floor;
    let high = size > this.ceiling ? LARGEST_INT : this.ceiling;
    if (this.requested > size) {
      high = size;
    } else if (this.requested > 0 && this.requested < size) {
      low = size;
    }
    const pace = this.growthAfter(size, seconds);
    return new SizeLimits(size, this.requested, low, high, pace, this.requested > size);
  }

  afterRequest(requested: number): SizeLimits {
    return new SizeLimits(this.size, requested, this.floor, this.ceiling, this.growth, this.behind);
  }

  private growthAfter(size: number, seconds: number): number {
    if (!this.behind || this.requested <= this.size) {
      return this.growth;
    }
    if (size <= this.size) {
      return Infinity; // It no longer grows: a bound.
    }
    const latest = (size - this.size) / seconds;
    return size < this.requested ? latest : Math.max(this.growth, latest);
  }
}

/** A level of the reward, as a logarithm, from which the present one is told. */
export interface Rest {
  /** Place in the grid, -1 for none. */
  readonly place: number;
  readonly level: number;
}

/**
 * Visits to sizes that are far from all evidence, for a small share of the time. A fall of the reward may outlast its
 * cause, so the size that was in force before it is tried again, the more rarely the oftener it was in vain.
 */
export class Exploration {
  static readonly NONE = new Exploration(
    0,
    0,
    0,
    0,
    false,
    0,
    Tuning.RETURN_SECONDS,
    undefined,
    {
      place: -1,
      level: 0,
    },
    0,
  );

  /**
   * @param allowance seconds that may be spent
   * @param roughness probability that the curve is none of the usual shapes; then more is visited
   * @param age seconds for which the work has been the same
   * @param visiting size that is visited, or to which the pool returns; 0 for none
   * @param returning whether it is a return, which takes nothing from the allowance
   * @param seconds since the last return to an earlier size, or since the work changed
   * @param pause least of them before the next return
   * @param former place of the latest return
   * @param rest where the pool stood before the latest return, or since it settled
   * @param looking size from which a larger one is looked at; 0 for none
   */
  constructor(
    private readonly allowance: number,
    private readonly roughness: number,
    private readonly age: number,
    readonly visiting: number,
    readonly returning: boolean,
    private readonly seconds: number,
    private readonly pause: number,
    readonly former: number | undefined,
    readonly rest: Rest,
    readonly looking: number,
  ) {}

  /** Earns or spends time in a window. */
  afterWindow(size: number, shrinking: boolean, length: number): Exploration {
    const away = this.visiting > 0 && (size === this.visiting || shrinking);
    const share = Tuning.VISIT_SHARE + this.roughness * Tuning.ROUGH_VISIT_SHARE;
    const more = Tuning.NEW_WORK_VISITS * Math.exp(-this.age / Tuning.VISIT_CALM_SECONDS);
    const earned = Math.min(Tuning.MOST_VISIT_SECONDS, this.allowance + share * (1 + more) * length);
    return new Exploration(
      away && !this.returning ? earned - length : earned,
      this.roughness,
      this.age,
      away ? this.visiting : 0,
      away && this.returning,
      this.seconds + length,
      this.pause,
      this.former,
      this.rest,
      away ? this.looking : 0,
    );
  }

  /** Takes over the probability that the curve is none of the usual shapes, and the age of the work in seconds. */
  of(probability: number, age: number): Exploration {
    const { allowance, visiting, returning, seconds, pause, former, rest, looking } = this;
    return new Exploration(allowance, probability, age, visiting, returning, seconds, pause, former, rest, looking);
  }

  /** Begins a visit. */
  visit(size: number): Exploration {
    const { allowance, roughness, age, seconds, pause, former, rest } = this;
    return new Exploration(allowance, roughness, age, size, false, seconds, pause, former, rest, 0);
  }

  /** Returns whether a visit is to be continued: the size still has a chance to be better than the best. */
  continues(posterior: CurvePosterior, size: number, best: number): boolean {
    return (
      this.visiting === size &&
      !this.returning &&
      this.allowance > 0 &&
      mayExceed(posterior, nearest(size), best, Tuning.VISIT_HOLD)
    );
  }

  /** Begins a return to the size of earlier work, from where the pool stands. */
  returnTo(place: number, from: Rest): Exploration {
    return this.excursionTo(place, from, 0);
  }

  /** Begins a look at a larger size, from where the pool stands, and its size. */
  lookAt(place: number, from: Rest, size: number): Exploration {
    return this.excursionTo(place, from, size);
  }

  private excursionTo(place: number, from: Rest, looking: number): Exploration {
    const { allowance, roughness, age, pause } = this;
    return new Exploration(allowance, roughness, age, sizeAt(place), true, 0, 2 * pause, place, from, looking);
  }

  /**
   * Returns whether a window of a look tells nothing: it does more than was done before, but far less than in proportion
   * to the workers. `level` is the logarithm of the reward.
   */
  isVague(window: Observation, level: number): boolean {
    if (this.looking === 0 || window.size <= this.looking) {
      return false;
    }
    const gain = level - this.rest.level;
    const most = Math.log(window.size / this.looking);
    return !window.atCapacity || (gain > 0 && gain < Tuning.LOOK_GAIN * most);
  }

  /** Ends a look whose window tells something. */
  withoutLook(): Exploration {
    const { allowance, roughness, age, visiting, returning, seconds, pause, former, rest } = this;
    return this.looking === 0
      ? this
      : new Exploration(allowance, roughness, age, visiting, returning, seconds, pause, former, rest, 0);
  }

  /** Returns whether a look goes on because tasks that began before it may still count. `length` is that of a window. */
  looksOn(window: Observation, length: number): boolean {
    const service = window.serviceSeconds;
    return service > Tuning.LOOK_SHORT_TASK * length && this.seconds < service + 1.5 * length;
  }

  /** Notes where the pool settled, unless it is the same place. */
  settledAt(now: Rest): Exploration {
    const { allowance, roughness, age, visiting, returning, seconds, pause, former, rest, looking } = this;
    return now.place === rest.place
      ? this
      : new Exploration(allowance, roughness, age, visiting, returning, seconds, pause, former, now, looking);
  }

  /**
   * Returns whether the reward has moved at the place where the pool rested: other work may do so little by little.
   * `noise` is the standard deviation of its logarithm.
   */
  hasMoved(now: Rest, noise: number): boolean {
    const { place, level } = this.rest;
    return now.place === place && Math.abs(now.level - level) > Exploration.movement(noise);
  }

  /** Returns the movement of a level that may be that of other work. */
  static movement(noise: number): number {
    return Math.max(Tuning.MOVED_LEVEL, Tuning.MOVED_NOISE * noise);
  }

  /**
   * Returns whether it is time for another return, with the seconds until the last worker too many is free. If the
   * reward has moved, earlier returns tell nothing.
   */
  isReturnDue(wayDown: number, moved: boolean): boolean {
    return this.seconds >= Math.max(moved ? Tuning.RETURN_SECONDS : this.pause, wayDown);
  }

  /** Returns the least known place that may be better than the one in force; undefined without any, or time. */
  next(
    posterior: CurvePosterior,
    knowledge: Knowledge,
    places: readonly number[],
    first: number,
    last: number,
    here: number,
  ): number | undefined {
    if (this.allowance < Tuning.VISIT_SECONDS || knowledge.evidence.length === 0) {
      return undefined;
    }
    const end = Math.min(last, knowledge.firstBeyond(Tuning.HOPELESS, Tuning.HOPELESS_CERTAINTY));
    let found: number | undefined;
    let most = Tuning.VISIT_UNCERTAINTY * Tuning.VISIT_UNCERTAINTY;
    for (const place of places) {
      const { variance } = posterior.roughLevel(place);
      if (
        place >= first &&
        place <= end &&
        place !== here &&
        variance > most &&
        posterior.drainSeconds(here, place) < this.allowance &&
        mayExceed(posterior, place, here, Tuning.VISIT_REACH)
      ) {
        most = variance;
        found = place;
      }
    }
    return found;
  }
}

/** Returns whether a size would be better than another by so many standard deviations. */
function mayExceed(posterior: CurvePosterior, place: number, other: number, deviations: number): boolean {
  const rough = posterior.roughLevel(place);
  const missing = posterior.level(other).mean + Tuning.VISIT_GAIN - rough.mean;
  return missing < deviations * Math.sqrt(rough.variance);
}

/** A decision that stands while windows are as expected. */
export class StandingDecision {
  static readonly NONE = new StandingDecision(undefined, Knowledge.NONE, 0, 0);

  /**
   * @param basis knowledge from which the posterior was worked out
   * @param shift movement of the level of all sizes since
   * @param windowsLeft windows for which it may stand
   */
  constructor(
    readonly decision: Decision | undefined,
    readonly basis: Knowledge,
    readonly shift: number,
    private readonly windowsLeft: number,
  ) {}

  /** Returns a decision to stay that stands for a share of the windows at the size. */
  static of(decision: Decision, basis: Knowledge, windows: number): StandingDecision {
    const left = Math.trunc(Math.min(Tuning.STANDING_WINDOWS, Tuning.STANDING_SHARE * windows));
    return left < 1 ? StandingDecision.NONE : new StandingDecision(decision, basis, 0, left);
  }

  get stands(): boolean {
    return this.decision !== undefined;
  }

  /** Returns the decision after another window, NONE if the posterior must be worked out. */
  afterWindow(size: number, deviation: number, moved: number): StandingDecision {
    const total = this.shift + moved;
    const stands =
      this.decision?.size === size &&
      this.windowsLeft > 0 &&
      Math.abs(deviation) < Tuning.STANDING_DEVIATION &&
      Math.abs(total) < Tuning.STANDING_SHIFT;
    return stands
      ? new StandingDecision(this.decision, this.basis, total, this.windowsLeft - 1)
      : StandingDecision.NONE;
  }
}
