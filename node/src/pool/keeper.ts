/** Thread that measures the pool of the process and parks its surplus workers. */
import fs from "node:fs";
import { isMainThread, workerData } from "node:worker_threads";
import { ControlLoop } from "../control-loop.js";
import { controllerNamed, DEFAULT_CONTROLLER } from "../controllers/named.js";
import { SECOND } from "../window.js";
import { Board } from "./board.js";
import { Parking } from "./parking.js";
import { bytesPerSecond, PoolSensor } from "./pool-sensor.js";
import { ThreadFiles } from "./threads.js";

/** Time between two looks at the workers, milliseconds. */
const SAMPLE_MILLIS = 25;

/** The same while nothing happens. */
const IDLE_SAMPLE_MILLIS = 500;

interface KeeperData {
  readonly board: SharedArrayBuffer;
  readonly fifo: number;
  readonly workers: readonly string[];
  readonly keepOpen: boolean;
  readonly settings: { maximum: number; first: number; controller: string; objective: string; dryRun: boolean };
}

function clock(): number {
  return Math.round(performance.now() * 1e6);
}

function processCpu(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) * 1000;
}

function keep({ board, fifo, workers, keepOpen, settings }: KeeperData): void {
  const name = settings.controller === "" ? DEFAULT_CONTROLLER : settings.controller;
  const given = name.startsWith("scale-adapter") ? { workload: "node" } : {};
  const controller = controllerNamed(name, { ...given, objective: settings.objective });
  const files = workers.map((id) => new ThreadFiles(id, fifo, keepOpen));
  const shared = new Board(board);
  const fail = (error: Error): void => {
    throw error;
  };
  const parking = new Parking(settings.maximum, fifo, fail);
  if (shared.stopping) {
    return;
  }
  parking.resize(settings.first);
  const sensor = new PoolSensor(files, parking, clock(), processCpu);
  let idle = false;
  let windows = 0;
  const loop = new ControlLoop(controller, sensor, parking, {
    dryRun: settings.dryRun,
    listener: (window, decision) => {
      idle = window.completions === 0 && window.busy === 0;
      shared.write({
        maximum: settings.maximum,
        size: window.size,
        wanted: decision.size,
        busy: window.busy,
        waiting: window.queueMean,
        waitMillis: sensor.meanWait / 1e6,
        longestWaitMillis: sensor.longestWait / 1e6,
        callsPerSecond: (window.completions / (window.end - window.start)) * SECOND,
        bytesPerSecond: bytesPerSecond(window),
        windows: ++windows,
        resizes: parking.resizes,
        reason: decision.reason,
      });
    },
  });
  let probing = false;
  const look = (): void => {
    if (!probing && !shared.stopping) {
      probing = true;
      sensor.probe(clock(), sensor.sample());
      fs.fstat(fifo, () => {
        sensor.probed(clock());
        probing = false;
      });
    }
    setTimeout(look, idle ? IDLE_SAMPLE_MILLIS : SAMPLE_MILLIS);
  };
  look();
  setInterval(() => {
    if (!shared.stopping) {
      loop.tick(clock());
    }
  }, controller.windowMillis);
}

if (!isMainThread) {
  keep(workerData as KeeperData);
}
