// One chart out of its data: series over two axes, with bands, marks, a legend to press and values under the pointer.

const FEW_POINTS = 40;
const MARK_ROW = 15;
const MARK_ROWS = 3;
const NEAR = 5;
const FONT = "12px system-ui, sans-serif";

/** A number with three significant digits; powers of ten where it is very small or very large. */
function figure(value) {
  const size = Math.abs(value);
  return size > 0 && (size < 1e-3 || size >= 1e9) ? value.toExponential(2).replace(/\.?0*e\+?/, "e") : short(value);
}

const withUnit = (value, axis) => figure(value) + (axis.unit && value !== null ? ` ${axis.unit}` : "");
const named = (axis) => (axis.unit ? `${axis.label}, ${axis.unit}` : axis.label);

/** Powers of ten, and 1, 2 and 5 of them where there are few; evenly spaced numbers where even those are few. */
function splitsOf(scale) {
  const found = decades(scale);
  if (found.length > 1) return found;
  const step = (scale.max - scale.min) / 4;
  return [0, 1, 2, 3, 4].map((place) => Number((scale.min + place * step).toPrecision(2))).filter((value) => value >= scale.min && value <= scale.max);
}

const plainStyle = (index) => ({ colour: `--series-${index % COLOURS}`, width: 2, dash: DASHES[Math.floor(index / COLOURS) % DASHES.length] });

class Drawing {
  /** `style` gives colour, width and dash of a series, `visible` which are shown at first. */
  constructor(holder, chart, { style = plainStyle, visible = chart.series.map(() => true) } = {}) {
    this.holder = holder;
    this.chart = chart;
    this.style = style;
    this.logarithmic = { x: chart.x.log, y: chart.y.log };
    this.visible = visible;
    this.target = holder.querySelector(".plot");
    this.tip = make("div", "tip");
    this.tip.hidden = true;
    this.legend();
    this.draw();
  }

  /** A chip for each series, pressed while it is shown; none for a series that is alone. */
  legend() {
    const legend = this.holder.querySelector(".legend");
    if (this.chart.series.length < 2) return legend?.remove();
    if (!legend) return undefined;
    this.chart.series.forEach((series, index) => {
      const { colour, dash } = this.style(index);
      const chip = make("button");
      chip.type = "button";
      chip.setAttribute("aria-pressed", "true");
      chip.innerHTML = series.kind === "points"
        ? `<svg width="12" height="10" aria-hidden="true"><circle cx="6" cy="5" r="4" fill="var(${colour})"/></svg>`
        : `<svg width="26" height="10" aria-hidden="true"><line x1="1" y1="5" x2="25" y2="5" stroke="var(${colour})" stroke-width="2.4" stroke-dasharray="${dash.join(" ")}"/></svg>`;
      chip.append(series.name);
      chip.addEventListener("click", () => {
        this.show(index, !this.visible[index]);
        chip.setAttribute("aria-pressed", String(this.visible[index]));
      });
      legend.append(chip);
    });
  }

  show(index, visible) {
    this.visible[index] = visible;
    this.plot.series.forEach((line, place) => line.of === index && this.plot.setSeries(place, { show: visible }));
  }

  /** A series as uPlot takes it: ascending and distinct x, and nothing where an axis cannot show a value. */
  table(series) {
    const able = (value, axis) => value !== null && !(this.logarithmic[axis] && value <= 0);
    const order = series.x.map((_, place) => place).filter((place) => able(series.x[place], "x"));
    if (series.kind === "points") order.sort((a, b) => series.x[a] - series.x[b]);
    const column = (list) => order.map((place) => (able(list[place], "y") ? list[place] : null));
    const x = [];
    for (const place of order) {
      const last = x.at(-1);
      // Values at the same place are set apart by what nobody can see: uPlot keeps one of them otherwise.
      x.push(x.length && series.x[place] <= last ? last + Math.max(Math.abs(last) * 1e-9, 1e-12) : series.x[place]);
    }
    return [x, ...(series.low ? [column(series.high), column(series.low)] : []), column(series.y)];
  }

