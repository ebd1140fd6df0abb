// The answer as variables, edges and communities that know each other.

const data = JSON.parse(document.getElementById("data").textContent);
const summary = data.summary;

/// One line without control characters; never empty; duplicates get a number.
function shownNames(names) {
  const plain = names.map((name) => name.replace(/[\s\u0000-\u001f\u007f-\u009f\u2028\u2029]+/gu, " ").trim());
  const count = new Map();
  for (const name of plain) count.set(name, (count.get(name) ?? 0) + 1);
  return plain.map((name, index) => {
    if (name === "") return `(no name, column ${index + 1})`;
    return count.get(name) > 1 ? `${name} (${index + 1})` : name;
  });
}

/// What the user said about how the variables are shown: label, group, colour of each.
const styles = data.styles ?? null;
const givenGroups = styles ? [...new Set(styles.map((style) => style.group).filter(Boolean))] : [];
const labels = styles ? data.names.map((name, index) => styles[index].label || name) : data.names;

const nodes = shownNames(labels).map((name, index) => ({
  index, name,
  community: data.community[index],
  x: data.x[index], y: data.y[index],
  edges: [],
  strength: 0,
}));

/// Strongest first, as they came.
const edges = data.edges.i.map((i, e) => {
  const of = (key) => (data.edges[key] ? data.edges[key][e] : null);
  const edge = {
    rank: e,
    a: nodes[i], b: nodes[data.edges.j[e]],
    partial: data.edges.partial[e], theta: data.edges.theta[e],
    size: Math.abs(data.edges.partial[e]),
    share: of("share"), agreement: of("sign_agreement"), low: of("low"), high: of("high"),
    stable: of("stable"),
  };
  for (const node of [edge.a, edge.b]) {
    node.edges.push(edge);
    node.strength += edge.size;
  }
  return edge;
});

const strongest = edges.reduce((most, edge) => Math.max(most, edge.size), 0);
const hasShares = edges.some((edge) => edge.share !== null);

const otherEnd = (edge, node) => (edge.a === node ? edge.b : edge.a);

/// Communities of two and more, with the variable of most strength first; then those alone.
const communities = [];
for (const node of nodes) (communities[node.community] ??= []).push(node);
for (const members of communities) members?.sort((u, v) => v.strength - u.strength || u.index - v.index);
const loners = nodes.filter((node) => communities[node.community].length === 1);
const groups = communities.filter((members) => members && members.length > 1);
const isLoner = (node) => communities[node.community].length === 1;
