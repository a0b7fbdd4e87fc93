// The console: reads the stream of events, shows all pools and the chosen one, sends changes.

import { expected, learnedCurve, number, timeline } from "./charts.js";

const FIXED = [4, 8, 16, 32, 64, 128, 200];
const LONGEST_RECENT = 1200;
const LARGEST_LOG = 200;

const $ = (id) => document.getElementById(id);
const token = location.hash.slice(1) || sessionStorage.getItem("token") || "";
if (token) sessionStorage.setItem("token", token);
history.replaceState(null, "", location.pathname + location.search);

const page = { pools: [], chosen: new URLSearchParams(location.search).get("pool"), pool: null, stream: null };

async function api(path, options = {}) {
  const response = await fetch(path, { ...options, headers: { Authorization: `Bearer ${token}` } });
  if (!response.ok) {
    const answer = await response.json().catch(() => ({}));
    throw new Error(answer.error ?? `${response.status} ${response.statusText}`);
  }
  return response;
}

const query = () => `?name=${encodeURIComponent(page.chosen ?? "")}`;

async function listen() {
  page.stream?.abort();
  const stream = new AbortController();
  page.stream = stream;
  while (!stream.signal.aborted) {
    try {
      page.pool = page.chosen === null ? null : await (await api(`api/pool${query()}`)).json();
      const response = await api(`api/stream${query()}`, { signal: stream.signal });
      $("state").textContent = "live";
      await read(response.body.pipeThrough(new TextDecoderStream()).getReader());
      if (!stream.signal.aborted) $("state").textContent = "the program has closed the console";
    } catch (error) {
      if (stream.signal.aborted) return;
      $("state").textContent = `not connected: ${error.message}`;
    }
    await new Promise((resolve) => setTimeout(resolve, 2000));
  }
}

async function read(reader) {
  let text = "";
  let first = true;
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
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
    Object.assign(pool, page.pools.find((line) => line.name === pool.name));
    const news = pool.news;
    news.windows = first ? event.news.windows : [...news.windows, ...event.news.windows].slice(-LONGEST_RECENT);
    news.decisions = first ? event.news.decisions : [...news.decisions, ...event.news.decisions];
    news.curve = event.news.curve;
    pool.audit = event.audit;
    showPool(pool);
  }
  showList();
}

function choose(name) {
  page.chosen = name;
  const address = new URL(location.href);
  address.searchParams.set("pool", name);
  history.replaceState(null, "", address);
  listen();
}

function row(pool) {
  const made = document.createElement("tr");
  const link = document.createElement("button");
  link.textContent = pool.name;
  link.title = pool.name;
  link.addEventListener("click", () => choose(pool.name));
  made.insertCell().append(link);
  for (let i = 0; i < 7; i++) made.insertCell().className = i === 0 ? "" : "number";
  return made;
}

function showList() {
  const body = document.querySelector("#pools tbody");
  if (body.rows.length !== page.pools.length || page.pools.some((pool, i) => body.rows[i].title !== pool.name)) {
    body.replaceChildren(...page.pools.map(row));
    page.pools.forEach((pool, i) => (body.rows[i].title = pool.name));
  }
  page.pools.forEach((pool, i) => {
    const window = pool.window ?? {};
    const texts = [
      pool.closed ? "closed" : pool.pinnedUntil ? "held" : pool.mode,
      String(pool.size), number(window.busy), number(window.queue), `${number(window.throughput)}/s`,
      `${number(window.mean)} ms`, `${number(window.p99)} ms`,
    ];
    texts.forEach((text, cell) => (body.rows[i].cells[cell + 1].textContent = text));
    body.rows[i].setAttribute("aria-selected", String(pool.name === page.chosen));
  });
}

function showPool(pool) {
  $("pool").hidden = false;
  $("name").textContent = pool.name;
  document.title = `${pool.name}: ${pool.size} – Poolkeeper`;
  $("verdict").textContent = pool.decision?.reason ?? "no decision yet";
  for (const button of $("modes").children) {
    button.setAttribute("aria-pressed", String(button.dataset.mode === pool.mode));
  }
  const size = $("pin").elements.size;
  size.min = pool.min;
  size.max = pool.max;
  if (!size.value) size.value = pool.size;
  charts(pool);
  log($("decisions"), pool.news.decisions, (decision) => [
    decision.at, `${decision.action} ${decision.before} → ${decision.wanted ?? decision.after}: ${decision.reason}`,
  ]);
  log($("audit"), pool.audit, (entry) => [entry.at, entry.text]);
}