  draw() {
    this.plot?.destroy();
    this.tables = this.chart.series.map((series) => this.table(series));
    const lines = [{}];
    const bands = [];
    this.chart.series.forEach((series, index) => {
      const { colour, width, dash } = this.style(index);
      const shape = { of: index, show: this.visible[index], paths: this.paths(series, index), pxAlign: 0, points: { show: false } };
      if (series.low) {
        const edge = { ...shape, edge: true, width: 0, stroke: "transparent" };
        if (series.kind !== "points") bands.push({ series: [lines.length, lines.length + 1], fill: () => `${resolved(colour)}2b` });
        lines.push({ ...edge }, { ...edge });
      }
      lines.push({
        ...shape, label: series.name, stroke: () => resolved(colour), dash, width: series.kind === "bars" ? 1 : width,
        fill: series.kind === "bars" ? () => `${resolved(colour)}59` : undefined,
        points: { show: series.kind === "points" || (series.kind === "line" && series.x.length < FEW_POINTS), size: series.kind === "points" ? 7 : 5, fill: () => resolved(colour) },
      });
    });
    this.plot = new uPlot({
      width: this.width(),
      height: innerWidth < NARROW ? 230 : 270,
      padding: [Math.min(MARK_ROWS, this.chart.marks.length) * MARK_ROW + 10, 18, 0, 0],
      legend: { show: false },
      cursor: { y: false, drag: { x: true, y: false }, points: { size: 7 }, dataIdx: (u, at, index, x) => (at === 0 ? index : this.indexAt(u, at, x)) },
      scales: { x: this.scale("x"), y: this.scale("y") },
      axes: [this.axis("x"), this.axis("y")],
      series: lines,
      bands,
      hooks: { draw: [(u) => this.whiskers(u), (u) => this.marks(u)], setCursor: [(u) => this.point(u)] },
    }, this.chart.series.length ? uPlot.join(this.tables) : [[]], this.target);
    const { plot } = this;
    plot.over.append(this.tip);
    // A finger does not hover: where it taps, the values stay until it taps elsewhere.
    plot.over.addEventListener("pointerdown", (event) => event.pointerType === "touch" && plot.setCursor({ left: event.offsetX, top: event.offsetY }));
  }

  scale(name) {
    const pointsAlone = this.chart.series.every((series) => series.kind === "points");
    if (this.logarithmic[name]) {
      const room = name === "y" || pointsAlone ? 1.25 : 1;
      return { time: false, distr: 3, range: (_, low, high) => (low > 0 ? (low === high ? [low / 2, high * 2] : [low / room, high * room]) : [0.1, 10]) };
    }
    const room = name === "y" ? 0.08 : pointsAlone ? 0.03 : 0;
    return {
      time: false,
      range: (u, low, high) => {
        if (low === null) return [0, 1];
        if (low === high) return low === 0 ? [0, 1] : [Math.min(0, low * 1.1), Math.max(0, high * 1.1)];
        const margin = (high - low) * room;
        return name === "y" && low >= 0 ? [0, high + margin] : [low - margin, high + margin];
      },
    };
  }

  axis(name) {
    const wide = innerWidth >= NARROW;
    const common = {
      stroke: () => resolved("--soft"), font: FONT, grid: { stroke: () => resolved("--hair"), width: 1 }, ticks: { show: false },
      values: (_, splits) => splits.map((value) => (value === null ? "" : figure(value))),
    };
    if (this.logarithmic[name]) Object.assign(common, { splits: (u) => splitsOf(u.scales[name]), filter: (_, splits) => splits });
    const { names } = this.chart[name];
    if (names) Object.assign(common, { splits: () => names.map((_, place) => place), values: () => names, grid: { show: false } });
    if (name === "x") return { ...common, size: 32, space: wide ? 64 : 52, label: named(this.chart.x), labelSize: 20, labelFont: FONT, labelGap: 0 };
    return { ...common, size: wide ? 62 : 50 };
  }

