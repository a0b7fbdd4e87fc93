import { Knowledge, rulesOut, type TaskCost } from "./knowledge.js";
import { USUAL } from "./noise.js";
import type { Level } from "./posterior.js";
import { Recognition } from "./recognition.js";
import { sizeAt } from "./size-grid.js";
import { Tuning } from "./tuning.js";

/** A window compared with its expectation. */
export interface Residual {
  readonly place: number;
  readonly level: number;
  readonly weight: number;
  readonly seconds: number;
  /** Completions that tell a fall from a stall. */
  readonly completions: number;
  /** Level minus the expected level. */
  readonly surprise: number;
  /** The surprise in standard deviations. */
  readonly deviation: number;
  /** Whether its size had been in force before. */
  readonly familiar: boolean;
  readonly cost: TaskCost;
  /** Whether the cost of its tasks cannot be of the same work. */
  readonly otherCost: boolean;
}

/** Knowledge of an earlier kind of work, and the time at which it ended. */
export interface Epoch {
  readonly knowledge: Knowledge;
  readonly end: number;
}

/** Result of the test after a window. */
export type Verdict = "expected" | "suspect" | "changed";

/** Starting point after a change of the work. */
export interface Restart {
  readonly detector: ChangeDetector;
  readonly knowledge: Knowledge;
  /** The earlier kind of work, as long as it is doubtful. */
  readonly recognition: Recognition;
  /** Seconds since a recognised kind of work ended; undefined if none is recognised. */
  readonly since: number | undefined;
  /** Whether the reward fell to half or less. */
  readonly fell: boolean;
}

/** Returns whether a single window like this is suspect, by its reward or by its cost. */
function suspect(residual: Residual): boolean {
  return far(residual) || residual.otherCost;
}

function far(residual: Residual): boolean {
  return Math.abs(residual.deviation) > Tuning.SUSPECT_DEVIATION;
}

function clipped(residual: Residual): number {
  return Math.max(-Tuning.DEVIATION_CLIP, Math.min(Tuning.DEVIATION_CLIP, residual.deviation));
}

function agrees(residual: Residual, other: number): boolean {
  return (
    Math.sign(residual.deviation) === Math.sign(other) &&
    Math.abs(residual.deviation) >= Tuning.AGREEMENT * Math.abs(other)
  );
}

function isFall(residual: Residual): boolean {
  return far(residual) && residual.deviation < 0;
}

function goesOnAfterFall(residual: Residual): boolean {
  return (
    residual.familiar &&
    residual.deviation < -Tuning.DEEP_FALL_DEVIATION &&
    residual.surprise < -Math.log(Tuning.SLOWER) &&
    residual.completions >= sizeAt(residual.place)
  );
}

/** Adds windows to knowledge. */
function plus(knowledge: Knowledge, windows: readonly Residual[]): Knowledge {
  return windows.reduce(
    (sum, { place, weight, level, cost }) => sum.with(place, weight, level, cost, place),
    knowledge,
  );
}

/** Distinguishes a change of the work from noise: a likelihood ratio test over the moment of change (Page 1954). */
export class ChangeDetector {
  static readonly INITIAL = new ChangeDetector([], [], 0, 0);

  /**
   * @param recent the latest windows with an expectation, oldest first
   * @param past earlier kinds of work, the latest first
   * @param recentChanges number of changes lately, fading
   * @param passedFalls number of falls lately that passed within seconds, fading
   */
  constructor(
    private readonly recent: readonly Residual[],
    private readonly past: readonly Epoch[],
    private readonly recentChanges: number,
    private readonly passedFalls: number,
  ) {}

  /** Returns surprises at new sizes that the next window explains as the sizes' own. */
  explainedBy(next: Residual): Residual[] {
    if (!next.familiar || suspect(next)) {
      return [];
    }
    return this.recent.filter(
      (residual) => !residual.familiar && suspect(residual) && !agrees(next, clipped(residual)),
    );
  }

  plus(next: Residual): ChangeDetector {
    // Suspect windows with which this one does not agree were a stall, or a size's own.
    const kept = this.recent.filter(
      (residual) => suspect(next) || !suspect(residual) || agrees(next, clipped(residual)),
    );
    kept.push(next);
    const fading = Math.exp(-next.seconds / Tuning.RECENT_CHANGE_SECONDS);
    const fadingFalls = Math.exp(-next.seconds / Tuning.PASSED_FALL_SECONDS);
    const passed = !suspect(next) && this.endsWithFall() ? 1 : 0;
    return new ChangeDetector(
      kept.slice(-Tuning.CHANGE_WINDOWS),
      this.past,
      this.recentChanges * fading,
      this.passedFalls * fadingFalls + passed,
    );
  }

