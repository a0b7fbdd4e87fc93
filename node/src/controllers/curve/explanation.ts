import { format, higherIsBetter } from "../../objective.js";
import type { Experiment } from "./choice.js";
import type { Draft } from "./draft.js";
import type { Observation } from "./observation.js";
import type { CurvePosterior } from "./posterior.js";
import { COARSE, coarseAtLeast, nearest, sizeAt } from "./size-grid.js";

/** Points of the curve in the numbers, in places of the coarse grid from the chosen place. */
const POINTS = [-10, -6, -3, -1, 0, 1, 3, 6, 10];

function workers(size: number): string {
  return size === 1 ? "1 worker" : `${size} workers`;
}

/** Reasons of decisions and the numbers behind them, in the unit of the objective. */
export class Explanation {
  private readonly inSystem: number;

  /** `places` are the candidates, in their order. */
  constructor(
    private readonly draft: Draft,
    private readonly window: Observation,
    private readonly posterior: CurvePosterior,
    private readonly places: readonly number[],
  ) {
    this.inSystem = Math.max(1, window.inSystem);
  }

  private number(level: number): number {
    const rate = Math.exp(level);
    return higherIsBetter(this.draft.settings.objective) ? rate : (this.inSystem / rate) * 1e9;
  }

  /** Returns a level as a value of the objective with its unit. */
  value(level: number): string {
    return format(this.draft.settings.objective, this.number(level));
  }

  /** Returns the expected value at a place of the grid, with its standard deviation. */
  expected(place: number): string {
    const { mean, variance } = this.posterior.level(place);
    const { objective } = this.draft.settings;
    const value = this.number(mean);
    return `${format(objective, value)} ± ${format(objective, value * Math.sqrt(variance))}`;
  }

  private expectation(place: number): string {
    const size = sizeAt(place);
    return `${workers(size)} ${size === 1 ? "is" : "are"} expected to reach ${this.expected(place)}`;
  }

  /** Returns the candidate up to `last` with the largest expectation. */
  private peak(last: number): number {
    let peak = 0;
    let most = -Infinity;
    for (const place of this.places) {
      const { mean } = this.posterior.level(place);
      if (mean > most && place <= last) {
        most = mean;
        peak = place;
      }
    }
    return peak;
  }

  experiment({ place, gain }: Experiment): string {
    return `experiment: ${this.expectation(place)}, and the result is worth ${gain.toFixed(1)} windows`;
  }

  returning(place: number, here: number): string {
    return (
      `before the work changed, ${workers(sizeAt(place))} did better than the ${this.expected(here)} expected at ` +
      `${sizeAt(here)}; the former size is tried again`
    );
  }

  /** Returns the reason to try a safe size after the reward has fallen little by little from a level. */
  probe(place: number, here: number, before: number): string {
    return (
      `${workers(sizeAt(here))} are expected to do ${this.expected(here)} now, and did ${this.value(before)} before; a ` +
      `look at ${sizeAt(place)} tells whether the work has changed`
    );
  }

  /** Returns the reason to look at a larger size for another window. */
  lookGoesOn(): string {
    return `tasks that began before the look at ${workers(this.window.size)} may still count; it goes on`;
  }

  /**
   * Returns the reason to go back after a look at a larger size.
   *
   * @param from size before it
   * @param level logarithm of the reward
   */
  vagueLook(from: number, level: number): string {
    return (
      `the look at ${workers(this.window.size)} showed ${this.value(level)}, little more than the ` +
      `${this.value(this.draft.exploration.rest.level)} of ${from} for so many workers; back to ${from}`
    );
  }

  /**
   * Returns the reason to take back a growth after which fewer tasks arrived.
   *
   * @param from size before it
   * @param before logarithm of the reward there
   */
  vainGrowth(from: number, before: number): string {
    const { window } = this;
    return (
      `${workers(window.size)} did ${this.value(Math.log(window.rate))} without a task waiting, and ${from} did ` +
      `${this.value(before)}: tasks come more slowly to the larger pool, so it grows no further for ` +
      `${this.draft.growth.pause.toFixed(0)} s`
    );
  }

  /** Returns the reason to stay at a size that did more than is expected of another. */
  outdoing(other: number): string {
    const { window } = this;
    return (
      `${workers(window.size)} did ${this.value(Math.log(window.rate))}, more than the ${this.expected(other)} expected ` +
      `of ${sizeAt(other)}; another window is to confirm it`
    );
  }

