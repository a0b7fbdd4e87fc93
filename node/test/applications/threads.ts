/** Waits on several threads for metrics, and prints them. */
import { setTimeout as pause } from "node:timers/promises";
import { isMainThread, Worker } from "node:worker_threads";
import { metrics } from "../../src/index.js";

async function print(): Promise<void> {
  while (!metrics().active) {
    await pause(20);
  }
  const now = metrics();
  console.log(now.active ? `${isMainThread ? "main" : "worker"}: maximum ${now.maximum}` : now.problem);
}

if (isMainThread) {
  for (let i = 0; i < 2; i++) {
    new Worker(new URL(import.meta.url));
  }
  // One that never ends by itself.
  new Worker("setInterval(() => undefined, 1000)", { eval: true }).unref();
}
await print();
