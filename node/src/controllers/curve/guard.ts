import type { Bounds, Window } from "../../window.js";
import type { Demand } from "./estimates.js";
import type { GrowthTrial } from "./growth.js";
import type { Knowledge } from "./knowledge.js";
import type { Observation } from "./observation.js";
import { atLeast, COARSE, COUNT, nearest, sizeAt } from "./size-grid.js";
import { Tuning } from "./tuning.js";

const LARGEST_INT = 2 ** 31 - 1;

interface GuardValues {
  readonly ceiling: number;
  readonly collapsed: number;
  readonly proven: number;
  readonly usual: number;
  readonly last: number;
  readonly surprising: boolean;
  readonly pause: number;
  readonly before: CollapseGuard | undefined;
}

/** Returns the number of workers that are safe on a machine. */
export function safeSize(processors: number): number {
  return Tuning.SAFE_WORKERS * processors;
}

/** Guard against sizes at which tasks fill the heap; the Java class of the same name tells its values. */
export class CollapseGuard {
  static readonly INITIAL = new CollapseGuard({
    ceiling: Infinity,
    collapsed: Infinity,
    proven: 0,
    usual: 0,
    last: 0,
    surprising: false,
    pause: 0,
    before: undefined,
  });

  constructor(private readonly values: GuardValues) {}

  get ceiling(): number {
    return this.values.ceiling;
  }

  get collapsed(): number {
    return this.values.collapsed;
  }

  /** Largest size that was in force without danger since the collapse. */
  get proven(): number {
    return this.values.proven;
  }

  get surprising(): boolean {
    return this.values.surprising;
  }

  private with(values: Partial<GuardValues>): CollapseGuard {
    return new CollapseGuard({ ...this.values, ...values });
  }

  /** Returns the size to fall to at once, or `size` if there is no danger. */
  reducedSize(size: number, share: number, processors: number): number {
    const { usual, pause, last } = this.values;
    const safe = safeSize(processors);
    const many = size > 2 * safe;
    const again = share > pause || last > Tuning.COLLECTING;
    const unusual = share > usual + Tuning.COLLECTING_UNUSUAL && again;
    const severe = share > Tuning.COLLECTING_SEVERE && again;
    const danger = many
      ? severe || (share > Tuning.COLLECTING && unusual)
      : share > Tuning.COLLECTING_SMALL_POOL && last > Tuning.COLLECTING;
    return danger && size > safe ? Math.max(safe, Math.floor(many ? size / Tuning.REDUCTION : size / 2)) : size;
  }

  afterReduction(size: number, reduced: number, share: number, wasFine: boolean): CollapseGuard {
    return this.with({
      ceiling: Math.min(this.ceiling, reduced),
      collapsed: Math.min(this.collapsed, size),
      proven: 0,
      last: share,
      surprising: this.surprising || wasFine,
      before: this.with({ before: undefined }),
    });
  }

  /** Returns whether the reduction was unnecessary. */
  falseAlarm(busy: number, share: number): boolean {
    return (
      this.values.before !== undefined && share < Tuning.COLLECTING_CALM && busy > Tuning.STILL_BUSY * this.collapsed
    );
  }

  /** Takes a reduction back: a pause of that length is no alarm from now on. */
  afterFalseAlarm(): CollapseGuard {
    const { before, pause, last } = this.values;
    const origin = before ?? this;
    return this.with({
      ceiling: origin.ceiling,
      collapsed: origin.collapsed,
      proven: origin.proven,
      last: 0,
      surprising: origin.surprising,
      pause: Math.max(pause, last),
      before: undefined,
    });
  }

  /** Forgets the ceiling after a change of the work, unless garbage is collected. */
  afterWorkChange(): CollapseGuard {
    return this.surprising || this.values.last > Tuning.COLLECTING_CALM
      ? this.withoutSurprise()
      : this.with({ ceiling: Infinity, collapsed: Infinity, surprising: false });
  }

  withoutSurprise(): CollapseGuard {
    return this.surprising ? this.with({ surprising: false }) : this;
  }

  /** Whether a size has collapsed, so that growth is careful. */
  get limiting(): boolean {
    return this.ceiling < Infinity;
  }

  /** Whether the ceiling is still far below the size that collapsed, and rises soon. */
  get recovering(): boolean {
    return this.limiting && this.ceiling <= Tuning.CEILING_NEAR * this.values.collapsed;
  }

  /** Records a window without danger. The ceiling rises if the size was near it. */
  afterWindow(size: number, share: number, seconds: number): CollapseGuard {
    const { usual, before, pause, last, ceiling, collapsed } = this.values;
    const weight = Math.min(1, seconds / Tuning.USUAL_COLLECTING_SECONDS);
    const mean = usual + weight * (share - usual);
    // A reduction followed by calm may have been due to a pause as well.
    const longest = before !== undefined && share < Tuning.COLLECTING_CALM ? Math.max(pause, last) : pause;
    const fading = longest * Math.max(0, 1 - seconds / Tuning.PAUSE_SECONDS);
    const calm = share < Tuning.COLLECTING_CALM;
    const proven = calm ? Math.max(this.proven, size) : this.proven;
    const next = this.with({ proven, usual: mean, last: share, pause: fading, before: undefined });
    if (ceiling === Infinity || share > Tuning.COLLECTING_RECOVERED) {
      return next;
    }
    if (2 * size < ceiling) {
      const later = ceiling * (1 + Tuning.CEILING_RISE_AWAY * Math.min(1, seconds));
      return calm && later < collapsed ? next.with({ ceiling: later, proven: ceiling }) : next;
    }
    let rise = calm ? Tuning.CEILING_RISE_CALM : Tuning.CEILING_RISE;
    if (!calm && !this.recovering) {
      rise = Tuning.CEILING_RISE_NEAR;
    }
    const higher = ceiling * (1 + rise * Math.min(1, seconds));
    const over = higher > 2 * collapsed || higher > LARGEST_INT;
    return over ? next.with({ ceiling: Infinity, collapsed: Infinity }) : next.with({ ceiling: higher });
  }
}

