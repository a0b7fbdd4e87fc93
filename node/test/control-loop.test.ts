import assert from "node:assert/strict";
import { test } from "node:test";
import { ControlLoop, type Resizable } from "../src/control-loop.js";
import { controllerNamed, CONTROLLERS } from "../src/controllers/named.js";
import { towards, type Controller, type Window } from "../src/window.js";
import { windowWith } from "./support/windows.js";

class Pool implements Resizable {
  readonly bounds = [1, 16] as const;
  constructor(public size: number) {}
  resize(size: number): void {
    this.size = size;
  }
}

function asking(size: number): Controller {
  return { name: "asking", windowMillis: 100, decide: () => towards(size, "because") };
}

function loopOf(controller: Controller, pool: Pool, dryRun = false): ControlLoop {
  const sensor = { close: (now: number): Window => windowWith({ end: now, size: pool.size }) };
  return new ControlLoop(controller, sensor, pool, { dryRun });
}

void test("the pool takes the nearest size within its bounds", () => {
  const pool = new Pool(4);
  loopOf(asking(9), pool).tick(1e9);
  assert.equal(pool.size, 9);
  loopOf(asking(99), pool).tick(2e9);
  assert.equal(pool.size, 16);
  loopOf(asking(-3), pool).tick(3e9);
  assert.equal(pool.size, 1);
});

void test("a dry run decides and follows nothing", () => {
  const pool = new Pool(4);
  assert.equal(loopOf(asking(9), pool, true).tick(1e9).size, 9);
  assert.equal(pool.size, 4);
});

void test("a controller that fails, or asks for no size, leaves the size and is named", () => {
  const pool = new Pool(4);
  const failing: Controller = {
    ...asking(1),
    decide: () => {
      throw new Error("out of ideas");
    },
  };
  assert.equal(loopOf(failing, pool).tick(1e9).reason, "size kept: asking failed: out of ideas");
  assert.equal(loopOf(asking(NaN), pool).tick(2e9).reason, "size kept: asking asked for NaN");
  assert.equal(loopOf(asking(2.5), pool).tick(3e9).reason, "size kept: asking asked for 2.5");
  assert.equal(pool.size, 4);
});

for (const name of CONTROLLERS) {
  void test(`${name} survives windows of a broken clock or recording`, () => {
    const controller = controllerNamed(name);
    const values = [0, -1, 1, NaN, Infinity, -Infinity, 1e300, 2 ** 31, 0.5];
    const base = windowWith({});
    for (const key of Object.keys(base) as (keyof Window)[]) {
      for (const value of values) {
        const broken = { ...base, ...(typeof base[key] === "number" ? { [key]: value } : {}) };
        const decision = controller.decide(broken);
        assert.notEqual(decision.reason, "");
      }
    }
    const { size } = controller.decide(base);
    assert.ok(Number.isInteger(size) && size >= 1, `${size}`);
  });
}
