// One situation: throughput against the optimum and sizes against the best size, over time.

const OPTIMUM = "optimum";
const SYNC = "cell";
const numbers = (text) => (text ? text.split(" ").map(Number) : []);

class Cell {
  constructor() {
    this.selects = ["plant", "load", "noise"].map((axis) => document.getElementById(`cell-${axis}`));
    this.legend = document.querySelector("#cell .legend");
    this.plots = [];
    this.shown = this.first();
    const all = Object.keys(DATA.curves).map((key) => key.split("|"));
    this.selects.forEach((select, axis) => {
      fillChoice(select, unique(all.map((key) => key[axis])).map((name) => [name, name]));
      select.addEventListener("input", () => this.draw(axis));
    });
    // A plant that changes while it runs tells most at first sight.
    const telling = all.find(([plant, load]) => unique(DATA.stages[`${plant}|${load}`].map((stage) => stage.plant)).length > 1) ?? all[0];
    telling.forEach((value, axis) => { this.selects[axis].value = value; });
  }

  /** Controllers shown at first: the judged one, the best others, and the best fixed size. */
  first() {
    const adaptive = DATA.controllers.filter(({ kind }) => kind !== "fixed").map(({ name }) => name);
    const fixed = DATA.controllers.filter(({ kind }) => kind === "fixed").map(({ name }) => name);
    return new Set([...unique([DATA.judged, ...adaptive]).filter(Boolean).slice(0, 3), ...fixed.slice(0, 1)]);
  }

  key() {
    return this.selects.map((select) => select.value).join("|");
  }

  open(plant, load, noise, controller) {
    [plant, load, noise].forEach((value, axis) => { this.selects[axis].value = value; });
    if (controller) this.shown.add(controller);
    this.draw();
    document.getElementById("cell").scrollIntoView();
  }

  /** Draw what is chosen; what was not flown gives way to the nearest that was, keeping the axis just changed. */
  draw(changed = 0) {
    if (!DATA.curves[this.key()]) {
      const wanted = this.selects.map((select) => select.value);
      const flown = Object.keys(DATA.curves).map((key) => key.split("|"));
      const alike = (key) => key.filter((value, axis) => value === wanted[axis]).length + (key[changed] === wanted[changed] ? 3 : 0);
      const best = flown.reduce((a, b) => (alike(b) > alike(a) ? b : a));
      best.forEach((value, axis) => { this.selects[axis].value = value; });
    }
    this.curves = DATA.curves[this.key()];
    this.names = DATA.controllers.map((controller) => controller.name).filter((name) => this.curves[name]);
    const [plant, load] = this.selects.map((select) => select.value);
    this.stages = DATA.stages[`${plant}|${load}`];
    this.fillLegend();
    this.fillTable();
    this.words();
    this.plot();
  }

  style(name) {
    const at = [...this.shown].indexOf(name);
    return { colour: `--series-${at % COLOURS}`, dash: DASHES[Math.floor(at / COLOURS) % DASHES.length] };
  }

  fillLegend() {
    this.legend.replaceChildren(...this.names.map((name) => {
      const chip = make("button", name === DATA.judged ? "adaptive" : "");
      const on = this.shown.has(name);
      chip.type = "button";
      chip.setAttribute("aria-pressed", String(on));
      const { colour, dash } = on ? this.style(name) : { colour: "--none", dash: [] };
      chip.innerHTML = `<svg width="26" height="10" aria-hidden="true"><line x1="1" y1="5" x2="25" y2="5" stroke="var(${colour})" stroke-width="2.6" stroke-dasharray="${dash.join(" ")}"/></svg>`;
      chip.append(name);
      chip.addEventListener("click", () => {
        if (!this.shown.delete(name)) this.shown.add(name);
        this.fillLegend();
        this.plot();
      });
      return chip;
    }));
  }

  words() {
    const [plant, load, noise] = this.selects.map((select) => select.value);
    const stages = this.stages.map((stage) => `${stage.start_s} to ${stage.end_s} s: ${stage.plant}, best size ${stage.best}, good enough from ${stage.enough}`);
    const drawn = DATA.words[plant];
    const about = drawn ? `Drawn: ${drawn}.` : `${plant} under ${load}, noise ${noise}.`;
    const seed = drawn ? "" : " The curves are those of the first seed.";
    document.getElementById("cell-words").textContent = `${about} ${stages.join("; ")}.${seed}`;
  }

