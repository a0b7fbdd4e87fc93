/** Metrics of the thread pool at the end of the last window. */
export interface PoolMetrics {
  /** Workers that the pool has; those that are parked included. */
  readonly maximum: number;
  /** Workers that may take tasks. */
  readonly size: number;
  /** Size that the controller asked for; differs from `size` while workers finish, and in a dry run. */
  readonly wanted: number;
  /** Mean number of workers that ran a task. */
  readonly busy: number;
  /** Mean number of tasks that waited for a worker. */
  readonly waiting: number;
  /** Mean time that a task waited for a worker, milliseconds. */
  readonly waitMillis: number;
  /** Longest such time, milliseconds. */
  readonly longestWaitMillis: number;
  /** Read and write calls of the workers per second; each task makes at least one, which wakes its event loop. */
  readonly callsPerSecond: number;
  /** Bytes of those calls per second. */
  readonly bytesPerSecond: number;
  /** Windows so far. */
  readonly windows: number;
  /** Changes of the size so far. */
  readonly resizes: number;
  /** Reason of the last decision. */
  readonly reason: string;
}

const NUMBERS = [
  "maximum",
  "size",
  "wanted",
  "busy",
  "waiting",
  "waitMillis",
  "longestWaitMillis",
  "callsPerSecond",
  "bytesPerSecond",
  "windows",
  "resizes",
] as const;

/** Offsets in bytes: a stop signal, a version that is odd while numbers change, the length of the text. */
const VERSION = 4;
const TEXT_LENGTH = 8;
const FIRST_NUMBER = 16;
const TEXT = FIRST_NUMBER + 8 * NUMBERS.length;

/** Memory by which the keeper tells all threads of the process about the pool. */
export class Board {
  private readonly flags: Int32Array;
  private readonly numbers: Float64Array;
  private readonly text: Uint8Array;

  constructor(memory: SharedArrayBuffer) {
    this.flags = new Int32Array(memory, 0, FIRST_NUMBER / 4);
    this.numbers = new Float64Array(memory, FIRST_NUMBER, NUMBERS.length);
    this.text = new Uint8Array(memory, TEXT);
  }

  /** Returns whether the process ends, so that no worker may be parked any more. */
  get stopping(): boolean {
    return Atomics.load(this.flags, 0) !== 0;
  }

  /** Replaces the metrics. */
  write(metrics: PoolMetrics): void {
    Atomics.add(this.flags, VERSION / 4, 1);
    NUMBERS.forEach((name, i) => {
      this.numbers[i] = metrics[name];
    });
    const { written } = new TextEncoder().encodeInto(metrics.reason, this.text);
    this.flags[TEXT_LENGTH / 4] = written;
    Atomics.add(this.flags, VERSION / 4, 1);
  }

  /** Reads the metrics; undefined before the first window. */
  read(): PoolMetrics | undefined {
    for (;;) {
      const version = Atomics.load(this.flags, VERSION / 4);
      if (version === 0) {
        return undefined;
      }
      const numbers = this.numbers.slice();
      // The decoder takes no shared memory.
      const text = this.text.slice(0, this.flags[TEXT_LENGTH / 4]);
      if (version % 2 === 0 && Atomics.load(this.flags, VERSION / 4) === version) {
        const values = Object.fromEntries(NUMBERS.map((name, i) => [name, numbers[i]]));
        return { ...(values as Omit<PoolMetrics, "reason">), reason: new TextDecoder().decode(text) };
      }
    }
  }
}
