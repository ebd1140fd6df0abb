// Names beside their variables without writing over each other: greedy, important ones first.

const labelSize = (count) => (count <= 20 ? 14 : count <= 60 ? 13 : 11.5);

/// Boxes already taken, in square bins so that thousands of labels stay cheap.
class Boxes {
  constructor() {
    this.bins = new Map();
  }
  *binsOf(box) {
    for (let x = Math.floor(box.x1 / 80); x <= Math.floor(box.x2 / 80); ++x)
      for (let y = Math.floor(box.y1 / 80); y <= Math.floor(box.y2 / 80); ++y) yield `${x},${y}`;
  }
  add(box) {
    for (const bin of this.binsOf(box)) {
      if (!this.bins.has(bin)) this.bins.set(bin, []);
      this.bins.get(bin).push(box);
    }
  }
  /// Area that `box` shares with others, apart from those of `owner`.
  overlap(box, owner) {
    let area = 0;
    for (const bin of this.binsOf(box))
      for (const other of this.bins.get(bin) ?? []) {
        if (other.owner === owner) continue;
        const w = Math.min(box.x2, other.x2) - Math.max(box.x1, other.x1);
        const h = Math.min(box.y2, other.y2) - Math.max(box.y1, other.y1);
        if (w > 0 && h > 0) area += w * h;
      }
    return area;
  }
}

/// Right, left, below, above and the corners, as [dx, dy, align] at distance r.
function placesAround(r, size) {
  const d = r + 5, s = 0.75 * r + 3, h = size / 2;
  return [[d, 0, "left"], [-d, 0, "right"], [0, r + h + 3, "center"], [0, -r - h - 3, "center"],
          [s, s + 2, "left"], [s, -s - 2, "left"], [-s, s + 2, "right"], [-s, -s - 2, "right"]];
}

/// Whether the segment meets the box (Liang and Barsky's clipping).
function crosses({x1, y1, x2, y2}, box) {
  let from = 0, to = 1;
  for (const [start, step, low, high] of [[x1, x2 - x1, box.x1, box.x2], [y1, y2 - y1, box.y1, box.y2]]) {
    if (step === 0 && (start < low || start > high)) return false;
    if (step === 0) continue;
    const s = (low - start) / step, t = (high - start) / step;
    from = Math.max(from, Math.min(s, t));
    to = Math.min(to, Math.max(s, t));
  }
  return from < to;
}

/// Labels as {node, x, y, align, words}. `spots` are {node, x, y, r, important, must}; a label that
/// finds no free place is left out, unless it must stand. Names prefer to stand clear of `lines`, and
/// do not stand on a `reserved` box.
function placeLabels(spots, size, widthOf, area, lines, reserved) {
  const taken = new Boxes();
  for (const box of reserved) taken.add(box);
  for (const {node, x, y, r} of spots) taken.add({x1: x - r, x2: x + r, y1: y - r, y2: y + r, owner: node});
  const labels = [];
  const order = [...spots].sort((s, t) => Number(t.must) - Number(s.must) || t.important - s.important || s.node.index - t.node.index);
  for (const {node, x, y, r, must} of order) {
    if (x < -20 || y < -20 || x > area.width + 20 || y > area.height + 20) continue;
    const words = shortened(node.name), width = widthOf(words);
    let best = null;
    for (const [dx, dy, align] of placesAround(r, size)) {
      const left = x + dx - (align === "left" ? 0 : align === "right" ? width : width / 2);
      const box = {x1: left - 2, x2: left + width + 2, y1: y + dy - size / 2 - 1, y2: y + dy + size / 2 + 1, owner: node};
      const outside = box.x1 < 0 || box.x2 > area.width || box.y1 < 0 || box.y2 > area.height;
      const blocked = taken.overlap(box, node) + (outside ? 1e5 : 0);
      if (blocked > 0 && !must) continue;
      const cost = blocked + lines.reduce((sum, line) => sum + (crosses(line, box) ? line.width : 0), 0);
      if (!best || cost < best.cost - 0.01) best = {cost, box, x: x + dx, y: y + dy, align};
      if (cost === 0) break;
    }
    if (!best) continue;
    taken.add(best.box);
    labels.push({node, words, x: best.x, y: best.y, align: best.align});
  }
  return labels;
}
