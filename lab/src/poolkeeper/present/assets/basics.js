// Shared by all pages: elements, numbers, colours, files, the theme.

/** Below this width a page is a phone's. */
const NARROW = 640;
const PAGE_WIDTH_IN_PRINT = 640;
/** Colours and dashes that lines take in turn. */
const COLOURS = 8;
const DASHES = [[], [7, 4], [2, 3], [9, 4, 2, 4]];

/** An element with a class and text. */
function make(tag, className, text) {
  const element = document.createElement(tag);
  if (className) element.className = className;
  if (text !== undefined) element.textContent = text;
  return element;
}

const resolved = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/** A number with three significant digits, more when its whole part has more. */
function short(value) {
  if (value === null || value === undefined) return "–";
  const size = Math.abs(value);
  const digits = size === 0 ? 0 : Math.max(0, 2 - Math.floor(Math.log10(size)));
  return value.toLocaleString("en", { maximumFractionDigits: Math.min(digits, 6) });
}

/** 1, 2 and 5 of every power of ten between two bounds; the powers alone where that is many. */
function decades({ min, max }) {
  const powers = Math.log10(max / min);
  const found = [];
  for (let power = Math.floor(Math.log10(min)); power <= Math.log10(max); power++) {
    for (const step of powers > 2.5 ? [1] : [1, 2, 5]) found.push(Number(`${step}e${power}`));
  }
  return found.filter((value) => value >= min && value <= max);
}

/** Tells whether a spreadsheet would take a label of unknown origin for a formula; numbers with a sign are none. */
const isFormula = (text) => /^[=+\-@\t\r]/.test(text) && !/^[+-][\d.,]*\d(e[+-]?\d+)?( ?%)?$/i.test(text);

/**
 * CSV by RFC 4180; an apostrophe keeps spreadsheets from running a text as a formula. Some spreadsheets part cells at
 * semicolons or tabs: texts with these are quoted too, so that no part of a label becomes a cell of its own.
 */
function csvOf({ header, rows }) {
  const cellOf = (value) => {
    const given = value === null || value === undefined ? "" : String(value);
    const text = isFormula(given) ? `'${given}` : given;
    return /[",;\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return [header, ...rows].map((row) => `${row.map(cellOf).join(",")}\r\n`).join("");
}

/** Hand the browser a file to save. */
function download(name, text) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: "text/csv" }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** The theme: as the system has it, or as the reader chose; a page without the button follows the system. */
function startTheme(repaint) {
  const button = document.getElementById("theme");
  const order = ["automatic", "light", "dark"];
  let at = 0;
  button?.addEventListener("click", () => {
    at = (at + 1) % order.length;
    document.documentElement.dataset.theme = order[at];
    button.textContent = `Theme: ${order[at]}`;
    repaint();
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", repaint);
}

/** Keeps drawings as wide as the window, in the colours of the theme, and light on paper; `open` shows all there is to print. */
function keepDrawn({ repaint, resize, open = () => {} }) {
  const root = document.documentElement;
  root.classList.add("js");
  startTheme(repaint);
  let width = innerWidth;
  addEventListener("resize", () => {
    if (innerWidth === width) return;
    width = innerWidth;
    resize();
  });
  let chosen;
  addEventListener("beforeprint", () => {
    chosen = root.dataset.theme;
    root.dataset.theme = "light";
    open();
    resize();
    repaint();
  });
  addEventListener("afterprint", () => {
    if (chosen) root.dataset.theme = chosen;
    else delete root.dataset.theme;
    resize();
    repaint();
  });
}