  warmUp(): string {
    const { rejected, size } = this.window;
    return `${rejected.toFixed(0)} tasks were rejected; the next window at ${size} tells the warm-up from the size`;
  }

  visit(place: number): string {
    return `visit to a size of which little is known: ${this.expectation(place)}`;
  }

  visitGoesOn(best: number): string {
    const { size } = this.window;
    const rival = `the ${this.expected(best)} expected of ${sizeAt(best)}`;
    return `the visit goes on: ${workers(size)} may still do more than ${rival}`;
  }

  /** Returns the reason of a size when a load begins. */
  filling(place: number, here: number): string {
    const grown =
      this.draft.knowledge.evidence.length === 0
        ? `the processors idle, and there is room for ${sizeAt(place)}`
        : this.expectation(place);
    const next = place === here ? "the next window tells more" : grown;
    return `${this.window.inSystem.toFixed(0)} tasks wait or run, of which most have just come; ${next}`;
  }

  /** Returns the reason of the best size. */
  best(place: number, here: number, largest: number): string {
    const { window, draft } = this;
    if (!window.atCapacity) {
      const { minimum, maximum } = draft.bounds;
      const size = Math.max(minimum, Math.min(maximum, sizeAt(place)));
      const cut = size === maximum && window.busy > size;
      return (
        `${window.busy.toFixed(1)} of ${window.size} workers are busy, ${window.waiting.toFixed(1)} tasks wait and ` +
        `${draft.demand.arrivals.toFixed(0)}/s arrive; ` +
        (cut ? `the bound is ${size}` : `a size of ${size} suffices`)
      );
    }
    const peak = this.peak(largest);
    const shortage = window.rejecting
      ? `${window.rejected.toFixed(0)} tasks were rejected; `
      : `${window.waiting.toFixed(1)} tasks waited; `;
    return (
      `${place > here ? shortage : ""}${this.expectation(place)}, within ` +
      `${(draft.settings.tolerance * 100).toFixed(0)} % of the best, ${this.expected(peak)} at ${sizeAt(peak)}` +
      this.beyondBound(peak)
    );
  }

  /** Returns what the upper bound is in the way of, if that is more than a guess. */
  private beyondBound(peak: number): string {
    const { posterior, draft } = this;
    const bound = nearest(draft.bounds.maximum);
    const last = draft.candidates().promising(this.window);
    let better = peak;
    for (const place of COARSE) {
      if (place > bound && place <= last && posterior.level(place).mean > posterior.level(better).mean) {
        better = place;
      }
    }
    const gain = posterior.level(better).mean - posterior.level(peak).mean;
    const doubt = Math.sqrt(posterior.level(better).variance);
    return gain > Math.max(doubt, draft.settings.tolerance)
      ? `; the bound is ${draft.bounds.maximum}, and ${this.expectation(better)}`
      : "";
  }

  /** Returns the level that a size must be expected to reach. */
  private acceptable(): number {
    const best = this.posterior.level(this.peak(this.draft.candidates().largest(this.window))).mean;
    return Math.min(best + Math.log1p(-this.draft.settings.tolerance), Math.log(this.draft.requiredRate(this.window)));
  }

  /** Returns the numbers behind a decision: points of the curve, the noise, and what a size must reach. */
  numbers(chosen: number): Record<string, number> {
    const numbers: Record<string, number> = {
      chosen: sizeAt(chosen),
      noise: Math.sqrt(this.draft.noise.variance),
    };
    const acceptable = this.number(this.acceptable());
    if (Number.isFinite(acceptable)) {
      numbers["acceptable"] = acceptable;
    }
    const middle = coarseAtLeast(sizeAt(chosen));
    for (const point of POINTS) {
      const coarse = COARSE.at(Math.max(0, middle + point));
      if (middle + point >= 0 && coarse !== undefined) {
        const place = point === 0 ? chosen : coarse;
        const { mean, variance } = this.posterior.level(place);
        const value = this.number(mean);
        numbers[`curve.${sizeAt(place)}.mean`] = value;
        numbers[`curve.${sizeAt(place)}.sd`] = value * Math.sqrt(variance);
      }
    }
    return numbers;
  }
}
