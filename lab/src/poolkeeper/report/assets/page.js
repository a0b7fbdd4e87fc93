// Puts the page to work: theme, legends, charts when they come into view, downloads, print.

const LONG = 10;
const sections = [];

/** The chips above the charts: one a variant, showing and hiding it. */
function fillLegend(section, charts) {
  const { cell } = charts;
  const legend = section.querySelector(".legend");
  const chips = cell.variants.map((variant, index) => {
    const style = styleOf(cell, index);
    const chip = make("button", style.strong ? "adaptive" : "");
    chip.type = "button";
    chip.setAttribute("aria-pressed", String(charts.visible[index]));
    chip.innerHTML = `<svg width="26" height="10" aria-hidden="true"><line x1="1" y1="5" x2="25" y2="5" stroke="var(${style.colour})" stroke-width="${style.width + 0.6}" stroke-dasharray="${style.dash.join(" ")}" stroke-linecap="butt"/></svg>`;
    chip.append(variant.name);
    chip.addEventListener("click", () => charts.toggle(index));
    legend.append(chip);
    return chip;
  });
  charts.toggle = (index) => {
    charts.show(index, !charts.visible[index]);
    chips[index].setAttribute("aria-pressed", String(charts.visible[index]));
  };
  legend.classList.toggle("long", chips.length > LONG);
  const hints = ["Drag in a chart to zoom, double-click to reset."];
  if (cell.variants.some((variant) => variant.repetitions.length > 1)) hints.unshift("Lines are means over repetitions, bands their range.");
  const shown = cell.shown.filter(Boolean).length;
  if (shown < cell.variants.length) hints.unshift(`${shown} of ${cell.variants.length} shown: the baseline and the fastest; choose others.`);
  legend.append(make("span", "hint", hints.join(" ")));
}

/** Offers a choice of the repetition whose pool sizes are drawn, if a variant ran several times. */
function fillRepetitions(section, charts) {
  const most = charts.cell.variants.reduce((a, b) => (b.repetitions.length > a.repetitions.length ? b : a)).repetitions;
  const choice = make("select");
  charts.repeat = (run) => {
    charts.repetition = run;
    choice.value = String(run);
    charts.redrawSizes();
  };
  if (most.length < 2) return;
  choice.setAttribute("aria-label", "Repetition whose pool sizes are drawn");
  choice.append(...most.map((repetition, run) => new Option(`repetition ${repetition}`, run)));
  choice.addEventListener("input", () => charts.repeat(Number(choice.value)));
  section.querySelector('.chart[data-figure="sizes"] .tools').prepend(choice);
}

function startSection(section) {
  const cell = CELLS.get(section.dataset.cell);
  for (const swatch of section.querySelectorAll(".swatch[data-variant]")) {
    swatch.style.setProperty("--swatch", `var(${styleOf(cell, Number(swatch.dataset.variant)).colour})`);
  }
  for (const figure of section.querySelectorAll(".phases")) {
    const tables = figure.querySelectorAll(".by-phase");
    const choose = (value) => tables.forEach((table) => table.classList.toggle("chosen", table.dataset.choice === value));
    figure.querySelectorAll(".choices input").forEach((input) => input.addEventListener("input", () => choose(input.value)));
    choose("0");
  }
  if (!cell.x.length) {
    section.querySelector(".charts").remove();
    section.querySelector(".decisions").remove();
    section.querySelector(".curves").remove();
    return;
  }
  const charts = new Charts(section, cell);
  charts.decisions = new Decisions(charts);
  fillLegend(section, charts);
  fillRepetitions(section, charts);
  new Log(section, cell, charts.decisions);
  fillCurves(section, charts);
  for (const button of section.querySelectorAll(".scale-switch")) {
    const { figure } = button.closest(".chart").dataset;
    const press = () => button.setAttribute("aria-pressed", String(charts.logarithmic.has(figure)));
    button.addEventListener("click", () => {
      if (!charts.logarithmic.delete(figure)) charts.logarithmic.add(figure);
      press();
      charts.redraw(figure);
    });
    press();
  }
  sections.push({ charts });
  section.addEventListener("toggle", () => section.open && charts.draw());
  if (section.open) charts.draw();
}

/** Every section with its charts, as paper shows them. */
function openAll() {
  for (const { charts } of sections) {
    charts.section.open = true;
    charts.draw();
  }
}

/** A link to a section opens it. */
function openTarget() {
  const section = document.getElementById(location.hash.slice(1));
  if (section?.matches("details.cell")) {
    section.open = true;
    section.scrollIntoView();
  }
}

document.querySelectorAll("details.cell").forEach(startSection);
for (const button of document.querySelectorAll("button.csv")) {
  const { cell, figure } = button.dataset;
  const name = [DATA.experiment, CELLS.get(cell).name, figure].filter(Boolean).join("-").replaceAll(/[^\w.-]+/g, "-");
  button.addEventListener("click", () => download(`${name}.csv`, csvOf(tableOf(CELLS.get(cell), figure))));
}
const hideCards = () => sections.forEach(({ charts }) => charts.decisions.hide());
addEventListener("keydown", (event) => event.key === "Escape" && hideCards());
addEventListener("pointerdown", (event) => event.target.closest(".u-over, .log") || hideCards());
addEventListener("hashchange", openTarget);
openTarget();
keepDrawn({ repaint: () => sections.forEach(({ charts }) => charts.repaint()), resize: () => sections.forEach(({ charts }) => charts.resize()), open: openAll });
