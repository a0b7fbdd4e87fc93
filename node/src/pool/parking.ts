import fs from "node:fs";
import type { Resizable } from "../control-loop.js";

/**
 * Sizes a thread pool of fixed size: surplus workers wait in the read of a FIFO. A byte in the FIFO releases a worker,
 * whichever it is. A worker that runs a task is parked when it is done with the tasks that came before.
 */
export class Parking implements Resizable {
  readonly bounds: readonly [number, number];
  /** Reads that have not ended. */
  private reads = 0;
  /** Bytes written that no read has taken yet. */
  private owed = 0;
  /** Reads that have ended so far. */
  released = 0;
  /** Changes of the size so far. */
  resizes = 0;

  /**
   * @param maximum workers of the pool
   * @param fifo descriptor of a FIFO that is open for reading and writing
   * @param failed is called with the error when a worker cannot be parked
   */
  constructor(
    private readonly maximum: number,
    private readonly fifo: number,
    private readonly failed: (error: Error) => void,
  ) {
    this.bounds = [1, maximum];
  }

  /** Workers that may take tasks, as soon as the surplus ones are done. */
  get size(): number {
    return this.maximum - (this.reads - this.owed);
  }

  resize(size: number): void {
    const less = this.size - size;
    if (less === 0) {
      return;
    }
    this.resizes++;
    if (less > 0) {
      for (let i = 0; i < less; i++) {
        this.park();
      }
    } else {
      this.owed -= less;
      fs.writeSync(this.fifo, Buffer.alloc(-less));
    }
  }

  private park(): void {
    this.reads++;
    fs.read(this.fifo, Buffer.alloc(1), 0, 1, null, (error) => {
      this.reads--;
      this.owed--;
      this.released++;
      if (error !== null) {
        this.failed(error);
      }
    });
  }
}
