// The parts of the page that live pools and records share: requests, the list of pools, charts, lists of events.

import { expected, learnedCurve, number, timeline } from "./charts.js";

const FIXED = [4, 8, 16, 32, 64, 128, 200];
const MANY_POOLS = 12;

export const $ = (id) => document.getElementById(id);
const token = location.hash.slice(1) || sessionStorage.getItem("token") || "";
if (token) sessionStorage.setItem("token", token);
history.replaceState(null, "", location.pathname + location.search);

/** Sends a request with the token; throws an error with the answer's message and its status. */
export async function api(path, options = {}) {
  const response = await fetch(path, { ...options, headers: { Authorization: `Bearer ${token}` } });
  if (!response.ok) {
    const answer = await response.json().catch(() => ({}));
    const error = new Error(answer.error ?? `${response.status} ${response.statusText}`);
    error.status = response.status;
    throw error;
  }
  return response;
}

export const query = (name) => `?name=${encodeURIComponent(name ?? "")}`;

/** The pool that the address names; null if none. */
export const asked = () => new URLSearchParams(location.search).get("pool");

/** Keeps the chosen pool in the address, so that a reload shows it again. */
export function keepChosen(name) {
  const address = new URL(location.href);
  address.searchParams.set("pool", name);
  history.replaceState(null, "", address);
}

/** The list of pools: `columns` are the heads after the name, with a function that makes a text of a pool. */
export function poolList(columns, choose) {
  const head = $("pools").tHead.insertRow();
  for (const { title, explains, words } of [{ title: "Pool", words: true }, ...columns]) {
    const cell = document.createElement("th");
    cell.scope = "col";
    cell.textContent = title;
    if (explains) cell.title = explains;
    if (!words) cell.className = "number";
    head.append(cell);
  }
  const body = $("pools").tBodies[0];
  let names = "";

  function row(pool) {
    const made = document.createElement("tr");
    const link = document.createElement("button");
    link.textContent = pool.name;
    link.title = pool.name;
    link.addEventListener("click", () => choose(pool.name));
    made.insertCell().append(link);
    for (const { words } of columns) made.insertCell().className = words ? "" : "number";
    return made;
  }

  function filter() {
    const part = $("find").value.toLowerCase();
    let shown = 0;
    for (const line of body.rows) {
      line.hidden = !line.cells[0].textContent.toLowerCase().includes(part);
      if (!line.hidden) shown++;
    }
    $("found").textContent = `${shown} of ${body.rows.length} pools`;
  }
  $("find").addEventListener("input", filter);

  return (pools, chosen) => {
    const now = JSON.stringify(pools.map((pool) => pool.name));
    if (names !== now) {
      names = now;
      body.replaceChildren(...pools.map(row));
      $("find-row").hidden = pools.length <= MANY_POOLS;
      filter();
    }
    pools.forEach((pool, i) => {
      const line = body.rows[i];
      columns.forEach(({ of }, cell) => {
        const text = of(pool);
        if (line.cells[cell + 1].textContent !== text) line.cells[cell + 1].textContent = text;
      });
      line.toggleAttribute("aria-current", pool.name === chosen);
    });
  };
}

const NOT_RECORDED = "The record holds no windows, so this is not known.";

/** Draws the sizes alone, of a record of decisions; returns what finds the time at a pixel. */
export function drawSizes(points, marks, scale) {
  for (const id of ["rates", "times"]) $(id).textContent = NOT_RECORDED;
  return timeline($("sizes"), "Size over time", points, [{ key: "size", label: "size", style: "first" }], { ...scale, marks });
}

/** Draws the three charts over time; returns what finds the time at a pixel of them. */
export function drawTimes(points, marks, scale) {
  const draw = (id, title, series, at) => timeline($(id), title, points, series, { ...scale, marks: at });
  if (points.length === 0) {
    for (const id of ["sizes", "rates", "times"]) $(id).textContent = "Nothing has been measured in this time.";
    return null;
  }
  const found = draw("sizes", "Size, busy workers and waiting tasks over time", [
    { key: "size", label: "size", style: "first" }, { key: "busy", label: "busy", style: "third" },
    { key: "queue", label: "waiting", style: "second" },
  ], marks);
  draw("rates", "Tasks completed per second over time", [{ key: "throughput", label: "per second", style: "first" }]);
  draw("times", "Response time in milliseconds over time", [
    { key: "mean", label: "mean", style: "first" }, { key: "p99", label: "99th percentile", style: "second" },
  ]);
  return found;
}

