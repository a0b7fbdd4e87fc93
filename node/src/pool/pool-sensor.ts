import type { Sensor } from "../control-loop.js";
import { NOT_MEASURED, SECOND, type Window } from "../window.js";
import type { ThreadCounters, WorkerState } from "./threads.js";

/** Worker of the pool as the sensor sees it. */
export interface WorkerView {
  counters(): ThreadCounters;
  state(): WorkerState;
}

/** Figures of the parking that a window depends on. */
export interface ParkingView {
  readonly size: number;
  /** Reads that have ended in which a worker may have waited, and others. */
  readonly released: number;
  readonly passed: number;
  readonly resizes: number;
}

/** Observed worker with its last readings. */
interface Observed {
  readonly view: WorkerView;
  before: ThreadCounters;
  /** Whether it was parked when it was last looked at. */
  parked: boolean;
  /** Whether it was parked for the whole window, so that its counters stand still. */
  resting: boolean;
}

/**
 * Measures libuv's pool from outside: the state of each worker at some moments, the counters of the kernel, and the
 * time that a small request waits. Waiting tasks follow by Little's law.
 *
 * A task stands for a read or write call of a worker. Each task makes at least one, which wakes its event loop; where
 * many end at the same time, one call wakes the loop for all of them.
 */
export class PoolSensor implements Sensor {
  private readonly workers: Observed[];
  private start: number;
  private processCpu: number;
  private released = 0;
  private passed = 0;
  private resizes = 0;
  private samples = 0;
  private busy = 0;
  private wakes = 0;
  private waits: number[] = [];
  /** Start of the request that is under way, if it found no idle worker. */
  private probedAt: number | undefined;

  /**
   * @param now nanoseconds
   * @param cpu returns the processor time of the process in nanoseconds
   */
  constructor(
    views: readonly WorkerView[],
    private readonly parking: ParkingView,
    now: number,
    private readonly cpu: () => number,
  ) {
    this.workers = views.map((view) => ({ view, before: view.counters(), parked: false, resting: false }));
    this.start = now;
    this.processCpu = cpu();
    this.released = parking.released;
    this.passed = parking.passed;
  }

  /** Looks at the workers; returns whether one of them is idle. */
  sample(): boolean {
    let idle = false;
    const unchanged = this.parking.released === this.released;
    for (const worker of this.workers) {
      // A worker that was parked stays so until some are released.
      const state = worker.parked && unchanged ? "parked" : worker.view.state();
      worker.parked = state === "parked";
      worker.resting &&= worker.parked;
      this.busy += state === "busy" ? 1 : 0;
      idle ||= state === "idle";
    }
    this.samples++;
    return idle;
  }

  /** Begins a small request at a time in nanoseconds. */
  probe(now: number, idle: boolean): void {
    this.probedAt = idle ? undefined : now;
  }

  /** Ends the request. */
  probed(now: number): void {
    this.waits.push(this.probedAt === undefined ? 0 : now - this.probedAt);
    this.probedAt = undefined;
  }

  /** Counts a call of a worker that woke the thread of the sensor, for one or more requests of its own. */
  woke(): void {
    this.wakes++;
  }

  /** Time that a small request waited the last time, or has been waiting now, nanoseconds. */
  wait(now: number): number {
    return Math.max(this.waits.at(-1) ?? 0, this.probedAt === undefined ? 0 : now - this.probedAt);
  }

  close(now: number): Window {
    if (this.samples === 0) {
      this.sample();
    }
    const length = now - this.start;
    const released = this.parking.released - this.released;
    const changed = this.parking.resizes !== this.resizes;
    const total = { bytes: 0, calls: 0, cpu: 0 };
    for (const worker of this.workers) {
      if (!worker.resting || released > 0) {
        const after = worker.view.counters();
        total.bytes += after.bytes - worker.before.bytes;
        total.calls += after.calls - worker.before.calls;
        total.cpu += after.cpu - worker.before.cpu;
        worker.before = after;
      }
      worker.resting = worker.parked;
      worker.parked &&= released === 0;
    }
    // Calls that woke the own thread wrote 8 bytes each, and each worker that left a gate has read a byte.
    const reads = released + this.parking.passed - this.passed;
    const calls = Math.max(0, total.calls - this.wakes - reads);
    const bytes = Math.max(0, total.bytes - 8 * this.wakes - reads);
    const busy = this.busy / this.samples;
    const waits = this.probedAt === undefined ? this.waits : [...this.waits, now - this.probedAt];
    const wait = waits.length === 0 ? 0 : waits.reduce((sum, each) => sum + each, 0) / waits.length;
    const rate = calls / length;
    const serviceMean = calls === 0 ? 0 : (busy * length) / calls;
    const processCpu = this.cpu();
    const window: Window = {
      start: this.start,
      end: now,
      size: this.parking.size,
      busy,
      queueMean: wait * rate,
      queueMax: Math.ceil(Math.max(0, ...waits) * rate),
      arrivals: calls,
      completions: calls,
      failures: 0,
      rejections: 0,
      withinBound: calls,
      serviceMean,
      responseMean: serviceMean + wait,
      responsePercentiles: {},
      workerCpu: total.cpu,
      processCpu: processCpu - this.processCpu,
      gc: NOT_MEASURED,
      disk: { logicalBytes: bytes, calls, changes: changed ? 1 : 0 },
    };
    this.longestWait = Math.max(0, ...waits);
    this.meanWait = wait;
    this.start = now;
    this.processCpu = processCpu;
    this.released = this.parking.released;
    this.passed = this.parking.passed;
    this.resizes = this.parking.resizes;
    this.samples = 0;
    this.busy = 0;
    this.wakes = 0;
    this.waits = [];
    return window;
  }

  /** Mean wait for a worker in the last window, nanoseconds. */
  meanWait = 0;

  /** Longest wait for a worker in the last window, nanoseconds. */
  longestWait = 0;
}

/** Returns bytes a second of a window's counters. */
export function bytesPerSecond(window: Window): number {
  return "problem" in window.disk ? 0 : (window.disk.logicalBytes / (window.end - window.start)) * SECOND;
}
