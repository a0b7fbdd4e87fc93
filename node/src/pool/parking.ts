import type { Resizable } from "../control-loop.js";
import { Gate } from "./gate.js";

/** Shortest time between two checkpoints, milliseconds. */
const SHORTEST_GAP = 100;

/**
 * Descriptors of FIFOs that are open for reading and writing: one for reads at the end of the queue, the others for
 * checkpoints.
 */
export type Fifos = readonly [end: number, ...checkpoints: number[]];

/**
 * Sizes a thread pool of fixed size: surplus workers wait in the read of a FIFO.
 *
 * A read that is queued when the size falls would wait behind all tasks that came before. So while tasks wait, checkpoints
 * are queued among them: some reads of a gate of their own, which has a byte for each and lets them pass. When the size
 * falls, the bytes of the oldest checkpoint are taken back, and workers stop there. A gate is no checkpoint again before
 * all its reads have ended, because a worker that waits there would take the byte of a later read.
 */
export class Parking implements Resizable {
  readonly bounds: readonly [least: number, most: number];
  /** Gate behind all tasks. */
  private readonly end: Gate;
  private readonly gates: readonly Gate[];
  /** Gates with reads that are still queued, the oldest first. */
  private checkpoints: Gate[] = [];
  private nextCheckpoint = 0;
  /** Reads that have ended so far in which a worker may have waited. */
  released = 0;
  /** Other reads that have ended so far. */
  passed = 0;
  /** Changes of the size so far. */
  resizes = 0;

  /**
   * @param bounds smallest size, and number of workers of the pool
   * @param ended is called when a read has ended
   * @param failed is called with the error when a worker cannot be parked
   */
  constructor(
    bounds: readonly [least: number, most: number],
    fifos: Fifos,
    ended: () => void,
    failed: (error: Error) => void,
  ) {
    this.bounds = bounds;
    const gate = (fifo: number): Gate =>
      new Gate(fifo, (error, held) => {
        this.released += held ? 1 : 0;
        this.passed += held ? 0 : 1;
        ended();
        if (error !== null) {
          failed(error);
        }
      });
    const [end, ...others] = fifos;
    this.end = gate(end);
    this.gates = others.map(gate);
  }

  /** Workers that may take tasks, as soon as the surplus ones are done. */
  get size(): number {
    return this.gates.reduce((size, gate) => size - gate.parked, this.bounds[1] - this.end.parked);
  }

  resize(size: number): void {
    const more = size - this.size;
    if (more !== 0) {
      this.resizes++;
    }
    if (more > 0) {
      this.grow(more);
    } else {
      this.shrink(-more);
    }
  }

  private grow(count: number): void {
    let left = count;
    // The gates at which few wait become free the soonest.
    for (const gate of [...this.gates.toSorted((a, b) => a.parked - b.parked), this.end]) {
      const released = Math.min(left, gate.parked);
      gate.release(released);
      left -= released;
    }
  }

  private shrink(count: number): void {
    let left = count;
    for (const gate of this.checkpoints) {
      left -= gate.takeBack(left);
    }
    this.end.queue(left);
  }

  /**
   * Queues a checkpoint if one is due; to be called again and again while tasks wait.
   *
   * @param now milliseconds
   * @param wait time that a task waits, milliseconds
   */
  checkpoint(now: number, wait: number): void {
    const { size } = this;
    // No more than the steps of the controllers need.
    const count = size - Math.max(this.bounds[0], Math.ceil(size / 4));
    const gate = this.gates.find(({ free }) => free);
    if (now < this.nextCheckpoint || count <= 0 || gate === undefined) {
      return;
    }
    // About half of the gates are in the queue then, and the others are left for workers that wait.
    this.nextCheckpoint = now + Math.max(SHORTEST_GAP, (2 * wait) / this.gates.length);
    this.checkpoints = [...this.checkpoints.filter(({ free }) => !free), gate];
    gate.release(count);
    gate.queue(count);
  }

  /** Makes gates free again, where workers wait; to be called while no task waits. */
  gather(): void {
    for (const gate of this.gates) {
      const { parked } = gate;
      if (parked > 0) {
        this.end.queue(parked);
        gate.release(parked);
      }
    }
  }
}