/** A curve in the unit of its objective, for people. */
function inUnit(curve, objective) {
  const scale = objective?.scale ?? 1;
  return curve.map(({ size, mean, sd }) => ({ size, mean: mean * scale, sd: sd * scale }));
}

/** The part of a curve within the sizes that a pool may have, and the size in force; its ends lie between two points. */
export function allowed(curve, { min = 1, max = Infinity }, size = min) {
  const smallest = Math.min(min, size);
  const largest = Math.max(max, size);
  const ends = [smallest, largest]
    .filter((end) => curve.every((point) => point.size !== end))
    .map((end) => ({ size: end, ...expected(curve, end) }))
    .filter((point) => Number.isFinite(point.mean));
  const within = curve.filter((point) => point.size >= smallest && point.size <= largest);
  return [...within, ...ends].sort((a, b) => a.size - b.size);
}

/** Draws a learned curve, or says in words why there is none. */
export function drawCurve(curve, size, objective, missing) {
  if (curve.length < 2) {
    $("curve").textContent = missing;
    $("curve-title").textContent = "Learned curve";
    return;
  }
  const what = objective ? `${objective.label} (${objective.unit}; ${objective.better} is better)` : "value of the objective";
  $("curve-title").textContent = `Learned curve: expected ${what} by size; the band is one standard deviation`;
  learnedCurve($("curve"), $("curve-title").textContent, inUnit(curve, objective), size);
}

/** Values that fixed sizes are expected to give, and in dry-run the gain of following the decisions. */
export function estimate(curve, size, pool, wanted) {
  const points = inUnit(curve, pool.objective);
  const now = expected(points, size);
  if (!Number.isFinite(now.mean)) return "";
  const unit = pool.objective?.unit ?? "";
  const value = (point) => `${number(point.mean)} ± ${number(point.sd)} ${unit}`.trim();
  const others = FIXED.filter((fixed) => fixed >= (pool.min ?? 1) && fixed <= (pool.max ?? Infinity) && fixed !== size)
    .map((fixed) => ({ size: fixed, ...expected(points, fixed) }))
    .filter((point) => Number.isFinite(point.mean))
    .map((point) => `size ${point.size}: ${value(point)}`);
  const load = pool.objective?.better === "higher" ? "while enough tasks wait" : "at this load";
  const parts = [`Estimates from the curve, ${load}: size ${number(size)}, in force: ${value(now)}`, ...others];
  if (wanted && wanted !== size) {
    const then = expected(points, wanted);
    if (Number.isFinite(then.mean)) {
      parts.push(`going to ${wanted}, as was decided, is expected to change it by ${number((then.mean / now.mean - 1) * 100)} %`);
    }
  }
  return `${parts.join("; ")}.`;
}

/** A decision in words, without its time. */
export function describe(decision) {
  const { action, before, after, wanted, reason } = decision;
  const change = {
    resized: `${before} → ${after}`,
    kept: `${after} kept`,
    recorded: `dry-run, would be ${before} → ${wanted}`,
    refused: `refused: ${before} → ${wanted}`,
    failed: `failed, ${after} stays`,
  }[action] ?? `${action} ${before} → ${after}`;
  return `${change}: ${reason}`;
}

/** Describes a window's measurements in a line for people. */
export function measured(point, size) {
  if (!point) return "";
  const tasks = point.throughput > 0 ? `, response time ${number(point.mean)} ms on average, ${number(point.p99)} ms at the 99th percentile` : "";
  const failures = point.failures > 0 ? `, ${number(point.failures)} failed or refused` : "";
  return `size ${number(size)}, ${number(point.busy)} busy, ${number(point.queue)} waiting, ${number(point.throughput)} tasks/s${tasks}${failures}`;
}

/** An item of a list of events. */
export function item(moment, text, dateTime) {
  const made = document.createElement("li");
  const time = document.createElement("time");
  if (dateTime) time.dateTime = dateTime;
  time.append(moment);
  made.append(time, text);
  return made;
}
