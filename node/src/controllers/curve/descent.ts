import type { Knowledge } from "./knowledge.js";
import type { Noise } from "./noise.js";
import { WindowAccumulator, type Observation } from "./observation.js";
import { Tuning } from "./tuning.js";

/**
 * Way down of a large pool whose reward fell deep, before it is known whether the fall is a stall. If it was a collapse,
 * the pool left it at once. If it was a stall, the pool lost a window or two, so the next way down must wait, and longer
 * each time.
 */
export class Descent {
  static readonly NONE = new Descent(false, 0, 0, 0, WindowAccumulator.EMPTY);

  /**
   * @param underWay whether the pool goes down, or has no window at the smaller size yet
   * @param since seconds since the last way down that was in vain
   * @param pause least of them before the next, 0 without one in vain
   * @param start size at which it began
   * @param drained windows on the way in which many workers were busy
   */
  private constructor(
    readonly underWay: boolean,
    private readonly since: number,
    private readonly pause: number,
    private readonly start: number,
    private readonly drained: WindowAccumulator,
  ) {}

  /** Lets a window pass. */
  afterSeconds(seconds: number): Descent {
    return new Descent(this.underWay, this.since + seconds, this.pause, this.start, this.drained);
  }

  /** Whether the pool may go down. */
  get allowed(): boolean {
    return !this.underWay && this.since >= this.pause;
  }

  /** Begins a way down. */
  begun(size: number): Descent {
    return new Descent(true, this.since, this.pause, size, WindowAccumulator.EMPTY);
  }

  /** Adds a window on the way down, unless few workers are left. */
  with(window: Observation): Descent {
    return this.underWay && window.busy > this.start / 2
      ? new Descent(true, this.since, this.pause, this.start, this.drained.plus(window))
      : this;
  }

  /** Adds what many workers did on the way to the knowledge of the work that is new. */
  addTo(knowledge: Knowledge, noise: Noise): Knowledge {
    return this.underWay && this.drained.hasEnoughCompletions
      ? knowledge.withDraining(this.drained.observation, knowledge.posterior(), noise)
      : knowledge;
  }

  /** Ends a way down that was called for: the work has changed. */
  proved(): Descent {
    return this.underWay ? Descent.NONE : this;
  }

  /** Ends a way down after which the work is what it was. */
  inVain(): Descent {
    const next = Math.max(Tuning.VAIN_DESCENT_SECONDS, 2 * this.pause);
    return this.underWay ? new Descent(false, 0, next, 0, WindowAccumulator.EMPTY) : this;
  }
}
