import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { closeSync, mkdtempSync, openSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { Board } from "../src/pool/board.js";
import { Parking } from "../src/pool/parking.js";
import { PoolSensor, type WorkerView } from "../src/pool/pool-sensor.js";
import type { ThreadCounters, WorkerState } from "../src/pool/threads.js";

/** Worker whose state and counters are set by a test. */
class FakeWorker implements WorkerView {
  looks = 0;
  readings = 0;
  now: ThreadCounters = { bytes: 0, calls: 0, cpu: 0 };
  constructor(public current: WorkerState) {}
  state(): WorkerState {
    this.looks++;
    return this.current;
  }
  counters(): ThreadCounters {
    this.readings++;
    return this.now;
  }
}

function sensorOf(workers: FakeWorker[]): {
  sensor: PoolSensor;
  parking: { size: number; released: number; resizes: number };
} {
  const parking = { size: 2, released: 0, resizes: 1 };
  return { sensor: new PoolSensor(workers, parking, 0, () => 7), parking };
}

void test("a window holds the mean of the looks, and the difference of the counters", () => {
  const workers = [new FakeWorker("busy"), new FakeWorker("idle"), new FakeWorker("parked")];
  const { sensor } = sensorOf(workers);
  assert.equal(sensor.sample(), true);
  for (const worker of workers.slice(0, 2)) {
    worker.current = "busy";
    worker.now = { bytes: 500, calls: 10, cpu: 3 };
  }
  assert.equal(sensor.sample(), false);
  const window = sensor.close(1e9);
  assert.equal(window.busy, 1.5);
  assert.equal(window.size, 2);
  assert.equal(window.completions, 20);
  assert.equal(window.workerCpu, 6);
  assert.equal(window.processCpu, 0);
  assert.deepEqual(window.disk, { logicalBytes: 1000, calls: 20, changes: 1 });
  assert.equal(window.serviceMean, (1.5 * 1e9) / 20);
  const next = sensor.close(2e9);
  assert.deepEqual([next.completions, next.disk], [0, { logicalBytes: 0, calls: 0, changes: 0 }]);
});

void test("a request that finds no idle worker shows the wait, and the tasks that wait", () => {
  const workers = [new FakeWorker("busy"), new FakeWorker("busy")];
  const { sensor } = sensorOf(workers);
  sensor.probe(0, sensor.sample());
  sensor.probed(4e6);
  sensor.probe(5e8, sensor.sample());
  sensor.probed(5e8 + 8e6);
  workers.forEach((worker) => {
    worker.now = { bytes: 8016, calls: 501, cpu: 0 };
  });
  const window = sensor.close(1e9);
  // Two calls woke the sensor's own thread.
  assert.equal(window.completions, 1000);
  assert.equal(window.queueMean, 0.006 * 1000);
  assert.equal(window.queueMax, 8);
  assert.equal(window.responseMean - window.serviceMean, 6e6);
  assert.deepEqual([sensor.meanWait, sensor.longestWait], [6e6, 8e6]);
});

void test("a request that waits when the window closes counts with its age", () => {
  const { sensor } = sensorOf([new FakeWorker("busy")]);
  sensor.probe(2e8, sensor.sample());
  assert.equal(sensor.close(1e9).responseMean, 8e8);
});

void test("a request that finds an idle worker has not waited, however late its thread is", () => {
  const { sensor } = sensorOf([new FakeWorker("idle")]);
  sensor.probe(0, sensor.sample());
  sensor.probed(9e8);
  assert.equal(sensor.close(1e9).responseMean, 0);
});

void test("parked workers are neither looked at nor read again until some are released", () => {
  const worker = new FakeWorker("parked");
  const { sensor, parking } = sensorOf([worker]);
  sensor.sample();
  sensor.close(1e9);
  const { looks, readings } = worker;
  sensor.sample();
  sensor.sample();
  sensor.close(2e9);
  assert.deepEqual([worker.looks, worker.readings], [looks, readings]);
  parking.released = 1;
  worker.current = "busy";
  worker.now = { bytes: 109, calls: 4, cpu: 0 };
  sensor.sample();
  const window = sensor.close(3e9);
  assert.deepEqual([window.busy, window.completions, window.disk], [1, 2, { logicalBytes: 100, calls: 2, changes: 0 }]);
});

/** Makes a FIFO as the preload does; undefined where there is none. */
function fifo(): number | undefined {
  const folder = mkdtempSync(join(tmpdir(), "poolkeeper-test-"));
  try {
    execFileSync("mkfifo", [join(folder, "fifo")]);
    return openSync(join(folder, "fifo"), "r+");
  } catch {
    return undefined;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

void test("parking takes workers and gives them back, one by one", async (context) => {
  const descriptor = fifo();
  if (descriptor === undefined) {
    context.skip("no FIFO");
    return;
  }
  // The pool of this process has four workers; one stays free.
  const parking = new Parking(4, descriptor, assert.ifError);
  parking.resize(1);
  assert.deepEqual([parking.size, parking.released, parking.resizes], [1, 0, 1]);
  parking.resize(1);
  parking.resize(3);
  assert.deepEqual([parking.size, parking.resizes], [3, 2]);
  const released = async (count: number): Promise<void> => {
    const deadline = Date.now() + 60_000;
    while (parking.released < count && Date.now() < deadline) {
      await pause(5);
    }
    assert.equal(parking.released, count);
  };
  await released(2);
  assert.equal(parking.size, 3);
  parking.resize(2);
  parking.resize(4);
  await released(4);
  assert.equal(parking.size, 4);
  closeSync(descriptor);
});

void test("all threads read what was written to the board", () => {
  const memory = new SharedArrayBuffer(1024);
  const board = new Board(memory);
  assert.equal(new Board(memory).read(), undefined);
  const metrics = {
    maximum: 64,
    size: 4,
    wanted: 5,
    busy: 3.5,
    waiting: 1,
    waitMillis: 0.5,
    longestWaitMillis: 2,
    callsPerSecond: 100,
    bytesPerSecond: 1e6,
    windows: 7,
    resizes: 2,
    reason: "5 workers are expected to reach 100 ± 9",
  };
  board.write(metrics);
  assert.deepEqual(new Board(memory).read(), metrics);
  board.write({ ...metrics, reason: "±".repeat(2000) });
  assert.match(new Board(memory).read()?.reason ?? "", /^±{400,}$/);
  assert.equal(board.stopping, false);
  new Int32Array(memory)[0] = 1;
  assert.equal(board.stopping, true);
});
