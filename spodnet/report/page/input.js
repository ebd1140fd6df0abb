// Pointer, wheel and keys on the stage.

const pointers = new Map();  // of fingers or buttons that are down: {x, y}
let grip = null;             // {node} or {} while dragging; {spread} while pinching

function at(event) {
  const box = canvas.getBoundingClientRect();
  return {x: event.clientX - box.left, y: event.clientY - box.top};
}

function spread() {
  const [p, q] = [...pointers.values()];
  return {d: Math.hypot(p.x - q.x, p.y - q.y), x: (p.x + q.x) / 2, y: (p.y + q.y) / 2};
}

canvas.addEventListener("pointerdown", (event) => {
  const p = at(event);
  pointers.set(event.pointerId, p);
  canvas.setPointerCapture(event.pointerId);
  tip.hidden = true;
  if (pointers.size === 2) grip = {spread: spread()};
  else grip = {node: nodeAt(p.x, p.y, event.pointerType === "touch" ? 12 : 4), from: p, last: p, moved: false};
});

canvas.addEventListener("pointermove", (event) => {
  const p = at(event);
  if (!pointers.has(event.pointerId)) return hover(p.x, p.y);
  pointers.set(event.pointerId, p);
  if (grip?.spread && pointers.size === 2) return pinch();
  if (!grip || grip.spread) return;
  if (!grip.moved && Math.hypot(p.x - grip.from.x, p.y - grip.from.y) < 4) return;
  grip.moved = true;
  if (grip.node) moveTo(grip.node, p.x, p.y);
  else [view.x, view.y] = [view.x + p.x - grip.last.x, view.y + p.y - grip.last.y];
  grip.last = p;
  repaint();
});

function pinch() {
  const now = spread(), before = grip.spread;
  view.x += now.x - before.x;
  view.y += now.y - before.y;
  zoom(now.d / Math.max(before.d, 1), now.x, now.y);
  grip = {spread: now};
  repaint();
}

canvas.addEventListener("pointerup", (event) => {
  pointers.delete(event.pointerId);
  if (grip && !grip.spread && !grip.moved) select(grip.node === state.selected ? null : grip.node);
  if (pointers.size === 0) grip = null;
});
canvas.addEventListener("pointercancel", (event) => {
  pointers.delete(event.pointerId);
  if (pointers.size === 0) grip = null;
});
canvas.addEventListener("pointerleave", () => pointers.size === 0 && leave());

// A finger on a variable drags it; elsewhere it scrolls the page up and down (touch-action: pan-y).
canvas.addEventListener("touchstart", (event) => {
  const p = at(event.touches[0]);
  if (event.touches.length > 1 || nodeAt(p.x, p.y, 12)) event.preventDefault();
}, {passive: false});

// Without Ctrl the wheel belongs to the page, until the reader has clicked into the graph.
canvas.addEventListener("wheel", (event) => {
  if (!event.ctrlKey && !event.metaKey && document.activeElement !== canvas) return;
  event.preventDefault();
  const p = at(event);
  zoom(Math.exp(-event.deltaY * (event.deltaMode === 1 ? 0.05 : 0.0018)), p.x, p.y);
  repaint();
}, {passive: false});

function step(direction) {
  const from = state.selected ? state.selected.index : direction > 0 ? -1 : 0;
  const node = nodes[(from + direction + nodes.length) % nodes.length];
  reveal(node);
  select(node);
}

function showAll() {
  nodes.forEach((node, index) => Object.assign(node, home[index]));
  fit();
  repaint();
}

const zoomBy = (factor) => () => (zoom(factor), repaint());
const panBy = (dx, dy) => () => ((view.x += dx), (view.y += dy), repaint());
const keys = {
  ArrowLeft: panBy(60, 0), ArrowRight: panBy(-60, 0), ArrowUp: panBy(0, 60), ArrowDown: panBy(0, -60),
  "+": zoomBy(1.25), "=": zoomBy(1.25), "-": zoomBy(0.8), 0: showAll,
  n: () => step(1), p: () => step(-1), Escape: () => (leave(), select(null)),
};
canvas.addEventListener("keydown", (event) => {
  const action = keys[event.key] ?? keys[event.key.toLowerCase()];
  if (!action || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  action();
});

byId("zoom-in").addEventListener("click", zoomBy(1.4));
byId("zoom-out").addEventListener("click", zoomBy(1 / 1.4));
byId("zoom-fit").addEventListener("click", showAll);

new ResizeObserver(resize).observe(stage);
