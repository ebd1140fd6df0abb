// Beside the graph: the communities, or the chosen variable with its neighbours.

const bar = (edge) => {
  const width = (100 * edge.size) / (strongest || 1);
  return element("span", {class: `bar ${edge.partial < 0 ? "negative" : "positive"}`, style: `width:${width.toFixed(1)}%`});
};

function neighbourRow(edge, node) {
  const other = otherEnd(edge, node);
  const numbers = [element("span", {class: "value"}, fixed(edge.partial, 2))];
  if (edge.share !== null) numbers.push(element("span", {class: "share", title: "share of resamples with this edge"}, percent(edge.share)));
  return element("li", {class: [isFaint(edge) ? "faint" : "", isVisible(edge) ? "" : "below"].join(" ")},
                 element("button", {type: "button", onclick: () => (reveal(other), select(other))},
                         mark(other), element("span", {class: "who"}, nameOf(other)), ...numbers,
                         element("span", {class: "track"}, bar(edge))));
}

function nodePanel(node) {
  const list = [...node.edges].sort((e, f) => f.size - e.size);
  const rest = list.length - 40;
  return [
    element("p", {class: "panel-back"}, link("← all communities", () => select(null))),
    element("h3", {}, mark(node), " ", nameOf(node, 200)),
    element("p", {class: "panel-words"}, isLoner(node) ? "In no community. " : ["In ", link(`community ${node.community + 1}`, () => selectGroup(communities[node.community])), ". "],
            list.length === 0 ? "It has no direct link: given the others, no variable here helps to predict it." : `${plural(list.length, "neighbour")}, strongest first:`),
    element("ul", {class: "neighbours"}, list.slice(0, 40).map((edge) => neighbourRow(edge, node))),
    rest > 0 ? element("p", {class: "panel-words"}, `and ${rest} weaker ones (edges.csv has them all).`) : null,
  ].filter(Boolean);
}

function communityRow(members) {
  const number = members[0].community + 1, most = members.length <= 7 ? members.length : 5;
  const names = members.slice(0, most).flatMap((node, k) => (k === 0 ? [nameOf(node)] : [", ", nameOf(node)]));
  if (members.length > most) names.push(` and ${members.length - most} more`);
  return element("li", {class: state.group === members ? "on" : ""},
                 element("button", {type: "button", "aria-pressed": String(state.group === members), onclick: () => selectGroup(state.group === members ? null : members)},
                         mark(members[0]), element("span", {class: "who"}, element("strong", {}, `${number}`), element("span", {class: "size"}, ` ${plural(members.length, "variable")}`), element("span", {class: "members"}, names))));
}

/// The groups that the user gave, each with its mark and size.
function givenGroupRows() {
  return givenGroups.map((name) => {
    const members = nodes.filter((node) => styles[node.index].group === name);
    return element("li", {}, element("button", {type: "button", onclick: () => selectGroup(members)},
                   mark(members[0]), element("span", {class: "who"}, element("strong", {}, element("bdi", {}, name)), element("span", {class: "size"}, ` ${plural(members.length, "variable")}`))));
  });
}

function legendPanel() {
  const shown = groups.slice(0, 24);
  const given = givenGroups.length > 0 ? [element("h3", {}, "Groups"), element("ul", {class: "communities"}, givenGroupRows())] : [];
  const parts = [...given, element("h3", {}, groups.length === 0 ? "No communities" : groups.length === 1 ? "One community" : `${groups.length} communities`)];
  if (groups.length > 0) {
    parts.push(element("p", {class: "panel-words"}, `Variables with more links among themselves than to others (modularity ${fixed(summary.modularity, 2)}). ${styles ? "Colours and shapes are those of the groups." : "Colour and shape tell them apart."}`));
    parts.push(element("ul", {class: "communities"}, shown.map(communityRow)));
    if (groups.length > shown.length) parts.push(element("p", {class: "panel-words"}, `and ${groups.length - shown.length} smaller ones.`));
  }
  if (loners.length > 0) {
    const names = loners.slice(0, 12).flatMap((node, k) => [k > 0 ? ", " : "", nameOf(node)]);
    parts.push(element("p", {class: "panel-words"}, mark(loners[0]), ` ${plural(loners.length, "variable")} in no community: `, ...names, loners.length > 12 ? ` and ${loners.length - 12} more.` : "."));
  }
  return parts;
}

function drawPanel(before) {
  const matters = state.selected ? ["selected", "threshold", "share"] : ["selected", "group"];
  const same = before && matters.every((key) => before[key] === state[key]);
  if (same) return;
  const keepFocus = byId("panel").contains(document.activeElement) && before && before.group !== state.group;
  byId("panel").replaceChildren(...(state.selected ? nodePanel(state.selected) : legendPanel()));
  if (keepFocus) byId("panel").querySelector("li.on button")?.focus();
}

onChange(drawPanel);
