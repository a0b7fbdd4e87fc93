import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { limited } from "../src/fs.js";

const folder = mkdtempSync(join(tmpdir(), "poolkeeper-test-"));
after(() => {
  rmSync(folder, { recursive: true });
});

void test("files are written and read", async () => {
  const { fs, close } = limited();
  const path = join(folder, "text");
  await fs.writeFile(path, "some text");
  assert.equal(await fs.readFile(path, "utf8"), "some text");
  assert.equal((await fs.stat(path)).size, 9);
  assert.equal(fs.constants.R_OK, 4);
  await assert.rejects(fs.readFile(join(folder, "missing")), { code: "ENOENT" });
  close();
});

void test("handles work, also as arguments of functions", async () => {
  const { fs, close } = limited({ maximum: 1 });
  const handle = await fs.open(join(folder, "handle"), "w+");
  await handle.write("0123456789");
  await fs.writeFile(handle, "abc");
  const { bytesRead, buffer } = await handle.read(Buffer.alloc(20), 0, 20, 0);
  assert.equal(buffer.toString("utf8", 0, bytesRead), "0123456789abc");
  assert.equal(typeof handle.fd, "number");
  await handle.sync();
  await handle.close();
  await assert.rejects(handle.stat(), /closed|EBADF/);
  close();
});

void test("no more requests run at a time than the limit allows", async () => {
  const { fs, metrics, close } = limited({ maximum: 2, controller: "scale-adapter" });
  const path = join(folder, "shared");
  await fs.writeFile(path, Buffer.alloc(100_000));
  const deadline = Date.now() + 300_000;
  // A window may hold the writing alone, for which nothing waited.
  while (metrics().waiting === 0 && Date.now() < deadline) {
    await Promise.all(Array.from({ length: 40 }, () => fs.readFile(path)));
  }
  close();
  const last = metrics();
  assert.ok(last.busy > 0 && last.busy <= 2, JSON.stringify(last));
  assert.ok(last.waiting > 0 && last.size <= 2, JSON.stringify(last));
});

void test("wrong options are named", () => {
  assert.throws(() => limited({ maximum: 0 }), /maximum must be a whole number of 1 or more, but is 0/);
  assert.throws(() => limited({ controller: "best" }), /unknown controller 'best'/);
});
