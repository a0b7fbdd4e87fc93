// Coordinated pools: how the threads of a service use its connections.

import { number } from "./charts.js";
import { $ } from "./view.js";

const KINDS = { "coordinated-threads": "threads", "coordinated-connections": "connections" };

/** The other pool of a pair; undefined where there is none, or where several pairs cannot be told apart. */
export function partner(pool, pools) {
  const pair = pools.filter((other) => KINDS[other.controller] && !other.closed && other.run?.title === pool.run?.title);
  const apart = pair.length === 2 && pair[0].controller !== pair[1].controller;
  return apart && pair.some((other) => other.name === pool.name) ? pair.find((other) => other.name !== pool.name) : undefined;
}

function link(pool, widest) {
  const made = document.createElement("li");
  const kind = KINDS[pool.controller];
  const name = document.createElement("strong");
  name.textContent = pool.name;
  const bar = document.createElement("div");
  bar.className = "bar";
  bar.style.width = `${(100 * pool.size) / widest}%`;
  const busy = document.createElement("div");
  busy.style.width = `${Math.min(100, (100 * (pool.point?.busy ?? 0)) / pool.size)}%`;
  bar.append(busy);
  const usage = pool.point ? `: ${number(pool.point.busy)} in use, ${number(pool.point.queue)} wait` : "";
  made.append(name, ` ${number(pool.size)} ${kind}${usage}`, bar);
  return made;
}

/**
 * Shows the pair, threads first. Each pool has `name`, `controller`, `size`, the `point` of a window and the `decision`
 * in force, where they are known. Without two sizes nothing is shown.
 */
export function showChain(pool, other) {
  $("chain").hidden = !(pool.size && other?.size);
  if ($("chain").hidden) return;
  const [threads, connections] = pool.controller === "coordinated-threads" ? [pool, other] : [other, pool];
  const widest = Math.max(threads.size, connections.size);
  $("chain-links").replaceChildren(link(threads, widest), link(connections, widest));
  const follower = [connections, threads].find(({ decision }) => decision?.use);
  const leader = follower === threads ? connections : threads;
  const use = follower?.decision.use;
  $("chain-use").textContent = use
    ? `A request uses a connection ${number(use.visits)} times, ${number(use.residence)} ms each, and takes ${number(use.service)} ms in its thread without waits for one. So ${number(threads.size)} threads at work use ${number((threads.size * use.visits * use.residence) / use.service)} connections. The size of ${follower.name} follows that of ${leader.name}.`
    : "The use of connections by requests is not measured at this moment: each pool is sized by its own curve.";
}
