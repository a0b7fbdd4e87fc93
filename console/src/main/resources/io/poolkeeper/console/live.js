// Running pools: reads the stream of events, shows all pools and the chosen one, sends changes.

import { partner, showChain } from "./chain.js";
import { number } from "./charts.js";
import { $, allowed, api, asked, describe, drawCurve, drawTimes, estimate, item, keepChosen, measured, poolList, query } from "./view.js";

const LONGEST_RECENT = 1200;
const MOST_DECISIONS = 2000;
const LARGEST_LOG = 200;

const page = { pools: [], chosen: null, pool: null, stream: null };
const mode = (pool) => (pool.closed ? "closed" : pool.pinnedUntil ? "held" : pool.mode);
const showList = poolList([
  { title: "Mode", words: true, of: mode },
  { title: "Size", of: (pool) => String(pool.size) },
  { title: "Asked for", explains: "size that the last decision asked for", of: (pool) => number(pool.decision?.wanted ?? NaN) },
  { title: "Busy", explains: "mean number of busy workers, last window", of: (pool) => number(pool.window?.busy) },
  { title: "Waiting", explains: "mean number of waiting tasks, last window", of: (pool) => number(pool.window?.queue) },
  { title: "Tasks/s", explains: "completions per second, last window", of: (pool) => number(pool.window?.throughput) },
  { title: "Mean ms", explains: "mean response time, last window", of: (pool) => number(pool.window?.mean) },
  { title: "p99 ms", explains: "99th percentile of the response time, last window", of: (pool) => number(pool.window?.p99) },
  { title: "Verdict", words: true, of: brief },
], choose);

/** The verdict on a pool in a few words. */
function brief(pool) {
  const { decision } = pool;
  if (pool.closed) return "closed";
  if (pool.pinnedUntil) return `held until ${clock(pool.pinnedUntil, 0)}`;
  if (pool.mode === "frozen") return "only measured";
  if (!decision) return "no decision yet";
  if (decision.action === "failed" || decision.action === "refused") return `last decision ${decision.action}`;
  if (pool.size >= pool.max && pool.window?.queue >= 1) return "at its largest size, tasks wait";
  if (pool.mode === "dry-run") return decision.wanted === pool.size ? "the size is right" : `would be ${decision.wanted}`;
  return decision.after > decision.before ? "grows" : decision.after < decision.before ? "shrinks" : "keeps its size";
}

/** Begins to show running pools. */
export function begin(list) {
  page.pools = list.pools;
  const name = asked();
  page.chosen = list.pools.some((pool) => pool.name === name) ? name : (list.pools[0]?.name ?? null);
  showList(page.pools, page.chosen);
  $("changes").hidden = false;
  listen();
}

function state(text, lost) {
  $("state").textContent = text;
  $("state").classList.toggle("lost", Boolean(lost));
}

async function listen() {
  page.stream?.abort();
  const stream = new AbortController();
  page.stream = stream;
  let seen = false;
  while (!stream.signal.aborted) {
    try {
      const pool = page.chosen === null ? null : await (await api(`api/pool${query(page.chosen)}`)).json();
      if (stream.signal.aborted) return; // Another was chosen meanwhile, and answers may overtake each other.
      page.pool = pool;
      const response = await api(`api/stream${query(page.chosen)}`, { signal: stream.signal });
      state("live");
      seen = true;
      await read(response.body.pipeThrough(new TextDecoderStream()).getReader(), stream.signal);
      if (!stream.signal.aborted) state("connection lost: the program has ended, or closed the console", true);
    } catch (error) {
      if (stream.signal.aborted) return;
      if (error.status) state(`not connected: ${error.message}`, true);
      else state(seen ? "connection lost: the program has ended, or closed the console" : `not connected: ${error.message}`, true);
      if (error.status === 404) page.chosen = null; // It was closed, and another took its place.
    }
    await new Promise((resolve) => setTimeout(resolve, 2000));
  }
}

async function read(reader, signal) {
  let text = "";
  let first = true;
  for (;;) {
    const { value, done } = await reader.read();
    if (done || signal.aborted) return;
    const events = (text + value).split("\n\n");
    text = events.pop();
    for (const event of events) {
      take(JSON.parse(event.slice("data: ".length)), first);
      first = false;
    }
  }
}

/** Takes an event; the first of a stream holds all recent windows and decisions, later ones what is new. */
function take(event, first) {
  page.pools = event.pools;
  if (page.chosen === null && page.pools.length > 0) {
    choose(page.pools[0].name);
    return;
  }
  const pool = page.pool;
  if (pool && event.news) {
    // A line without the field tells that nothing is held any more.
    Object.assign(pool, { pinnedUntil: undefined }, page.pools.find((line) => line.name === pool.name));
    const news = pool.news;
    news.windows = (first ? event.news.windows : [...news.windows, ...event.news.windows]).slice(-LONGEST_RECENT);
    news.decisions = (first ? event.news.decisions : [...news.decisions, ...event.news.decisions]).slice(-MOST_DECISIONS);
    if (event.news.curve) news.curve = event.news.curve;
    if (event.audit) pool.audit = event.audit;
    if (!document.hidden) showPool(pool);
  }
  if (!document.hidden) showList(page.pools, page.chosen);
}

