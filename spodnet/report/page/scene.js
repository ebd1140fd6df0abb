// Where things are on the screen, and how they are drawn with a pen.

const view = {scale: 1, x: 0, y: 0, width: 0, height: 0, turned: false};

const home = nodes.map(({x, y}) => ({x, y}));  // positions as the layout gave them
const mostStrength = nodes.reduce((most, node) => Math.max(most, node.strength), 0);

/// Layouts are wide; a stage that is high shows them turned.
const screenX = (node) => view.x + view.scale * (view.turned ? node.y : node.x);
const screenY = (node) => view.y + view.scale * (view.turned ? node.x : node.y);

function moveTo(node, x, y) {
  const u = (x - view.x) / view.scale, v = (y - view.y) / view.scale;
  [node.x, node.y] = view.turned ? [v, u] : [u, v];
}

let fittedScale = 1;

/// Everything in view, with room for the labels.
function fit() {
  const xs = nodes.map((node) => node.x), ys = nodes.map((node) => node.y);
  const low = [Math.min(...xs), Math.min(...ys)], high = [Math.max(...xs), Math.max(...ys)];
  view.turned = view.height > 1.1 * view.width && high[0] - low[0] > high[1] - low[1];
  const [w, h] = view.turned ? [high[1] - low[1], high[0] - low[0]] : [high[0] - low[0], high[1] - low[1]];
  const narrow = view.width < 500, side = narrow ? 38 : nodes.length <= 60 ? 80 : 36;
  const top = 34, bottom = narrow ? 68 : 34;  // the zoom buttons stand below on narrow screens
  view.scale = Math.min((view.width - 2 * side) / Math.max(w, 1e-9), (view.height - top - bottom) / Math.max(h, 1e-9), 150);
  const [cx, cy] = [(low[0] + high[0]) / 2, (low[1] + high[1]) / 2];
  view.x = view.width / 2 - view.scale * (view.turned ? cy : cx);
  view.y = (view.height + top - bottom) / 2 - view.scale * (view.turned ? cx : cy);
  fittedScale = view.scale;
}

function zoom(factor, x = view.width / 2, y = view.height / 2) {
  const scale = clamp(view.scale * factor, fittedScale / 4, fittedScale * 40);
  view.x = x - ((x - view.x) * scale) / view.scale;
  view.y = y - ((y - view.y) * scale) / view.scale;
  view.scale = scale;
}

function radius(node) {
  const base = nodes.length <= 20 ? 11 : nodes.length <= 60 ? 9 : nodes.length <= 150 ? 6.5 : 4.6;
  const grown = base * Math.sqrt(clamp(view.scale / fittedScale, 0.5, 4));
  const room = 0.33 * view.scale;  // nodes are at least three quarters of a unit apart
  return Math.min(grown, Math.max(room, 3)) * (0.78 + 0.4 * Math.sqrt(node.strength / (mostStrength || 1)));
}

/// The variables that matter now; null when all do.
function focus() {
  const centre = state.hovered ?? state.selected;
  if (centre) return new Set([centre, ...centre.edges.filter(isVisible).map((edge) => otherEnd(edge, centre))]);
  if (state.hoveredEdge) return new Set([state.hoveredEdge.a, state.hoveredEdge.b]);
  if (state.group) return new Set(state.group);
  return state.found.size > 0 ? state.found : null;
}

function edgeInFocus(edge, near) {
  if (!near) return true;
  if (state.hoveredEdge && !state.hovered) return edge === state.hoveredEdge;
  const centre = state.hovered ?? state.selected;
  return centre ? edge.a === centre || edge.b === centre : near.has(edge.a) && near.has(edge.b);
}

