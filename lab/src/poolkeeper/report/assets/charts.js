// The charts of a cell: four on one time axis, with the phases of the load behind them, and the distribution of response times.

const gutter = () => (innerWidth < NARROW ? 44 : 58);

/** The charts of one cell, the variants that they show, and the repetition whose sizes they show. */
class Charts {
  constructor(section, cell) {
    this.section = section;
    this.cell = cell;
    this.visible = [...cell.shown];
    this.repetition = 0;
    this.plots = new Map();
    this.logarithmic = new Set(["mean", "p99"].filter((figure) => this.spans(figure) > 30));
  }

  /** Ratio of the largest to the smallest value of a figure. */
  spans(figure) {
    const values = this.cell.variants.flatMap((variant) => variant.series[figure].mean).filter((value) => value > 0);
    return values.length ? values.reduce((a, b) => Math.max(a, b)) / values.reduce((a, b) => Math.min(a, b)) : 1;
  }

  /** Draw all charts that are not drawn yet. */
  draw() {
    for (const holder of this.section.querySelectorAll(".chart[data-figure]")) {
      const { figure } = holder.dataset;
      if (!this.plots.has(figure)) this.plots.set(figure, this.plot(holder, figure));
    }
    this.exceeded ??= new Drawing(this.section.querySelector(".exceeded"), this.cell.exceeded, {
      style: (index) => styleOf(this.cell, index),
      visible: [...this.visible],
    });
  }

  /** Draw one chart again, with other axes or other lines. */
  redraw(figure) {
    const holder = this.section.querySelector(`.chart[data-figure="${figure}"]`);
    this.plots.get(figure)?.destroy();
    this.plots.set(figure, this.plot(holder, figure));
  }

  /** Lines and bands of a chart: uPlot's data and series. */
  lines(figure) {
    const shows = (index) => this.visible[index];
    if (kindOf(figure) === "sizes") {
      const tables = this.cell.variants.map((variant) => {
        const steps = this.sizes(variant, figure);
        return [steps.x, steps.y];
      });
      const data = uPlot.join(tables, tables.map(() => [2, 2]));
      const series = this.cell.variants.map((_, index) => this.line(index, {
        show: shows(index), spanGaps: true, paths: uPlot.paths.stepped({ align: 1 }), points: { show: false },
      }));
      return { data, series, bands: [] };
    }
    const data = [this.cell.x];
    const series = [];
    const bands = [];
    const unit = (list) => list.map((value) => (value === null ? null : inUnits[figure](value)));
    this.cell.variants.forEach((variant, index) => {
      const values = variant.series[figure];
      if (values.low) {
        const at = data.push(unit(values.high), unit(values.low)) - 2;
        const edge = { width: 0, points: { show: false }, show: shows(index), variant: index, edge: true };
        series.push({ ...edge }, { ...edge });
        bands.push({ series: [at, at + 1], fill: () => `${resolved(styleOf(this.cell, index).colour)}2b` });
      }
      data.push(unit(values.mean));
      series.push(this.line(index, { show: shows(index), points: { show: values.mean.length < 3 } }));
    });
    return { data, series, bands };
  }

  line(index, options) {
    const style = styleOf(this.cell, index);
    return { variant: index, stroke: () => resolved(style.colour), width: style.width, dash: style.dash, ...options };
  }

  /** The steps of a pool's size under a variant in the repetition shown. */
  sizes(variant, figure) {
    const runs = sizesOf(variant, figure);
    return runs[Math.min(this.repetition, runs.length - 1)] ?? { x: [], y: [] };
  }

  /** Draw the charts of all pools again. */
  redrawSizes() {
    for (const figure of [...this.plots.keys()]) if (kindOf(figure) === "sizes") this.redraw(figure);
  }

  plot(holder, figure) {
    const target = holder.querySelector(".plot");
    const { data, series, bands } = this.lines(figure);
    const sizes = kindOf(figure) === "sizes";
    const plot = new uPlot({
      width: this.width(target),
      height: innerWidth < NARROW ? 200 : 236,
      padding: [22, 22, 0, 0],
      legend: { show: false },
      cursor: {
        sync: { key: this.cell.id, scales: ["x", null] },
        y: false,
        drag: { x: true, y: false },
        points: { show: !sizes, size: 7 },
      },
      ...this.scalesAndAxes(figure),
      series: [{}, ...series],
      bands,
      hooks: { drawClear: [(u) => this.background(u)], draw: [(u) => sizes && this.decisions.place(u, figure)] },
    }, data, target);
    this.listen(plot, figure);
    return plot;
  }

