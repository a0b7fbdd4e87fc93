// Puts the page to work: theme, choices, links to situations.

document.documentElement.classList.add("js");

const cell = new Cell();
startHeat((...chosen) => cell.open(...chosen));
cell.draw();

document.addEventListener("click", (event) => {
  const link = event.target.closest("[data-open]");
  if (!link) return;
  event.preventDefault();
  cell.open(...link.dataset.open.split("|"), link.dataset.controller);
});

const theme = document.getElementById("theme");
const order = ["automatic", "light", "dark"];
let chosenTheme = 0;
theme.addEventListener("click", () => {
  chosenTheme = (chosenTheme + 1) % order.length;
  document.documentElement.dataset.theme = order[chosenTheme];
  theme.textContent = `Theme: ${order[chosenTheme]}`;
  cell.plot();
});
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => cell.plot());

let pageWidth = innerWidth;
addEventListener("resize", () => {
  if (innerWidth !== pageWidth) {
    pageWidth = innerWidth;
    cell.resize();
  }
});
