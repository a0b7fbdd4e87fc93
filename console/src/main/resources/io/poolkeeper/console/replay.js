// A record: the run on a time axis, with a cursor that is moved or plays.

import { partner, showChain } from "./chain.js";
import { number } from "./charts.js";
import { $, allowed, api, asked, describe, drawCurve, drawSizes, drawTimes, estimate, item, keepChosen, measured, poolList, query } from "./view.js";

const STEPS = 1000;
const WHOLE_S = 30;

const page = { pools: [], pool: null, other: null, wanted: null, at: 0, playing: null, drawn: null };
const showList = poolList([
  { title: "Controller", words: true, of: (pool) => pool.controller ?? "not recorded" },
  { title: "Length", of: (pool) => clock(pool.to - pool.from) },
  { title: "Changes", explains: "decisions that changed the size, would have, were refused or failed", of: (pool) => number(pool.changes) },
  { title: "Mean size", of: (pool) => number(pool.window?.size) },
  { title: "Waiting", explains: "mean number of waiting tasks", of: (pool) => number(pool.window?.queue) },
  { title: "Tasks/s", explains: "completions per second over the whole record", of: (pool) => number(pool.window?.throughput) },
  { title: "Mean ms", explains: "mean response time over the whole record", of: (pool) => number(pool.window?.mean) },
  { title: "Worst p99 ms", explains: "largest 99th percentile of the response time in a window", of: (pool) => number(pool.window?.p99) },
], choose);

/** Begins to show a record. */
export function begin(list) {
  page.pools = list.pools;
  document.querySelector("h1").textContent = `Record ${list.record.title}`;
  $("state").textContent = "a replay: nothing here changes a pool";
  for (const id of ["changes", "audit-row", "span-row"]) $(id).hidden = true;
  $("player").hidden = false;
  $("pool").classList.add("replay");
  const name = asked();
  choose(list.pools.some((pool) => pool.name === name) ? name : list.pools[0].name);
}

async function choose(name) {
  stop();
  keepChosen(name);
  showList(page.pools, name);
  page.wanted = name;
  const line = page.pools.find((entry) => entry.name === name);
  const names = [name, partner(line, page.pools)?.name].filter(Boolean);
  let pool, other;
  try {
    [pool, other] = await Promise.all(names.map(async (member) => (await api(`api/pool${query(member)}`)).json()));
  } catch (error) {
    $("state").textContent = `connection lost: ${error.message}`;
    return;
  }
  if (page.wanted !== name) return; // Another was chosen meanwhile, and answers may overtake each other.
  page.pool = pool;
  page.other = other;
  $("pool").hidden = false;
  $("name").textContent = pool.name;
  document.title = `${pool.name} – record – Poolkeeper`;
  $("decisions").replaceChildren(...(pool.decisions.length ? pool.decisions.map(decided) : ["The record holds no decision that changed the size."]));
  $("omitted").textContent = pool.decisionsOmitted > 0 ? `The first ${number(pool.decisionsOmitted)} are left out.` : "";
  const cursor = $("cursor");
  cursor.min = pool.from;
  cursor.max = pool.to;
  cursor.step = Math.max(1, Math.round((pool.to - pool.from) / STEPS));
  move(pool.to);
}

function decided(decision) {
  const jump = document.createElement("button");
  jump.textContent = clock(decision.at);
  jump.title = "to this moment";
  jump.addEventListener("click", () => {
    stop();
    move(decision.at);
  });
  return item(jump, describe(decision));
}

/** Time in the run, such as 2:13 or 1:02:13; before the start, which is the warm-up, below 0. */
function clock(millis) {
  const seconds = Math.round(Math.abs(millis) / 1000);
  const two = (value) => String(value).padStart(2, "0");
  const hours = Math.floor(seconds / 3600);
  const minutes = Math.floor(seconds / 60) % 60;
  return `${millis <= -500 ? "−" : ""}${hours > 0 ? `${hours}:${two(minutes)}` : minutes}:${two(seconds % 60)}`;
}

