/** Reads files on several threads, and prints what their metrics show. */
import fs from "node:fs/promises";
import { isMainThread, Worker } from "node:worker_threads";
import { metrics } from "../../src/index.js";

async function read(): Promise<void> {
  while (!metrics().active) {
    await fs.readFile(import.meta.filename);
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
await read();
