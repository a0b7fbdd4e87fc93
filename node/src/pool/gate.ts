import fs from "node:fs";

/**
 * FIFO at which workers of a pool wait. A byte in it lets a worker go on, whichever it is. A read that finds a byte when
 * its turn comes passes at once.
 */
export class Gate {
  /** Reads that have not ended. */
  private reads = 0;
  /** Bytes written that no read is known to have taken. */
  private bytes = 0;
  /** Whether a worker may have waited here since the gate was last free. */
  private held = false;
  /** Descriptor for reading without waiting, opened at its first use. */
  private taking: number | undefined;

  /**
   * @param fifo descriptor of a FIFO that is open for reading and writing
   * @param ended is called when a read has ended, with its error, and whether a worker may have waited in it
   */
  constructor(
    private readonly fifo: number,
    private readonly ended: (error: Error | null, held: boolean) => void,
  ) {}

  /** Whether no read is under way. */
  get free(): boolean {
    return this.reads === 0;
  }

  /** Workers that wait here, or will when their turn comes. */
  get parked(): number {
    return this.reads - this.bytes;
  }

  /** Queues reads behind the tasks that came before. */
  queue(count: number): void {
    for (let i = 0; i < count; i++) {
      this.reads++;
      fs.read(this.fifo, Buffer.alloc(1), 0, 1, null, (error) => {
        this.reads--;
        this.bytes--;
        const { held } = this;
        this.held &&= !this.free;
        this.ended(error, held);
      });
    }
    this.held ||= this.parked > 0;
  }

  /** Lets workers go on, or reads pass that are still queued. */
  release(count: number): void {
    if (count > 0) {
      this.bytes += count;
      fs.writeSync(this.fifo, Buffer.alloc(count));
    }
  }

  /** Takes bytes back, so that as many queued reads wait when their turn comes. Returns their number. */
  takeBack(count: number): number {
    if (count === 0 || this.bytes === 0) {
      return 0;
    }
    const { O_RDONLY, O_NONBLOCK } = fs.constants;
    this.taking ??= fs.openSync(`/proc/self/fd/${this.fifo}`, O_RDONLY | O_NONBLOCK);
    try {
      const taken = fs.readSync(this.taking, Buffer.alloc(count));
      this.bytes -= taken;
      this.held ||= taken > 0;
      return taken;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "EAGAIN") {
        return 0;
      }
      throw error;
    }
  }
}
