import assert from "node:assert/strict";
import { cpSync, existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, test } from "node:test";
import { metrics } from "../src/index.js";
import { REGISTER, start } from "./support/start.js";

const skip = existsSync(`/proc/self/task/${process.pid}/io`) ? false : "no /proc with counters of threads";
const ALONE = "poolkeeper: the thread pool is left alone: ";

void describe("the preload", { skip, concurrency: 4 }, () => {
  const ends: [way: string, code: number | null, signal?: NodeJS.Signals][] = [
    ["drain", 0],
    ["exit", 3],
    ["exit in beforeExit", 4],
    ["an exception", 1],
    ["a rejection", 1],
    ["no listeners", 0],
    ["the inner exit", 5],
    ["abort", null, "SIGABRT"],
    ["a full pool", 6],
  ];
  for (const [way, code, signal] of ends) {
    for (const moment of ["", "at once"]) {
      void test(`ends with ${way} ${moment}`, async () => {
        const ended = await start("ends", { arguments: [way, moment] });
        assert.deepEqual([ended.code, ended.signal, ended.left], [code, signal ?? null, []], ended.stderr);
        assert.match(ended.stdout, moment === "" ? /^size \d+ of 64/ : /^started/);
      });
    }
  }

  for (const signal of ["SIGINT", "SIGTERM", "SIGKILL", "SIGSEGV"] as const) {
    void test(`ends by ${signal}`, async () => {
      const ended = await start("ends", { arguments: ["wait"], signal });
      assert.deepEqual([ended.code, ended.signal, ended.left], [null, signal, []]);
    });
  }

  void test("ends by a handler of a signal", async () => {
    const ended = await start("ends", { arguments: ["a handler"], signal: "SIGTERM" });
    assert.deepEqual([ended.code, ended.left], [7, []]);
  });

  void test("starts with the size of libuv, or with that of UV_THREADPOOL_SIZE", async () => {
    const usual = await start("ends", { arguments: ["drain"], env: { POOLKEEPER_MODE: "dry-run" } });
    assert.equal(usual.stdout, "size 4 of 64\n", usual.stderr);
    const env = { POOLKEEPER_MODE: "dry-run", UV_THREADPOOL_SIZE: "6", POOLKEEPER_MAXIMUM: "12" };
    const set = await start("ends", { arguments: ["drain"], env });
    assert.equal(set.stdout, "size 6 of 12\n", set.stderr);
  });

  void test("works by the names of the package", async () => {
    const ended = await start("package", { preload: "poolkeeper/register" });
    assert.deepEqual([ended.code, ended.stderr], [0, ""]);
    assert.equal(ended.stdout, "CONTROLLERS adapt controllerNamed metrics\nlimited\n");
  });

  void test("knows the variable of the launcher", async () => {
    const ended = await start("ends", { arguments: ["drain"], env: { POOLKEEPER_HOME: "/nowhere" } });
    assert.deepEqual([ended.code, ended.stderr], [0, ""]);
  });

  void test("works twice", async () => {
    const ended = await start("ends", { arguments: ["drain"], after: ["--import", REGISTER, "--require", REGISTER] });
    assert.deepEqual([ended.code, ended.stderr], [0, ""]);
    assert.match(ended.stdout, /^size \d+ of 64/);
  });

  void test("works with NODE_OPTIONS", async () => {
    const ended = await start("threads", { env: { NODE_OPTIONS: `--import ${REGISTER}` } });
    assert.deepEqual([ended.code, ended.stderr], [0, ""]);
  });

  void test("shows its metrics to all threads", async () => {
    const ended = await start("threads");
    assert.deepEqual([ended.code, ended.stderr, ended.left], [0, "", []]);
    const lines = ["main: maximum 64", "worker: maximum 64", "worker: maximum 64"];
    assert.deepEqual(ended.stdout.trim().split("\n").sort(), lines);
  });

  for (const [way, count] of [
    ["cluster", 2],
    ["fork", 1],
  ] as const) {
    void test(`sizes the pool of each process of ${way}`, async () => {
      const ended = await start("processes", { arguments: [way] });
      assert.deepEqual([ended.code, ended.stderr, ended.left], [0, "", []]);
      assert.equal(ended.stdout, "child: 64, no setting\n".repeat(count));
    });
  }

  for (const kind of ["files", "crypto"]) {
    void test(`shows busy workers and the wait for them, of ${kind}`, async () => {
      // Of so small files the smallest size suffices.
      const env = { POOLKEEPER_MINIMUM: "1" };
      const ended = await start("pools", { arguments: [kind, "busy", "waiting", "resizes"], env });
      const { missing, last } = JSON.parse(ended.stdout) as { missing: string[]; last: { reason: string } };
      assert.deepEqual([ended.code, missing], [0, []], ended.stdout);
      assert.notEqual(last.reason, "");
    });
  }

  void test("reads many files at once with few descriptors", async () => {
    const ended = await start("ends", { arguments: ["many files"], descriptors: 256 });
    assert.deepEqual([ended.code, ended.stderr, ended.left], [0, "", []]);
    assert.match(ended.stdout, /10000 ended/);
  });

  for (const descriptors of [30, 36, 60]) {
    void test(`ends with ${descriptors} descriptors`, async () => {
      const ended = await start("plain", { descriptors });
      assert.deepEqual([ended.left, ended.signal], [[], null]);
      assert.equal(ended.code, 0, ended.stderr);
      assert.match(ended.stderr, /^$|^poolkeeper: the (thread )?pool .*\n$/);
    });
  }

  void test("leaves the pool alone where no FIFO can be made", async () => {
    const ended = await start("ends", { arguments: ["drain", "at once"], env: { PATH: "/nowhere" } });
    assert.deepEqual([ended.code, ended.left], [0, []]);
    assert.match(ended.stderr, /^poolkeeper: the thread pool is left alone: mkfifo does not work \(.*ENOENT\)\n$/);
    const folder = await start("ends", { arguments: ["drain", "at once"], env: { TMPDIR: "/nowhere" } });
    assert.equal(folder.code, 0);
    assert.match(folder.stderr, /^poolkeeper: the thread pool is left alone: ENOENT: .*\n$/);
  });

  void test("leaves the pool alone where /proc is not mounted", async (context) => {
    const hidden = "mount -t tmpfs none /proc || exit 77; ";
    const ended = await start("plain", { within: ["unshare", "--mount"], first: hidden });
    if (ended.code === 77 || (ended.code === 1 && ended.stderr.startsWith("unshare"))) {
      context.skip("this user may not hide /proc");
      return;
    }
    assert.equal(ended.code, 0);
    assert.equal(ended.stderr, `${ALONE}this platform has no /proc with counters of threads\n`);
  });

  void test("leaves the pool alone where the user may not start so many threads", async (context) => {
    const within = ["setpriv", "--reuid", "65534", "--clear-groups", "prlimit", "--nproc=50"];
    const ended = await start("ends", { arguments: ["drain", "at once"], within });
    if (ended.stderr.startsWith("setpriv") || ended.stderr.includes("Cannot find module")) {
      context.skip("only root may start a process of another user, who must have access to the tests");
      return;
    }
    assert.equal(ended.code, 0, ended.stderr);
    assert.match(
      ended.stderr,
      /left alone: limits on processes \(pids.max, ulimit -u\) leave room for \d+ workers, not 64; set POOLKEEPER_MAXIMUM\n$/,
    );
  });

  void test("leaves a pool alone that is in use", async () => {
    const use = "--import=data:text/javascript,import fs from 'node:fs/promises'; await fs.stat('/')";
    const ended = await start("ends", { arguments: ["drain", "at once"], before: [use] });
    assert.deepEqual([ended.code, ended.left], [0, []]);
    assert.match(ended.stderr, /left alone: the pool was in use before poolkeeper\/register was loaded; name it/);
  });

  const wrong: [env: NodeJS.ProcessEnv, message: string][] = [
    [{ POOLKEEPER_MAXIMUM: "0" }, `${ALONE}POOLKEEPER_MAXIMUM must be a whole number from 1 to 1024, but is '0'\n`],
    [
      { POOLKEEPER_MAXIMUM: "2", UV_THREADPOOL_SIZE: "3" },
      `${ALONE}UV_THREADPOOL_SIZE must be <= POOLKEEPER_MAXIMUM, but 3 > 2\n`,
    ],
    [
      { POOLKEEPER_MINIMUM: "5", UV_THREADPOOL_SIZE: "4" },
      `${ALONE}POOLKEEPER_MINIMUM must be <= UV_THREADPOOL_SIZE, but 5 > 4\n`,
    ],
    [{ UV_THREADPOOL_SIZE: "1e2" }, `${ALONE}UV_THREADPOOL_SIZE must be a whole number from 1 to 1024, but is '1e2'\n`],
    [{ POOLKEEPER_MODE: "dry" }, `${ALONE}POOLKEEPER_MODE must be active or dry-run, but is 'dry'\n`],
    [
      { POOLKEEPER_OBJECTIVE: "troughput" },
      `${ALONE}POOLKEEPER_OBJECTIVE must be throughput or disk-throughput, but is 'troughput'; did you mean throughput?\n`,
    ],
    [
      { POOLKEEPER_CONTROLLER: "best" },
      `${ALONE}POOLKEEPER_CONTROLLER must be response-curve or scale-adapter or scale-adapter-drop or ` +
        "scale-adapter-average or scale-adapter-calls, but is 'best'\n",
    ],
    [
      { POOLKEEPER_MAXIMUN: "8", POOLKEEPER_SERVICE_HOST: "10.0.0.1" },
      "poolkeeper: POOLKEEPER_MAXIMUN is unknown and has no effect; did you mean POOLKEEPER_MAXIMUM?\n",
    ],
  ];
  for (const [env, message] of wrong) {
    void test(`names a wrong setting: ${Object.keys(env).join(", ")}`, async () => {
      const ended = await start("ends", { arguments: ["drain", "at once"], env });
      assert.deepEqual([ended.code, ended.stderr], [0, message]);
    });
  }

  void test("keeps all workers, and names the reason, if the thread that measures fails", async (context) => {
    const folder = mkdtempSync(path.join(tmpdir(), "register-"));
    context.after(() => {
      rmSync(folder, { recursive: true });
    });
    cpSync(path.dirname(REGISTER), folder, { recursive: true });
    writeFileSync(path.join(folder, "pool", "keeper.js"), 'throw new Error("broken");');
    const preload = path.join(folder, path.basename(REGISTER));
    const ended = await start("ends", { arguments: ["drain"], preload });
    const message = "the pool stays at 64 workers: broken";
    assert.ok(ended.stderr.startsWith(`poolkeeper: ${message}`), ended.stderr);
    assert.ok(ended.stderr.includes(`Error: ${message}`), ended.stderr);
  });
});

void test("without the preload there is a reason instead of metrics", () => {
  assert.deepEqual(metrics(), {
    active: false,
    problem: "Node was started without --import poolkeeper/register",
  });
});
