import assert from "node:assert/strict";
import { test } from "node:test";
import { ControlLoop } from "../src/control-loop.js";
import { controllerNamed } from "../src/controllers/named.js";
import { Limiter } from "../src/limiter.js";

/** Clock that stands still until it is moved. */
class VirtualClock {
  now = 0;
  readonly ticker = (): number => this.now;
}

/** Task that ends when it is told. */
class Task {
  started = false;
  end!: () => void;
  fail!: (error: Error) => void;
  readonly run = (): Promise<string> => {
    this.started = true;
    return new Promise((resolve, reject) => {
      this.end = () => {
        resolve("done");
      };
      this.fail = reject;
    });
  };
}

/** Lets all promises that are settled continue. */
async function settle(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

void test("as many tasks run as the size allows, in the order of their arrival", async () => {
  const limiter = new Limiter(2, 8);
  const tasks = Array.from({ length: 5 }, () => new Task());
  const results = tasks.map((task) => limiter.run(task.run));
  const started = (): number[] => tasks.flatMap((task, i) => (task.started ? [i] : []));
  assert.deepEqual(started(), [0, 1]);
  tasks[0]?.end();
  await settle();
  assert.deepEqual(started(), [0, 1, 2]);
  limiter.resize(3);
  await settle();
  assert.deepEqual(started(), [0, 1, 2, 3]);
  limiter.resize(1);
  tasks[1]?.end();
  tasks[2]?.end();
  await settle();
  assert.deepEqual(started(), [0, 1, 2, 3]);
  tasks[3]?.end();
  await settle();
  tasks[4]?.end();
  assert.deepEqual(await Promise.all(results), Array(5).fill("done"));
});

void test("a task that throws, at once or later, gives its place to the next", async () => {
  const limiter = new Limiter(1, 1);
  const task = new Task();
  const atOnce = limiter.run(() => {
    throw new Error("at once");
  });
  const later = limiter.run(task.run);
  await assert.rejects(atOnce, /at once/);
  await settle();
  task.fail(new Error("later"));
  await assert.rejects(later, /later/);
  assert.equal(await limiter.run(() => 7), 7);
  const window = limiter.meter.close(1e9);
  assert.deepEqual([window.arrivals, window.completions, window.failures], [3, 1, 2]);
});

void test("a window holds what happened", async () => {
  const clock = new VirtualClock();
  const limiter = new Limiter(1, 8, clock.ticker);
  const [first, second] = [new Task(), new Task()];
  const results = [limiter.run(first.run), limiter.run(second.run)];
  clock.now = 100;
  first.end();
  await settle();
  clock.now = 300;
  second.end();
  await Promise.all(results);
  clock.now = 400;
  const window = limiter.meter.close(400);
  assert.equal(window.busy, 300 / 400);
  assert.equal(window.queueMean, 100 / 400);
  assert.equal(window.queueMax, 1);
  assert.equal(window.serviceMean, (100 + 200) / 2);
  assert.equal(window.responseMean, (100 + 300) / 2);
  assert.equal(window.responsePercentiles[0.5], 100);
  assert.equal(window.responsePercentiles[0.99], 300);
  const next = limiter.meter.close(500);
  assert.deepEqual([next.start, next.completions, next.busy], [400, 0, 0]);
});

void test("waiting tasks that will never start do not count as waiting", () => {
  const clock = new VirtualClock();
  const limiter = new Limiter(1, 8, clock.ticker);
  limiter.meter.arrived();
  limiter.meter.dropped(1);
  clock.now = 100;
  assert.equal(limiter.meter.close(100).queueMean, 0);
});

void test("many waiting tasks start in order", async () => {
  const limiter = new Limiter(3, 8);
  const order: number[] = [];
  await Promise.all(Array.from({ length: 5000 }, (_, i) => limiter.run(() => order.push(i))));
  assert.deepEqual(
    order,
    Array.from({ length: 5000 }, (_, i) => i),
  );
});

void test("the loop finds the workers that a pool of slow tasks needs, in virtual time", async () => {
  const clock = new VirtualClock();
  const limiter = new Limiter(1, 64, clock.ticker);
  const controller = controllerNamed("scale-adapter");
  const loop = new ControlLoop(controller, limiter.meter, limiter);
  // Each task takes 50 ms up to 20 at a time, and longer beyond.
  let ends: { at: number; end: () => void }[] = [];
  const submit = (): void => {
    void limiter
      .run(
        () =>
          new Promise<void>((resolve) => {
            const load = Math.max(1, limiter.meter.busy / 20);
            ends.push({ at: clock.now + 50e6 * load, end: resolve });
          }),
      )
      .then(submit);
  };
  for (let i = 0; i < 100; i++) {
    submit();
  }
  let total = 0;
  let windows = 0;
  for (let millis = 5; millis <= 60_000; millis += 5) {
    clock.now = millis * 1e6;
    const due = ends.filter(({ at }) => at <= clock.now);
    ends = ends.filter(({ at }) => at > clock.now);
    due.forEach(({ end }) => {
      end();
    });
    await settle();
    if (millis % controller.windowMillis === 0) {
      loop.tick(clock.now);
      if (millis > 30_000) {
        total += limiter.size;
        windows++;
      }
    }
  }
  assert.ok(total / windows >= 15 && total / windows <= 40, `a mean size of ${total / windows}`);
});
