import { ControlLoop, type Resizable } from "./control-loop.js";
import { controllerNamed, DEFAULT_CONTROLLER } from "./controllers/named.js";
import { clock, type TaskMeter } from "./limiter.js";
import { SECOND, type Controller } from "./window.js";

/** Options of what is adapted. */
export interface AdaptOptions {
  /** Largest number of tasks at a time, 1 or more. */
  readonly maximum?: number;
  /** Name of a controller, or a controller; default: that of the package. */
  readonly controller?: string | Controller;
  /** Name of the objective, for a controller that is named; default: throughput. */
  readonly objective?: string;
  /** Computes decisions, and follows none; default: false. */
  readonly dryRun?: boolean;
}

/** Metrics of a limit at the end of the last window. */
export interface LimitMetrics {
  /** Number of tasks that may run at a time. */
  readonly size: number;
  /** Mean number of tasks that ran. */
  readonly busy: number;
  /** Mean number of tasks that waited. */
  readonly waiting: number;
  /** Tasks that ended normally, per second. */
  readonly throughput: number;
  /** Mean time of a task from its arrival to its end, milliseconds. */
  readonly responseMillis: number;
  /** Windows so far. */
  readonly windows: number;
  /** Reason of the last decision. */
  readonly reason: string;
}

/** Sizes a limit as long as it is not closed; keeps no process running. */
export class Adaptation {
  private readonly timer: NodeJS.Timeout;
  private last: LimitMetrics;

  constructor(limit: Resizable, meter: TaskMeter, options: AdaptOptions) {
    const { controller = DEFAULT_CONTROLLER, objective = "throughput" } = options;
    const made = typeof controller === "string" ? controllerNamed(controller, { objective }) : controller;
    let windows = 0;
    this.last = {
      size: limit.size,
      busy: 0,
      waiting: 0,
      throughput: 0,
      responseMillis: 0,
      windows,
      reason: "no window has passed yet",
    };
    const loop = new ControlLoop(made, meter, limit, {
      dryRun: options.dryRun ?? false,
      listener: (window, decision) => {
        this.last = {
          size: window.size,
          busy: window.busy,
          waiting: window.queueMean,
          throughput: (window.completions / (window.end - window.start)) * SECOND,
          responseMillis: window.responseMean / 1e6,
          windows: ++windows,
          reason: decision.reason,
        };
      },
    });
    this.timer = setInterval(() => loop.tick(clock()), made.windowMillis).unref();
  }

  /** Returns the metrics of the last window. */
  metrics(): LimitMetrics {
    return this.last;
  }

  /** Ends the adaptation; the size stays. */
  close(): void {
    clearInterval(this.timer);
  }
}

const OPTIONS: readonly string[] = ["maximum", "controller", "objective", "dryRun"];

/**
 * Checks the options, and returns the largest size that they allow.
 *
 * @throws RangeError naming an option that is unknown, a maximum that is no whole number or less than 1, or an objective
 *     that a limit does not measure
 */
export function requireOptions(options: AdaptOptions, standardMaximum: number): number {
  for (const option of Object.keys(options)) {
    if (!OPTIONS.includes(option)) {
      throw new RangeError(`unknown option '${option}'; known: ${OPTIONS.join(", ")}`);
    }
  }
  if (options.objective === "disk-throughput") {
    throw new RangeError(
      "objective disk-throughput needs the bytes of threads, which poolkeeper/register measures and a limit does not; " +
        "use throughput",
    );
  }
  const maximum = options.maximum ?? standardMaximum;
  if (!Number.isInteger(maximum) || maximum < 1) {
    throw new RangeError(`maximum must be a whole number of 1 or more, but is ${maximum}`);
  }
  return maximum;
}