  fillTable() {
    const table = document.getElementById("cell-table");
    const [plant, load, noise] = this.selects.map((select) => select.value);
    const found = SCORES.filter((score) => score.plant === plant && score.load === load && score.noise === noise).sort((a, b) => b.overall - a.overall);
    table.replaceChildren();
    const head = table.createTHead().insertRow();
    ["Controller", "Seeds", ...Object.values(FIGURES).map((figure) => figure.title), "resizes", "cycle"].forEach((title) => head.append(make("th", "", title)));
    const body = table.createTBody();
    for (const score of found) {
      const row = body.insertRow();
      row.append(make("th", "", score.controller), make("td", "", String(score.seeds)));
      for (const [name, { say }] of Object.entries(FIGURES)) row.append(make("td", "", score[name] === null ? "–" : say(score[name])));
      row.append(make("td", "", score.resizes.toFixed(0)), make("td", "", score.cycle.toFixed(1)));
    }
  }

  plot() {
    this.plots.forEach((plot) => plot.destroy());
    this.chosen = this.names.filter((name) => this.shown.has(name));
    this.plots = [this.throughput(), this.sizes()];
  }

  throughput() {
    const series = [OPTIMUM, ...this.chosen].map((name) => numbers((this.curves[name] ?? [""])[0]));
    const length = Math.max(...series.map((values) => values.length));
    const x = Array.from({ length }, (_, at) => (at + 0.5) * DATA.point);
    const lines = [this.grey({ width: 5 }), ...this.chosen.map((name) => this.line(name, {}))];
    return this.make("plot-throughput", [x, ...series], lines, { range: (_, __, high) => [0, (high || 1) * 1.08] });
  }

  sizes() {
    const end = this.stages.at(-1).end_s;
    const stepped = { paths: uPlot.paths.stepped({ align: 1 }), points: { show: false }, spanGaps: true };
    const bound = (figure) => [[...this.stages.map((stage) => stage.start_s), end], [...this.stages.map((stage) => stage[figure]), this.stages.at(-1)[figure]]];
    const own = this.chosen.map((name) => {
      const [, at, sizes] = this.curves[name];
      const values = numbers(sizes);
      return [[...numbers(at), end], [...values, values.at(-1)]];
    });
    const tables = [bound("best"), bound("enough"), ...own];
    const data = uPlot.join(tables, tables.map(() => [2, 2]));
    const lines = [this.grey({ width: 5, ...stepped }), this.grey({ width: 1.5, dash: [4, 4], ...stepped }), ...this.chosen.map((name) => this.line(name, stepped))];
    const most = Math.max(16, ...tables.flatMap(([, values]) => values));
    return this.make("plot-size", data, lines, { distr: 3, log: 2, range: () => [0.9, most * 1.2] });
  }

  grey(options) {
    return { stroke: () => resolved("--line"), points: { show: false }, ...options };
  }

  line(name, options) {
    const { colour, dash } = this.style(name);
    return { label: name, stroke: () => resolved(colour), width: name === DATA.judged ? 2.6 : 1.6, dash, points: { show: false }, ...options };
  }

  make(id, data, lines, y) {
    const target = document.getElementById(id);
    const narrow = innerWidth < 640;
    const axis = { stroke: () => resolved("--soft"), font: "12px system-ui, sans-serif", grid: { stroke: () => resolved("--hair"), width: 1 }, ticks: { show: false } };
    const splits = y.distr === 3 ? { splits: () => [1, 2, 4, 8, 16, 32, 64, 128, 256], filter: (_, found) => found } : {};
    return new uPlot({
      width: Math.max(240, target.clientWidth),
      height: narrow ? 210 : 260,
      padding: [8, 16, 0, 0],
      legend: { show: false },
      cursor: { sync: { key: SYNC, scales: ["x", null] }, y: false, drag: { x: true, y: false } },
      scales: { x: { time: false }, y },
      axes: [{ ...axis, size: 34, values: (_, found) => found.map((time) => `${time} s`) }, { ...axis, size: narrow ? 44 : 56, ...splits }],
      series: [{}, ...lines],
    }, data, target);
  }

  resize() {
    for (const plot of this.plots) plot.setSize({ width: Math.max(240, plot.root.parentElement.clientWidth), height: plot.height });
  }
}