  paths(series, index) {
    if (series.kind === "step") return uPlot.paths.stepped({ align: 1 });
    if (series.kind === "points") return () => null;
    return series.kind === "bars" ? (u) => this.bars(u, index) : undefined;
  }

  /** Bars between neighbouring x, from the lower end of the axis up. */
  bars(u, index) {
    const [x, ...columns] = this.tables[index];
    const y = columns.at(-1);
    const path = new Path2D();
    const base = u.valToPos(this.logarithmic.y ? u.scales.y.min : Math.max(0, u.scales.y.min), "y", true);
    for (let place = 0; place + 1 < x.length; place++) {
      if (!y[place]) continue;
      const [left, right] = [u.valToPos(x[place], "x", true), u.valToPos(x[place + 1], "x", true)];
      const top = u.valToPos(y[place], "y", true);
      path.rect(left, top, Math.max(1, right - left), base - top);
    }
    return { stroke: path, fill: path };
  }

  /** The intervals of single points. */
  whiskers(u) {
    const { ctx } = u;
    ctx.save();
    ctx.beginPath();
    ctx.rect(u.bbox.left, u.bbox.top, u.bbox.width, u.bbox.height);
    ctx.clip();
    ctx.lineWidth = 1.5 * devicePixelRatio;
    this.chart.series.forEach((series, index) => {
      if (series.kind !== "points" || !series.low || !this.visible[index]) return;
      const [x, high, low] = this.tables[index];
      ctx.strokeStyle = resolved(this.style(index).colour);
      x.forEach((at, place) => {
        if (high[place] === null || low[place] === null) return;
        const across = u.valToPos(at, "x", true);
        ctx.beginPath();
        ctx.moveTo(across, u.valToPos(low[place], "y", true));
        ctx.lineTo(across, u.valToPos(high[place], "y", true));
        ctx.stroke();
      });
    });
    ctx.restore();
  }

  /** Dashed lines with their words above, each where there is room for it. */
  marks(u) {
    const { ctx } = u;
    const { left, top, width, height } = u.bbox;
    const ratio = devicePixelRatio;
    const ends = Array(MARK_ROWS).fill(-Infinity);
    ctx.save();
    ctx.font = `${12 * ratio}px system-ui, sans-serif`;
    ctx.textBaseline = "bottom";
    ctx.textAlign = "left";  // the axes leave theirs behind
    ctx.lineWidth = ratio;
    for (const { x, label } of [...this.chart.marks].sort((a, b) => a.x - b.x)) {
      const at = u.valToPos(x, "x", true);
      if (!(at >= left && at <= left + width)) continue;
      ctx.strokeStyle = resolved("--soft");
      ctx.setLineDash([4 * ratio, 3 * ratio]);
      ctx.beginPath();
      ctx.moveTo(at, top);
      ctx.lineTo(at, top + height);
      ctx.stroke();
      const size = ctx.measureText(label).width;
      const start = Math.max(left, Math.min(at - size / 2, left + width + 14 * ratio - size));
      const row = ends.findIndex((end) => end < start);
      if (row < 0) continue;
      ends[row] = start + size + 8 * ratio;
      ctx.fillStyle = resolved("--soft");
      ctx.fillText(label, start, top - (3 + row * MARK_ROW) * ratio);
    }
    ctx.restore();
  }

  /** Index of a series' value at x: of its bar or step, or of the nearest of its points. */
  indexAt(u, at, x) {
    const series = this.chart.series[u.series[at].of];
    const [xs, ys] = [u.data[0], u.data[at]];
    const isMeasured = (place) => ys[place] !== null && ys[place] !== undefined;
    const after = u.valToIdx(x);
    let before = xs[after] <= x ? after : after - 1;
    while (before >= 0 && !isMeasured(before)) before--;
    if (series.kind === "step" || series.kind === "bars") return before >= 0 ? before : null;
    let next = before + 1;
    while (next < xs.length && !isMeasured(next)) next++;
    if (before < 0) return next < xs.length ? next : null;
    if (next >= xs.length) return before;
    const place = (index) => u.valToPos(xs[index], "x");
    return place(next) - u.valToPos(x, "x") < u.valToPos(x, "x") - place(before) ? next : before;
  }

