/**
 * Measurements of a pool over an interval, as the Java class of the same name has them. Times are nanoseconds of a
 * monotonic clock.
 */
export interface Window {
  /** Start of the interval. */
  readonly start: number;
  /** End of the interval. */
  readonly end: number;
  /** Size in force when the window closed. */
  readonly size: number;
  /** Mean number of busy workers. */
  readonly busy: number;
  /** Mean number of waiting tasks. */
  readonly queueMean: number;
  /** Largest number of waiting tasks. */
  readonly queueMax: number;
  /** Tasks offered, rejected ones included. */
  readonly arrivals: number;
  /** Tasks that ended normally. */
  readonly completions: number;
  /** Tasks that ended by throwing. */
  readonly failures: number;
  /** Tasks refused. */
  readonly rejections: number;
  /** Completions within the bound of a goodput objective; all completions where there is no bound. */
  readonly withinBound: number;
  /** Mean time from the start of a task to its end. */
  readonly serviceMean: number;
  /** Mean time from the arrival of a task to its end. */
  readonly responseMean: number;
  /** Percentiles of the same time, by their fraction, such as `0.99`. */
  readonly responsePercentiles: Readonly<Partial<Record<string, number>>>;
  /** CPU time of the workers, -1 if it was not measured. */
  readonly workerCpu: number;
  /** CPU time of the whole process, -1 if it was not measured. */
  readonly processCpu: number;
  /** Time in garbage collection, -1 if it was not measured. */
  readonly gc: number;
  /** Input and output of the workers, or the reason why it was not measured. */
  readonly disk: DiskStats;
  /**
   * Tasks waiting at the end that the pool's own workers submitted, counted where nothing ended; -1 or undefined if
   * nothing tells.
   */
  readonly queuedByWorkers?: number;
}

/** Input and output of the workers of a pool in a window. */
export type DiskStats =
  | {
      /** Bytes of read and write calls. */
      readonly logicalBytes: number;
      /** Read and write calls. */
      readonly calls: number;
      /** Workers that came or left in the window. */
      readonly changes: number;
    }
  | { readonly problem: string };

/** Stands for a duration that was not measured. */
export const NOT_MEASURED = -1;

/** Nanoseconds of a second. */
export const SECOND = 1e9;

/** Returns the length of a window in seconds. */
export function seconds(window: Window): number {
  return (window.end - window.start) / SECOND;
}

/** Returns the completions per second. */
export function throughput(window: Window): number {
  return window.completions / seconds(window);
}

/** Returns the bytes of read and write calls per second; NaN if they were not measured. */
export function diskThroughput(window: Window): number {
  return "problem" in window.disk ? NaN : window.disk.logicalBytes / seconds(window);
}

/** Size that a controller asks for, with the reason. */
export interface Decision {
  readonly size: number;
  /** Reason in words for a person. */
  readonly reason: string;
  /** Numbers behind the decision; durations in nanoseconds, rates per second. */
  readonly numbers: Readonly<Record<string, number>>;
}

/** Makes a decision; a pool takes the nearest size that it can have. */
export function towards(size: number, reason: string, numbers: Record<string, number> = {}): Decision {
  return { size, reason, numbers };
}

/** Range of the sizes of a pool. */
export interface Bounds {
  /** Smallest size, 1 or more. */
  readonly minimum: number;
  /** Largest size, the minimum or more. */
  readonly maximum: number;
}

/** Decides on the size of a pool: a window in, a decision out. It has no clock and no threads. */
export interface Controller {
  readonly name: string;
  /** Recommended length of a window in milliseconds. */
  readonly windowMillis: number;
  decide(window: Window): Decision;
  /** Takes the bounds of the pool: sizes beyond them are not applied. */
  requireBounds?(bounds: Bounds): void;
}
