// Partial correlations of all pairs, ordered by community.

const heatCanvas = byId("heat-canvas"), heatFrame = heatCanvas.parentElement, heatTip = byId("heat-tip");
const heatOrder = [...groups.flat(), ...loners];
const heatPlace = new Map(heatOrder.map((node, k) => [node, k]));
const heatPower = heatOrder.length > 100 ? 0.45 : 0.75;  // small squares need stronger colours to be seen
const heat = {cell: 1, left: 0, top: 0, side: 0, cursor: null};

/// Sizes for the room there is; names stand beside the squares when these are large enough.
function measureHeat() {
  const count = heatOrder.length, width = heatFrame.clientWidth;
  const longest = Math.max(...heatOrder.map((node) => Array.from(shortened(node.name, 20)).length));
  const margin = clamp(7.2 * longest + 14, 40, width < 500 ? 96 : 170);
  const named = (Math.min(width, 900) - margin) / count >= 11.5;
  heat.left = named ? margin + 12 : 16;
  heat.top = heat.left;
  heat.cell = Math.min((Math.min(width, 900) - heat.left - 2) / count, 40);
  heat.side = heat.cell * count;
  heat.named = named;
}

function paintHeat(density = window.devicePixelRatio || 1) {
  measureHeat();
  const colours = readColours(), c = heatCanvas.getContext("2d"), whole = heat.left + heat.side + 2;
  heatCanvas.width = heatCanvas.height = Math.round(whole * density);
  heatCanvas.style.width = `${whole}px`;
  c.setTransform(density, 0, 0, density, 0, 0);
  c.fillStyle = colours.paper;
  c.fillRect(0, 0, whole, whole);
  c.fillStyle = colours.zero;
  c.fillRect(heat.left, heat.top, heat.side, heat.side);
  paintSquares(c, colours);
  paintGroups(c, colours);
  const stops = Array.from({length: 21}, (_, k) => diverging(colours, k / 10 - 1, heatPower));
  byId("heat-scale").querySelector(".ramp").style.background = `linear-gradient(90deg, ${stops.join(",")})`;
  if (heat.named) paintNames(c, colours);
  if (heat.cursor) paintCursor(c, colours);
}

function paintSquares(c, colours) {
  const {cell, left, top} = heat, size = Math.max(cell - (cell > 8 ? 1 : 0), 2.2);
  const square = (i, j) => c.fillRect(left + i * cell, top + j * cell, size, size);
  for (let e = edges.length - 1; e >= 0; --e) {
    const i = heatPlace.get(edges[e].a), j = heatPlace.get(edges[e].b);
    c.fillStyle = diverging(colours, edges[e].partial / strongest, heatPower);
    square(i, j);
    square(j, i);
  }
  c.fillStyle = colours.rule;
  if (cell > 4) for (let k = 0; k < heatOrder.length; ++k) square(k, k);
}

/// A strip of each community's colour along both sides, and a frame around its block.
function paintGroups(c, colours) {
  const {cell, left, top} = heat;
  let start = 0;
  for (const members of groups) {
    const length = members.length * cell, x = left + start * cell, y = top + start * cell;
    c.fillStyle = colourOf(colours, members[0]);
    c.fillRect(x, top - 8, length - 1, 5);
    c.fillRect(left - 8, y, 5, length - 1);
    c.strokeStyle = colours.soft;
    c.lineWidth = 1;
    c.strokeRect(x - 0.5, y - 0.5, length, length);
    start += members.length;
  }
}

function paintNames(c, colours) {
  const {cell, left, top} = heat, size = clamp(cell * 0.62, 10, 13.5);
  c.font = `${size}px ${colours.font}`;
  c.fillStyle = colours.ink;
  c.textBaseline = "middle";
  heatOrder.forEach((node, k) => {
    const words = fitted(c, shortened(node.name, 20), left - 16), middle = (k + 0.5) * cell;
    c.textAlign = "right";
    c.fillText(words, left - 13, top + middle);
    c.save();
    c.translate(left + middle, top - 13);
    c.rotate(-Math.PI / 2);
    c.textAlign = "left";
    c.fillText(words, 0, 0);
    c.restore();
  });
}