function charts(pool) {
  const to = Math.max(Date.now(), pool.news.windows.at(-1)?.at ?? 0);
  const asked = to - Number($("span").value) * 1000;
  const points = [...pool.earlier, ...pool.news.windows].filter((point) => point.at >= asked);
  const from = points[0]?.at ?? asked;
  const marks = pool.news.decisions.filter((decision) => decision.at >= from && decision.before !== decision.after);
  const draw = (id, title, series, at = []) => timeline($(id), title, points, series, from, to, at);
  draw("sizes", "Size, busy and waiting over time", [
    { key: "size", label: "size", style: "first" }, { key: "busy", label: "busy", style: "third" },
    { key: "queue", label: "waiting", style: "second" },
  ], marks.map((decision) => decision.at));
  draw("rates", "Completions per second over time", [{ key: "throughput", label: "per second", style: "first" }]);
  draw("times", "Response time over time", [
    { key: "mean", label: "mean", style: "first" }, { key: "p99", label: "p99", style: "second" },
  ]);
  learnedCurve($("curve"), "Learned curve", pool.news.curve, pool.size);
  $("estimate").textContent = estimate(pool);
}

/** Values that fixed sizes are expected to give now, and in dry-run the gain of following the decisions. */
function estimate(pool) {
  const curve = pool.news.curve;
  const now = expected(curve, pool.size);
  if (!Number.isFinite(now.mean)) return "";
  const others = FIXED.filter((size) => size >= pool.min && size <= pool.max && size !== pool.size)
    .map((size) => ({ size, ...expected(curve, size) }))
    .filter((point) => Number.isFinite(point.mean))
    .map((point) => `${point.size}: ${number(point.mean)} ± ${number(point.sd)}`);
  const parts = [`Estimates from the curve, for the present load: ${pool.size} (in force): ${number(now.mean)} ± ${number(now.sd)}`, ...others];
  const wanted = pool.decision?.wanted;
  if (pool.mode === "dry-run" && wanted && wanted !== pool.size) {
    const then = expected(curve, wanted);
    if (Number.isFinite(then.mean)) {
      parts.push(`dry-run: the decision for ${wanted} is expected to change it by ${number((then.mean / now.mean - 1) * 100)} %`);
    }
  }
  return `${parts.join("; ")}.`;
}

function log(list, entries, describe) {
  const shown = entries.slice(-LARGEST_LOG).reverse();
  const key = `${shown.length} ${shown[0] ? describe(shown[0]).join(" ") : ""}`;
  if (list.dataset.key === key) return;
  list.dataset.key = key;
  list.replaceChildren(...shown.map((entry) => {
    const [at, text] = describe(entry);
    const item = document.createElement("li");
    const time = document.createElement("time");
    time.dateTime = new Date(at).toISOString();
    time.textContent = new Date(at).toLocaleString("en-GB", { weekday: "short", hour: "2-digit", minute: "2-digit", second: "2-digit" });
    item.append(time, text);
    return item;
  }));
}

async function change(wanted) {
  $("error").textContent = "";
  try {
    await api(`api/pool${query()}`, { method: "POST", body: JSON.stringify(wanted) });
  } catch (error) {
    $("error").textContent = error.message;
  }
}

$("modes").addEventListener("click", (event) => {
  if (event.target.dataset.mode) change({ action: "mode", mode: event.target.dataset.mode });
});
$("pin").addEventListener("submit", (event) => {
  event.preventDefault();
  const { size, minutes } = event.target.elements;
  change({ action: "pin", size: size.valueAsNumber, minutes: minutes.valueAsNumber });
});
$("back").addEventListener("click", () => change({ action: "roll back" }));
$("span").addEventListener("change", () => page.pool && charts(page.pool));
$("export").addEventListener("click", async () => {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(await (await api(`api/pool${query()}`)).blob());
  link.download = `${page.chosen}.json`;
  link.click();
  URL.revokeObjectURL(link.href);
});
listen();
