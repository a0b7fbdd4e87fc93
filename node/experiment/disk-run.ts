/**
 * One run of a disk experiment in Node: makes files, drops them from the page cache, does jobs, and prints its result as
 * JSON. The options are those of a run in Java; the pool is sized by the environment and the preload.
 */
import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import fs from "node:fs";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import { getEnvironmentData } from "node:worker_threads";
import { metrics } from "../src/index.js";
import { Limiter } from "../src/limiter.js";
import { WORKLOADS, type Workload } from "./workloads.js";

const PHASE = /^([a-z0-9_]+):([1-9]\d{0,7}):(oneshot|([1-9]\d{0,5})(us|ms))$/;
const ADVISE = 'for f; do dd if="$f" iflag=nocache count=0 status=none || exit 1; done';

/** Part of the free space that files may take. */
const LARGEST_PART = 0.25;

/** Types of file systems that are memory, as Linux numbers them: tmpfs and ramfs. */
const IN_MEMORY = new Set([0x01021994, 0x858458f6]);

/**
 * Jobs that are under way at a time. Requests run in their order, so of all at once all would open their files, then all
 * would read, and so on: waves of seconds, and all contents in memory.
 */
const MOST_OPEN = 200;

interface Phase {
  readonly workload: Workload;
  readonly jobs: number;
  /** Milliseconds between two jobs; 0 for all at once. */
  readonly interval: number;
  readonly files: readonly string[];
}

class BadInput extends Error {}

/** Refuses a folder whose files are in memory. */
function requireDisk(folder: string): void {
  if (IN_MEMORY.has(fs.statfsSync(folder).type)) {
    throw new BadInput(`${folder}: is in memory, which is no disk; give a folder on a disk`);
  }
}

/** Returns why the preload does not size the pool; undefined if it does, or if there is none. */
function problemOfPreload(): string | undefined {
  const state: unknown = getEnvironmentData("poolkeeper");
  return typeof state === "string" ? `the thread pool is not sized: ${state}` : undefined;
}

function makeFiles(folder: string, bytes: number, count: number): string[] {
  const names = Array.from({ length: count }, (_, i) =>
    join(folder, `source-${bytes}-${i.toString().padStart(6, "0")}`),
  );
  const missing = names.filter((name) => fs.statSync(name, { throwIfNoEntry: false })?.size !== bytes);
  const { bavail, bsize } = fs.statfsSync(folder);
  if (missing.length * bytes > LARGEST_PART * bavail * bsize) {
    throw new BadInput(`${folder}: files are more than a quarter of what is free; use fewer jobs`);
  }
  const content = randomBytes(bytes);
  for (const name of missing) {
    fs.writeFileSync(name, content, { flush: true });
  }
  return names;
}

function dropCache(files: readonly string[]): string {
  for (let i = 0; i < files.length; i += 200) {
    if (spawnSync("sh", ["-c", ADVISE, "sh", ...files.slice(i, i + 200)], { stdio: "ignore" }).status !== 0) {
      return "not dropped: dd knows no nocache here";
    }
  }
  return "dropped file by file";
}

function phaseOf(text: string): Omit<Phase, "files"> {
  const groups: Partial<Record<number, string>> = PHASE.exec(text) ?? [];
  const { 1: name = "", 2: jobs, 4: gap, 5: unit } = groups;
  const workload = WORKLOADS[name];
  if (workload === undefined) {
    throw new BadInput(`--phase must be workload:jobs:arrivals, such as rw_2mb:1500:oneshot, but is '${text}'`);
  }
  return {
    workload,
    jobs: Number(jobs),
    interval: gap === undefined ? 0 : Number(gap) / (unit === "us" ? 1000 : 1),
  };
}

async function runPhase(phase: Phase, folder: string, failures: string[]): Promise<void> {
  const began = performance.now();
  const running = [];
  const open = new Limiter(MOST_OPEN, MOST_OPEN);
  for (let job = 0; job < phase.jobs; job++) {
    const due = began + job * phase.interval;
    if (phase.interval > 0 && due > performance.now()) {
      await pause(due - performance.now());
    }
    const source = phase.files[job % phase.files.length] ?? "";
    const submitted = open.run(() => phase.workload.run(source, join(folder, `copy-${job}`), job));
    running.push(
      submitted.catch((error: unknown) => {
        failures.push(error instanceof Error ? error.message : String(error));
      }),
    );
  }
  await Promise.all(running);
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    strict: true,
    options: {
      check: { type: "boolean" },
      dir: { type: "string" },
      files: { type: "string" },
      phase: { type: "string", multiple: true },
      record: { type: "string" },
    },
  });
  const { check, dir, phase: texts } = values;
  if (dir === undefined || texts === undefined) {
    throw new BadInput("--dir and --phase are needed");
  }
  requireDisk(dir);
  const unsized = problemOfPreload();
  if (unsized !== undefined) {
    throw new BadInput(unsized);
  }
  const stated = texts.map((text) => phaseOf(text));
  if (check === true) {
    return;
  }
  const phases = stated.map((phase) => ({
    ...phase,
    files: makeFiles(dir, phase.workload.bytes, Math.min(Number(values.files ?? Infinity), phase.jobs)),
  }));
  const cache = dropCache([...new Set(phases.flatMap(({ files }) => files))]);
  const fixed = Number(process.env["UV_THREADPOOL_SIZE"] ?? 4);
  const failures: string[] = [];
  const delay = monitorEventLoopDelay({ resolution: 10 });
  const sizes: number[] = [];
  const look = setInterval(() => {
    const now = metrics();
    sizes.push(now.active ? now.size : fixed);
  }, 100);
  delay.enable();
  const began = performance.now();
  for (const phase of phases) {
    await runPhase(phase, dir, failures);
  }
  const seconds = (performance.now() - began) / 1000;
  delay.disable();
  clearInterval(look);
  const lost = problemOfPreload();
  if (lost !== undefined) {
    throw new Error(lost);
  }
  const meanSize = sizes.length === 0 ? fixed : sizes.reduce((sum, size) => sum + size, 0) / sizes.length;
  console.log(
    JSON.stringify({
      seconds,
      thread_seconds: meanSize * seconds,
      mean_size: meanSize,
      failed: failures.length,
      failure: failures[0] ?? "",
      logical_bytes: null,
      read_bytes: null,
      written_bytes: null,
      blocked_seconds: null,
      blocked_source: "none",
      unmeasured_windows: 0,
      problem: null,
      page_cache: cache,
      figures: { "loop delay p99, ms": delay.percentile(99) / 1e6 },
    }),
  );
}

main().catch((error: unknown) => {
  const bad = error instanceof BadInput;
  console.error(`poolkeeper: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = bad ? 2 : 1;
});
