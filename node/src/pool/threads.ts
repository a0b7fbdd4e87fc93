import fs from "node:fs";

/** State of a worker at a moment. */
export type WorkerState = "busy" | "idle" | "parked";

/** Numbers of the system calls `read` and `futex`, by architecture. */
const CALLS: Partial<Record<string, { read: string; futex: string }>> = {
  x64: { read: "0", futex: "202" },
  arm64: { read: "63", futex: "98" },
};

const buffer = Buffer.alloc(1024);

/** File of /proc, kept open where there are descriptors for that. */
class ProcFile {
  private readonly descriptor: number | undefined;
  private last = "";

  constructor(
    private readonly path: string,
    keepOpen: boolean,
  ) {
    this.descriptor = keepOpen ? fs.openSync(path, "r") : undefined;
  }

  read(): string {
    if (this.descriptor === undefined) {
      try {
        this.last = fs.readFileSync(this.path, "latin1");
      } catch (error) {
        // The application has all descriptors for the moment.
        if ((error as NodeJS.ErrnoException).code !== "EMFILE") {
          throw error;
        }
      }
      return this.last;
    }
    return buffer.toString("latin1", 0, fs.readSync(this.descriptor, buffer, 0, buffer.length, 0));
  }
}

/** Counters of a worker since it started. */
export interface ThreadCounters {
  /** Bytes of its read and write calls. */
  readonly bytes: number;
  /** Read and write calls. */
  readonly calls: number;
  /** Nanoseconds on a processor. */
  readonly cpu: number;
}

/** Files of a thread in /proc. */
export class ThreadFiles {
  private readonly io: ProcFile;
  private readonly schedstat: ProcFile;
  private readonly syscall: ProcFile | undefined;
  private readonly stat: ProcFile | undefined;
  private readonly readsOfGates: readonly string[];
  private readonly futex: string;

  /**
   * @param id thread id
   * @param fifos descriptors at which parked workers wait
   * @param keepOpen whether to keep the files open, which makes a reading cheaper
   */
  constructor(id: string, fifos: readonly number[], keepOpen: boolean) {
    const file = (name: string): ProcFile => new ProcFile(`/proc/self/task/${id}/${name}`, keepOpen);
    this.io = file("io");
    this.schedstat = file("schedstat");
    const calls = syscallsAreReadable() ? CALLS[process.arch] : undefined;
    this.syscall = calls === undefined ? undefined : file("syscall");
    this.stat = calls === undefined ? file("stat") : undefined;
    this.readsOfGates = fifos.map((fifo) => `${calls?.read ?? ""} 0x${fifo.toString(16)} `);
    this.futex = `${calls?.futex ?? ""} `;
  }

  counters(): ThreadCounters {
    const io = this.io.read();
    return {
      bytes: field(io, "rchar") + field(io, "wchar"),
      calls: field(io, "syscr") + field(io, "syscw"),
      cpu: Number.parseInt(this.schedstat.read(), 10),
    };
  }

  /** Returns the state; where system calls cannot be read, a parked worker and one at the network pass as idle. */
  state(): WorkerState {
    if (this.syscall !== undefined) {
      const call = this.syscall.read();
      return call.startsWith(this.futex) ? "idle" : this.isAtGate(call) ? "parked" : "busy";
    }
    const stat = this.stat?.read() ?? "";
    const state = stat.charAt(stat.lastIndexOf(")") + 2);
    return state === "R" || state === "D" ? "busy" : "idle";
  }

  private isAtGate(call: string): boolean {
    return this.readsOfGates.some((read) => call.startsWith(read));
  }
}

let readable: boolean | undefined;

function syscallsAreReadable(): boolean {
  try {
    readable ??= fs.readFileSync("/proc/thread-self/syscall", "latin1").length > 1;
  } catch {
    readable = false;
  }
  return readable;
}

function field(text: string, name: string): number {
  const start = text.indexOf(name);
  return start < 0 ? 0 : Number.parseInt(text.slice(start + name.length + 2), 10);
}
