// Charts as SVG: lines over time, and a curve with its band. They are as wide as their place, so that text keeps its size.

const HEIGHT = 190;
const LEFT = 48;
const RIGHT = 10;
const TOP = 22;
const BOTTOM = 24;
const SMALLEST = 260;

/** A number as people read it: three digits, with thousands separated. */
export function number(value) {
  if (!Number.isFinite(value)) return "–";
  const size = Math.abs(value);
  return value.toLocaleString("en", { maximumFractionDigits: size >= 100 ? 0 : size >= 10 ? 1 : 2 });
}

/** A number at an axis, where there is no room for many digits. */
function short(value) {
  return value >= 1e7 ? `${number(value / 1e6)}M` : value >= 1e4 ? `${number(value / 1e3)}k` : number(value);
}

function element(name, attributes, text) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (text !== undefined) made.textContent = text;
  return made;
}

function steps(most) {
  const raw = most / 4 || 1;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((candidate) => candidate >= raw);
  const values = [];
  for (let value = 0; value <= most + step / 1e6; value += step) values.push(value);
  return values;
}

function frame(target, title, most) {
  const width = Math.max(SMALLEST, target.clientWidth);
  const svg = element("svg", { viewBox: `0 0 ${width} ${HEIGHT}`, role: "img", "aria-label": title });
  const y = (value) => HEIGHT - BOTTOM - (value / (most || 1)) * (HEIGHT - TOP - BOTTOM);
  for (const value of steps(most)) {
    svg.append(element("line", { x1: LEFT, x2: width - RIGHT, y1: y(value), y2: y(value), class: "grid" }));
    svg.append(element("text", { x: LEFT - 6, y: y(value) + 4, "text-anchor": "end" }, short(value)));
  }
  return { svg, y, width };
}

function path(points) {
  return points.map(([x, y], i) => `${i ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`).join("");
}

/**
 * Lines over time. `marks` are moments at which the size changed; what comes after `cursor` is faded; `format` makes a
 * text of a moment.
 */
export function timeline(target, title, points, series, { from, to, format, marks = [], cursor }) {
  const most = points.reduce((sum, point) => series.reduce((largest, { key }) => Math.max(largest, point[key]), sum), 0) * 1.05 || 1;
  const { svg, y, width } = frame(target, title, most);
  const x = (at) => LEFT + ((at - from) / (to - from || 1)) * (width - LEFT - RIGHT);
  let label = LEFT;
  for (const { key, label: text, style } of series) {
    svg.append(element("path", { d: path(points.map((point) => [x(point.at), y(point[key])])), class: style }));
    svg.append(element("line", { x1: label, x2: label + 14, y1: 9, y2: 9, class: `${style} key` }));
    svg.append(element("text", { x: label + 18, y: 13, class: style }, text));
    label += 36 + text.length * 7;
  }
  for (const at of marks) svg.append(element("circle", { cx: x(at), cy: HEIGHT - BOTTOM, r: 2.5, class: "mark" }));
  if (cursor !== undefined && cursor < to) {
    const left = Math.max(LEFT, x(cursor));
    svg.append(element("rect", { x: left, y: TOP, width: width - RIGHT - left, height: HEIGHT - TOP - BOTTOM, class: "later" }));
    svg.append(element("line", { x1: left, x2: left, y1: TOP, y2: HEIGHT - BOTTOM, class: "cursor" }));
  }
  for (const share of [0, 0.5, 1]) {
    const at = from + share * (to - from);
    const anchor = share === 0 ? "start" : share === 1 ? "end" : "middle";
    svg.append(element("text", { x: x(at), y: HEIGHT - 6, "text-anchor": anchor }, format(at, to - from)));
  }
  target.replaceChildren(svg);
  return { timeAt: (pixel) => Math.min(to, Math.max(from, from + ((pixel - LEFT) / (width - LEFT - RIGHT)) * (to - from))) };
}

/** The learned curve with its band, and the size in force. */
export function learnedCurve(target, title, curve, size) {
  const most = Math.max(...curve.map((point) => point.mean + point.sd)) * 1.05;
  const { svg, y, width } = frame(target, title, most);
  const low = Math.log2(curve[0].size);
  const high = Math.log2(curve[curve.length - 1].size);
  const x = (at) => LEFT + 8 + ((Math.log2(at) - low) / (high - low || 1)) * (width - LEFT - RIGHT - 24);
  const upper = curve.map((point) => [x(point.size), y(point.mean + point.sd)]);
  const lower = curve.map((point) => [x(point.size), y(Math.max(0, point.mean - point.sd))]).reverse();
  svg.append(element("path", { d: `${path([...upper, ...lower])}Z`, class: "band" }));
  svg.append(element("path", { d: path(curve.map((point) => [x(point.size), y(point.mean)])), class: "first" }));
  let end = -Infinity;
  for (const point of curve) {
    if (x(point.size) - end < 26) continue; // Texts would lie on each other.
    end = x(point.size);
    svg.append(element("text", { x: end, y: HEIGHT - 6, "text-anchor": "middle" }, point.size));
  }
  const now = expected(curve, size);
  if (Number.isFinite(now.mean)) {
    svg.append(element("circle", { cx: x(size), cy: y(now.mean), r: 5, class: "mark" }));
    const anchor = x(size) > width / 2 ? "end" : "start";
    svg.append(element("text", { x: x(size) + (anchor === "end" ? -9 : 9), y: Math.max(TOP, y(now.mean) - 8), "text-anchor": anchor, class: "second" }, `size ${number(size)}`));
  }
  target.replaceChildren(svg);
}

/** Expected value at a size, between two points of the curve; NaN outside it. */
export function expected(curve, size) {
  const next = curve.findIndex((point) => point.size >= size);
  if (next < 0 || size < curve[0]?.size) return { mean: NaN, sd: NaN };
  const after = curve[next];
  const before = curve[Math.max(0, next - 1)];
  const share = after === before ? 1 : Math.log(size / before.size) / Math.log(after.size / before.size);
  return { mean: before.mean + share * (after.mean - before.mean), sd: before.sd + share * (after.sd - before.sd) };
}