  /** Shows the values under the pointer. */
  point(u) {
    const { left, top, idxs } = u.cursor;
    if (left < 0 || !idxs) {
      this.tip.hidden = true;
      return;
    }
    const rows = [];
    u.series.forEach((line, at) => {
      if (at === 0 || line.edge || !line.show || idxs[at] === null || idxs[at] === undefined) return;
      const series = this.chart.series[line.of];
      const [place, value] = [idxs[at], u.data[at][idxs[at]]];
      const range = series.low && u.data[at - 1][place] !== null ? ` (${figure(u.data[at - 1][place])} to ${figure(u.data[at - 2][place])})` : "";
      const where = this.chart.x.names?.[place] ?? (series.kind === "bars" ? this.bin(line.of, u.data[0][place]) : withUnit(u.data[0][place], this.chart.x));
      rows.push({ name: series.name, where, text: withUnit(value, this.chart.y) + range, colour: this.style(line.of).colour });
    });
    const marks = this.chart.marks.filter((mark) => Math.abs(u.valToPos(mark.x, "x") - left) <= NEAR);
    this.tip.hidden = rows.length + marks.length === 0;
    this.tip.replaceChildren(...marks.map((mark) => make("div", "when", `${mark.label}: ${withUnit(mark.x, this.chart.x)}`)), this.values(rows));
    const side = left > u.over.clientWidth / 2 ? left - this.tip.offsetWidth - 12 : left + 12;
    this.tip.style.left = `${Math.max(-this.plot.bbox.left / devicePixelRatio, side)}px`;
    this.tip.style.top = `${Math.max(0, Math.min(top, u.over.clientHeight - this.tip.offsetHeight))}px`;
  }

  bin(index, from) {
    const [x] = this.tables[index];
    const next = x[x.indexOf(from) + 1];
    return `${figure(from)} to ${next === undefined ? "" : withUnit(next, this.chart.x)}`;
  }

  /** The values as a small table; where all are at the same place it stands above. */
  values(rows) {
    const table = make("table");
    const same = rows.every((row) => row.where === rows[0].where);
    if (same && rows.length) table.append(make("caption", "when", `${this.chart.x.label} ${rows[0].where}`));
    const body = table.createTBody();
    for (const row of rows) {
      const name = make("th", "", row.name);
      const swatch = make("span", "swatch");
      swatch.style.setProperty("--swatch", `var(${row.colour})`);
      name.prepend(swatch);
      body.insertRow().append(name, ...(same ? [] : [make("td", "when", row.where)]), make("td", "", row.text));
    }
    return table;
  }

  /** Header and rows of the chart's numbers, as they are downloaded. */
  csv() {
    const header = ["series", named(this.chart.x), named(this.chart.y), "low", "high"];
    const { names } = this.chart.x;
    const rows = this.chart.series.flatMap((series) => {
      // Kinds stand at their numbers, and their bars at edges, of which the last one has no bar.
      const x = names && series.kind === "bars" ? names : series.x.map((at) => names?.[at] ?? at);
      return x.map((at, place) => [series.name, at, series.y[place], series.low?.[place], series.high?.[place]]);
    });
    return { header, rows };
  }

  /** Whether a logarithmic vertical axis can show anything. */
  positive() {
    return this.chart.series.some((series) => series.y.some((value) => value > 0));
  }

  toggle() {
    this.logarithmic.y = !this.logarithmic.y;
    this.draw();
  }

  width() {
    return matchMedia("print").matches ? PAGE_WIDTH_IN_PRINT : Math.max(240, this.target.clientWidth);
  }

  resize() {
    this.plot.setSize({ width: this.width(), height: this.plot.height });
  }

  repaint() {
    this.plot.redraw(false, true);
  }
}
