import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import pLimit from "p-limit";
import PQueue from "p-queue";
import { adapt, type Adapted } from "../src/adapt.js";
import { towards, type Controller } from "../src/window.js";

const ADDING: Controller = {
  name: "adding",
  windowMillis: 20,
  decide: (window) => towards(window.size + 1, "one more"),
};

async function grown(adapted: Adapted<unknown>, size: number, work: () => Promise<unknown>): Promise<void> {
  const deadline = Date.now() + 300_000;
  while (adapted.metrics().size < size && Date.now() < deadline) {
    await work();
  }
  assert.ok(adapted.metrics().size >= size, JSON.stringify(adapted.metrics()));
}

void test("a limit of p-limit grows, runs its tasks and measures them", async () => {
  const original = pLimit(1);
  const adapted = adapt(original, { controller: ADDING, maximum: 5 });
  const { limit } = adapted;
  await grown(adapted, 5, async () => {
    const all = Array.from({ length: 20 }, (_, i) => limit(async (value: number) => turn(value * 2), i));
    assert.deepEqual((await Promise.all(all)).slice(0, 3), [0, 2, 4]);
  });
  assert.equal(original.concurrency, 5);
  assert.deepEqual(await limit.map([1, 2, 3], (value) => value + 1), [2, 3, 4]);
  await assert.rejects(
    limit(() => Promise.reject(new Error("it failed"))),
    /it failed/,
  );
  assert.deepEqual([limit.activeCount, limit.pendingCount], [0, 0]);
  limit.concurrency = 2;
  assert.equal(original.concurrency, 2);
  adapted.close();
});

void test("a queue of p-queue grows, runs its tasks and measures them", async () => {
  const queue = new PQueue({ concurrency: 1 });
  const adapted = adapt(queue, { controller: ADDING, maximum: 4 });
  await grown(adapted, 4, () => adapted.limit.addAll(Array.from({ length: 20 }, () => () => turn())));
  assert.equal(queue.concurrency, 4);
  assert.equal(await adapted.limit.add(() => 7), 7);
  await assert.rejects(
    adapted.limit.add(() => Promise.reject(new Error("it failed"))),
    /it failed/,
  );
  adapted.close();
});

void test("a limit that is adapted already is refused until that ends", () => {
  const queue = new PQueue({ concurrency: 2 });
  const first = adapt(queue);
  assert.throws(() => adapt(queue), /^Error: the limit is adapted already/);
  first.close();
  adapt(queue).close();
  const second = adapt(pLimit(2));
  assert.throws(() => adapt(second.limit), /^Error: the limit is adapted already/);
  second.close();
});

void test("options that have no effect are refused, and change nothing", () => {
  const queue = new PQueue();
  const mistyped = { maximun: 9 } as object;
  assert.throws(() => adapt(queue, mistyped), /^RangeError: unknown option 'maximun'; known: maximum, controller, /);
  assert.throws(() => adapt(queue, { objective: "disk-throughput" }), /^RangeError: objective disk-throughput needs/);
  assert.equal(queue.concurrency, Infinity);
  adapt(queue).close();
});

void test("a queue without a limit gets the maximum", () => {
  const queue = new PQueue();
  adapt(queue, { maximum: 9 }).close();
  assert.equal(queue.concurrency, 9);
});

/** Waits for the window in which no task waits any more. */
async function emptied(adapted: Adapted<unknown>): Promise<void> {
  const before = adapted.metrics().windows;
  const deadline = Date.now() + 300_000;
  while (adapted.metrics().windows < before + 2 && Date.now() < deadline) {
    await turn();
  }
  assert.equal(adapted.metrics().waiting, 0);
  adapted.close();
}

const KEEPING: Controller = { ...ADDING, decide: (window) => towards(window.size, "as it is") };

void test("tasks that are cleared do not wait for ever", async () => {
  const hang = (): Promise<void> => new Promise(() => undefined);
  for (const rejectOnClear of [false, true]) {
    const adapted = adapt(pLimit({ concurrency: 1, rejectOnClear }), { controller: KEEPING });
    for (let i = 0; i < 5; i++) {
      adapted.limit(hang).catch(() => undefined);
    }
    await turn();
    adapted.limit.clearQueue();
    await emptied(adapted);
  }
  const adapted = adapt(new PQueue({ concurrency: 1 }), { controller: KEEPING });
  for (let i = 0; i < 5; i++) {
    void adapted.limit.add(hang);
  }
  await turn();
  adapted.limit.clear();
  await emptied(adapted);
});

void test("what has no concurrency to set is refused", () => {
  const former = Object.assign(() => Promise.resolve(), { activeCount: 0, pendingCount: 0 });
  assert.throws(() => adapt(former as never), /p-limit from version 6 on, or p-queue/);
  assert.throws(() => adapt(pLimit(1), { maximum: 1.5 }), /maximum must be a whole number of 1 or more, but is 1.5/);
});
