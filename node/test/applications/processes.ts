/** Starts processes with `cluster` or `fork`, each of which sizes a pool of its own. */
import { fork } from "node:child_process";
import cluster from "node:cluster";
import { setTimeout as pause } from "node:timers/promises";
import process from "node:process";
import { metrics } from "../../src/index.js";

if (process.argv[2] === "child" || cluster.isWorker) {
  while (!metrics().active) {
    await pause(20);
  }
  const now = metrics();
  console.log(`child: ${now.active ? now.maximum : now.problem}, ${process.env["UV_THREADPOOL_SIZE"] ?? "no"} setting`);
  process.disconnect();
} else if (process.argv[2] === "cluster") {
  cluster.fork();
  cluster.fork();
} else {
  fork(import.meta.filename, ["child"]);
}