  scalesAndAxes(figure) {
    const logarithmic = this.logarithmic.has(figure);
    const axis = {
      stroke: () => resolved("--soft"),
      font: "12px system-ui, sans-serif",
      grid: { stroke: () => resolved("--hair"), width: 1 },
      ticks: { show: false },
    };
    const whole = (low) => low === null || low <= this.cell.x[0];
    const values = { ...axis, size: gutter(), values: (_, splits) => splits.map(short) };
    if (logarithmic) Object.assign(values, { splits: (u) => decades(u.scales.y), filter: (_, splits) => splits });
    return {
      scales: {
        x: { time: false, range: (_, low, high) => (whole(low) && !(high < this.cell.x.at(-1)) ? [0, this.cell.length || 1] : [low, high]) },
        y: logarithmic
          ? { distr: 3, range: (_, low, high) => [(low || 1) / 1.25, (high || 10) * 1.25] }
          : { range: (_, low, high) => [0, (high || 1) * 1.08] },
      },
      axes: [{ ...axis, size: 34, values: (_, splits) => splits.map((time) => `${time} s`) }, values],
    };
  }

  /** A pointer hovers and pins; a finger shows until it taps elsewhere. */
  listen(plot, figure) {
    const { decisions } = this;
    const finger = (event) => event.pointerType === "touch";
    plot.over.addEventListener("pointermove", (event) => finger(event) || decisions.hover(plot, figure, event));
    plot.over.addEventListener("pointerleave", (event) => finger(event) || decisions.leave());
    plot.over.addEventListener("click", (event) => finger(event) || decisions.pin(figure));
    plot.over.addEventListener("pointerdown", (event) => {
      if (!finger(event)) return;
      decisions.hide();
      decisions.hover(plot, figure, event);
    });
  }

  width(target) {
    return matchMedia("print").matches ? PAGE_WIDTH_IN_PRINT : Math.max(240, target.clientWidth);
  }

  /** Phases of the load: a band where it is low, cut off along a ramp to the most; a line where they change, their levels above. */
  background(u) {
    const { ctx } = u;
    const { left, top, width, height } = u.bbox;
    const ratio = devicePixelRatio;
    const most = Math.max(...this.cell.phases.flatMap((phase) => phase.levels));
    ctx.save();
    ctx.font = `${12 * ratio}px system-ui, sans-serif`;
    ctx.textBaseline = "bottom";
    for (const [index, phase] of this.cell.phases.entries()) {
      const from = Math.max(left, u.valToPos(phase.start, "x", true));
      const to = Math.min(left + width, u.valToPos(phase.end, "x", true));
      if (to <= from) continue;
      const [first, last] = [phase.levels[0], phase.levels.at(-1)].map((level) => (level < most ? height : 0));
      ctx.fillStyle = resolved("--band");
      ctx.beginPath();
      ctx.moveTo(from, top);
      ctx.lineTo(to, top);
      ctx.lineTo(to, top + last);
      ctx.lineTo(from, top + first);
      ctx.fill();
      if (index > 0) {
        ctx.fillStyle = resolved("--line");
        ctx.fillRect(Math.round(from), top - 16 * ratio, ratio, height + 16 * ratio);
      }
      const room = to - from - 8 * ratio;
      const text = [phase.label, phase.short].find((label) => ctx.measureText(label).width <= room);
      ctx.fillStyle = resolved("--soft");
      if (text) ctx.fillText(text, from + 5 * ratio, top - 4 * ratio);
    }
    ctx.restore();
  }

  /** Show or hide a variant in all charts. */
  show(index, visible) {
    this.visible[index] = visible;
    for (const plot of this.plots.values()) {
      plot.series.forEach((line, place) => line.variant === index && plot.setSeries(place, { show: visible }));
    }
    this.exceeded?.show(index, visible);
  }

  resize() {
    for (const plot of this.plots.values()) {
      plot.setSize({ width: this.width(plot.root.parentElement), height: plot.height });
    }
    this.exceeded?.resize();
  }

  repaint() {
    for (const plot of this.plots.values()) plot.redraw(false, true);
    this.exceeded?.repaint();
  }
}
