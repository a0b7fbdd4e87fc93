import type { Observation } from "./observation.js";
import { Tuning } from "./tuning.js";

/**
 * The latest growth for waiting tasks, and a bar on sizes at which growth was in vain. A source of tasks may slow down
 * as the pool grows: an event loop that shares the processors with the workers. Then no task waits at the larger size,
 * and yet fewer end than at the smaller one. Such a window is evidence about the few workers that are busy in it, and
 * none about the size, so the curve would recommend the size again and again. So sizes near it are barred for a while,
 * twice as long each time.
 */
export class GrowthTrial {
  static readonly NONE = new GrowthTrial(0, 0, 0, Infinity, 0, Tuning.VAIN_GROWTH_SECONDS);

  /**
   * @param from size before the growth, 0 if none is under way
   * @param level logarithm of the reward expected there
   * @param waiting tasks that waited there
   * @param barred smallest size that is barred; infinite for none
   * @param left seconds for which it is
   * @param pause seconds for which the next is
   */
  private constructor(
    readonly from: number,
    readonly level: number,
    private readonly waiting: number,
    private readonly barred: number,
    private readonly left: number,
    readonly pause: number,
  ) {}

  /** Lets a window pass. Far more waiting tasks than before the growth lift the bar. */
  afterWindow(window: Observation): GrowthTrial {
    const demanded = window.waiting > Tuning.MORE_WAITING * (this.waiting + window.size);
    if (demanded && window.sizeLimited && this.isBarring) {
      return GrowthTrial.NONE;
    }
    const under = window.size > this.from ? this.from : 0;
    const later = Math.max(0, this.left - window.seconds);
    return new GrowthTrial(under, this.level, this.waiting, this.barred, later, this.pause);
  }

  /**
   * Begins a growth, unless so few tasks wait that they may do so by chance.
   *
   * @param expected logarithm of the reward that is expected at the size in force
   */
  begun({ size, waiting, starved }: Observation, expected: number): GrowthTrial {
    const chance = !starved && 2 * waiting <= size;
    return new GrowthTrial(chance ? 0 : size, expected, waiting, this.barred, this.left, this.pause);
  }

  /**
   * Returns whether the growth was in vain: no task waits any more, most workers idle, and less is done beyond the
   * noise. Tasks that just became rare look the same, so the first bar is short.
   *
   * @param variance of a window's reward
   */
  isVain(window: Observation, variance: number): boolean {
    const fall = Math.max(Tuning.VAIN_FALL, 2 * Math.sqrt(variance));
    return (
      this.from > 0 &&
      window.size > this.from &&
      window.busy < window.size / 2 &&
      !window.atCapacity &&
      Math.log(window.rate) < this.level - fall
    );
  }

  /**
   * Ends a growth that was in vain.
   *
   * @param size the larger size; the next growth goes half of the way, on a logarithmic scale
   */
  barring(size: number): GrowthTrial {
    const middle = Math.max(this.from + 1, Math.sqrt(this.from * size));
    const longer = Math.min(Tuning.LONGEST_VAIN_GROWTH_SECONDS, 2 * this.pause);
    return new GrowthTrial(0, this.level, this.waiting, Math.min(this.barred, middle), this.pause, longer);
  }

  /** Ends a growth that was not in vain. A barred size at which tasks wait moves the bar. */
  ended(window: Observation): GrowthTrial {
    const paid = window.sizeLimited && window.size >= this.barred;
    const barred = paid ? 2 * window.size : this.barred;
    const pause = paid ? Math.max(Tuning.VAIN_GROWTH_SECONDS, this.pause / 2) : this.pause;
    return new GrowthTrial(0, this.level, this.waiting, barred, this.left, pause);
  }

  /** Whether larger sizes are barred. */
  get isBarring(): boolean {
    return this.barred < Infinity;
  }

  /** Largest size to try: once its time is over, the barred one. */
  get ceiling(): number {
    return this.left > 0 ? Math.ceil(this.barred) - 1 : Math.ceil(this.barred);
  }
}
