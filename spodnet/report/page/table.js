// The strongest edges, sortable.

const columns = [
  {key: "rank", title: "#", of: (e) => e.rank, show: (e) => thousands(e.rank + 1), number: true},
  {key: "a", title: "Variable", of: (e) => e.a.name, show: (e) => person(e.a)},
  {key: "b", title: "Variable", of: (e) => e.b.name, show: (e) => person(e.b)},
  {key: "partial", title: "Partial correlation", of: (e) => e.partial, show: (e) => [element("span", {class: "value"}, fixed(e.partial, 3)), element("span", {class: "track"}, bar(e))], number: true, wide: true},
  {key: "theta", title: "Θᵢⱼ", of: (e) => e.theta, show: (e) => number(e.theta), number: true, minor: true},
];
const shareColumns = [
  {key: "share", title: "In resamples", of: (e) => e.share, show: (e) => percent(e.share), number: true},
  {key: "agreement", title: "Same sign", of: (e) => e.agreement, show: (e) => percent(e.agreement), number: true, minor: true},
  {key: "low", title: "Stability range", of: (e) => e.low, show: (e) => rangePicture(e), wide: true, minor: true},
];
const tableColumns = hasShares ? [...columns, ...shareColumns] : columns;
const table = {key: "rank", down: false, rows: 15, filter: ""};

const person = (node) => element("button", {type: "button", class: "link name-cell", onclick: () => {
  reveal(node);
  select(node);
  byId("graph").scrollIntoView();
}}, mark(node), " ", nameOf(node));

/// The 2.5 to 97.5 % range over resamples and the estimate, on an axis around zero.
function rangePicture(edge) {
  if (edge.low === null) return "–";
  const reach = Math.max(strongest, ...edges.slice(0, 200).map((e) => Math.max(Math.abs(e.low ?? 0), Math.abs(e.high ?? 0))));
  const x = (value) => (60 + (56 * clamp(value, -reach, reach)) / reach).toFixed(1);
  const words = `${fixed(edge.low)} to ${fixed(edge.high)}`;
  return [element("svg", {class: "range", viewBox: "0 0 120 14", role: "img", "aria-label": words},
                  element("line", {x1: 60, x2: 60, y1: 1, y2: 13, class: "axis"}),
                  element("line", {x1: x(edge.low), x2: x(edge.high), y1: 7, y2: 7, class: edge.partial < 0 ? "negative-range" : "positive-range"}),
                  element("circle", {cx: x(edge.partial), cy: 7, r: 3, class: "dot"})),
          element("span", {class: "range-words"}, words)];
}

function sortedEdges() {
  const wanted = table.filter.trim().toLocaleLowerCase();
  const kept = edges.filter((edge) => wanted === "" || edge.a.name.toLocaleLowerCase().includes(wanted) || edge.b.name.toLocaleLowerCase().includes(wanted));
  const {of} = tableColumns.find((column) => column.key === table.key);
  const sign = table.down ? -1 : 1;
  return kept.sort((e, f) => {
    const [u, v] = [of(e), of(f)];
    const order = typeof u === "string" ? u.localeCompare(v) : (u ?? -Infinity) - (v ?? -Infinity);
    return sign * order || e.rank - f.rank;
  });
}

const cellClass = (column) => ["number", "minor", "wide"].filter((key) => column[key]).join(" ");

function headCell(column) {
  const active = column.key === table.key;
  const sort = () => {
    Object.assign(table, {down: active ? !table.down : column.number && column.key !== "rank", key: column.key});
    drawTable();
    byId("edges-table").querySelector(`[data-key="${column.key}"]`).focus();
  };
  return element("th", {scope: "col", class: cellClass(column), "aria-sort": active ? (table.down ? "descending" : "ascending") : "none"},
                 element("button", {type: "button", "data-key": column.key, onclick: sort}, column.title, element("span", {class: "arrow", "aria-hidden": "true"}, active ? (table.down ? " ↓" : " ↑") : "")));
}

function drawTable() {
  const all = sortedEdges(), shown = all.slice(0, table.rows);
  const rows = shown.map((edge) => element("tr", {class: isFaint(edge) ? "faint" : ""}, tableColumns.map((column) =>
    element("td", {class: cellClass(column)}, column.show(edge)))));
  byId("edges-table").replaceChildren(element("thead", {}, element("tr", {}, tableColumns.map(headCell))), element("tbody", {}, rows));
  const more = byId("edges-more");
  more.hidden = shown.length === all.length;
  more.textContent = `Show more (${thousands(all.length - shown.length)} left)`;
}

function setUpTable() {
  const words = ["Sort by a column; choose a variable to see it in the graph."];
  if (hasShares) words.push(" “In resamples” is the share of bootstrap resamples that have the edge; the stability range holds the middle 95 % of its partial correlation over them. It shows how the estimate, which is shrunken towards zero, varies: it is not a confidence interval. Rows in grey are the faint edges.");
  if (summary.edges > edges.length) words.push(` The page holds the ${thousands(edges.length)} strongest of ${thousands(summary.edges)} edges; edges.csv has them all.`);
  byId("edges-words").textContent = edges.length === 0 ? `No edge was found in ${rowsWords()}.` : words.join("");
  byId("edges-tools").hidden = edges.length < 10;
  byId("edges-more").addEventListener("click", () => ((table.rows = table.rows < 100 ? 100 : table.rows + 400), drawTable()));
  byId("edges-filter").addEventListener("input", (event) => ((table.filter = event.target.value), drawTable()));
  onChange((before) => before.share !== state.share && drawTable());
  if (edges.length > 0) drawTable();
  else byId("edges-more").hidden = true;
}
