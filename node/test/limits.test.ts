import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, test } from "node:test";
import limits from "../src/limits.cjs";

void describe("limits on threads", () => {
  let folder = "";
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "poolkeeper-test-"));
    write(
      "proc/self/limits",
      "Limit           Soft Limit  Hard Limit  Units\nMax processes   unlimited   unlimited   processes\n",
    );
  });
  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  const write = (path: string, content: string): void => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  };
  const allowed = (user = 0): number =>
    limits.workersAllowed({ proc: join(folder, "proc"), cgroups: join(folder, "cgroup") }, user);

  void test("there are none where nothing can be read", () => {
    assert.equal(allowed(), Infinity);
    assert.equal(limits.workersAllowed({ proc: "/nowhere", cgroups: "/nowhere" }, 7), Infinity);
  });

  void test("the tightest group of version 2 counts, less what Node needs", () => {
    write("proc/self/cgroup", "0::/service/part\n");
    write("cgroup/service/pids.max", "100\n");
    write("cgroup/service/pids.current", "30\n");
    write("cgroup/service/part/pids.max", "max\n");
    assert.equal(allowed(), 54);
    write("cgroup/service/part/pids.max", "40\n");
    write("cgroup/service/part/pids.current", "10\n");
    assert.equal(allowed(), 14);
  });

  void test("groups of version 1, and those of a container, whose mount is the group", () => {
    write("proc/self/cgroup", "8:pids:/docker/abc\n3:cpu,cpuacct:/docker/abc\n0::/docker/abc\n");
    write("cgroup/pids/pids.max", "60\n");
    write("cgroup/pids/pids.current", "20\n");
    assert.equal(allowed(), 24);
    write("cgroup/pids/pids.current", "200\n");
    assert.equal(allowed(), 0);
  });

  void test("the threads of all processes of a user count, unless it is root", () => {
    write(
      "proc/self/limits",
      "Limit           Soft Limit  Hard Limit  Units\nMax processes   80          100         processes\n",
    );
    write("proc/1/status", "Name:\tinit\nUid:\t0\t0\t0\t0\nThreads:\t50\n");
    write("proc/2/status", "Name:\tnode\nUid:\t7\t7\t7\t7\nThreads:\t11\n");
    write("proc/3/status", "Name:\tnode\nUid:\t7\t7\t7\t7\nThreads:\t20\n");
    assert.equal(allowed(7), 80 - 31 - 16);
    assert.equal(allowed(0), Infinity);
  });
});
