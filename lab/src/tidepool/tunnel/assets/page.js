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

startTheme(() => cell.plot());

let pageWidth = innerWidth;
addEventListener("resize", () => {
  if (innerWidth !== pageWidth) {
    pageWidth = innerWidth;
    cell.resize();
  }
});
