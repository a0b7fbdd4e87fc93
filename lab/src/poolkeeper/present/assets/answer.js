// Puts the page to work: charts, downloads, theme, print.

const DATA = JSON.parse(document.getElementById("data").textContent);

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

keepDrawn({ repaint: () => drawings.forEach((drawing) => drawing.repaint()), resize: () => drawings.forEach((drawing) => drawing.resize()) });

// A table that is wider than its card says so until its last column is in sight.
for (const region of document.querySelectorAll(".numbers .scroll")) {
  const look = () => region.parentElement.classList.toggle("more", region.scrollLeft + region.clientWidth < region.scrollWidth - 1);
  region.addEventListener("scroll", look, { passive: true });
  new ResizeObserver(look).observe(region);
}

// In a notebook the page stands in a frame, which is made as high as what it holds.
if (frameElement) new ResizeObserver(() => { frameElement.style.height = `${document.documentElement.offsetHeight}px`; }).observe(document.documentElement);
