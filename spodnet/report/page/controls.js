// Sliders, search, saving.

/// Bars of how many edges have which value; those that count are darker.
function histogram(svg, values, low, high) {
  const bins = 40, counts = new Array(bins).fill(0);
  for (const value of values) ++counts[clamp(Math.floor((bins * (value - low)) / (high - low || 1)), 0, bins - 1)];
  const most = Math.sqrt(Math.max(1, ...counts));
  svg.setAttribute("viewBox", `0 0 ${bins} 1`);
  const bars = counts.map((count, k) => {
    const h = Math.sqrt(count) / most;  // roots, so that a few strong edges are seen beside many weak ones
    return element("rect", {x: k + 0.1, width: 0.8, y: 1 - h, height: h});
  });
  svg.replaceChildren(...bars);
  return (from) => bars.forEach((bar, k) => bar.classList.toggle("on", low + ((k + 1) * (high - low)) / bins > from));
}

function setUpStrength() {
  const slider = byId("strength"), output = byId("strength-value"), control = byId("strength-control");
  if (edges.length < 2) return void (control.hidden = true);
  const low = 0, high = strongest;
  slider.min = String(low);
  slider.max = String(high);
  slider.step = String(high / 1000);
  const colour = histogram(byId("strength-bars"), edges.map((edge) => edge.size), low, high);
  slider.addEventListener("input", () => change({threshold: Math.min(Number(slider.value), high), hoveredEdge: null}));
  onChange(() => {
    slider.value = String(state.threshold);
    const shown = edges.filter(isVisible).length;
    output.textContent = `${state.threshold === 0 ? "any strength" : fixed(state.threshold, 3)} · ${plural(shown, "edge")}`;
    slider.setAttribute("aria-valuetext", `partial correlation ${fixed(state.threshold, 3)}: ${plural(shown, "edge")}`);
    colour(state.threshold);
  });
}

function setUpShare() {
  const slider = byId("share"), output = byId("share-value"), control = byId("share-control");
  if (!hasShares) return void (control.hidden = true);
  const colour = histogram(byId("share-bars"), edges.map((edge) => edge.share ?? 0), 0, 1);
  slider.addEventListener("input", () => change({share: Number(slider.value)}));
  onChange(() => {
    slider.value = String(state.share);
    const kept = state.share === beginsAt && summary.stable_q !== null;
    const words = `${percent(Math.min(1, state.share))} of resamples${kept ? ", or not stable" : ""}`;
    output.textContent = words;
    slider.setAttribute("aria-valuetext", words);
    colour(state.share - 1e-9);
  });
}

function countWords() {
  const shown = edges.filter(isVisible), faint = shown.filter(isFaint).length;
  if (edges.length === 0) return "There is no edge to show.";
  const all = shown.length === summary.edges;
  const head = all ? `All ${plural(shown.length, "edge")} shown` : `${plural(shown.length, "edge")} of ${thousands(summary.edges)} shown`;
  return `${head}${faint > 0 ? `, ${thousands(faint)} of them faint` : ""}.`;
}

const matching = (text) => {
  const wanted = text.trim().toLocaleLowerCase();
  if (wanted === "") return [];
  const hits = nodes.filter((node) => node.name.toLocaleLowerCase().includes(wanted));
  return hits.sort((u, v) => Number(v.name.toLocaleLowerCase().startsWith(wanted)) - Number(u.name.toLocaleLowerCase().startsWith(wanted)) || u.index - v.index);
};

function setUpSearch() {
  const box = byId("search"), list = byId("matches");
  let hits = [], active = -1;
  const close = () => {
    list.hidden = true;
    box.setAttribute("aria-expanded", "false");
    box.removeAttribute("aria-activedescendant");
  };
  const take = (node) => {
    box.value = node.name;
    close();
    reveal(node);
    select(node);
  };
  const draw = () => {
    const items = hits.slice(0, 8).map((node, k) =>
      element("li", {role: "option", id: `match-${k}`, "aria-selected": String(k === active), onpointerdown: (event) => (event.preventDefault(), take(node))}, mark(node), " ", nameOf(node)));
    if (hits.length > 8) items.push(element("li", {class: "rest", "aria-disabled": "true"}, `and ${hits.length - 8} more`));
    if (hits.length === 0) items.push(element("li", {class: "rest", "aria-disabled": "true"}, "no variable of this name"));
    list.replaceChildren(...items);
    list.hidden = false;
    box.setAttribute("aria-expanded", "true");
    if (active >= 0) box.setAttribute("aria-activedescendant", `match-${active}`);
  };
  box.addEventListener("input", () => {
    hits = matching(box.value);
    active = hits.length > 0 ? 0 : -1;
    if (box.value.trim() === "") close();
    else draw();
    change({found: new Set(hits), selected: null, group: null});
  });
  box.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      const count = Math.min(hits.length, 8);
      if (count === 0) return;
      event.preventDefault();
      active = (active + (event.key === "ArrowDown" ? 1 : count - 1)) % count;
      draw();
    } else if (event.key === "Enter" && active >= 0) {
      take(hits[active]);
    } else if (event.key === "Escape") {
      box.value = "";
      close();
      change({found: new Set()});
    }
  });
  box.addEventListener("blur", close);
}

function save(blob, name) {
  const address = URL.createObjectURL(blob);
  element("a", {href: address, download: name}).click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}

function graphSvg() {
  const colours = readColours(), size = labelSize(nodes.length);
  const pen = new SvgPen(view.width, view.height, colours.ground);
  drawScene(pen, colours, widthIn(context, size, colours.font), size);
  return pen.finish();
}

function setUpSaving() {
  byId("save-svg").addEventListener("click", () => save(new Blob([graphSvg()], {type: "image/svg+xml"}), "graph.svg"));
  byId("save-png").addEventListener("click", () => {
    paintGraph(3);
    canvas.toBlob((blob) => save(blob, "graph.png"));
    repaint();
  });
}
