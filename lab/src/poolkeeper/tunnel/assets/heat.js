// The data of the page, and the heat map: controllers by plant, for any figure, load and noise.

const DATA = JSON.parse(document.getElementById("data").textContent);
const NEVER = 1e9;
const KEYS = 5;

/** The scores of the page as objects. */
const SCORES = DATA.scores.map((row) => {
  const score = { controller: DATA.controllers[row[0]].name, plant: row[1], load: row[2], noise: row[3], seeds: row[4] };
  DATA.figures.forEach((figure, at) => { score[figure] = row[KEYS + at]; });
  return score;
});

const percent = (value) => `${(value * 100).toFixed(value >= 0.995 || value < 0.1 ? 1 : 0)} %`;
const times = (value) => `${value < 10 ? value.toFixed(2) : value.toFixed(0)}×`;
const FIGURES = {
  overall: { title: "of the optimum, with the start", words: "fraction of the optimum, start included", say: percent, share: (v) => (v - 0.5) * 200, geometric: true },
  start: { title: "of the optimum, first minute", words: "fraction of the optimum in the first minute", say: percent, share: (v) => (v - 0.5) * 200, geometric: true },
  steady: { title: "of the optimum, settled", words: "worth of the settled sizes", say: percent, share: (v) => (v - 0.5) * 200, geometric: true },
  worst: { title: "worst five seconds", words: "worth of the sizes held in the worst five seconds after the first minute", say: percent, share: (v) => v * 100, geometric: false },
  threads_steady: { title: "threads, settled", words: "thread-seconds as a multiple of the smallest good size", say: times, share: (v) => 100 - 33 * Math.abs(Math.log2(v)), geometric: true },
  reach_start_s: { title: "time to 95 %", words: "seconds until 95 % of the optimum", say: (v) => (v >= NEVER / 2 ? "never" : `${v.toFixed(0)} s`), share: (v) => 100 - v * 1.6, geometric: false },
  versus_fixed: { title: "against the best fixed size", words: "work done against the best fixed size in hindsight", say: percent, share: (v) => (v - 0.5) * 160, geometric: true },
};

const unique = (list) => [...new Set(list)];

/** The middle of some scores of one figure: geometric means of fractions, medians of what may be infinite. */
function middle(values, geometric) {
  const measured = values.filter((value) => value !== null);
  if (!measured.length) return null;
  if (geometric) return measured.some((value) => value <= 0) ? 0 : Math.exp(measured.reduce((sum, value) => sum + Math.log(value), 0) / measured.length);
  const sorted = measured.sort((a, b) => a - b);
  return (sorted[(sorted.length - 1) >> 1] + sorted[sorted.length >> 1]) / 2;
}

/** Fill a choice; the first entry stands for all of them where there is one. */
function fillChoice(select, values, all) {
  if (all) select.append(new Option(all, ""));
  values.forEach(([value, text]) => select.append(new Option(text, value)));
}

/** Draw the heat map for what is chosen; `open` is called with what a reader picks. */
function startHeat(open) {
  const figure = document.getElementById("heat-figure");
  const load = document.getElementById("heat-load");
  const noise = document.getElementById("heat-noise");
  fillChoice(figure, Object.entries(FIGURES).map(([name, { title }]) => [name, title]));
  // Each drawn plant has a load and a noise of its own: hundreds, and none is met twice.
  const planned = SCORES.filter((score) => !DATA.columns[score.plant]);
  fillChoice(load, unique(planned.map((score) => score.load)).map((name) => [name, name]), "all loads");
  fillChoice(noise, unique(planned.map((score) => score.noise)).map((name) => [name, `noise ${name}`]), "all noise");
  const table = document.getElementById("heat");
  const columns = [...table.tHead.rows[0].cells].slice(1).map((cell) => cell.dataset.column);
  const draw = () => {
    const { say, share, words, geometric } = FIGURES[figure.value];
    const chosen = SCORES.filter((score) => (!load.value || score.load === load.value) && (!noise.value || score.noise === noise.value));
    for (const row of table.tBodies[0].rows) {
      const controller = row.cells[0].textContent;
      columns.forEach((column, at) => {
        const met = chosen.filter((score) => score.controller === controller && (DATA.columns[score.plant] ?? score.plant) === column);
        const value = middle(met.map((score) => score[figure.value]), geometric);
        const cell = row.cells[at + 1];
        cell.style.setProperty("--share", `${value === null ? 0 : Math.max(0, Math.min(100, share(value)))}%`);
        if (value === null) {
          cell.replaceChildren("–");
          return;
        }
        const button = make("button", "", say(value));
        button.type = "button";
        button.setAttribute("aria-label", `${controller} on ${column}: ${say(value)}; show what happened`);
        button.addEventListener("click", () => {
          // Opens the cell in which the controller is worst, which stands out.
          const worst = met.reduce((a, b) => (b.overall < a.overall ? b : a));
          open(worst.plant, worst.load, worst.noise, controller);
        });
        cell.replaceChildren(button);
      });
    }
    const of = geometric ? "Geometric mean" : "Median";
    document.getElementById("heat-words").textContent = `${of} of the ${words}, over ${load.value || "all loads"} and ${noise.value ? `noise ${noise.value}` : "all noise"} met on a plant or on drawn plants of a kind. A field leads to the situation in which the controller did worst.`;
  };
  for (const select of [figure, load, noise]) select.addEventListener("input", draw);
  draw();
}