  /** Returns whether the two latest windows show a fall: a single one may be noise. */
  private endsWithFall(): boolean {
    return this.recent.length > 1 && this.recent.slice(-2).every(isFall);
  }

  /** Trust that another fall passes as well, 0 to 1; two may have by chance. */
  get chanceOfPassing(): number {
    return Math.max(0, Math.min(1, this.passedFalls - Tuning.CHANCE_FALLS));
  }

  /** Returns the windows since the likeliest moment of a change; empty if there is none. */
  private deviatingRun(): readonly Residual[] {
    const { recent } = this;
    let most = Tuning.CHANGE_THRESHOLD * (1 + Tuning.CAUTION * Math.min(Tuning.MOST_CAUTION, this.recentChanges));
    let length = 0;
    let sum = 0;
    for (let j = 1; j <= recent.length; j++) {
      sum += clipped(recent[recent.length - j]);
      const statistic = (sum * sum) / (j * (1 + Tuning.NEIGHBOUR_LIKENESS * (j - 1)));
      if (statistic > most && this.latestAgree(j, sum / j)) {
        most = statistic;
        length = j;
      }
    }
    return recent.slice(recent.length - length);
  }

  private latestAgree(length: number, mean: number): boolean {
    return this.recent.slice(-Math.min(2, length)).every((residual) => agrees(residual, mean));
  }

  /** Tests the windows so far. */
  verdict(): Verdict {
    if (this.fellAndGoesOn()) {
      return "changed";
    }
    const run = this.deviatingRun();
    const latest = this.recent.at(-1);
    if (run.length === 0 || latest === undefined) {
      return latest !== undefined && far(latest) ? "suspect" : "expected";
    }
    const seconds = run.reduce((sum, residual) => sum + residual.seconds, 0);
    const completions = run.reduce((sum, residual) => sum + residual.completions, 0);
    if (latest.deviation <= 0 && completions < Tuning.FALL_COMPLETIONS && seconds < Tuning.STALL_SECONDS) {
      return "suspect";
    }
    const familiar = run.filter((residual) => residual.familiar).length;
    // Nothing has been as expected: the expectation is that of a cold start.
    const cold = latest.deviation > 0 && run.length > 2 && run.length === this.recent.length;
    const lasts =
      cold ||
      (familiar > 1 && (latest.deviation > 0 || seconds >= Tuning.FALL_SECONDS)) ||
      seconds >= Tuning.LONGEST_DOUBT_SECONDS;
    return lasts ? "changed" : "suspect";
  }

  /**
   * Returns whether the reward fell deep in the two latest windows, to the same level, while each worker ended a task in
   * each of them: tasks are slower. In a stall hardly any would end.
   */
  private fellAndGoesOn(): boolean {
    const [before, latest] = this.recent.slice(-2);
    return (
      this.recent.length > 1 &&
      goesOnAfterFall(before) &&
      goesOnAfterFall(latest) &&
      Math.abs(latest.level - before.level) < Math.log(Tuning.DEEP_FALL)
    );
  }

  /**
   * Returns whether the latest windows, as many as are asked for, are far from the expectation, and the last of them is
   * what earlier work would do. No time is lost with such a change on telling it from a stall.
   */
  recognises(windows: number): boolean {
    const latest = this.recent.slice(-windows);
    const last = latest.at(-1);
    return (
      last !== undefined &&
      latest.length === windows &&
      latest.every((each) => far(each) && agrees(each, clipped(last))) &&
      this.past.some((epoch) => fits(epoch.knowledge, [last]))
    );
  }

  /**
   * Returns the place of the size that was in force longest in the latest of the earlier kinds of work that did better
   * there, and may be that of now; undefined if there is none.
   *
   * @param now reward at the place in force
   * @param fitting place of the largest size to try if that work would do as much here
   * @param other place of the largest size to try otherwise, for a far better reward
   * @param farBetter times as much that a far better reward is
   * @param cost of a task now
   * @param latest place of the latest return, which comes after all others
   */
  better(
    here: number,
    now: Level,
    fitting: number,
    other: number,
    farBetter: number,
    cost: TaskCost,
    latest: number | undefined,
  ): number | undefined {
    const places = this.past
      .filter(({ knowledge }) => {
        const place = knowledge.mostFamiliar;
        const then = knowledge.at(place);
        if (then === undefined || place === here || rulesOut(then.cost.own, place, cost.own, here)) {
          return false;
        }
        const gain = then.level - now.mean;
        const isFar = gain > Math.log(farBetter);
        const vague = isFar ? Tuning.RETURN_VAGUE : Tuning.VAGUE;
        const pays =
          (place <= other && isFar) ||
          (place <= fitting && gain > Tuning.RETURN_LEAST && fitsAt(knowledge, here, now, vague));
        return pays && costsFit(knowledge, cost, here);
      })
      .map(({ knowledge }) => knowledge.mostFamiliar);
    return places.find((place) => place !== latest) ?? places.at(0);
  }

