import { diskThroughput, seconds, throughput, towards } from "../window.js";
import type { Controller, Decision, Window } from "../window.js";
import type { ScaleSettings } from "./scale-settings.js";
import { empty, fault } from "./soundness.js";

const LARGEST_STEP = 4;
const DROP = 0.3;
const DEVIATION_ROSE = 0.8;
const PAUSE = 2e9;

/** Figure that a scale adapter reads from a window; NaN where it was not measured. */
export interface Signal {
  readonly name: string;
  value(window: Window): number;
}

/** Tasks that ended normally, per second. */
export const THROUGHPUT: Signal = { name: "throughput", value: throughput };

/** Mean service time of a task. */
export const SERVICE_TIME: Signal = { name: "mean service time", value: (window) => window.serviceMean };

/** Bytes of read and write calls per second, of windows in which the set of workers stayed: the published metric. */
export const DISK_THROUGHPUT: Signal = {
  name: "disk throughput of the same workers",
  value: (window) => ("changes" in window.disk && window.disk.changes !== 0 ? NaN : diskThroughput(window)),
};

/** Mean time of a read or write call, with what a worker does besides. */
export const CALL_TIME: Signal = {
  name: "mean time of a call",
  value: (window) => ("problem" in window.disk ? NaN : (window.busy * seconds(window) * 1e9) / window.disk.calls),
};

function read(signal: Signal, window: Window): number {
  const value = signal.value(window);
  return value >= 0 && Number.isFinite(value) ? value : NaN;
}

type Sign = 1 | -1;

/** Use of the next interval. */
type Phase =
  | { readonly kind: "startup" }
  | { readonly kind: "scaling"; readonly step: number }
  | { readonly kind: "settled"; readonly until: number; readonly last: Sign }
  | { readonly kind: "exploring"; readonly direction: Sign };

/** A valid subinterval. */
interface Sub {
  readonly end: number;
  readonly length: number;
  readonly rate: number;
  readonly callTime: number;
}

/** Measurements of an interval. */
interface Measured {
  readonly mean: number;
  readonly deviation: number;
  readonly callTime: number;
}

interface Advice {
  readonly step: number;
  readonly next: Phase;
  readonly reason: string;
}

function word(direction: Sign): string {
  return direction > 0 ? "up" : "down";
}

function measured(subs: readonly Sub[]): Measured {
  let time = 0;
  let mean = 0;
  let callTime = 0;
  for (const sub of subs) {
    time += sub.length;
    mean += sub.rate * sub.length;
    callTime += sub.callTime * sub.length;
  }
  mean /= time;
  let squares = 0;
  for (const sub of subs) {
    squares += (sub.rate - mean) * (sub.rate - mean) * sub.length;
  }
  return { mean, deviation: Math.sqrt(squares / time), callTime: callTime / time };
}

/**
 * Hill climbing on the disk throughput of a pool (Timm 2021): a state machine that scales while it pays, settles, and
 * explores by single steps. The Java class `ScaleAdapter` tells its rules, and what it decides where the source is
 * silent; both decide the same about the windows of `contract/vectors`.
 */
export class ScaleAdapter implements Controller {
  readonly windowMillis = 200;
  private phase: Phase = { kind: "startup" };
  private clock = 0;
  private intervalStart = 0;
  private subs: Sub[] = [];
  private previous: Measured | undefined;
  private lastSize = 0;
  /** Size before the last step. */
  private from = 0;

  constructor(
    readonly name: string,
    private readonly settings: ScaleSettings,
    private readonly rate: Signal,
    private readonly callTime: Signal,
  ) {}

  decide(window: Window): Decision {
    const problem = fault(window);
    if (problem !== undefined) {
      return towards(window.size, `window passed over: ${problem}`);
    }
    const thrownAway = this.take(window);
    if (empty(window)) {
      return towards(window.size, "no advice: no task ran");
    }
    if (window.busy > window.size) {
      return towards(window.size, "no advice: workers that are too many still run");
    }
    const open = this.clock - this.intervalStart;
    if (open < this.settings.interval) {
      const passed = `${Math.floor(open / 1e6)} of ${this.settings.interval / 1e6} ms of the interval have passed`;
      return towards(window.size, thrownAway === undefined ? passed : `${passed}; ${thrownAway}`);
    }
    if (!this.asked(window)) {
      return towards(window.size, "no advice: no worker asked, since no job ended");
    }
    const last = this.subs.at(-1);
    if (last === undefined) {
      return towards(window.size, `no advice: no valid subinterval; ${thrownAway ?? ""}`);
    }
    return this.advise(window, last);
  }

  /** Moves time on, and keeps the window as a subinterval or returns the reason against it. */
  private take(window: Window): string | undefined {
    const length = window.end - window.start;
    const clock = this.clock + length;
    const rate = read(this.rate, window);
    let thrownAway: string | undefined;
    if (this.lastSize !== 0 && window.size !== this.lastSize) {
      thrownAway = "this window is thrown away, the size changed";
    } else if (window.busy > window.size) {
      thrownAway = "this window is thrown away, workers are leaving";
    } else if (Number.isNaN(rate) || empty(window)) {
      thrownAway = `this window is thrown away, it has no ${this.rate.name}`;
    } else {
      this.add({ end: clock, length, rate, callTime: read(this.callTime, window) }, this.asked(window));
    }
    if (this.settings.averaging > 0) {
      this.subs = this.subs.filter((sub) => sub.end > clock - this.settings.averaging);
    }
    this.clock = clock;
    this.lastSize = window.size;
    return thrownAway;
  }

