import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import path from "node:path";
import { test, type TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { REGISTER } from "./support/start.js";

const PROGRAM = fileURLToPath(new URL("../experiment/disk-run.js", import.meta.url));

/** Makes a folder beside the compiled tests, as that for temporary files may be in memory. */
function folder(context: TestContext): string {
  const made = mkdtempSync(path.join(path.dirname(PROGRAM), "disk-run-"));
  context.after(() => {
    rmSync(made, { recursive: true });
  });
  return made;
}

function run(place: string, env: NodeJS.ProcessEnv = {}, before: readonly string[] = []) {
  const options = ["--dir", place, "--files", "2", "--phase", "rw_4kb:4:oneshot"];
  return spawnSync(process.execPath, [...before, PROGRAM, ...options], {
    env: { ...process.env, ...env },
    encoding: "utf8",
  });
}

void test("a run does all jobs, and tells the delay of the event loop", (context) => {
  const place = folder(context);
  const { status, stdout, stderr } = run(place);
  assert.deepEqual([status, stderr], [0, ""]);
  const result = JSON.parse(stdout) as { failed: number; figures: Record<string, number> };
  assert.equal(result.failed, 0);
  assert.ok((result.figures["loop delay p99, ms"] ?? 0) > 0, stdout);
  assert.deepEqual(
    readdirSync(place).filter((name) => !name.startsWith("source-")),
    [],
  );
});

void test("a run whose pool is not sized is no run of its controller", (context) => {
  const { status, stdout, stderr } = run(folder(context), { POOLKEEPER_MAXIMUM: "4000" }, ["--import", REGISTER]);
  assert.deepEqual([status, stdout], [2, ""]);
  assert.match(stderr, /\npoolkeeper: the thread pool is not sized: POOLKEEPER_MAXIMUM must be .*'4000'\n$/);
});

void test("a check makes no files", (context) => {
  const place = folder(context);
  const check = ["--dir", place, "--check", "--phase"];
  const runs = ["rw_4kb:4:oneshot", "rw_5kb:4:oneshot"].map((phase) =>
    spawnSync(process.execPath, [PROGRAM, ...check, phase], { encoding: "utf8" }),
  );
  assert.deepEqual(
    runs.map(({ status }) => status),
    [0, 2],
  );
  assert.match(runs[1]?.stderr ?? "", /but is 'rw_5kb:4:oneshot'\n$/);
  assert.deepEqual(readdirSync(place), []);
});

void test("files in memory are refused", { skip: existsSync("/dev/shm") ? false : "no /dev/shm" }, () => {
  const { status, stderr } = run("/dev/shm");
  assert.deepEqual(
    [status, stderr],
    [2, "poolkeeper: /dev/shm: is in memory, which is no disk; give a folder on a disk\n"],
  );
});
