// Decisions on the chart of the pool size: marks that can be reached by keyboard, and the card that explains them.

const CARD = document.getElementById("card");
const REACH = 18;
const SHAPES = {
  up: "M8 2.5 13 12H3z",
  down: "M8 13.5 3 4h10z",
  other: "M4 4l8 8M12 4l-8 8",
  level: "M8 5a3 3 0 1 0 0 6 3 3 0 0 0 0-6z",
};

/** Words for what became of a decision. */
const ACTIONS = { resized: "resized", kept: "kept", recorded: "dry run, not applied", refused: "refused: out of bounds", failed: "failed" };

/** Direction of a decision: up, down, level, or other when it was not carried out as asked. */
function directionOf(decision) {
  if (decision.action === "refused" || decision.action === "failed") return "other";
  const to = decision.action === "recorded" ? decision.asked : decision.after;
  if (to === null || to === decision.before) return "level";
  return to > decision.before ? "up" : "down";
}

/** The variant of a decision, and its pool where there are several. */
function nameOf(cell, decision) {
  const { name } = cell.variants[decision.variant];
  return cell.pools.length ? `${name}, pool ${decision.pool}` : name;
}

/** One line that says all of a decision, for those who hear it. */
function spoken(cell, decision) {
  return `${nameOf(cell, decision)}, ${short(decision.t)} s, ${decision.before} to ${decision.after} threads, ${ACTIONS[decision.action]}: ${decision.reason}`;
}

const numbersOf = (decision) => plainNumbers(decision).map(([name, value]) => `${name} ${short(value)}`).join(" · ");

/** The decision part of the card. */
function describe(cell, decision) {
  const box = make("div", "decision");
  const phase = phaseAt(cell, decision.t);
  const load = phase ? `, ${phase.label}` : "";
  box.append(make("div", "when", `${nameOf(cell, decision)} at ${short(decision.t)} s${load}`));
  const change = decision.before === decision.after ? `${decision.before} threads` : `${decision.before} → ${decision.after} threads`;
  box.append(make("div", "change", `${change} · ${ACTIONS[decision.action]}`));
  box.append(make("div", "reason", decision.reason));
  if (curveOf(decision)) box.append(drawCurve(decision, 300, 130));
  if (plainNumbers(decision).length) box.append(make("div", "numbers", numbersOf(decision)));
  return box;
}

/** The decisions of one cell: marks on the chart, and the card beside the pointer, a mark or a row of the log. */
class Decisions {
  constructor(charts) {
    this.charts = charts;
    this.cell = charts.cell;
    this.marks = new Map();
    this.pinned = null;
    this.near = null;
  }

  /** Decisions of the shown variants and repetition. */
  shown() {
    const { cell, charts } = this;
    return cell.decisions.filter((d) => charts.visible[d.variant] && d.run === Math.min(charts.repetition, cell.variants[d.variant].sizes.length - 1));
  }

  /** The decisions among those about the pool of a chart. */
  on(figure) {
    return this.shown().filter((decision) => figureOf(this.cell, decision) === figure);
  }

  /** Put a mark at every decision of a chart that was more than keeping the size. */
  place(u, figure) {
    const wanted = new Set(this.on(figure).filter((decision) => decision.action !== "kept"));
    for (const [decision, mark] of this.marks) {
      if (figureOf(this.cell, decision) !== figure) continue;
      if (!wanted.has(decision) || mark.parentElement !== u.over) {
        mark.remove();
        this.marks.delete(decision);
      }
    }
    for (const decision of wanted) {
      const mark = this.marks.get(decision) ?? this.mark(u, decision);
      const x = u.valToPos(decision.t, "x");
      mark.classList.toggle("small", wanted.size * 10 > u.over.clientWidth);
      mark.hidden = x < 0 || x > u.over.clientWidth;
      mark.style.left = `${x}px`;
      mark.style.top = `${u.valToPos(decision.after, "y")}px`;
    }
    const all = this.marksOn(figure).map((decision) => this.marks.get(decision));
    if (all.length && !all.some((mark) => mark.tabIndex === 0)) all[0].tabIndex = 0;
  }

  mark(u, decision) {
    const mark = make("button", "mark");
    const direction = directionOf(decision);
    mark.type = "button";
    mark.tabIndex = -1;
    mark.style.setProperty("--mark", `var(${styleOf(this.cell, decision.variant).colour})`);
    mark.setAttribute("aria-label", spoken(this.cell, decision));
    const fill = direction === "other" || decision.action === "recorded" ? "none" : "currentColor";
    mark.innerHTML = `<svg viewBox="0 0 16 16" aria-hidden="true"><path d="${SHAPES[direction]}" fill="${fill}" stroke="${fill === "none" ? "currentColor" : "var(--panel)"}" stroke-width="${fill === "none" ? 2 : 1}"/></svg>`;
    mark.addEventListener("focus", () => this.explain(decision, mark));
    mark.addEventListener("blur", () => this.leave());
    mark.addEventListener("keydown", (event) => this.key(event, decision));
    u.over.append(mark);
    this.marks.set(decision, mark);
    return mark;
  }

