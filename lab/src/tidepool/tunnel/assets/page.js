// Puts the page to work: theme, choices, links to situations.

const cell = new Cell();
startHeat((...chosen) => cell.open(...chosen));
cell.draw();

document.addEventListener("click", (event) => {
  const link = event.target.closest("[data-open]");
  if (!link) return;
  event.preventDefault();
  cell.open(...link.dataset.open.split("|"), link.dataset.controller);
});

keepDrawn({ repaint: () => cell.plot(), resize: () => cell.resize() });
