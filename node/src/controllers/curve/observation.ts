import { higherIsBetter, type Objective } from "../../objective.js";
import { seconds, throughput, type Window } from "../../window.js";
import { Tuning } from "./tuning.js";

/** More than this is not a count of tasks. */
const MOST = 1e15;
const LARGEST_INT = 2 ** 31 - 1;

/** Values of an observation. */
export interface Observed {
  readonly seconds: number;
  readonly size: number;
  readonly busy: number;
  readonly waiting: number;
  readonly mostWaiting: number;
  readonly arrivals: number;
  readonly rejected: number;
  readonly ended: number;
  readonly completions: number;
  /** Reward per second. */
  readonly rate: number;
  /** Seconds that workers spent on the tasks that ended, also before; 0 if unknown. */
  readonly worked: number;
}

function within(value: number, largest: number): boolean {
  return value >= 0 && value <= largest; // False for NaN.
}

function workedIn(window: Window): number {
  const worked = ((window.completions + window.failures) * window.serviceMean) / 1e9;
  return worked > 0 && worked < MOST ? worked : 0; // False for NaN.
}

/** Converts the objective into a rate by Little's law. */
function rateOf(window: Window, objective: Objective): number {
  const completed = throughput(window);
  switch (objective.kind) {
    case "disk-throughput":
      return objective.value(window);
    case "goodput":
      return objective.value(window) + Tuning.BADPUT * completed;
    default:
      return higherIsBetter(objective) || window.completions === 0
        ? completed
        : (completed * window.responseMean) / objective.value(window);
  }
}

/** Values of a valid window, and their reliability. */
export class Observation implements Observed {
  readonly seconds: number;
  readonly size: number;
  readonly busy: number;
  readonly waiting: number;
  readonly mostWaiting: number;
  readonly arrivals: number;
  readonly rejected: number;
  readonly ended: number;
  readonly completions: number;
  readonly rate: number;
  readonly worked: number;

  constructor(values: Observed) {
    this.seconds = values.seconds;
    this.size = values.size;
    this.busy = values.busy;
    this.waiting = values.waiting;
    this.mostWaiting = values.mostWaiting;
    this.arrivals = values.arrivals;
    this.rejected = values.rejected;
    this.ended = values.ended;
    this.completions = values.completions;
    this.rate = values.rate;
    this.worked = values.worked;
  }

  /** Returns the observation of a window, undefined if its values are not valid. */
  static of(window: Window, objective: Objective): Observation | undefined {
    const { size, completions, failures } = window;
    const valid =
      seconds(window) > 0 &&
      seconds(window) < Infinity &&
      size > 0 &&
      size < Math.floor(LARGEST_INT / 8) &&
      within(window.busy, 8.0 * size + 1e6) &&
      within(window.queueMean, LARGEST_INT) &&
      within(window.arrivals, MOST) &&
      within(completions, MOST) &&
      within(failures, MOST) &&
      within(window.rejections, MOST);
    if (!valid) {
      return undefined;
    }
    const rate = rateOf(window, objective);
    // A percentile makes a rate of 0 of completions that took no time; it has no logarithm.
    if (!Number.isFinite(rate) || !(rate > 0 || (rate === 0 && completions === 0))) {
      return undefined;
    }
    return new Observation({
      seconds: seconds(window),
      size,
      busy: window.busy,
      waiting: window.queueMean,
      mostWaiting: window.queueMax,
      arrivals: window.arrivals,
      rejected: window.rejections,
      ended: completions + failures,
      completions,
      rate,
      worked: workedIn(window),
    });
  }

  /** Tasks in the system, and those that were rejected. */
  get inSystem(): number {
    const { rejected } = this;
    return (
      this.busy + this.waiting + (this.completions > 0 ? (rejected / this.seconds) * this.serviceSeconds : rejected)
    );
  }

  /** Tasks that came and did not end: at the end there were at least as many. */
  get left(): number {
    return this.arrivals - this.rejected - this.ended;
  }

  /** Whether most workers had nothing to do, and yet more tasks are left than they can take at once: those just came. */
  get filling(): boolean {
    return this.idling && this.left > Math.max(this.size, this.busy + this.waiting);
  }

