import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { controllerNamed, CONTROLLERS } from "../src/controllers/named.js";
import { contract, vectors, windowOf } from "./support/vectors.js";

for (const controller of CONTROLLERS) {
  const file = vectors(controller);
  for (const sequence of file.sequences) {
    void test(`${controller} decides as in Java about ${sequence.name}`, () => {
      const made = controllerNamed(controller, sequence.settings);
      if (sequence.bounds !== undefined) {
        made.requireBounds?.(sequence.bounds);
      }
      sequence.steps.forEach((step, number) => {
        const decision = made.decide(windowOf(file.columns, step.window));
        const place = `window ${number}: ${decision.reason}`;
        assert.equal(decision.size, step.size, place);
        for (const [name, value] of Object.entries(step.numbers)) {
          const own = decision.numbers[name] ?? NaN;
          assert.ok(Math.abs(own - value) <= 1e-9 * Math.abs(value), `${place}; ${name} is ${own}, not ${value}`);
        }
      });
    });
  }
}

void test("all controllers of the package are in the catalogue of the contract", () => {
  const catalogue = JSON.parse(readFileSync(contract("controllers.json"), "utf8")) as {
    controllers: { name: string }[];
  };
  const names = catalogue.controllers.map((entry) => entry.name);
  for (const controller of CONTROLLERS) {
    assert.ok(names.includes(controller), controller);
  }
});

void test("an unknown controller and a wrong setting are named", () => {
  assert.throws(() => controllerNamed("scale-adaptor"), /unknown controller 'scale-adaptor'; known: .*scale-adapter/);
  assert.throws(() => controllerNamed("scale-adapter", { workload: "disc" }), /workload .*'disc'.*pool, node, rocksdb/);
  assert.throws(() => controllerNamed("scale-adapter", { objective: "goodput:1s" }), /objective .*'goodput:1s'/);
  assert.throws(() => controllerNamed("scale-adapter", { speed: "9" }), /unknown setting 'speed'/);
});
