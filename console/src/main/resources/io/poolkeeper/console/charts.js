// Charts as SVG: lines over time, and a curve with its band.

const WIDTH = 560;
const HEIGHT = 180;
const LEFT = 46;
const RIGHT = 8;
const TOP = 16;
const BOTTOM = 22;

/** A number as people read it: three digits, with thousands separated. */
export function number(value) {
  if (!Number.isFinite(value)) return "–";
  const size = Math.abs(value);
  return value.toLocaleString("en", { maximumFractionDigits: size >= 100 ? 0 : size >= 10 ? 1 : 2 });
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

function frame(title, most) {
  const svg = element("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": title });
  const y = (value) => HEIGHT - BOTTOM - (value / (most || 1)) * (HEIGHT - TOP - BOTTOM);
  for (const value of steps(most)) {
    svg.append(element("line", { x1: LEFT, x2: WIDTH - RIGHT, y1: y(value), y2: y(value), class: "grid" }));
    svg.append(element("text", { x: LEFT - 6, y: y(value) + 4, "text-anchor": "end" }, number(value)));
  }
  return { svg, y };
}

function path(points) {
  return points.map(([x, y], i) => `${i ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`).join("");
}

/** Lines over time; `marks` are moments at which the size changed. */
export function timeline(target, title, points, series, from, to, marks = []) {
  const most = Math.max(0, ...points.flatMap((point) => series.map(({ key }) => point[key]))) * 1.05 || 1;
  const { svg, y } = frame(title, most);
  const x = (at) => LEFT + ((at - from) / (to - from || 1)) * (WIDTH - LEFT - RIGHT);
  series.forEach(({ key, label, style }, i) => {
    const drawn = points.map((point) => [x(point.at), y(point[key])]);
    svg.append(element("path", { d: path(drawn), class: style }));
    svg.append(element("text", { x: LEFT + 4 + i * 90, y: 11, class: style }, label));
  });
  for (const at of marks) svg.append(element("circle", { cx: x(at), cy: HEIGHT - BOTTOM, r: 2.5, class: "mark" }));
  for (const share of [0, 0.5, 1]) {
    const at = from + share * (to - from);
    const anchor = share === 0 ? "start" : share === 1 ? "end" : "middle";
    svg.append(element("text", { x: x(at), y: HEIGHT - 6, "text-anchor": anchor }, clock(at, to - from)));
  }
  target.replaceChildren(svg);
}

function clock(at, span) {
  const day = span > 36 * 3600e3 ? { weekday: "short" } : {};
  return new Date(at).toLocaleTimeString("en-GB", { ...day, hour: "2-digit", minute: "2-digit" });
}

/** The learned curve with its band, and the size in force. */
export function learnedCurve(target, title, curve, size) {
  if (curve.length < 2) {
    target.textContent = "The controller has not shown a curve yet.";
    return;
  }
  const most = Math.max(...curve.map((point) => point.mean + point.sd)) * 1.05;
  const { svg, y } = frame(title, most);
  const low = Math.log2(curve[0].size);
  const high = Math.log2(curve[curve.length - 1].size);
  const x = (at) => LEFT + ((Math.log2(at) - low) / (high - low || 1)) * (WIDTH - LEFT - RIGHT);
  const upper = curve.map((point) => [x(point.size), y(point.mean + point.sd)]);
  const lower = curve.map((point) => [x(point.size), y(Math.max(0, point.mean - point.sd))]).reverse();
  svg.append(element("path", { d: `${path([...upper, ...lower])}Z`, class: "band" }));
  svg.append(element("path", { d: path(curve.map((point) => [x(point.size), y(point.mean)])), class: "first" }));
  for (const point of curve) svg.append(element("text", { x: x(point.size), y: HEIGHT - 6, "text-anchor": "middle" }, point.size));
  if (size >= curve[0].size && size <= curve[curve.length - 1].size) {
    svg.append(element("circle", { cx: x(size), cy: y(expected(curve, size).mean), r: 4, class: "mark" }));
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
