// Puts the page together.

setUpStrength();
setUpShare();
setUpSearch();
setUpSaving();
onChange(() => (byId("count").textContent = countWords()));
change({threshold: firstThreshold(), share: beginsAt});

setUpWords();
setUpHeat();
setUpTable();
setUpNodes();
setUpSpectrum();
setUpData();
setUpCertificate();
setUpChoice();
setUpSettings();
setUpContents();
drawPanel();

canvas.setAttribute("aria-label", `Graph of ${plural(nodes.length, "variable")} and ${plural(summary.edges, "edge")}; the table below lists them`);
resize();

function repaintAll(density) {
  paintGraph(density);
  paintHeat(density);
}
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => repaintAll());

// Paper is white: print in the light colours, sharp, whatever the screen shows.
window.addEventListener("beforeprint", () => {
  document.documentElement.dataset.theme = "light";
  repaintAll(3);
});
window.addEventListener("afterprint", () => {
  delete document.documentElement.dataset.theme;
  repaintAll();
});
