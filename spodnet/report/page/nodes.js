// The variables and their measures, sortable.

const measures = [
  {key: "strength", title: "Strength", about: "sum of the sizes of its partial correlations"},
  {key: "expected_influence", title: "Expected influence", about: "their sum, signs kept"},
  {key: "closeness", title: "Closeness", about: "how short the ways to all others are, an edge being 1 / |partial correlation| long"},
  {key: "betweenness", title: "Betweenness", about: "shortest ways between others that lead through it"},
  {key: "bridge_strength", title: "Bridge strength", about: "strength of its edges to other communities"},
  {key: "predictability", title: "Predictability", about: "share of its variance that its neighbours explain (R²)"},
].filter(({key}) => data.nodes?.[key]);
const nodeTable = {key: "strength", down: true, rows: 15};

const nodeValue = (node, key) => data.nodes[key].value[node.index];

function measureCell(node, {key}) {
  const {low, high} = data.nodes[key], digits = key === "betweenness" ? 1 : key === "closeness" ? 3 : 2;
  const range = low ? `${fixed(low[node.index], digits)} to ${fixed(high[node.index], digits)}` : null;
  return element("td", {class: "number"}, element("span", {class: "value"}, fixed(nodeValue(node, key), digits)),
                 range === null ? null : element("div", {class: "note"}, range));
}

function nodeHead({key, title}) {
  const active = key === nodeTable.key;
  const sort = () => {
    Object.assign(nodeTable, {down: active ? !nodeTable.down : key !== "name", key});
    drawNodeTable();
    byId("nodes-table").querySelector(`[data-key="${key}"]`).focus();
  };
  return element("th", {scope: "col", class: key === "name" ? "" : "number", "aria-sort": active ? (nodeTable.down ? "descending" : "ascending") : "none"},
                 element("button", {type: "button", "data-key": key, onclick: sort}, title, element("span", {class: "arrow", "aria-hidden": "true"}, active ? (nodeTable.down ? " ↓" : " ↑") : "")));
}

function drawNodeTable() {
  const sign = nodeTable.down ? -1 : 1, byName = nodeTable.key === "name";
  const order = (u, v) => sign * (byName ? u.name.localeCompare(v.name) : nodeValue(u, nodeTable.key) - nodeValue(v, nodeTable.key)) || u.index - v.index;
  const shown = [...nodes].sort(order).slice(0, nodeTable.rows);
  byId("nodes-table").replaceChildren(
    element("thead", {}, element("tr", {}, nodeHead({key: "name", title: "Variable"}), measures.map(nodeHead))),
    element("tbody", {}, shown.map((node) => element("tr", {}, element("td", {}, person(node)), measures.map((measure) => measureCell(node, measure))))));
  const more = byId("nodes-more");
  more.hidden = shown.length === nodes.length;
  more.textContent = `Show more (${thousands(nodes.length - shown.length)} left)`;
}

/// How far the order may be read: the correlation-stability coefficients.
function orderWords() {
  const stability = summary.order_stability;
  if (!stability) return "";
  const each = measures.map(({key, title}) => `${title.toLocaleLowerCase()} ${fixed(stability[key])}`);
  return ` How far the order can be trusted: the share of the rows that may be dropped while it stays (correlation-stability coefficient; above 0.5 good, below 0.25 the order should not be read): ${each.join(", ")}.`;
}

function setUpNodes() {
  if (measures.length === 0) {
    byId("nodes").remove();
    return;
  }
  byId("nodes-words").textContent = `${measures.map(({title, about}) => `${title}: ${about}`).join("; ")}.${data.nodes.strength.low ? " Below each number its range over the resamples (the middle 95 %)." : ""}${orderWords()}`;
  byId("nodes-more").addEventListener("click", () => ((nodeTable.rows = nodeTable.rows < 100 ? 100 : nodeTable.rows + 400), drawNodeTable()));
  drawNodeTable();
}
