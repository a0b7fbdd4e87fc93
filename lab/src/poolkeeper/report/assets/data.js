// The data of the page, and how numbers, colours and files are made of it.

const DATA = JSON.parse(document.getElementById("data").textContent);
const CELLS = new Map([DATA.overview, ...DATA.cells].map((cell) => [cell.id, cell]));
const FEW = 4;

/** Colour, width and dash of a variant. Those drawn at first have the colours to themselves, adaptive ones the first of them;
    adaptive pools are solid and, while they are few, thick. */
function styleOf(cell, index) {
  const { variants, shown } = cell;
  const group = (at) => (shown[at] ? 0 : 2) + (variants[at].adaptive ? 0 : 1);
  const place = variants.filter((_, at) => group(at) < group(index) || (group(at) === group(index) && at < index)).length;
  const kin = variants.slice(0, index).filter((other) => !other.adaptive).length;
  const strong = variants[index].adaptive && variants.filter((other) => other.adaptive).length <= FEW;
  const dash = DASHES[((variants[index].adaptive ? 0 : kin) + Math.floor(place / COLOURS)) % DASHES.length];
  return { colour: `--series-${place % COLOURS}`, width: strong ? 2.6 : 1.6, dash, strong };
}

const inUnits = { throughput: (value) => value, mean: (value) => value * 1000, p99: (value) => value * 1000, sizes: (value) => value };
const asText = {
  throughput: (value) => `${short(value)}/s`,
  mean: (value) => `${short(value)} ms`,
  p99: (value) => `${short(value)} ms`,
  sizes: (value) => short(value),
};

/** The kind of a figure: the sizes of each further pool are a figure of their own, "sizes-0" and so on. */
const kindOf = (figure) => figure.split("-")[0];

/** The steps of a pool's size, one a repetition. */
const sizesOf = (variant, figure) => (figure === "sizes" ? variant.sizes : variant.otherSizes[Number(figure.slice("sizes-".length))]);

/** The figure that shows the pool of a decision. */
function figureOf(cell, decision) {
  const place = cell.pools.indexOf(decision.pool);
  return place < 0 ? "sizes" : `sizes-${place}`;
}

/** Index of the phase at a time. */
function phaseAt(cell, time) {
  const later = cell.phases.findIndex((phase) => time < phase.end);
  return cell.phases[later < 0 ? cell.phases.length - 1 : later];
}

/** The value of a step function at a time. */
function stepAt(steps, time) {
  let found = null;
  for (let i = 0; i < steps.x.length && steps.x[i] <= time; i++) found = steps.y[i];
  return found;
}

/** Header and rows of what a figure shows, as it is downloaded. */
function tableOf(cell, figure) {
  if (cell.tables[figure]) return cell.tables[figure];
  if (figure === "decisions") {
    const header = ["variant", "repetition", "time_s", "pool", "mode", "action", "size_before", "size_asked", "size_after", "reason", "numbers"];
    const rows = cell.decisions.map((d) => {
      const variant = cell.variants[d.variant];
      return [variant.name, variant.repetitions[d.run], d.t, d.pool, d.mode, d.action, d.before, d.asked, d.after, d.reason, JSON.stringify(d.numbers)];
    });
    return { header, rows };
  }
  if (figure === "exceeded") {
    const rows = cell.exceeded.series.flatMap((series) => (series.x ?? []).map((time, at) => [series.name, time, series.y[at]]));
    return { header: ["variant", "response_time_ms", "share_above"], rows };
  }
  if (kindOf(figure) === "sizes") {
    const rows = cell.variants.flatMap((variant) =>
      sizesOf(variant, figure).flatMap((steps, run) => steps.x.map((time, i) => [variant.name, variant.repetitions[run], time, steps.y[i]])));
    return { header: ["variant", "repetition", "from_s", "size"], rows };
  }
  const unit = figure === "throughput" ? "per_s" : "s";
  const rows = cell.variants.flatMap((variant) => {
    const series = variant.series[figure];
    const at = (list, i) => (list ? list[i] : series.mean[i]);
    return series.mean.map((value, i) => [variant.name, cell.x[i], value, at(series.low, i), at(series.high, i)]);
  });
  return { header: ["variant", "time_s", `${figure}_${unit}`, `${figure}_low_${unit}`, `${figure}_high_${unit}`], rows };
}
