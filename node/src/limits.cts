/** Limits of the operating system that a pool of many threads may meet. */
import fs = require("node:fs");
import path = require("node:path");

/** Descriptors a worker from which its counters stay open; three of them are used. */
const PLENTY_OF_DESCRIPTORS = 16;

/** Threads that Node may start beside the pool. */
const OTHER_THREADS = 16;

/** Limits on the processes of a user from here on are for runaway programs, and not worth a look at all processes. */
const MANY_PROCESSES = 10_000;

/** Places of the file systems to read from. */
interface Places {
  readonly proc: string;
  readonly cgroups: string;
}

const USUAL_PLACES: Places = { proc: "/proc", cgroups: "/sys/fs/cgroup" };

function read(file: string): string {
  try {
    return fs.readFileSync(file, "utf8");
  } catch {
    return "";
  }
}

/** Returns a limit of this process, infinite where there is none, or where it cannot be read. */
function limit(name: string, { proc }: Places): number {
  const found = new RegExp(`^${name}\\s+(\\d+)`, "m").exec(read(path.join(proc, "self/limits")));
  return found === null ? Infinity : Number(found[1]);
}

/** Returns whether there are enough descriptors to keep the counters of all workers open, and for checkpoints. */
function plentyOfDescriptors(workers: number, places = USUAL_PLACES): boolean {
  return limit("Max open files", places) >= PLENTY_OF_DESCRIPTORS * workers;
}

/** Returns how many threads a control group and those above it allow, beside those that there are. */
function leftInGroup(mount: string, group: string): number {
  const limits = read(path.join(mount, group, "pids.max"));
  const left = /^\d/.test(limits) ? Number(limits) - Number(read(path.join(mount, group, "pids.current"))) : Infinity;
  return group === "/" || group === "." ? left : Math.min(left, leftInGroup(mount, path.dirname(group)));
}

/** Returns the same of all control groups of this process: lines are `8:pids:/group`, or `0::/group` in version 2. */
function leftInGroups({ proc, cgroups }: Places): number {
  const groups = [...read(path.join(proc, "self/cgroup")).matchAll(/^\d+:([^:]*):(.+)$/gm)];
  const left = groups.flatMap(([, controllers = "", group = "/"]) =>
    controllers === "" || controllers.split(",").includes("pids")
      ? ["", controllers, "unified"].map((folder) => leftInGroup(path.join(cgroups, folder), group))
      : [],
  );
  return Math.min(Infinity, ...left);
}

/** Returns the same of the user, whose threads count in all its processes; root has no such limit. */
function leftOfUser(places: Places, user: number): number {
  const most = limit("Max processes", places);
  if (user === 0 || most >= MANY_PROCESSES) {
    return Infinity;
  }
  const processes = fs.readdirSync(places.proc).filter((name) => /^\d+$/.test(name));
  const threads = processes.map((id) => {
    const status = read(path.join(places.proc, id, "status"));
    return Number(/^Uid:\s+(\d+)/m.exec(status)?.[1]) === user ? Number(/^Threads:\s+(\d+)/m.exec(status)?.[1]) : 0;
  });
  return threads.reduce((left, count) => left - count, most);
}

/**
 * Returns how many workers the limits on processes allow, as far as they can be read. libuv ends the process if it
 * cannot start one.
 */
function workersAllowed(places = USUAL_PLACES, user = process.getuid?.() ?? 0): number {
  return Math.max(0, Math.min(leftInGroups(places), leftOfUser(places, user)) - OTHER_THREADS);
}

export = { plentyOfDescriptors, workersAllowed };
