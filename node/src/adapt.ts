import { Adaptation, requireOptions, type AdaptOptions, type LimitMetrics } from "./adaptation.js";
import type { Resizable } from "./control-loop.js";
import { clock, TaskMeter } from "./limiter.js";

/** Largest number of tasks at a time unless another is given. */
const STANDARD_MAXIMUM = 256;

type Task = (...values: never[]) => unknown;

/** Limit of the package p-limit, from version 6 on. */
export interface LimitFunction {
  <Values extends unknown[], Result>(
    task: (...values: Values) => PromiseLike<Result> | Result,
    ...values: Values
  ): Promise<Result>;
  concurrency: number;
  readonly pendingCount: number;
  clearQueue(): void;
}

/** Queue of the package p-queue. */
export interface TaskQueue {
  concurrency: number;
  readonly size: number;
  add(task: never, options?: never): Promise<unknown>;
  clear(): void;
}

/** Limit that is kept at its best size. */
export interface Adapted<T> {
  /** Limit to use from now on. */
  readonly limit: T;
  /** Returns the metrics of the last window. */
  readonly metrics: () => LimitMetrics;
  /** Ends the adaptation; the size stays. */
  readonly close: () => void;
}

/** Limits that are adapted now: a second adaptation would undo the sizes of the first. */
const ADAPTED = new WeakSet<object>();

/** Concurrency of a limit as a size. */
class Concurrency implements Resizable {
  readonly bounds: readonly [number, number];

  constructor(
    private readonly target: { concurrency: number },
    maximum: number,
  ) {
    this.bounds = [1, maximum];
    target.concurrency = Math.min(target.concurrency, maximum);
  }

  get size(): number {
    return this.target.concurrency;
  }

  resize(size: number): void {
    this.target.concurrency = size;
  }
}

/**
 * Keeps the concurrency of a limit at its best size.
 *
 * @param limit a limit of p-limit, whose tasks count if they go through the `limit` that is returned, or a queue of
 *     p-queue, which is measured in place
 * @param options `maximum` is 256 unless it is given
 * @throws TypeError if the concurrency cannot be set
 * @throws RangeError naming an option that is wrong
 * @throws Error if the limit is adapted already
 */
export function adapt<T extends LimitFunction | TaskQueue>(limit: T, options: AdaptOptions = {}): Adapted<T> {
  if (typeof (limit as { concurrency?: unknown }).concurrency !== "number") {
    throw new TypeError("adapt needs a limit whose concurrency can be set: p-limit from version 6 on, or p-queue");
  }
  if (ADAPTED.has(limit)) {
    throw new Error("the limit is adapted already; close the first adaptation, or use its limit");
  }
  const size = new Concurrency(limit, requireOptions(options, STANDARD_MAXIMUM));
  const meter = new TaskMeter(() => size.size, clock);
  const adaptation = new Adaptation(size, meter, options);
  const adapted = typeof limit === "function" ? measureLimit(limit, meter) : measureQueue(limit, meter);
  const both = [limit, adapted];
  both.forEach((each) => ADAPTED.add(each));
  return {
    limit: adapted as T,
    metrics: () => adaptation.metrics(),
    close: () => {
      adaptation.close();
      both.forEach((each) => ADAPTED.delete(each));
    },
  };
}

/** Tasks that were handed to a limit and have not started. */
class WaitingTasks {
  private readonly tasks = new Set<object>();

  constructor(private readonly meter: TaskMeter) {}

  /** Measures a task that a limit starts some time; `submit` hands it to the limit. */
  async measure(task: Task, submit: (measured: Task) => Promise<unknown>): Promise<unknown> {
    const arrived = this.meter.arrived();
    const token = {};
    this.tasks.add(token);
    try {
      return await submit(async (...values) => {
        if (!this.tasks.delete(token)) {
          this.meter.arrived();
        }
        const started = this.meter.started();
        let failed = true;
        try {
          const result: unknown = await task(...values);
          failed = false;
          return result;
        } finally {
          this.meter.finished(arrived, started, failed);
        }
      });
    } finally {
      // A limit that rejects a task has not started it.
      this.drop([token]);
    }
  }

  /** Drops the tasks that came last. */
  dropLast(count: number): void {
    this.drop(count === 0 ? [] : [...this.tasks].slice(-count));
  }

  private drop(tokens: readonly object[]): void {
    this.meter.dropped(tokens.filter((token) => this.tasks.delete(token)).length);
  }
}

function measureLimit(limit: LimitFunction, meter: TaskMeter): LimitFunction {
  const waiting = new WaitingTasks(meter);
  const run = (task: Task, ...values: unknown[]): Promise<unknown> =>
    waiting.measure(task, (measured) => limit(measured, ...(values as [])));
  const own: Partial<Record<string | symbol, unknown>> = {
    map: (items: Iterable<unknown>, task: Task) => Promise.all(Array.from(items, (item, i) => run(task, item, i))),
    clearQueue: () => {
      waiting.dropLast(limit.pendingCount);
      limit.clearQueue();
    },
  };
  // A proxy of the limit itself could not replace its methods, which are read-only.
  return new Proxy((() => undefined) as unknown as LimitFunction, {
    apply: (_target, _self, values: [Task, ...unknown[]]) => run(...values),
    get: (_target, name) => {
      const value: unknown = Reflect.get(limit, name);
      return own[name] ?? value;
    },
    set: (_target, name, value) => Reflect.set(limit, name, value),
  });
}

function measureQueue(queue: TaskQueue, meter: TaskMeter): TaskQueue {
  const waiting = new WaitingTasks(meter);
  const add = queue.add.bind(queue);
  const clear = queue.clear.bind(queue);
  queue.add = (task: never, options?: never) => waiting.measure(task, (measured) => add(measured as never, options));
  queue.clear = () => {
    waiting.dropLast(queue.size);
    clear();
  };
  return queue;
}