/** The last element at or before a time; -1 if there is none. */
function lastAt(elements, at) {
  let low = 0;
  let high = elements.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (elements[middle].at <= at) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** The state of a pool at a moment: the decision in force, and the first window that ends at or after it. */
function stateAt(pool, at) {
  const point = pool.windows[Math.min(pool.windows.length - 1, lastAt(pool.windows, at - 1) + 1)];
  const decision = pool.states[lastAt(pool.states, at)];
  return { name: pool.name, controller: pool.controller, point, decision, size: decision?.after ?? point?.size };
}

/** Shows a moment of the run. */
function move(at) {
  const pool = page.pool;
  page.at = Math.min(pool.to, Math.max(pool.from, at));
  const now = stateAt(pool, page.at);
  const { point, decision: state, size } = now;
  const curve = allowed(pool.curves[lastAt(pool.curves, page.at)]?.points ?? [], pool, size);
  showChain(now, page.other && stateAt(page.other, page.at));
  $("cursor").value = page.at;
  $("cursor").setAttribute("aria-valuetext", `${clock(page.at)} of ${clock(pool.to)}`);
  $("clock").textContent = `${clock(page.at)} of ${clock(pool.to)}${page.at < 0 ? " (warm-up)" : ""}`;
  $("now").textContent = point ? `At ${clock(page.at)}: ${measured(point, point.size)}.` : `At ${clock(page.at)}: size ${size}; the record holds no windows.`;
  $("verdict").textContent = state ? `Decision in force: ${describe(state)}` : pool.states.length ? "No decision yet." : "The record holds no decisions of this pool.";
  const marks = pool.decisions.filter((decision) => decision.before !== decision.after).map((decision) => decision.at);
  const scale = { from: pool.from, to: pool.to, format: clock, cursor: page.at };
  page.drawn = pool.windows.length
    ? drawTimes(pool.windows, marks, scale)
    : drawSizes(pool.states.map((step) => ({ at: step.at, size: step.after })), marks, scale);
  drawCurve(curve, size, pool.objective, pool.curves.length ? "No curve has been learned at this moment." : "The record holds no learned curve: only the default controller shows one.");
  $("estimate").textContent = estimate(curve, size, pool, state?.mode === "dry-run" ? state.wanted : null);
  markCurrent(lastAt(pool.decisions, page.at));
}

function markCurrent(current) {
  const list = $("decisions");
  if (!page.pool.decisions.length) return;
  [...list.children].forEach((line, i) => {
    line.classList.toggle("later", i > current);
    if (i === current) line.setAttribute("aria-current", "step");
    else line.removeAttribute("aria-current");
  });
  const line = list.children[Math.max(0, current)];
  list.scrollTop = line.offsetTop - list.offsetTop - list.clientHeight / 2;
}

function stop() {
  cancelAnimationFrame(page.playing);
  page.playing = null;
  $("play").textContent = "play";
}

function play() {
  if (page.at >= page.pool.to) move(page.pool.from);
  let before = null;
  const turn = (now) => {
    const chosen = Number($("speed").value);
    const speed = chosen || (page.pool.to - page.pool.from) / (WHOLE_S * 1000);
    if (before !== null) move(page.at + (now - before) * speed);
    before = now;
    if (page.at >= page.pool.to) stop();
    else page.playing = requestAnimationFrame(turn);
  };
  page.playing = requestAnimationFrame(turn);
  $("play").textContent = "pause";
}

/** Moves to the change of size before or after the cursor. */
function jump(direction) {
  stop();
  const changes = page.pool.decisions;
  const found = direction > 0 ? changes.find((decision) => decision.at > page.at) : changes.findLast((decision) => decision.at < page.at);
  move(found?.at ?? (direction > 0 ? page.pool.to : page.pool.from));
}

$("play").addEventListener("click", () => (page.playing === null ? play() : stop()));
$("previous").addEventListener("click", () => jump(-1));
$("next").addEventListener("click", () => jump(1));
$("cursor").addEventListener("input", () => {
  stop();
  move(Number($("cursor").value));
});
for (const id of ["sizes", "rates", "times"]) {
  const drag = (event) => {
    if (event.buttons !== 1 || !page.drawn) return;
    stop();
    const box = $(id).getBoundingClientRect();
    move(page.drawn.timeAt(event.clientX - box.left));
  };
  $(id).addEventListener("pointerdown", drag);
  $(id).addEventListener("pointermove", drag);
}
addEventListener("resize", () => page.pool && move(page.at));
