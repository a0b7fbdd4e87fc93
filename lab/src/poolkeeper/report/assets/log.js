// The decisions of a cell as a table that can be searched.

const PAGE = 200;

class Log {
  constructor(section, cell, decisions) {
    this.cell = cell;
    this.decisions = decisions;
    this.figure = section.querySelector(".decisions");
    this.search = this.figure.querySelector("input[type=search]");
    this.variant = this.figure.querySelector("select.variant");
    this.all = this.figure.querySelector("input.all");
    this.limit = PAGE;
    if (!cell.decisions.length) {
      this.figure.querySelector(".filters").remove();
      this.figure.querySelector(".csv").remove();
      this.figure.querySelector(".count").textContent = "No controller decided anything here: every pool had a fixed size.";
      return;
    }
    const names = [...new Set(cell.decisions.map((decision) => decision.variant))];
    this.variant.append(new Option("all", ""), ...names.map((index) => new Option(cell.variants[index].name, index)));
    if (names.length === 1) this.variant.parentElement.hidden = true;
    if (cell.decisions.every((decision) => decision.action === "kept")) this.all.checked = true;
    for (const control of [this.search, this.variant, this.all]) {
      control.addEventListener("input", () => {
        this.limit = PAGE;
        this.fill();
      });
    }
    this.fill();
  }

  /** The decisions that the filters let through. */
  chosen() {
    const words = this.search.value.toLowerCase().split(/\s+/).filter(Boolean);
    return this.cell.decisions.filter((decision) =>
      (this.all.checked || decision.action !== "kept")
      && (this.variant.value === "" || decision.variant === Number(this.variant.value))
      && words.every((word) => `${decision.reason} ${decision.action} ${decision.before} ${decision.after}`.toLowerCase().includes(word)));
  }

  fill() {
    const found = this.chosen();
    const several = new Set(this.cell.decisions.map((decision) => `${decision.variant} ${decision.run} ${decision.pool}`)).size > 1;
    const table = make("table");
    const head = table.createTHead().insertRow();
    for (const [name, title] of [["at", "Time"], ...(several ? [["who", "Variant"]] : []), ["sizes", "Threads"], ["reason", "Reason"]]) {
      const cell = make("th", name, title);
      cell.scope = "col";
      head.append(cell);
    }
    const body = table.createTBody();
    for (const decision of found.slice(0, this.limit)) body.append(this.row(decision, several));
    const holder = this.figure.querySelector(".log");
    holder.replaceChildren(table);
    if (found.length > this.limit) {
      const more = make("button", "", `Show more (${found.length - this.limit} left)`);
      more.type = "button";
      more.addEventListener("click", () => {
        this.limit += PAGE * 5;
        this.fill();
      });
      holder.append(more);
    }
    const left = this.cell.decisionsLeftOut ? ` ${this.cell.decisionsLeftOut.toLocaleString("en")} more, those that kept the size first, are left out of this page; they stand in decisions.jsonl.` : "";
    this.figure.querySelector(".count").textContent = `${found.length} of ${this.cell.decisions.length} decisions.${left}`;
  }

  row(decision, several) {
    const row = make("tr");
    const variant = this.cell.variants[decision.variant];
    const at = make("td", "at");
    const link = make("button", "", `${decision.t.toFixed(1)} s`);
    link.type = "button";
    link.title = "Show on the chart";
    link.addEventListener("click", () => this.point(decision));
    at.append(link);
    row.append(at);
    if (several) row.append(make("td", "who", variant.repetitions.length > 1 ? `${nameOf(this.cell, decision)}, repetition ${variant.repetitions[decision.run]}` : nameOf(this.cell, decision)));
    row.append(make("td", "sizes", decision.before === decision.after ? String(decision.after) : `${decision.before} → ${decision.after}`));
    const reason = make("td", "reason", decision.reason);
    if (decision.action !== "resized") reason.append(make("span", "action", ` · ${ACTIONS[decision.action]}`));
    if (plainNumbers(decision).length) reason.append(make("span", "numbers", numbersOf(decision)));
    row.append(reason);
    return row;
  }

  point(decision) {
    const { charts } = this.decisions;
    if (!charts.visible[decision.variant]) charts.toggle(decision.variant);
    if (charts.repetition !== decision.run) charts.repeat(decision.run);
    this.decisions.pointOut(decision);
  }
}
