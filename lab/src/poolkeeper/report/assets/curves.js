// Curve that a controller has learned: the value that it expects of each size, how sure it is of it, and the size it chose.

const CURVE_POINT = /^curve\.(\d+)\.(mean|sd)$/;
const SVG = "http://www.w3.org/2000/svg";

/** The learned curve among a decision's numbers, by size; null where there is none. */
function curveOf(decision) {
  const points = new Map();
  for (const [name, value] of Object.entries(decision.numbers)) {
    const [, size, part] = CURVE_POINT.exec(name) ?? [];
    if (size) points.set(Number(size), { size: Number(size), sd: 0, ...points.get(Number(size)), [part]: value });
  }
  const curve = [...points.values()].filter((point) => Number.isFinite(point.mean)).sort((a, b) => a.size - b.size);
  return curve.length > 1 ? curve : null;
}

/** The numbers that are no part of a curve. */
const plainNumbers = (decision) => Object.entries(decision.numbers).filter(([name]) => !CURVE_POINT.test(name));

function shape(name, attributes, text) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  if (text !== undefined) element.textContent = text;
  return element;
}

/** A dashed line at what is enough, named at the end where the curve is farther away. */
function drawAcceptable(svg, curve, acceptable, left, right, height) {
  svg.append(shape("line", { class: "acceptable", x1: left, x2: right, y1: height, y2: height }));
  const atEnd = Math.abs(curve[curve.length - 1].mean - acceptable) > Math.abs(curve[0].mean - acceptable);
  svg.append(shape("text", { x: atEnd ? right - 3 : left + 3, y: height + 14, "text-anchor": atEnd ? "end" : "start" }, `enough: ${short(acceptable)}`));
}

/**
 * A picture of the curve: sizes by their logarithm, expected values with a band of one standard deviation, a line at what is enough.
 * Sizes of which it is not known on which side of the line they are have hollow points.
 */
function drawCurve(decision, width, height) {
  const curve = curveOf(decision);
  const left = 44, right = 12, top = 14, bottom = 20;
  const { acceptable } = decision.numbers;
  const most = 1.08 * Math.max(acceptable ?? 0, ...curve.map((point) => point.mean + Math.min(point.sd, point.mean)));
  const first = Math.log(curve[0].size), last = Math.log(curve[curve.length - 1].size);
  const x = (size) => left + ((width - left - right) * (Math.log(size) - first)) / (last - first);
  const y = (value) => height - bottom - ((height - top - bottom) * Math.max(0, value)) / most;
  const line = (points) => points.map(([size, value]) => `${x(size).toFixed(1)},${Math.max(top, y(value)).toFixed(1)}`).join(" ");
  const chosen = decision.asked ?? decision.after;
  const says = curve.map((point) => `${point.size}: ${short(point.mean)} ± ${short(point.sd)}`).join("; ");
  const enough = acceptable === undefined ? "" : ` Enough: ${short(acceptable)}.`;
  const svg = shape("svg", { class: "curve", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `Expected value at each size: ${says}.${enough} Chosen: ${chosen}.` });
  const upper = curve.map((point) => [point.size, point.mean + point.sd]);
  const lower = curve.map((point) => [point.size, point.mean - point.sd]).reverse();
  svg.append(shape("line", { class: "axis", x1: left, x2: width - right, y1: height - bottom, y2: height - bottom }));
  for (const part of [0.5, 1]) {
    const value = (part * most) / 1.08;
    svg.append(shape("line", { class: "grid", x1: left, x2: width - right, y1: y(value), y2: y(value) }));
    svg.append(shape("text", { x: left - 5, y: y(value) + 4, "text-anchor": "end" }, short(value)));
  }
  svg.append(shape("polygon", { class: "band", points: line([...upper, ...lower]) }));
  svg.append(shape("polyline", { class: "mean", points: line(curve.map((point) => [point.size, point.mean])) }));
  if (acceptable !== undefined) drawAcceptable(svg, curve, acceptable, left, width - right, y(acceptable));
  let free = -Infinity;
  for (const { size, mean, sd } of curve) {
    const unsure = Math.abs(mean - acceptable) < sd ? " unsure" : "";
    svg.append(shape("circle", { class: size === chosen ? "point chosen" : `point${unsure}`, cx: x(size), cy: y(mean), r: size === chosen ? 5 : 2.6 }));
    const at = Math.max(left + 4, Math.min(width - right - 6, x(size)));
    if (at - free > 22 || size === chosen) {
      svg.append(shape("text", { class: size === chosen ? "chosen" : "", x: at, y: height - 5, "text-anchor": "middle" }, size));
      free = at;
    }
  }
  return svg;
}

/** One picture a variant and pool that learns, with a slider over its decisions. */
function fillCurves(section, charts) {
  const { cell } = charts;
  const figure = section.querySelector(".curves");
  const learning = new Map();
  for (const decision of cell.decisions.filter((entry) => entry.run === 0 && curveOf(entry))) {
    const name = nameOf(cell, decision);
    learning.set(name, [...(learning.get(name) ?? []), decision]);
  }
  const boxes = [...learning].map(([name, decisions]) => {
    const box = make("div", "learned");
    const picture = make("div", "picture");
    const words = make("p", "note");
    const slider = make("input");
    Object.assign(slider, { type: "range", min: 0, max: decisions.length - 1, value: decisions.length - 1 });
    slider.setAttribute("aria-label", `Decision of ${name} whose curve is shown`);
    const show = () => {
      const decision = decisions[Number(slider.value)];
      picture.replaceChildren(drawCurve(decision, 460, 190));
      words.textContent = `At ${short(decision.t)} s: ${decision.reason}`;
      slider.setAttribute("aria-valuetext", words.textContent);
    };
    slider.addEventListener("input", show);
    box.append(make("h4", "", name), picture, slider, words);
    show();
    return box;
  });
  if (boxes.length) figure.querySelector(".learners").append(...boxes);
  else figure.remove();
}
