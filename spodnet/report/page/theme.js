// Colours come from the style sheet, so that dark mode and print need one place only.

const colourNames = ["paper", "ground", "ink", "soft", "rule", "accent", "positive", "negative", "none", "zero"];
const communityColours = 8;
const shapes = ["circle", "square", "diamond", "triangle", "hexagon", "down", "pentagon"];

function readColours() {
  const style = getComputedStyle(document.documentElement);
  const colours = {};
  for (const name of colourNames) colours[name] = style.getPropertyValue(`--${name}`).trim();
  colours.community = Array.from({length: communityColours}, (_, c) => style.getPropertyValue(`--c${c}`).trim());
  colours.font = style.getPropertyValue("--sans").trim() || "sans-serif";
  return colours;
}

/// Number of the colour and shape of a variable: its group's where the user gave some, else its community's; -1: none.
const lookOf = (node) => (styles ? givenGroups.indexOf(styles[node.index].group) : isLoner(node) ? -1 : node.community);
const ownColour = (node) => styles?.[node.index].colour || styles?.find((style) => style.group && style.group === styles[node.index].group && style.colour)?.colour || null;
const colourOf = (colours, node) => ownColour(node) ?? (lookOf(node) < 0 ? colours.none : colours.community[lookOf(node) % communityColours]);
const shapeOf = (node) => (lookOf(node) < 0 ? (ownColour(node) ? "circle" : "ring") : shapes[lookOf(node) % shapes.length]);

/// Corners of a shape of about the area of a circle of radius r; null for a circle.
function corners(shape, r) {
  const around = (count, radius, turn) => Array.from({length: count}, (_, k) => {
    const angle = turn + (2 * Math.PI * k) / count;
    return [radius * Math.cos(angle), radius * Math.sin(angle)];
  });
  switch (shape) {
    case "square": return around(4, 1.25 * r, Math.PI / 4);
    case "diamond": return around(4, 1.3 * r, 0);
    case "triangle": return around(3, 1.42 * r, -Math.PI / 2);
    case "down": return around(3, 1.42 * r, Math.PI / 2);
    case "hexagon": return around(6, 1.1 * r, 0);
    case "pentagon": return around(5, 1.15 * r, -Math.PI / 2);
    default: return null;
  }
}

/// Colour of a partial correlation in the heat map: from zero's to a sign's, t from -1 to 1.
function diverging(colours, t, power) {
  const from = rgb(colours.zero), to = rgb(t < 0 ? colours.negative : colours.positive);
  const s = Math.pow(Math.min(1, Math.abs(t)), power);
  const mix = from.map((value, k) => Math.round(value + s * (to[k] - value)));
  return `rgb(${mix.join(",")})`;
}

function rgb(hex) {
  const value = parseInt(hex.slice(1), 16);
  return [(value >> 16) & 255, (value >> 8) & 255, value & 255];
}

/// Draws the mark of a variable into text: legend, panel, table.
function mark(node) {
  const shape = shapeOf(node), points = corners(shape, 5);
  const ring = shape === "ring";
  const fill = ring ? "none" : ownColour(node) ?? `var(--c${lookOf(node) % communityColours})`;
  const style = `fill:${fill};stroke:${ring ? "var(--none)" : "none"};stroke-width:1.5`;
  const inside = points
    ? element("polygon", {points: points.map((p) => p.map((x) => x.toFixed(2)).join(",")).join(" "), style})
    : element("circle", {r: ring ? 4.2 : 5, style});
  return element("svg", {class: "mark", viewBox: "-7.5 -7.5 15 15", "aria-hidden": "true"}, inside);
}