  /** The decisions of a chart that have a mark. */
  marksOn(figure) {
    return [...this.marks.keys()].filter((decision) => figureOf(this.cell, decision) === figure);
  }

  /** Arrow keys walk through the marks of a chart in the order of time. */
  key(event, decision) {
    const order = this.marksOn(figureOf(this.cell, decision)).sort((a, b) => a.t - b.t || a.variant - b.variant);
    const at = order.indexOf(decision);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: order.length - 1 }[event.key];
    if (event.key === "Escape") this.hide();
    if (to === undefined) return;
    event.preventDefault();
    const next = order[Math.max(0, Math.min(order.length - 1, to))];
    this.marks.get(decision).tabIndex = -1;
    this.marks.get(next).tabIndex = 0;
    this.marks.get(next).focus({ preventScroll: true });
  }

  /** Show the card of one decision beside an element. */
  explain(decision, element) {
    this.hide();
    CARD.replaceChildren(describe(this.cell, decision));
    this.marks.get(decision)?.classList.add("shown");
    const box = element.getBoundingClientRect();
    this.put(box.left + box.width / 2, box.bottom);
  }

  /** Point at a decision on the chart, wherever the reader comes from. */
  pointOut(decision) {
    const plot = this.charts.plots.get(figureOf(this.cell, decision));
    plot.root.closest(".chart").scrollIntoView({ block: "center", behavior: "instant" });
    const mark = this.marks.get(decision);
    if (mark) {
      mark.focus({ preventScroll: true });
      this.explain(decision, mark);
      return;
    }
    const over = plot.over.getBoundingClientRect();
    this.hide();
    CARD.replaceChildren(describe(this.cell, decision));
    this.put(over.left + plot.valToPos(decision.t, "x"), over.top + plot.valToPos(decision.after, "y"));
    this.pinned = decision;
  }

  /** The card at the pointer: values of all lines at that time and, on the pool size, the decision close by. */
  hover(plot, figure, event) {
    if (this.pinned) return;
    const over = plot.over.getBoundingClientRect();
    const x = event.clientX - over.left;
    const time = plot.posToVal(x, "x");
    this.hide();
    CARD.replaceChildren();
    if (kindOf(figure) === "sizes") {
      const distance = (decision) => Math.abs(plot.valToPos(decision.t, "x") - x) + (decision.action === "kept" ? 4 : 0);
      const close = this.on(figure).filter((decision) => distance(decision) <= REACH);
      this.near = close.sort((a, b) => distance(a) - distance(b))[0] ?? null;
      if (this.near) {
        CARD.append(describe(this.cell, this.near));
        this.marks.get(this.near)?.classList.add("shown");
      }
    }
    CARD.append(this.values(figure, time, plot));
    this.put(event.clientX, event.clientY + 6);
  }

  values(figure, time, plot) {
    const { cell, charts } = this;
    const box = make("div", "sizes");
    const phase = phaseAt(cell, time);
    if (!this.near) box.append(make("div", "when", `${short(Math.max(0, time))} s${phase ? `, ${phase.label}` : ""}`));
    const place = plot.posToIdx(plot.valToPos(time, "x"));
    const rows = cell.variants
      .map((variant, index) => ({ variant, index, value: kindOf(figure) === "sizes" ? stepAt(charts.sizes(variant, figure), time) : variant.series[figure].mean[place] }))
      .filter(({ index, value }) => charts.visible[index] && value !== null && value !== undefined)
      .map((row) => ({ ...row, value: inUnits[kindOf(figure)](row.value) }))
      .sort((a, b) => b.value - a.value);
    const table = make("table");
    for (const { variant, index, value } of rows) {
      const row = table.insertRow();
      if (styleOf(cell, index).strong) row.className = "adaptive";
      const name = make("th");
      const swatch = make("span", "swatch");
      swatch.style.setProperty("--swatch", `var(${styleOf(cell, index).colour})`);
      name.append(swatch, variant.name);
      row.append(name, make("td", "", asText[kindOf(figure)](value)));
    }
    box.append(table);
    return box;
  }

  put(x, y) {
    CARD.hidden = false;
    const { width, height } = CARD.getBoundingClientRect();
    const right = x + 14 + width > document.documentElement.clientWidth;
    const below = y + 14 + height <= innerHeight;
    CARD.style.left = `${scrollX + Math.max(8, right ? Math.min(x - 14 - width, document.documentElement.clientWidth - width - 8) : x + 14)}px`;
    CARD.style.top = `${scrollY + (below ? y + 14 : Math.max(8, y - 28 - height))}px`;
  }

  pin(figure) {
    const next = kindOf(figure) === "sizes" && this.pinned !== this.near ? this.near : null;
    if (!next) this.hide();
    this.pinned = next;
  }

  leave() {
    if (!this.pinned) this.hide();
  }

  hide() {
    this.pinned = null;
    this.near = null;
    CARD.hidden = true;
    for (const mark of this.marks.values()) mark.classList.remove("shown");
  }
}
