/** Thread that measures the pool of the process and parks its surplus workers. */
import fs from "node:fs";
import { debuglog } from "node:util";
import { isMainThread, workerData } from "node:worker_threads";
import { ControlLoop } from "../control-loop.js";
import { controllerNamed } from "../controllers/named.js";
import { format, objectiveNamed } from "../objective.js";
import { SECOND } from "../window.js";
import { Board } from "./board.js";
import { Parking, type Fifos } from "./parking.js";
import { bytesPerSecond, PoolSensor } from "./pool-sensor.js";
import { ThreadFiles } from "./threads.js";

/** Log of each window and its decision, for those who ask with `NODE_DEBUG=poolkeeper`. */
const log = debuglog("poolkeeper");

/** Time between two looks at the workers, milliseconds. */
const SAMPLE_MILLIS = 25;

/** Every so many looks the workers are looked at while a request waits: all are busy then. */
const LOOKS_WHILE_WAITING = 4;

/** Time between two looks while nothing happens, milliseconds. */
const IDLE_SAMPLE_MILLIS = 500;

interface KeeperData {
  readonly board: SharedArrayBuffer;
  readonly fifos: Fifos;
  readonly workers: readonly string[];
  readonly keepOpen: boolean;
  readonly settings: {
    minimum: number;
    maximum: number;
    first: number;
    controller: string;
    objective: string;
    dryRun: boolean;
  };
}

function clock(): number {
  return Math.round(performance.now() * 1e6);
}

function processCpu(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) * 1000;
}

function keep({ board, fifos, workers, keepOpen, settings }: KeeperData): void {
  const name = settings.controller;
  const given = name.startsWith("scale-adapter") ? { workload: "node" } : {};
  const controller = controllerNamed(name, { ...given, objective: settings.objective });
  const objective = objectiveNamed(settings.objective);
  const files = workers.map((id) => new ThreadFiles(id, fifos, keepOpen));
  const shared = new Board(board);
  const fail = (error: Error): void => {
    throw error;
  };
  // Requests that end at the same time wake this thread once.
  let awake = false;
  const woke = (): void => {
    if (!awake) {
      awake = true;
      sensor.woke();
      setImmediate(() => {
        awake = false;
      });
    }
  };
  const parking = new Parking([settings.minimum, settings.maximum], fifos, woke, fail);
  const began = clock();
  const sensor = new PoolSensor(files, parking, began, processCpu);
  if (shared.stopping) {
    return;
  }
  parking.resize(settings.first);
  let idle = false;
  let windows = 0;
  const loop = new ControlLoop(controller, sensor, parking, {
    dryRun: settings.dryRun,
    listener: (window, decision) => {
      if (log.enabled) {
        const rate = format(objective, objective.value(window));
        log(
          `${((window.end - began) / SECOND).toFixed(2)} s: size ${window.size} to ${decision.size}, ` +
            `busy ${window.busy.toFixed(1)}, waiting ${window.queueMean.toFixed(1)}, ${rate}: ${decision.reason}`,
        );
      }
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
  let looks = 0;
  let free = false;
  const look = (): void => {
    if (!shared.stopping) {
      const now = clock();
      if (!probing || ++looks % LOOKS_WHILE_WAITING === 0) {
        free = sensor.sample();
      }
      if (!probing) {
        probing = true;
        sensor.probe(now, free);
        fs.fstat(fifos[0], () => {
          sensor.probed(clock());
          woke();
          probing = false;
        });
      }
      if (free) {
        parking.gather();
      } else if (!settings.dryRun) {
        parking.checkpoint(now / 1e6, sensor.wait(now) / 1e6);
      }
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