  /** Returns the observation with those tasks in the system all the time, as at the end. */
  atEnd(): Observation {
    const { seconds, size, mostWaiting, arrivals, rejected, ended, completions, rate, worked } = this;
    const busy = Math.min(size, this.left);
    const waiting = this.left - busy;
    const sums = { mostWaiting, arrivals, rejected, ended, completions, rate, worked };
    return new Observation({ ...sums, seconds, size, busy, waiting });
  }

  /** Whether most of the work on the tasks that ended was done before the window: their rate is not that of the busy. */
  get ofEarlierWork(): boolean {
    // A host may measure next to nothing as busy where tasks are short.
    return this.worked > Tuning.EARLIER_WORK * Math.max(1, this.busy) * this.seconds;
  }

  get utilisation(): number {
    return this.busy / this.size;
  }

  /** Whether more workers are busy than the size. */
  get shrinking(): boolean {
    return this.utilisation > 1 + Tuning.SHRINKING_EXCESS + 0.5 / this.size;
  }

  /** Whether more workers would have had something to do. */
  get sizeLimited(): boolean {
    return this.rejecting || this.queueing;
  }

  /** Whether the reward is the number of completions. */
  get countsCompletions(): boolean {
    return Math.abs(this.rate * this.seconds - this.completions) <= 1e-6 * this.completions;
  }

  /** Whether a limit rejected tasks, beyond a few by chance. */
  get rejecting(): boolean {
    return this.rejected > 1 && this.rejected > Tuning.REJECTED * this.arrivals;
  }

  private get queueing(): boolean {
    const { utilisation, waiting } = this;
    return waiting > 0.5 && (utilisation > Tuning.FULL || (utilisation > Tuning.MOSTLY_FULL && waiting > this.size));
  }

  /** Whether tasks waited while workers idled, more of them than chance explains (Sakasegawa's approximation). */
  get starved(): boolean {
    const load = Math.min(this.utilisation, Tuning.FULL);
    const byChance = Math.pow(load, Math.sqrt(2.0 * (this.size + 1))) / (1 - load);
    return (
      this.utilisation <= Tuning.FULL &&
      (!this.idling || this.waitedDespiteIdleWorkers) &&
      this.waiting > 1 + Tuning.STARVED_BEYOND_CHANCE * byChance &&
      this.waiting > Tuning.STARVED_WAITING * this.busy
    );
  }

  private get idling(): boolean {
    return this.utilisation <= Tuning.IDLING;
  }

  /** Whether more workers would have had nothing to do. */
  get oversized(): boolean {
    return this.idling || (this.starved && this.waitedDespiteIdleWorkers);
  }

  /** Whether tasks waited for longer than all workers can have been busy, which excludes a burst. */
  private get waitedDespiteIdleWorkers(): boolean {
    return this.waiting > this.utilisation * this.mostWaiting;
  }

  /** Whether the rate is the capacity of the size. */
  get atCapacity(): boolean {
    return this.sizeLimited || this.starved;
  }

  /** Mean service time of a task by Little's law. */
  get serviceSeconds(): number {
    return (this.busy * this.seconds) / this.completions;
  }

  /** Number of workers at which the rate was observed. */
  get concurrency(): number {
    return this.atCapacity ? this.size : this.busy < 1 ? Math.sqrt(Math.max(Tuning.LEAST_BUSY, this.busy)) : this.busy;
  }

  /** Returns the standard deviation of the rate because the concurrency was not constant. */
  blur(before: number): number {
    const idle = Math.max(0, 1 - this.utilisation);
    const free = this.starved
      ? Tuning.STARVED_BLUR * Math.min(1, 2 * idle)
      : this.sizeLimited
        ? 0
        : Math.max(Tuning.FREE_BLUR, idle);
    if (before <= 0 || before === this.size || this.completions === 0) {
      return free;
    }
    const moved = Math.abs(Math.log(this.size / before));
    return free + Math.min(Tuning.LARGEST_TRANSIENT, (Tuning.TRANSIENT * moved * this.serviceSeconds) / this.seconds);
  }
}

