// The stage: drawing when something changed.

const canvas = byId("canvas"), stage = byId("stage"), tip = byId("tip");
const context = canvas.getContext("2d");

function widthIn(drawing, size, family) {
  const known = new Map();
  return (words) => {
    if (!known.has(words)) {
      drawing.font = `600 ${size}px ${family}`;
      known.set(words, drawing.measureText(words).width);
    }
    return known.get(words);
  };
}

/// `density`: canvas pixels per page pixel.
function paintGraph(density = window.devicePixelRatio || 1) {
  const colours = readColours(), size = labelSize(nodes.length);
  canvas.width = Math.round(view.width * density);
  canvas.height = Math.round(view.height * density);
  context.setTransform(density, 0, 0, density, 0, 0);
  context.fillStyle = colours.ground;
  context.fillRect(0, 0, view.width, view.height);
  drawScene(new CanvasPen(context), colours, widthIn(context, size, colours.font), size);
}

let asked = false;
function repaint() {
  if (asked) return;
  asked = true;
  requestAnimationFrame(() => {
    asked = false;
    paintGraph();
  });
}

function resize() {
  const width = stage.clientWidth, height = stage.clientHeight;
  if (width === view.width && height === view.height) return;
  view.width = width;
  view.height = height;
  fit();
  repaint();
}

function nodeAt(x, y, slack = 4) {
  let best = null, least = Infinity;
  for (const node of nodes) {
    const d = Math.hypot(x - screenX(node), y - screenY(node)) - radius(node) * 1.15;
    if (d < slack && d < least) [best, least] = [node, d];
  }
  return best;
}

function edgeAt(x, y) {
  let best = null, least = 5;
  for (const edge of edges) {
    if (!isVisible(edge)) break;  // strongest first
    const x1 = screenX(edge.a), y1 = screenY(edge.a), dx = screenX(edge.b) - x1, dy = screenY(edge.b) - y1;
    const t = clamp(((x - x1) * dx + (y - y1) * dy) / (dx * dx + dy * dy || 1), 0, 1);
    const d = Math.hypot(x - x1 - t * dx, y - y1 - t * dy);
    if (d < least) [best, least] = [edge, d];
  }
  return best;
}

const signWords = (edge) => (edge.partial < 0 ? "in opposite directions" : "together");

function edgeLines(edge) {
  const lines = [element("div", {}, `partial correlation ${fixed(edge.partial, 3)} (${signWords(edge)})`)];
  if (edge.share !== null) {
    lines.push(element("div", {}, `in ${percent(edge.share)} of ${summary.resamples} resamples, same sign in ${percent(edge.agreement)}`));
    lines.push(element("div", {}, `stability range ${fixed(edge.low)} to ${fixed(edge.high)}`));
  }
  return lines;
}

function tipFor(node, edge) {
  if (node) {
    const shown = node.edges.filter(isVisible).length;
    return [element("strong", {}, nameOf(node)),
            element("div", {}, isLoner(node) ? "no community" : `community ${node.community + 1}`),
            element("div", {}, node.edges.length === 0 ? "no edge" : `${plural(node.edges.length, "neighbour")}${shown < node.edges.length ? `, ${shown} shown` : ""}`)];
  }
  return [element("strong", {}, nameOf(edge.a), " – ", nameOf(edge.b)), ...edgeLines(edge)];
}

function showTip(box, frame, x, y, content) {
  box.replaceChildren(...content);
  box.hidden = false;
  const w = box.offsetWidth, h = box.offsetHeight;
  box.style.left = `${clamp(x + 16 + w > frame.clientWidth ? x - w - 12 : x + 16, 4, Math.max(4, frame.clientWidth - w - 4))}px`;
  box.style.top = `${clamp(y + 16 + h > frame.clientHeight ? y - h - 12 : y + 16, 4, Math.max(4, frame.clientHeight - h - 4))}px`;
}

function hover(x, y) {
  const node = nodeAt(x, y), edge = node ? null : edgeAt(x, y);
  if (node !== state.hovered || edge !== state.hoveredEdge) change({hovered: node, hoveredEdge: edge});
  canvas.style.cursor = node ? "pointer" : "";
  if (node || edge) showTip(tip, stage, x, y, tipFor(node, edge));
  else tip.hidden = true;
}

function leave() {
  tip.hidden = true;
  if (state.hovered || state.hoveredEdge) change({hovered: null, hoveredEdge: null});
}

const select = (node) => change({selected: node, group: null, found: new Set()});

/// Brings a variable into the middle when it is out of sight.
function reveal(node) {
  const x = screenX(node), y = screenY(node), edge = 30;
  if (x > edge && y > edge && x < view.width - edge && y < view.height - edge) return;
  view.x += view.width / 2 - x;
  view.y += view.height / 2 - y;
}

/// The same for a community: its middle, when most of it is out of sight.
function revealGroup(members) {
  const inside = (node) => screenX(node) > 0 && screenY(node) > 0 && screenX(node) < view.width && screenY(node) < view.height;
  if (2 * members.filter(inside).length > members.length) return;
  const middle = (of) => members.reduce((sum, node) => sum + of(node), 0) / members.length;
  const [x, y] = [middle(screenX), middle(screenY)];
  view.x += view.width / 2 - x;
  view.y += view.height / 2 - y;
}

function selectGroup(members) {
  if (members) revealGroup(members);
  change({selected: null, found: new Set(), group: members});
}

onChange(repaint);
