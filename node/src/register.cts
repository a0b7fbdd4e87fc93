/**
 * Preload that sizes the thread pool of libuv: `node --import poolkeeper/register app.js`.
 *
 * It is a CommonJS module, because loading an ES module uses the pool, and the pool keeps the size that it has at its
 * first use.
 */
import childProcess = require("node:child_process");
import fs = require("node:fs");
import os = require("node:os");
import path = require("node:path");
import url = require("node:url");
import worker = require("node:worker_threads");
import limits = require("./limits.cjs");
import names = require("./names.cjs");

/** Key of the environment data by which all threads of the process find the keeper. */
const KEY = "poolkeeper";
const TASKS = "/proc/self/task";

const VARIABLES = ["MINIMUM", "MAXIMUM", "CONTROLLER", "OBJECTIVE", "MODE"].map((name) => `POOLKEEPER_${name}`);

/** Variable of the launcher, which may start the application. */
const HOME = "POOLKEEPER_HOME";

/** Size that libuv gives its pool unless it is told another. */
const USUAL_SIZE = 4;

/** Largest size that libuv accepts. */
const LARGEST_SIZE = 1024;
const STANDARD_MAXIMUM = 64;

/** FIFOs for checkpoints among the tasks that wait, so that the size falls without waiting behind them. */
const CHECKPOINTS = 12;

/** Bytes that end all reads of a FIFO: more than there can be workers, and fewer than the smallest pipe holds. */
const RELEASE = 2 * LARGEST_SIZE;

/** Length of the memory that the threads share; `pool/board.ts` tells what it holds. */
const BOARD_BYTES = 1024;

interface Settings {
  readonly minimum: number;
  readonly maximum: number;
  readonly first: number;
  readonly controller: string;
  readonly objective: string;
  readonly dryRun: boolean;
}

function say(message: string): void {
  try {
    fs.writeSync(2, `poolkeeper: ${message}\n`);
  } catch {
    // Nobody listens.
  }
}

function wholeNumber(name: string, standard: number): number {
  const text = process.env[name];
  if (text === undefined || text === "") {
    return standard;
  }
  const value = Number(text);
  // As libuv reads it, to which 1e2 is 1.
  if (!/^\d+$/.test(text.trim()) || value < 1 || value > LARGEST_SIZE) {
    throw new RangeError(`${name} must be a whole number from 1 to ${LARGEST_SIZE}, but is '${text}'`);
  }
  return value;
}

/** Reads a variable that has one of several values. */
function choice(name: string, values: readonly [standard: string, ...others: string[]]): string {
  const text = process.env[name];
  if (text === undefined || text === "") {
    return values[0];
  }
  if (!values.includes(text)) {
    const nearest = names.meant(text, values);
    const hint = nearest === undefined ? "" : `; did you mean ${nearest}?`;
    throw new RangeError(`${name} must be ${values.join(" or ")}, but is '${text}'${hint}`);
  }
  return text;
}

/** Tells of variables that look mistyped; the environment may hold others of the same beginning. */
function warnOfUnknown(): void {
  for (const name of Object.keys(process.env)) {
    const nearest = names.meant(name, VARIABLES);
    if (nearest !== undefined && !VARIABLES.includes(name) && name !== HOME) {
      say(`${name} is unknown and has no effect; did you mean ${nearest}?`);
    }
  }
}

function readSettings(): Settings {
  const first = wholeNumber("UV_THREADPOOL_SIZE", USUAL_SIZE);
  const maximum = wholeNumber("POOLKEEPER_MAXIMUM", Math.max(STANDARD_MAXIMUM, first));
  if (first > maximum) {
    throw new RangeError(`UV_THREADPOOL_SIZE must be <= POOLKEEPER_MAXIMUM, but ${first} > ${maximum}`);
  }
  // Workers that are idle cost nothing, so there is little to gain below the size of libuv.
  const minimum = wholeNumber("POOLKEEPER_MINIMUM", Math.min(USUAL_SIZE, first));
  if (minimum > first) {
    throw new RangeError(`POOLKEEPER_MINIMUM must be <= UV_THREADPOOL_SIZE, but ${minimum} > ${first}`);
  }
  return {
    minimum,
    maximum,
    first,
    controller: choice("POOLKEEPER_CONTROLLER", names.CONTROLLERS),
    objective: choice("POOLKEEPER_OBJECTIVE", names.POOL_OBJECTIVES),
    dryRun: choice("POOLKEEPER_MODE", ["active", "dry-run"]) === "dry-run",
  };
}

