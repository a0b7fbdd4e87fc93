import { towards, type Controller, type Decision, type Window } from "./window.js";

/** Has a size that can change while it runs. */
export interface Resizable {
  /** Size in force. */
  readonly size: number;
  /** Smallest and largest size that it can have. */
  readonly bounds: readonly [least: number, most: number];
  resize(size: number): void;
}

/** Yields windows. */
export interface Sensor {
  /** Closes the window at a time in nanoseconds, and begins the next. */
  close(now: number): Window;
}

/** Hears of each window and its decision. */
export type Listener = (window: Window, decision: Decision) => void;

/** Settings of a loop. */
export interface LoopOptions {
  /** Computes decisions, and follows none. */
  readonly dryRun?: boolean;
  readonly listener?: Listener;
}

/** Asks a controller about each window of a pool, and resizes the pool. It has no timer: somebody calls it. */
export class ControlLoop {
  constructor(
    private readonly controller: Controller,
    private readonly sensor: Sensor,
    private readonly resizable: Resizable,
    private readonly options: LoopOptions = {},
  ) {}

  /** Closes a window, decides, and resizes. Where anything fails the size stays. */
  tick(now: number): Decision {
    const window = this.sensor.close(now);
    const decision = this.decide(window);
    if (this.options.dryRun !== true && decision.size !== this.resizable.size) {
      this.resizable.resize(decision.size);
    }
    this.options.listener?.(window, decision);
    return decision;
  }

  private decide(window: Window): Decision {
    try {
      const [least, most] = this.resizable.bounds;
      this.controller.requireBounds?.({ minimum: least, maximum: most });
      const decision = this.controller.decide(window);
      const size = Math.max(least, Math.min(most, decision.size));
      if (Number.isInteger(size)) {
        return { ...decision, size };
      }
      return towards(this.resizable.size, `size kept: ${this.controller.name} asked for ${decision.size}`);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      return towards(this.resizable.size, `size kept: ${this.controller.name} failed: ${reason}`);
    }
  }
}
