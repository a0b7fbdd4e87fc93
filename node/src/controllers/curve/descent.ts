import { Tuning } from "./tuning.js";

/**
 * Way down of a large pool whose reward fell deep, before it is known whether the fall is a stall. If it was a collapse,
 * the pool left it at once. If it was a stall, the pool lost a window or two, so the next way down must wait, and longer
 * each time.
 */
export class Descent {
  static readonly NONE = new Descent(false, 0, 0);

  /**
   * @param underWay whether the pool goes down, or has no window at the smaller size yet
   * @param since seconds since the last way down that was in vain
   * @param pause least of them before the next, 0 without one in vain
   */
  private constructor(
    readonly underWay: boolean,
    private readonly since: number,
    private readonly pause: number,
  ) {}

  /** Lets a window pass. */
  afterSeconds(seconds: number): Descent {
    return new Descent(this.underWay, this.since + seconds, this.pause);
  }

  /** Whether the pool may go down. */
  get allowed(): boolean {
    return !this.underWay && this.since >= this.pause;
  }

  /** Begins a way down. */
  begun(): Descent {
    return new Descent(true, this.since, this.pause);
  }

  /** Ends a way down that was called for: the work has changed. */
  proved(): Descent {
    return this.underWay ? Descent.NONE : this;
  }

  /** Ends a way down after which the work is what it was. */
  inVain(): Descent {
    return this.underWay ? new Descent(false, 0, Math.max(Tuning.VAIN_DESCENT_SECONDS, 2 * this.pause)) : this;
  }
}
