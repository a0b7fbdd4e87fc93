// Puts the page to work: theme, choices, links to situations.

const cell = new Cell();
startHeat((...chosen) => cell.open(...chosen));
// First, because it shows what is only for JavaScript: drawings in what is hidden would have no width.
keepDrawn({ repaint: () => cell.plot(), resize: () => cell.resize() });
cell.draw();

document.addEventListener("click", (event) => {
  const link = event.target.closest("[data-open]");
  if (!link) return;
  event.preventDefault();
  cell.open(...link.dataset.open.split("|"), link.dataset.controller);
});