  private asked(window: Window): boolean {
    return this.settings.askedBy === "manager" || window.completions + window.failures > 0;
  }

  /** Adds a subinterval; one in which nobody asked, so that nobody read the counters, lengthens the one before. */
  private add(sub: Sub, asked: boolean): void {
    const last = this.subs.at(-1);
    if (last === undefined || asked) {
      this.subs.push(sub);
      return;
    }
    const length = last.length + sub.length;
    const rate = (last.rate * last.length + sub.rate * sub.length) / length;
    this.subs[this.subs.length - 1] = { end: sub.end, length, rate, callTime: last.callTime };
  }

  private advise(window: Window, last: Sub): Decision {
    const latest = measured(this.subs);
    const before = this.previous;
    const advice = before === undefined ? this.startup() : this.compare(window, latest, before);
    const numbers: Record<string, number> = { latest: latest.mean, deviation: latest.deviation };
    if (before !== undefined) {
      numbers["previous"] = before.mean;
    }
    numbers["stability"] = this.settings.stability;
    numbers["advice"] = advice.step;
    this.phase = advice.next;
    this.intervalStart = last.end;
    if (this.settings.averaging === 0) {
      this.subs = [];
    }
    this.previous = latest;
    if (advice.step !== 0) {
      this.from = window.size;
    }
    return towards(Math.max(1, window.size + advice.step), advice.reason, numbers);
  }

  private startup(): Advice {
    return {
      step: 1,
      next: { kind: "scaling", step: 2 },
      reason: "one worker more, to have something to compare with",
    };
  }

  private compare(window: Window, latest: Measured, before: Measured): Advice {
    const rates = `${this.rate.name} ${latest.mean.toPrecision(4)} against ${before.mean.toPrecision(4)}`;
    if (this.settings.passDrops && latest.mean < DROP * before.mean) {
      return { step: 0, next: this.phase, reason: `${rates}: a drop of 70 % or more is passed over` };
    }
    const { stability } = this.settings;
    const change = {
      higher: latest.mean * stability > before.mean,
      lower: before.mean * stability > latest.mean,
      callsSlower: this.settings.watchCalls && latest.callTime * stability > before.callTime,
    };
    const advice = this.turn(window, latest, before, change);
    return { ...advice, reason: `${rates}: ${advice.reason}` };
  }

  private turn(
    window: Window,
    latest: Measured,
    before: Measured,
    change: { higher: boolean; lower: boolean; callsSlower: boolean },
  ): Advice {
    const { higher, lower, callsSlower } = change;
    const phase = this.phase;
    if (phase.kind === "scaling") {
      const direction = phase.step < 0 ? -1 : 1;
      if (higher) {
        const step = direction * Math.min(LARGEST_STEP, Math.abs(phase.step) + 1);
        const reason = `significantly higher, scaling ${word(direction)} on`;
        return { step, next: { kind: "scaling", step }, reason };
      } else if (phase.step < 0 && callsSlower) {
        const reason = "calls take longer, the step down is taken back";
        return { step: this.back(window, phase.step), next: this.settled(PAUSE, direction), reason };
      } else if (lower) {
        const reason = "significantly lower, the step is taken back";
        return { step: this.back(window, phase.step), next: this.settled(0, direction), reason };
      }
      return { step: 0, next: this.settled(0, direction), reason: "no significant change, settled" };
    }
    if (phase.kind === "exploring") {
      const { direction } = phase;
      if (higher) {
        const next: Phase = { kind: "scaling", step: direction };
        return { step: direction, next, reason: `significantly higher, scaling ${word(direction)}` };
      }
      const loss = latest.mean < before.mean;
      if (direction > 0 || loss || callsSlower) {
        const why = direction > 0 ? "no gain" : loss ? "a loss" : "calls take longer";
        const step = this.back(window, direction);
        return { step, next: this.settled(PAUSE, direction), reason: `${why}, the step is taken back` };
      }
      return { step: -1, next: phase, reason: "no loss, exploring down on" };
    }
    return this.explore(latest, before, higher, lower);
  }

  private explore(latest: Measured, before: Measured, higher: boolean, lower: boolean): Advice {
    const phase = this.phase;
    if (phase.kind === "settled" && this.clock < phase.until) {
      return { step: 0, next: phase, reason: "settled until the pause ends" };
    }
    const unsteady = latest.deviation * DEVIATION_ROSE > before.deviation;
    let direction: Sign = phase.kind === "settled" && phase.last > 0 ? -1 : 1;
    let why = "no significant change, against the last direction";
    if (higher) {
      direction = 1;
      why = "significantly higher";
    } else if (lower || unsteady) {
      direction = -1;
      why = lower ? "significantly lower" : "the deviation rose";
    }
    return { step: direction, next: { kind: "exploring", direction }, reason: `${why}, exploring ${word(direction)}` };
  }

  /** Takes back what the pool took of the last step. */
  private back(window: Window, step: number): number {
    const sign = Math.sign(step);
    const taken = (window.size - this.from) * sign;
    return -sign * Math.max(0, Math.min(Math.abs(step), taken));
  }

  private settled(pause: number, last: Sign): Phase {
    return { kind: "settled", until: this.clock + pause, last };
  }
}
