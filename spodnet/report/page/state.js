// What the reader has chosen. Everything that draws listens to it.

const state = {
  threshold: 0,      // edges with |partial correlation| below are hidden
  share: 0,          // edges in fewer resamples are faint
  selected: null,    // a variable
  group: null,       // a community, as its list of members
  hovered: null,     // a variable under the pointer
  hoveredEdge: null,
  found: new Set(),  // what the search matches
};

const listeners = [];
const onChange = (listener) => listeners.push(listener);
function change(values) {
  const before = {...state};
  Object.assign(state, values);
  for (const listener of listeners) listener(before);
}

const isVisible = (edge) => edge.size >= state.threshold;
/// Where the slider stands as it did at first, --stable decides; else the share does.
const isFaint = (edge) => edge.share !== null && (edge.share < state.share || (state.share === beginsAt && !edge.stable));

/// How many edges to begin with: a hairball shows nothing.
const firstEdges = clamp(Math.round(1.5 * nodes.length), 120, 700);

/// The smallest strength shown at first; edges come strongest first.
function firstThreshold() {
  if (edges.length <= 1.25 * firstEdges) return 0;
  return edges[firstEdges - 1].size;
}

/// Where "faint" begins at first: what --stable kept, else four of five resamples.
function firstShare() {
  if (!hasShares) return 0;
  const kept = edges.filter((edge) => edge.stable);
  if (summary.stable_q === null) return 0.8;
  if (kept.length === 0) return 1.001;  // all are faint
  return kept.reduce((least, edge) => Math.min(least, edge.share), 1);
}
const beginsAt = firstShare();
