/** Keeps the pool busy with tasks of some kind until its metrics have shown that, and prints how. */
import { pbkdf2 } from "node:crypto";
import fs from "node:fs/promises";
import process from "node:process";
import { promisify } from "node:util";
import { metrics, type PoolMetrics } from "../../src/index.js";

const kinds: Partial<Record<string, () => Promise<unknown>>> = {
  files: () => fs.readFile(import.meta.filename),
  crypto: () => promisify(pbkdf2)("password", "salt", 10_000, 32, "sha256"),
};
const task = kinds[process.argv[2] ?? ""];
if (task === undefined) {
  throw new Error("name files or crypto");
}
let last: PoolMetrics | undefined;

function seen(metric: "busy" | "waiting" | "resizes"): boolean {
  const now = metrics();
  if (now.active) {
    last = now;
  }
  return now.active && now[metric] > (metric === "resizes" ? 1 : 0);
}

const wanted = new Set(process.argv.slice(3) as ("busy" | "waiting" | "resizes")[]);
const deadline = Date.now() + 300_000;
async function work(): Promise<void> {
  while (wanted.size > 0 && Date.now() < deadline) {
    await task?.();
    for (const metric of wanted) {
      if (seen(metric)) {
        wanted.delete(metric);
      }
    }
  }
}
await Promise.all(Array.from({ length: 40 }, work));
console.log(JSON.stringify({ missing: [...wanted], last }));