/** Sum of the windows at a size until enough tasks have ended to learn from them. */
export class WindowAccumulator {
  static readonly EMPTY = new WindowAccumulator(
    {
      seconds: 0,
      size: 0,
      busy: 0,
      waiting: 0,
      mostWaiting: 0,
      arrivals: 0,
      rejected: 0,
      ended: 0,
      completions: 0,
      rate: 0,
      worked: 0,
    },
    0,
    0,
  );

  /**
   * @param sum sums; `busy`, `waiting` and `rate` are those of values times seconds
   * @param stalledSeconds seconds since the last end of a task, at any size
   * @param growthSeconds those of them before the last worker was added without evidence, 0 if none
   */
  constructor(
    private readonly sum: Observed,
    readonly stalledSeconds: number,
    readonly growthSeconds: number,
  ) {}

  get seconds(): number {
    return this.sum.seconds;
  }

  get completions(): number {
    return this.sum.completions;
  }

  /** Adds a window; a window of another size starts a new sum. */
  plus(window: Observation): WindowAccumulator {
    const before = window.size === this.sum.size ? this.sum : WindowAccumulator.EMPTY.sum;
    const length = window.seconds;
    const stands = window.ended === 0 && window.rate === 0;
    return new WindowAccumulator(
      {
        size: window.size,
        seconds: before.seconds + length,
        busy: before.busy + window.busy * length,
        waiting: before.waiting + window.waiting * length,
        mostWaiting: Math.max(before.mostWaiting, window.mostWaiting),
        arrivals: before.arrivals + window.arrivals,
        rejected: before.rejected + window.rejected,
        ended: before.ended + window.ended,
        completions: before.completions + window.completions,
        rate: before.rate + window.rate * length,
        worked: before.worked + window.worked,
      },
      stands ? this.stalledSeconds + length : 0,
      stands ? this.growthSeconds : 0,
    );
  }

  /** Returns an empty sum. A time in which nothing ended goes on. */
  emptied(): WindowAccumulator {
    return new WindowAccumulator(WindowAccumulator.EMPTY.sum, this.stalledSeconds, this.growthSeconds);
  }

  /** Notes that a worker is added without evidence. */
  withGrowth(): WindowAccumulator {
    return new WindowAccumulator(this.sum, this.stalledSeconds, this.stalledSeconds);
  }

  /** Whether the sum shows the effect of the size. */
  get complete(): boolean {
    const { completions, busy, seconds } = this.sum;
    return (
      (completions >= Tuning.ENOUGH_COMPLETIONS && completions >= busy / seconds) ||
      (completions > 0 && seconds >= Tuning.GATHERING_SECONDS)
    );
  }

  get hasEnoughCompletions(): boolean {
    return this.sum.completions >= Tuning.ENOUGH_COMPLETIONS;
  }

  /**
   * Returns whether so few tasks have ended that the size is worse than one with a rate, beyond chance. One or two tell
   * enough once each worker should have ended many.
   */
  isWorseThan(rate: number): boolean {
    const { completions, seconds, size } = this.sum;
    const most = completions + 1 + 2 * Math.sqrt(completions + 1);
    const expectedOfEach = (rate * seconds) / size;
    return (
      (completions >= Tuning.ENOUGH_COMPLETIONS || (completions > 0 && expectedOfEach >= Tuning.MANY_COMPLETIONS)) &&
      ((this.sum.rate / seconds) * most) / completions < Tuning.COLLAPSED * rate
    );
  }

  /** Returns whether so few tasks have ended at a familiar size that its rate has fallen. */
  hasFallenFrom(rate: number): boolean {
    const { completions, seconds } = this.sum;
    return (
      completions > 0 &&
      completions < Tuning.ENOUGH_COMPLETIONS &&
      rate * seconds * completions >= Tuning.MANY_COMPLETIONS * this.sum.rate
    );
  }

  /** Reward per second of a few completions, or of half a one. */
  get roughRate(): number {
    const { completions, rate, seconds } = this.sum;
    const few = completions > 0 ? rate * (1 + 0.5 / completions) : Math.max(rate, 0.5);
    return few / seconds;
  }

  /** Sum as a single window. */
  get observation(): Observation {
    const { seconds } = this.sum;
    return new Observation({
      ...this.sum,
      busy: this.sum.busy / seconds,
      waiting: this.sum.waiting / seconds,
      rate: this.sum.rate / seconds,
    });
  }
}
