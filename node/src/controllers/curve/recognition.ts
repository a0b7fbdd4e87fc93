import type { Epoch } from "./change.js";
import type { Comparison } from "./comparison.js";
import { Knowledge, type TaskCost } from "./knowledge.js";
import { Tuning } from "./tuning.js";

/**
 * Earlier work that was recognised by its reward at a single size. The first window at another size shows whether it is
 * that work: if it does far less than was expected, and less than before, it is new work after all.
 */
export class Recognition {
  static readonly NONE = new Recognition(-1, 0, Knowledge.NONE, undefined);

  /**
   * @param place at which it was recognised
   * @param level logarithm of the latest reward there
   * @param otherwise what is known if it is new work: the windows since
   * @param earlier the work that was recognised, undefined for none
   */
  constructor(
    private readonly place: number,
    private readonly level: number,
    readonly otherwise: Knowledge,
    readonly earlier: Epoch | undefined,
  ) {}

  /** Returns whether a window at another size shows that it is new work. */
  isRefutedBy({ place, deviation, level }: Comparison): boolean {
    return (
      this.earlier !== undefined && place !== this.place && deviation < -Tuning.SUSPECT_DEVIATION && level < this.level
    );
  }

  /** Keeps the doubt, and the windows, until there is a window at another size. */
  after({ place, level, window }: Comparison, weight: number, cost: TaskCost): Recognition {
    if (this.earlier === undefined || place !== this.place) {
      return Recognition.NONE;
    }
    const later = this.otherwise.aged(window.seconds).with(place, weight, level, cost, place);
    return new Recognition(place, level, later, this.earlier);
  }
}
