// Puts the page to work: charts, downloads, theme, print.

const DATA = JSON.parse(document.getElementById("data").textContent);
document.documentElement.classList.add("js");

const fileName = (title) => `${[DATA.name, title].filter(Boolean).join("-").replaceAll(/[^\w.-]+/g, "-")}.csv`;

const drawings = [...document.querySelectorAll(".chart")].map((holder) => {
  const chart = DATA.charts[Number(holder.dataset.chart)];
  const drawing = new Drawing(holder, chart);
  const scale = holder.querySelector(".scale-switch");
  const press = () => scale.setAttribute("aria-pressed", String(drawing.logarithmic.y));
  if (drawing.positive()) {
    scale.addEventListener("click", () => {
      drawing.toggle();
      press();
    });
    press();
  } else scale.remove();
  holder.querySelector(".csv").addEventListener("click", () => download(fileName(chart.title), csvOf(drawing.csv())));
  return drawing;
});

for (const button of document.querySelectorAll(".numbers .csv")) {
  const table = DATA.tables[Number(button.closest(".numbers").dataset.table)];
  button.addEventListener("click", () => download(fileName(table.title), csvOf(table)));
}

const repaint = () => drawings.forEach((one) => one.repaint());
const resize = () => drawings.forEach((one) => one.resize());

let width = innerWidth;
addEventListener("resize", () => {
  if (innerWidth !== width) {
    width = innerWidth;
    resize();
  }
});
if (document.getElementById("theme")) startTheme(repaint);
else matchMedia("(prefers-color-scheme: dark)").addEventListener("change", repaint);

const root = document.documentElement;
let before;
addEventListener("beforeprint", () => {
  before = root.dataset.theme;
  root.dataset.theme = "light";
  resize();
  repaint();
});
addEventListener("afterprint", () => {
  if (before) root.dataset.theme = before;
  else delete root.dataset.theme;
  resize();
  repaint();
});

// In a notebook the page stands in a frame, which is made as high as what it holds.
if (frameElement) new ResizeObserver(() => { frameElement.style.height = `${root.offsetHeight}px`; }).observe(root);