/** Load of the processors in a window. */
export class ProcessorLoad {
  constructor(
    readonly count: number,
    private readonly window: Window,
    private readonly observation: Observation,
    private readonly collecting: number,
  ) {}

  private get available(): number {
    return this.count * this.observation.seconds * 1e9;
  }

  /** Whether the processors have little to do, garbage collection included. */
  get idle(): boolean {
    return (
      this.window.processCpu >= 0 &&
      this.window.processCpu < Tuning.PROCESSORS_IDLE * this.available &&
      this.collecting < Tuning.PROCESSORS_IDLE
    );
  }

  /** Whether the workers compute more than they wait, and all processors are busy. */
  get saturated(): boolean {
    const { busy, seconds } = this.observation;
    const computing = this.window.workerCpu / (busy * seconds * 1e9);
    const used = Math.max(this.window.workerCpu, this.window.processCpu);
    return computing > Tuning.COMPUTING && used > Tuning.PROCESSORS_SATURATED * this.available;
  }
}

/** Sizes that are candidates after a window. */
export class CandidateSizes {
  /** `slow`: whether a task takes longer than a window. */
  constructor(
    private readonly knowledge: Knowledge,
    private readonly demand: Demand,
    private readonly guard: CollapseGuard,
    private readonly growth: GrowthTrial,
    private readonly load: ProcessorLoad,
    private readonly bounds: Bounds,
    private readonly slow: boolean,
  ) {}

  /** Returns the candidates up to a place: coarse sizes, sizes with evidence, and neighbours of the best of them. */
  upTo(last: number, here: number): number[] {
    const places = new Set(COARSE);
    let best = here;
    let most = -Infinity;
    for (const entry of this.knowledge.evidence) {
      places.add(entry.place);
      if (entry.weight > 1 && entry.level > most) {
        most = entry.level;
        best = entry.place;
      }
    }
    for (let place = Math.max(0, best - Tuning.NEIGHBOURS); place <= best + Tuning.NEIGHBOURS; place++) {
      places.add(place);
    }
    places.add(here);
    places.add(last);
    const first = Math.min(last, this.first);
    return [...places].filter((place) => place >= first && place <= last && place < COUNT).sort((a, b) => a - b);
  }

  /** Returns the place of the smallest size for an experiment; a limit that rejects goes down in small steps. */
  smallest(window: Observation): number {
    const first = this.knowledge.evidence.at(0);
    const leap = window.rejecting ? Tuning.PATIENT_LEAP : Tuning.LEAP;
    const reach = Math.max(this.first, atLeast((first === undefined ? 1 : sizeAt(first.place)) / leap));
    return window.rejecting || !window.countsCompletions ? reach : Math.max(reach, this.knowledge.smallestHopeful);
  }

  /** Returns the place of the largest candidate. */
  largest(window: Observation): number {
    return Math.min(this.promising(window), nearest(this.bounds.maximum));
  }

  /** Returns the place of the largest size that could be of use, whatever the bounds. */
  promising(window: Observation): number {
    const useful = this.demand.usefulWorkers(window.atCapacity);
    const patient = (this.slow && !this.load.idle) || window.rejecting;
    const leap = isSparse(window) ? Tuning.SPARSE_LEAP : patient ? Tuning.PATIENT_LEAP : Tuning.LEAP;
    const tried = sizeAt(Math.max(0, this.knowledge.largestTried));
    let last = Math.min(atLeast(Tuning.NEARLY * useful), atLeast(leap * tried));
    if (this.guard.limiting) {
      const step = Math.max(safeSize(this.load.count), Tuning.CAREFUL_LEAP * window.size);
      const most = Math.min(this.guard.ceiling, Math.max(step, this.guard.proven));
      last = Math.min(last, below(most));
    }
    if (this.growth.isBarring) {
      last = Math.min(last, below(this.growth.ceiling));
    }
    if (window.rejecting) {
      const near = atLeast(Math.max(Tuning.LEAP, Tuning.NEAR_BEST * sizeAt(this.knowledge.best)));
      last = Math.min(last, Math.max(near, this.knowledge.firstBeyond(Tuning.WORSE, 0)));
    }
    const oversized = this.load.saturated || window.oversized;
    return oversized ? Math.min(last, atLeast(window.size)) : last;
  }

  /** Place of the smallest size within the bounds. */
  private get first(): number {
    return nearest(this.bounds.minimum);
  }
}

/** Returns the place in the grid of the largest size that is not above a number. */
function below(most: number): number {
  return Math.max(0, atLeast(Math.floor(most) + 1) - 1);
}

/**
 * Returns whether next to nothing has ended. Where each worker has ended a task and as many wait, even two show what a
 * task takes.
 */
function isSparse(window: Observation): boolean {
  return (
    window.completions < Tuning.ENOUGH_COMPLETIONS &&
    (window.completions < Math.max(2, window.size) || window.waiting < window.size)
  );
}