  /** Puts the present knowledge away and starts with the windows since the change. */
  restart(before: Knowledge, now: number): Restart {
    const run = this.windowsSinceChange();
    const latest = run[run.length - 1];
    const fell = latest.level < before.posterior().level(latest.place).mean - Math.log(2);
    const epoch = this.past.find((each) => fits(each.knowledge, run));
    // The first window of several holds work from before.
    const own = run.slice(run.length > 1 ? 1 : 0);
    const otherwise = plus(Knowledge.NONE, own);
    const knowledge = epoch === undefined ? otherwise : plus(epoch.knowledge, own);
    const recognition =
      epoch === undefined ? Recognition.NONE : new Recognition(latest.place, latest.level, otherwise, epoch);
    const kept = this.past.filter((each) => each !== epoch);
    const since = epoch === undefined ? undefined : now - epoch.end;
    const passed = this.passedFalls + (since !== undefined && since < Tuning.SHORT_FALL_SECONDS ? 1 : 0);
    const empty = new ChangeDetector([], kept, this.recentChanges, passed);
    return { detector: empty.remember(before, now), knowledge, recognition, since, fell };
  }

  /** Returns to the state before a kind of work was recognised by mistake. */
  withoutRecognition(mistaken: Epoch): ChangeDetector {
    const kept = [...this.past.slice(0, 1), mistaken, ...this.past.slice(1)];
    return new ChangeDetector([], kept.slice(0, Tuning.REMEMBERED), this.recentChanges, this.passedFalls);
  }

  private windowsSinceChange(): readonly Residual[] {
    if (this.recognises(1)) {
      return this.recent.slice(-1);
    }
    const run = this.deviatingRun();
    // Else the cost of a task revealed the change; the window before the last is mixed.
    return run.length === 0 ? this.recent.slice(-2) : run;
  }

  /** Puts knowledge of a kind of work away, and counts a change. */
  remember(before: Knowledge, now: number): ChangeDetector {
    const worth = before.weight > Tuning.WORTH_REMEMBERING;
    const kept = worth ? [{ knowledge: before, end: now }, ...this.past] : this.past;
    return new ChangeDetector([], kept.slice(0, Tuning.REMEMBERED), this.recentChanges + 1, this.passedFalls);
  }
}

/** Returns whether earlier work would do as much at a size as is done now, by expectations that are not `vague`. */
function fitsAt(knowledge: Knowledge, here: number, now: Level, vague: number): boolean {
  const then = knowledge.posterior().level(here);
  const variance = now.variance + then.variance + USUAL;
  return (
    Math.max(now.variance, then.variance) < vague &&
    Math.abs(now.mean - then.mean) < Tuning.RECOGNITION * Math.sqrt(variance)
  );
}

function costsFit(knowledge: Knowledge, cost: TaskCost, place: number): boolean {
  return (
    knowledge.ruledOut(cost.own, place, "own") <= Tuning.RULED_OUT &&
    knowledge.ruledOut(cost.process, place, "process") <= Tuning.RULED_OUT
  );
}

/** Returns whether windows may be of the work of which something is known. */
function fits(knowledge: Knowledge, run: readonly Residual[]): boolean {
  const latest = run[run.length - 1];
  if (!costsFit(knowledge, latest.cost, latest.place)) {
    return false;
  }
  const posterior = knowledge.posterior();
  let sum = 0;
  for (const residual of run) {
    const expected = posterior.level(residual.place);
    if (expected.variance > Tuning.VAGUE) {
      return false;
    }
    // A window with less weight varies more.
    const noise = USUAL / Math.max(0.01, residual.weight);
    sum += (residual.level - expected.mean) / Math.sqrt(expected.variance + noise);
  }
  return Math.abs(sum) < Tuning.RECOGNITION * Math.sqrt(run.length);
}
