import type { Knowledge } from "./knowledge.js";
import type { Noise } from "./noise.js";
import { Tuning } from "./tuning.js";

/** Warm-up of the work behind a limit that rejects; the Java class of the same name says more. */
export class WarmUp {
  /** Knowledge of the work so far, and noise of the windows before the last one. */
  constructor(
    private readonly knowledge: Knowledge,
    private readonly noise: Noise,
  ) {}

  /** Returns the knowledge at the level of a window after a resize. */
  knowledgeNow(): Knowledge {
    const rise = Tuning.WARM_UP_GOES_ON * this.noise.rise;
    return this.over || rise <= 0 ? this.knowledge : this.knowledge.shifted(rise).doubted(rise);
  }

  /** Returns whether another window at the size must show how fast the level rises; `now` includes the last one. */
  needsAnotherWindow(now: Noise): boolean {
    const rising = this.noise.rise > Tuning.WARM_UP_RISE || this.knowledge.seconds < Tuning.COLD_SECONDS;
    return !this.over && rising && now.windows === 1;
  }

  private get over(): boolean {
    return this.knowledge.seconds > Tuning.WARM_UP_SECONDS;
  }
}
