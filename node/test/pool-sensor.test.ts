import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { closeSync, mkdtempSync, openSync, read, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
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
  parking: { size: number; released: number; passed: number; resizes: number };
} {
  const parking = { size: 2, released: 0, passed: 0, resizes: 1 };
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
  sensor.woke();
  sensor.woke();
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
  worker.now = { bytes: 110, calls: 5, cpu: 0 };
  parking.passed = 1;
  sensor.woke();
  sensor.sample();
  const window = sensor.close(3e9);
  assert.deepEqual([window.busy, window.completions, window.disk], [1, 2, { logicalBytes: 100, calls: 2, changes: 0 }]);
});

/** Makes three FIFOs as the preload does, or skips the test where there are none. */
function fifos(context: TestContext): [number, number, number] | undefined {
  const folder = mkdtempSync(join(tmpdir(), "poolkeeper-test-"));
  const make = (name: string): number => {
    execFileSync("mkfifo", [join(folder, name)]);
    return openSync(join(folder, name), "r+");
  };
  try {
    return [make("work"), make("end"), make("checkpoint")];
  } catch {
    context.skip("no FIFO");
    return undefined;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Waits until a number is reached, and no more than that. */
async function reached(value: () => number, expected: number): Promise<void> {
  const deadline = Date.now() + 300_000;
  while (value() < expected && Date.now() < deadline) {
    await pause(5);
  }
  assert.equal(value(), expected);
}

// The pool of this process has four workers, and tests run one after the other.
void test("parking takes workers and gives them back, one by one", async (context) => {
  const descriptors = fifos(context);
  if (descriptors === undefined) {
    return;
  }
  const [, end] = descriptors;
  const parking = new Parking([1, 4], [end], () => undefined, assert.ifError);
  parking.resize(1);
  assert.deepEqual([parking.size, parking.released, parking.resizes], [1, 0, 1]);
  parking.resize(1);
  parking.resize(3);
  assert.deepEqual([parking.size, parking.resizes], [3, 2]);
  await reached(() => parking.released, 2);
  assert.equal(parking.size, 3);
  parking.resize(2);
  parking.resize(4);
  await reached(() => parking.released, 4);
  assert.deepEqual([parking.size, parking.passed], [4, 0]);
  descriptors.forEach((descriptor) => {
    closeSync(descriptor);
  });
});

void test("a smaller size takes effect at a checkpoint, before the tasks behind it", async (context) => {
  const descriptors = fifos(context);
  if (descriptors === undefined) {
    return;
  }
  const [work, end, checkpoint] = descriptors;
  let ended = 0;
  const parking = new Parking([1, 4], [end, checkpoint], () => undefined, assert.ifError);
  const tasks = (count: number): void => {
    for (let i = 0; i < count; i++) {
      read(work, Buffer.alloc(1), 0, 1, null, (error) => {
        assert.ifError(error);
        ended++;
      });
    }
  };
  tasks(4);
  parking.checkpoint(0, 0);
  parking.checkpoint(99, 0);
  tasks(20);
  parking.resize(1);
  assert.equal(parking.size, 1);
  writeSync(work, Buffer.alloc(24));
  await reached(() => ended, 24);
  assert.deepEqual([parking.size, parking.released, parking.passed], [1, 0, 0]);

  // Workers leave the gate while nothing waits, so that it can be a checkpoint again.
  parking.gather();
  await reached(() => parking.released, 3);
  assert.equal(parking.size, 1);
  parking.resize(4);
  await reached(() => parking.released, 6);
  parking.checkpoint(200, 0);
  await reached(() => parking.passed, 3);
  assert.deepEqual([parking.size, parking.released], [4, 6]);
  descriptors.forEach((descriptor) => {
    closeSync(descriptor);
  });
});

void test("a size that grows again lets workers at checkpoints go on", async (context) => {
  const descriptors = fifos(context);
  if (descriptors === undefined) {
    return;
  }
  const [work, end, checkpoint] = descriptors;
  const parking = new Parking([1, 4], [end, checkpoint], () => undefined, assert.ifError);
  const task = (): void => {
    read(work, Buffer.alloc(1), 0, 1, null, assert.ifError);
  };
  Array.from({ length: 4 }, task);
  parking.checkpoint(0, 0);
  parking.resize(2);
  parking.resize(1);
  parking.resize(3);
  assert.equal(parking.size, 3);
  writeSync(work, Buffer.alloc(4));
  await reached(() => parking.released + parking.passed, 2);
  parking.resize(4);
  await reached(() => parking.released + parking.passed, 3);
  assert.equal(parking.size, 4);
  descriptors.forEach((descriptor) => {
    closeSync(descriptor);
  });
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
