import type { Resizable, Sensor } from "./control-loop.js";
import { NOT_MEASURED, SECOND, type Window } from "./window.js";

/** Returns nanoseconds of a monotonic clock. */
export type Ticker = () => number;

/** Measures tasks exactly: arrivals, starts and ends. */
export class TaskMeter implements Sensor {
  private start: number;
  private last: number;
  private running = 0;
  private waiting = 0;
  private busyTime = 0;
  private waitingTime = 0;
  private mostWaiting = 0;
  private arrivals = 0;
  private completions = 0;
  private failures = 0;
  private ended = 0;
  private service = 0;
  private responses: number[] = [];

  /**
   * @param size returns the size in force
   * @param ticker the clock
   */
  constructor(
    private readonly size: () => number,
    private readonly ticker: Ticker,
  ) {
    this.start = ticker();
    this.last = this.start;
  }

  /** Tasks that run. */
  get busy(): number {
    return this.running;
  }

  /** Tasks that wait. */
  get queued(): number {
    return this.waiting;
  }

  /** Notes an arrival; returns its time. */
  arrived(): number {
    const now = this.pass();
    this.arrivals++;
    this.waiting++;
    this.mostWaiting = Math.max(this.mostWaiting, this.waiting);
    return now;
  }

  /** Notes a start; returns its time. */
  started(): number {
    const now = this.pass();
    this.waiting--;
    this.running++;
    return now;
  }

  /** Notes the end of a task. */
  finished(arrived: number, started: number, failed: boolean): void {
    const now = this.pass();
    this.running--;
    this.ended++;
    if (failed) {
      this.failures++;
    } else {
      this.completions++;
    }
    this.service += now - started;
    this.responses.push(now - arrived);
  }

  /** Notes that waiting tasks will never start. */
  dropped(tasks: number): void {
    this.pass();
    this.waiting -= tasks;
    this.failures += tasks;
  }

  close(now: number): Window {
    this.pass(now);
    const length = Math.max(1, now - this.start);
    const responses = Float64Array.from(this.responses).sort();
    const window: Window = {
      start: this.start,
      end: this.start + length,
      size: this.size(),
      busy: this.busyTime / length,
      queueMean: this.waitingTime / length,
      queueMax: this.mostWaiting,
      arrivals: this.arrivals,
      completions: this.completions,
      failures: this.failures,
      rejections: 0,
      withinBound: this.completions,
      serviceMean: this.ended === 0 ? 0 : this.service / this.ended,
      responseMean: this.ended === 0 ? 0 : responses.reduce((sum, each) => sum + each, 0) / this.ended,
      responsePercentiles: Object.fromEntries(
        [0.5, 0.9, 0.95, 0.99, 0.999].map((fraction) => [fraction, percentile(responses, fraction)]),
      ),
      workerCpu: NOT_MEASURED,
      processCpu: NOT_MEASURED,
      gc: NOT_MEASURED,
      disk: { problem: "the operating system does not count the bytes of a limiter" },
    };
    this.start += length;
    this.last = Math.max(this.last, this.start);
    this.busyTime = this.waitingTime = this.arrivals = this.completions = this.failures = this.ended = this.service = 0;
    this.mostWaiting = this.waiting;
    this.responses = [];
    return window;
  }

  private pass(now = this.ticker()): number {
    this.busyTime += this.running * (now - this.last);
    this.waitingTime += this.waiting * (now - this.last);
    this.last = now;
    return now;
  }
}

function percentile(sorted: Float64Array, fraction: number): number {
  return sorted.length === 0 ? 0 : (sorted[Math.max(0, Math.ceil(fraction * sorted.length) - 1)] ?? 0);
}

/** Lets a number of tasks run at a time; the others wait in the order of their arrival. The number can change. */
export class Limiter implements Resizable {
  readonly bounds: readonly [number, number];
  readonly meter: TaskMeter;
  private limit: number;
  private readonly waiters: (() => void)[] = [];
  /** First waiter that has not started. */
  private first = 0;

  /**
   * @param size first size
   * @param most largest size
   */
  constructor(size: number, most: number, ticker: Ticker = clock) {
    this.limit = size;
    this.bounds = [1, most];
    this.meter = new TaskMeter(() => this.limit, ticker);
  }

  get size(): number {
    return this.limit;
  }

  resize(size: number): void {
    this.limit = size;
    this.wake();
  }

  /** Runs a task as soon as there is room for it. */
  async run<T>(task: () => PromiseLike<T> | T): Promise<T> {
    const arrived = this.meter.arrived();
    const started =
      this.meter.busy >= this.limit || this.first < this.waiters.length
        ? await new Promise<number>((resolve) => {
            this.waiters.push(() => {
              resolve(this.meter.started());
            });
          })
        : this.meter.started();
    let failed = true;
    try {
      const result = await task();
      failed = false;
      return result;
    } finally {
      this.meter.finished(arrived, started, failed);
      this.wake();
    }
  }

  private wake(): void {
    while (this.meter.busy < this.limit && this.first < this.waiters.length) {
      this.waiters[this.first++]?.();
    }
    // Dropped in bulk: to shift each would move all others.
    if (this.first === this.waiters.length || this.first > 1024) {
      this.waiters.splice(0, this.first);
      this.first = 0;
    }
  }
}

/** Returns nanoseconds of the process's monotonic clock. */
export function clock(): number {
  return Math.round((performance.now() * SECOND) / 1000);
}