/** Makes FIFOs without names: a descriptor each at which workers wait, and nothing is left behind. */
function openFifos(count: number): number[] {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "poolkeeper-"));
  const fifos: number[] = [];
  try {
    const names = Array.from({ length: count }, (_, i) => path.join(folder, `fifo-${i}`));
    const made = childProcess.spawnSync("mkfifo", ["-m", "600", ...names], { stdio: "ignore" });
    if (made.status !== 0) {
      throw new Error(`mkfifo does not work (${made.error?.message ?? `exit code ${String(made.status)}`})`);
    }
    for (const name of names) {
      // Open for both, so that a read waits for a byte and never meets the end.
      fifos.push(fs.openSync(name, "r+"));
    }
    return fifos;
  } catch (error) {
    close(fifos);
    throw error;
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

function close(descriptors: readonly number[]): void {
  for (const descriptor of descriptors) {
    fs.closeSync(descriptor);
  }
}

/** Starts the pool with a size, and returns the thread ids of its workers. */
function startPool(size: number): string[] {
  const before = new Set(fs.readdirSync(TASKS));
  const setting = process.env["UV_THREADPOOL_SIZE"];
  process.env["UV_THREADPOOL_SIZE"] = String(size);
  // The first request starts all workers before it returns.
  fs.stat(TASKS, () => undefined);
  const workers = fs.readdirSync(TASKS).filter((id) => !before.has(id));
  // Child processes size their own pools.
  if (setting === undefined) {
    delete process.env["UV_THREADPOOL_SIZE"];
  } else {
    process.env["UV_THREADPOOL_SIZE"] = setting;
  }
  return workers;
}

/**
 * Calls a function when the process ends, before anything waits for workers. It is no listener of `exit`, since an
 * application may remove those.
 */
function atExit(release: () => void): void {
  const target = process as unknown as Record<"emit" | "reallyExit", (...values: unknown[]) => unknown>;
  const { emit, reallyExit } = target;
  target.emit = function (this: unknown, ...values: unknown[]) {
    if (values[0] === "exit") {
      release();
    }
    return Reflect.apply(emit, this, values);
  };
  target.reallyExit = function (this: unknown, ...values: unknown[]) {
    release();
    return Reflect.apply(reallyExit, this, values);
  };
}

function start(settings: Settings): void {
  if (!fs.existsSync(`${TASKS}/${process.pid}/io`)) {
    throw new Error("this platform has no /proc with counters of threads");
  }
  const allowed = limits.workersAllowed();
  if (settings.maximum > allowed) {
    throw new Error(
      `limits on processes (pids.max, ulimit -u) leave room for ${allowed} workers, not ${settings.maximum}; ` +
        "set POOLKEEPER_MAXIMUM",
    );
  }
  const plenty = limits.plentyOfDescriptors(settings.maximum);
  const fifos = openFifos(plenty ? 1 + CHECKPOINTS : 1);
  const workers = startPool(settings.maximum);
  if (workers.length !== settings.maximum) {
    close(fifos);
    throw new Error(
      workers.length === 0
        ? "the pool was in use before poolkeeper/register was loaded; name it before other modules"
        : `${workers.length} of ${settings.maximum} workers started`,
    );
  }
  const board = new SharedArrayBuffer(BOARD_BYTES);
  const stopping = new Int32Array(board, 0, 1);
  let released = false;
  const release = (): void => {
    if (!released) {
      released = true;
      Atomics.store(stopping, 0, 1);
      for (const fifo of fifos) {
        fs.writeSync(fifo, Buffer.alloc(RELEASE));
      }
    }
  };
  atExit(release);
  worker.setEnvironmentData(KEY, board);
  const keeper = new worker.Worker(url.pathToFileURL(path.join(__dirname, "pool", "keeper.js")), {
    name: "poolkeeper",
    workerData: { board, fifos, workers, settings, keepOpen: plenty },
    execArgv: [],
    trackUnmanagedFds: false,
    resourceLimits: { maxOldGenerationSizeMb: 64 },
  });
  keeper.on("error", (error) => {
    release();
    const problem = `the pool stays at ${settings.maximum} workers: ${error.message}`;
    worker.setEnvironmentData(KEY, problem);
    say(problem);
  });
  keeper.unref();
}

function register(): void {
  // Other threads share the pool, and a second registration finds the first.
  const registered: unknown = worker.getEnvironmentData(KEY);
  if (!worker.isMainThread || registered !== undefined) {
    return;
  }
  try {
    warnOfUnknown();
    start(readSettings());
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    worker.setEnvironmentData(KEY, reason);
    say(`the thread pool is left alone: ${reason}`);
  }
}

register();
