/** Waits until workers are parked, and ends in the way that its argument names. */
import fs from "node:fs/promises";
import process from "node:process";
import { setTimeout as pause } from "node:timers/promises";
import { metrics } from "../../src/index.js";

async function sized(): Promise<void> {
  const deadline = Date.now() + 300_000;
  for (;;) {
    const now = metrics();
    if (now.active) {
      console.log(`size ${now.size} of ${now.maximum}`);
      return;
    }
    if (Date.now() > deadline || now.problem.startsWith("the pool stays")) {
      throw new Error(now.problem);
    }
    await pause(20);
  }
}

const ways: Partial<Record<string, () => unknown>> = {
  drain: () => undefined,
  exit: () => process.exit(3),
  "exit in beforeExit": () => process.once("beforeExit", () => process.exit(4)),
  "an exception": () => {
    throw new Error("a crash of the application");
  },
  "a rejection": () => Promise.reject(new Error("a crash of the application")),
  "no listeners": () => process.removeAllListeners(),
  "the inner exit": () => {
    (process as unknown as { reallyExit(code: number): void }).reallyExit(5);
  },
  abort: () => {
    process.abort();
  },
  "a full pool": () => {
    for (let i = 0; i < 2000; i++) {
      void fs.readFile(import.meta.filename);
    }
    process.exit(6);
  },
  wait: () => setInterval(() => undefined, 1000),
  "a handler": () => setInterval(() => undefined, 1000),
  "many files": async () => {
    const all = Array.from({ length: 10_000 }, () => fs.readFile(import.meta.filename));
    const ended = await Promise.allSettled(all);
    console.log(`${ended.length} ended`);
  },
};

const way = ways[process.argv[2] ?? ""];
if (way === undefined) {
  throw new Error(`unknown way to end '${process.argv[2] ?? ""}'`);
}
if (process.argv[2] === "a handler") {
  // Before the first output, after which the test sends the signal.
  process.on("SIGTERM", () => process.exit(7));
}
if (process.argv[3] === "at once") {
  console.log("started");
} else {
  await sized();
}
await way();
