// Words, numbers and elements. Foreign text enters the page as text nodes only.

const minus = (text) => text.replace("-", "−");

function number(value, digits = 3) {
  if (value === null || value === undefined || !Number.isFinite(value)) return "–";
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e5 || size < 1e-3) {
    const [mantissa, exponent] = value.toExponential(1).split("e");
    return minus(`${mantissa} × 10`) + superscript(Number(exponent));
  }
  return minus(value.toPrecision(digits).includes("e") ? String(Math.round(value)) : String(Number(value.toPrecision(digits))));
}

const superscript = (n) => String(n).replace(/./g, (c) => (c === "-" ? "⁻" : "⁰¹²³⁴⁵⁶⁷⁸⁹"[c]));
const fixed = (value, digits = 2) => (value === null || !Number.isFinite(value) ? "–" : minus(value.toFixed(digits)));
const percent = (value) => (value === null ? "–" : `${Math.round(100 * value)} %`);
const thousands = (count) => String(count).replace(/\B(?=(\d{3})+$)/g, ",");
const plural = (count, one, many = `${one}s`) => `${thousands(count)} ${count === 1 ? one : many}`;
const clamp = (value, low, high) => Math.min(high, Math.max(low, value));
const byId = (id) => document.getElementById(id);

/// A note as a sentence; options of the command line do not break at the end of a line.
function sentence(text) {
  const end = /[.!?…]$/.test(text) ? "" : ".";
  const words = /^[a-z]+[ ,]/.test(text) ? text[0].toUpperCase() + text.slice(1) + end : text + end;
  return element("bdi", {}, words.split(/(--[a-z][a-z-]*)/).map((part, k) => (k % 2 === 1 ? element("code", {}, part) : part)));
}

/// A name that is not longer than a label can be.
function shortened(name, limit = 22) {
  const letters = Array.from(name);
  return letters.length <= limit ? name : letters.slice(0, limit - 1).join("").trimEnd() + "…";
}

const svgSpace = "http://www.w3.org/2000/svg";
const svgTags = new Set(["svg", "g", "path", "line", "rect", "circle", "text", "polyline", "polygon", "title"]);

/// element("p", {class: "x", onclick: f}, "text", child)
function element(tag, attributes = {}, ...children) {
  const made = svgTags.has(tag) ? document.createElementNS(svgSpace, tag) : document.createElement(tag);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (value === true) made.setAttribute(key, "");
    else if (value !== false && value !== null && value !== undefined) made.setAttribute(key, value);
  }
  made.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return made;
}

/// A name in running text: kept apart from the direction of the text around it; a long one is whole when pointed at.
function nameOf(node, limit = 48) {
  const short = shortened(node.name, limit);
  return element("bdi", {class: "name", title: short === node.name ? null : node.name}, short);
}
const link = (text, action) => element("button", {type: "button", class: "link", onclick: action}, text);