function choose(name) {
  page.chosen = name;
  keepChosen(name);
  for (const id of ["error", "done"]) $(id).textContent = "";
  for (const field of document.querySelectorAll("#bounds input, #pin [name=size]")) field.value = "";
  listen();
}

function showPool(pool) {
  $("pool").hidden = false;
  $("name").textContent = pool.name;
  document.title = `${pool.name}: ${pool.size} – Poolkeeper`;
  $("now").textContent = pool.closed
    ? "This pool is closed."
    : `Now: ${measured(pool.window, pool.size) || `size ${pool.size}`}. Sizes from ${pool.min} to ${pool.max} are allowed. Controller: ${pool.controller}.`;
  $("verdict").textContent = verdict(pool);
  for (const button of $("modes").children) {
    button.setAttribute("aria-pressed", String(button.dataset.mode === pool.mode));
  }
  prefill("bounds", "min", pool.min);
  prefill("bounds", "max", pool.max);
  prefill("pin", "size", pool.size);
  const other = partner(pool, page.pools);
  showChain(member(pool), other && member(other));
  charts(pool);
  log($("decisions"), pool.news.decisions, describe, "No decision has changed the size yet.");
  log($("audit"), pool.audit, (entry) => entry.text, "None.");
}

const member = (pool) => ({ ...pool, point: pool.window });

function verdict(pool) {
  if (pool.pinnedUntil) return `Held by hand until ${clock(pool.pinnedUntil, 0)}.`;
  if (pool.mode === "frozen") return "Frozen: nothing is decided.";
  return pool.decision ? `Last decision: ${describe(pool.decision)}` : "No decision yet.";
}

function prefill(form, name, value) {
  const field = $(form).elements[name];
  if (field.value === "" && document.activeElement !== field) field.value = value;
}

function clock(at, span) {
  const day = span > 36 * 3600e3 ? { weekday: "short" } : {};
  const seconds = span > 0 && span < 900e3 ? { second: "2-digit" } : {};
  return new Date(at).toLocaleTimeString("en-GB", { ...day, hour: "2-digit", minute: "2-digit", ...seconds });
}

function charts(pool) {
  const to = Math.max(Date.now(), pool.news.windows.at(-1)?.at ?? 0);
  const wanted = to - Number($("span").value) * 1000;
  const points = [...pool.earlier, ...pool.news.windows].filter((point) => point.at >= wanted);
  const from = points[0]?.at ?? wanted;
  const marks = pool.news.decisions.filter((decision) => decision.at >= from && decision.before !== decision.after);
  drawTimes(points, marks.map((decision) => decision.at), { from, to, format: clock });
  const curve = allowed(pool.news.curve, pool, pool.size);
  drawCurve(curve, pool.size, pool.objective, "The controller has not shown a curve yet.");
  $("estimate").textContent = estimate(curve, pool.size, pool, pool.mode === "dry-run" ? pool.decision?.wanted : null);
}

function log(list, entries, text, empty) {
  const shown = entries.slice(-LARGEST_LOG).reverse();
  const key = `${shown.length} ${shown[0] ? `${shown[0].at} ${text(shown[0])}` : ""}`;
  if (list.dataset.key === key) return;
  list.dataset.key = key;
  const time = (at) => new Date(at).toLocaleString("en-GB", { weekday: "short", hour: "2-digit", minute: "2-digit", second: "2-digit" });
  list.replaceChildren(...(shown.length ? shown.map((entry) => item(time(entry.at), text(entry), new Date(entry.at).toISOString())) : [empty]));
}

async function change(wanted) {
  for (const id of ["error", "done"]) $(id).textContent = "";
  try {
    const pool = await (await api(`api/pool${query(page.chosen)}`, { method: "POST", body: JSON.stringify(wanted) })).json();
    $("done").textContent = `Done: ${pool.audit.at(-1).text}`;
    return pool;
  } catch (error) {
    $("error").textContent = `Not changed: ${error.message}`;
    return null;
  }
}

const whole = (field) => (field.value === "" ? "" : Number(field.value));

$("modes").addEventListener("click", (event) => {
  if (event.target.dataset.mode) change({ action: "mode", mode: event.target.dataset.mode });
});
$("bounds").addEventListener("submit", (event) => {
  event.preventDefault();
  const { min, max } = event.target.elements;
  change({ action: "bounds", min: whole(min), max: whole(max) });
});
$("pin").addEventListener("submit", (event) => {
  event.preventDefault();
  const { size, minutes } = event.target.elements;
  change({ action: "pin", size: whole(size), minutes: whole(minutes) });
});
$("back").addEventListener("click", () => change({ action: "roll back" }));
$("span").addEventListener("change", () => page.pool && charts(page.pool));
$("export").addEventListener("click", async () => {
  for (const id of ["error", "done"]) $(id).textContent = "";
  try {
    const answer = await api(`api/record${query(page.chosen)}`);
    const link = document.createElement("a");
    link.href = URL.createObjectURL(await answer.blob());
    link.download = decodeURIComponent(answer.headers.get("Content-Disposition").split("''")[1]);
    link.click();
    URL.revokeObjectURL(link.href);
    $("done").textContent = `Saved: ${link.download}`;
  } catch (error) {
    $("error").textContent = `Not saved: ${error.message}`;
  }
});