function fitted(c, words, width) {
  let text = words;
  while (c.measureText(text).width > width && text.length > 2) text = text.slice(0, -2).trimEnd() + "…";
  return text;
}

function paintCursor(c, colours) {
  const {cell, left, top, side} = heat, [i, j] = heat.cursor;
  c.strokeStyle = colours.ink;
  c.globalAlpha = 0.25;
  c.strokeRect(left + i * cell, top, cell, side);
  c.strokeRect(left, top + j * cell, side, cell);
  c.globalAlpha = 1;
  c.lineWidth = 2;
  c.strokeRect(left + i * cell - 1, top + j * cell - 1, Math.max(cell, 3) + 1, Math.max(cell, 3) + 1);
}

function heatWords(i, j) {
  const a = heatOrder[i], b = heatOrder[j];
  if (a === b) return [element("strong", {}, nameOf(a)), element("div", {}, isLoner(a) ? "no community" : `community ${a.community + 1}`)];
  const edge = a.edges.find((each) => otherEnd(each, a) === b);
  return [element("strong", {}, nameOf(b), " – ", nameOf(a)), ...(edge ? edgeLines(edge) : [element("div", {}, summary.edges > edges.length ? "no edge, or too weak for this page" : "no edge: exactly 0")])];
}

function pointHeat(i, j) {
  heat.cursor = [clamp(i, 0, heatOrder.length - 1), clamp(j, 0, heatOrder.length - 1)];
  const [x, y] = heat.cursor.map((k) => (k + 0.5) * heat.cell);
  const words = heatWords(...heat.cursor);
  paintHeat();
  const offset = heatCanvas.offsetLeft;
  showTip(heatTip, heatFrame, offset + heat.left + x, heat.top + y, words);
  byId("heat-value").replaceChildren(...words.map((line) => element("span", {}, ...[...line.cloneNode(true).childNodes], " ")));
}

function leaveHeat() {
  if (!heat.cursor) return;
  heat.cursor = null;
  heatTip.hidden = true;
  paintHeat();
}

function setUpHeat() {
  const highest = fixed(strongest, 2);
  heatCanvas.setAttribute("aria-label", `Heat map of partial correlations, ${heatOrder.length} by ${heatOrder.length} variables`);
  byId("heat-scale").hidden = edges.length === 0;
  byId("heat-scale").replaceChildren(element("span", {}, `−${highest}`), element("span", {class: "ramp"}), element("span", {}, `+${highest}`));
  const place = (event) => {
    const box = heatCanvas.getBoundingClientRect(), ratio = (heat.left + heat.side + 2) / box.width;
    const i = Math.floor(((event.clientX - box.left) * ratio - heat.left) / heat.cell), j = Math.floor(((event.clientY - box.top) * ratio - heat.top) / heat.cell);
    if (i < 0 || j < 0 || i >= heatOrder.length || j >= heatOrder.length) leaveHeat();
    else pointHeat(i, j);
  };
  heatCanvas.addEventListener("pointermove", place);
  heatCanvas.addEventListener("pointerdown", place);
  heatCanvas.addEventListener("pointerleave", leaveHeat);
  heatCanvas.addEventListener("keydown", (event) => {
    const moves = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1]};
    if (event.key === "Escape") leaveHeat();
    if (!moves[event.key]) return;
    event.preventDefault();
    const [i, j] = heat.cursor ?? [0, 0], [di, dj] = heat.cursor ? moves[event.key] : [0, 0];
    pointHeat(i + di, j + dj);
  });
  new ResizeObserver(() => paintHeat()).observe(heatFrame);
}
