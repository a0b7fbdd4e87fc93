import { towards, type Decision } from "../../window.js";
import type { Draft } from "./draft.js";
import { nearest } from "./size-grid.js";
import { Tuning } from "./tuning.js";

/** The answer to a standstill: nothing ends, no worker is free, and tasks wait. */
export class Standstill {
  private readonly seconds: number;
  private readonly secondsBefore: number;

  constructor(private readonly draft: Draft) {
    this.seconds = draft.accumulator.stalledSeconds;
    this.secondsBefore = Math.max(0, this.seconds - draft.window.seconds);
  }

  /** Whether tasks do not end, in place of ending rarely. */
  get stalls(): boolean {
    return this.seconds >= Tuning.HANG_SECONDS || (this.seconds > 0 && this.lacksMany);
  }

  private get lacksMany(): boolean {
    const { mean } = this.draft.posteriorBefore().level(nearest(this.draft.window.size));
    return this.draft.knowledge.evidence.length > 0 && Math.exp(mean) * this.seconds >= Tuning.MANY_COMPLETIONS;
  }

  /** Returns the decision in a standstill, undefined if there is none. */
  decide(): Decision | undefined {
    const { draft, seconds } = this;
    const { window } = draft;
    const stands =
      seconds >= Tuning.HANG_SECONDS &&
      window.utilisation > Tuning.FULL &&
      window.waiting >= 1 &&
      draft.collecting < Tuning.COLLECTING_RECOVERED;
    if (!stands) {
      return undefined;
    }
    const { size } = window;
    const waitForEachOther = draft.queuedByWorkers > 0 && !draft.load.saturated;
    const more = waitForEachOther ? this.dueForOwnTasks : this.dueInAnyCase;
    const largest = Math.min(Math.ceil(window.inSystem), draft.guard.ceiling);
    const next = Math.trunc(Math.max(size, Math.min(size + more, largest)));
    const added = next - size;
    if (!waitForEachOther && added > 0) {
      draft.accumulator = draft.accumulator.withGrowth();
    }
    return towards(
      next,
      `nothing has ended for ${seconds.toFixed(1)} s, no worker is free and ${window.waiting.toFixed(0)} tasks wait; ` +
        (waitForEachOther ? this.ownTasks(added) : this.otherTasks(added)),
    );
  }

  /** Workers that are due for own tasks: some a second, no more than such tasks. */
  private get dueForOwnTasks(): number {
    const interval = Tuning.HANG_WORKER_SECONDS;
    const since = Math.max(this.secondsBefore, Tuning.HANG_SECONDS - interval);
    const due = Math.floor(this.seconds / interval) - Math.floor(since / interval);
    return Math.min(due, this.draft.queuedByWorkers);
  }

  /** 1 if one of the rare additions is due that need no evidence, late where a window was not full. */
  private get dueInAnyCase(): number {
    return nextAddition(this.draft.accumulator.growthSeconds) <= this.seconds ? 1 : 0;
  }

  private ownTasks(more: number): string {
    return (
      `workers of this pool submitted ${this.draft.queuedByWorkers} of them and may be waiting for the result; ` +
      (more === 0 ? "the size stays" : added(more))
    );
  }

  private otherTasks(more: number): string {
    const { queuedByWorkers } = this.draft;
    const evidence =
      queuedByWorkers > 0
        ? "the workers compute on busy processors, so they do not wait for tasks"
        : queuedByWorkers === 0
          ? "no worker of this pool submitted any of them, so more workers would wait as well"
          : "nothing tells whether tasks wait for each other, and more workers might wait as well";
    return more === 0
      ? `${evidence}; the size stays, and one more worker follows at ${nextAddition(this.seconds).toFixed(0)} s`
      : `${evidence}; ${added(more)} in case they wait for each other unseen`;
  }
}

/** Returns the time of the first addition after a time: 1, 3, 7, 15 ... times the first. */
function nextAddition(after: number): number {
  let next = Tuning.HANG_FALLBACK_SECONDS;
  while (next <= after) {
    next = 2 * next + Tuning.HANG_FALLBACK_SECONDS;
  }
  return next;
}

function added(more: number): string {
  return more === 1 ? "one more worker" : `${more} more workers`;
}