function drawEdges(pen, colours, near) {
  const shown = edges.filter(isVisible);
  const crowd = clamp(Math.sqrt(250 / Math.max(shown.length, 1)), 0.4, 1);
  const grown = clamp(Math.sqrt(view.scale / fittedScale), 0.7, 2);
  for (const inFocus of near ? [false, true] : [true])
    for (let e = shown.length - 1; e >= 0; --e) {  // strong ones on top
      const edge = shown[e];
      if (edgeInFocus(edge, near) !== inFocus) continue;
      const size = edge.size / strongest, faint = isFaint(edge);
      const width = (faint ? 0.6 + 1.2 * size : 0.9 + 5.5 * size) * crowd * grown;
      const alpha = !inFocus ? 0.07 : faint ? 0.3 : 0.55 + 0.4 * size;
      const dash = edge.partial < 0 ? [3 + 2 * width, 2 + 1.3 * width] : null;
      pen.line(screenX(edge.a), screenY(edge.a), screenX(edge.b), screenY(edge.b),
               {colour: edge.partial < 0 ? colours.negative : colours.positive, width, alpha, dash});
    }
}

function drawNodes(pen, colours, near) {
  for (const node of nodes) {
    const inFocus = !near || near.has(node), chosen = node === state.selected || state.found.has(node);
    const r = radius(node), shape = shapeOf(node);
    const ring = shape === "ring";
    if (chosen) pen.shape(screenX(node), screenY(node), (corners(shape, r) ? 1.4 : 1) * r + 3.5, null, {fill: colours.ground, stroke: colours.ink, width: 2, alpha: 1});
    pen.shape(screenX(node), screenY(node), r, corners(shape, r),
              {fill: ring ? colours.ground : colourOf(colours, node), stroke: ring ? colours.none : colours.ground,
               width: ring ? 1.6 : 1.2, alpha: inFocus ? 1 : 0.25});
  }
}

/// In large graphs the number of each community stands in its middle; returns the boxes taken.
function drawNumbers(pen, colours, near) {
  if (nodes.length <= 60 || near) return [];
  return groups.filter((members) => members.length >= 5).map((members) => {
    const middle = (of) => members.reduce((sum, node) => sum + of(node), 0) / members.length;
    const x = middle(screenX), y = middle(screenY), words = String(members[0].community + 1);
    pen.text(x, y, words, {colour: colours.ink, halo: colours.ground, size: 24, align: "center", family: colours.font, weight: 700, alpha: 0.85});
    return {x1: x - 8 * words.length, x2: x + 8 * words.length, y1: y - 13, y2: y + 13};
  });
}

function drawLabels(pen, colours, near, widthOf, size) {
  const all = nodes.length <= 40;
  const spots = nodes.map((node) => ({
    node, x: screenX(node), y: screenY(node), r: radius(node),
    important: node.strength + (near?.has(node) ? 1e6 : 0),
    must: (all && view.width >= 500) || node === state.hovered || node === state.selected || node === state.hoveredEdge?.a ||
          node === state.hoveredEdge?.b || (near !== null && near.has(node) && near.size <= 25),
  }));
  const wanted = near ? spots.filter((spot) => near.has(spot.node) || all) : spots;
  const lines = nodes.length > 80 ? [] : edges.filter((edge) => isVisible(edge) && edgeInFocus(edge, near)).map((edge) => ({
    x1: screenX(edge.a), y1: screenY(edge.a), x2: screenX(edge.b), y2: screenY(edge.b),
    width: isFaint(edge) ? 1 : 3 + (20 * edge.size) / strongest,
  }));
  for (const {node, words, x, y, align} of placeLabels(wanted, size, widthOf, view, lines, drawNumbers(pen, colours, near))) {
    const strong = node === state.hovered || node === state.selected || state.found.has(node);
    pen.text(x, y, words, {colour: colours.ink, halo: colours.ground, size, align, family: colours.font,
                           weight: strong ? 700 : 400, alpha: !near || near.has(node) ? 1 : 0.3});
  }
}

function drawScene(pen, colours, widthOf, size) {
  const near = focus();
  drawEdges(pen, colours, near);
  drawNodes(pen, colours, near);
  drawLabels(pen, colours, near, widthOf, size);
}
