// The plain parts: data, certificate, choice, settings, contents.

function setUpData() {
  const body = byId("data-body"), done = summary.notes.filter((note) => note.kind === "done"), warnings = summary.notes.filter((note) => note.kind === "warning");
  const list = (notes, kind) => element("ul", {class: `notes ${kind}`}, notes.map((note) => element("li", {}, sentence(note.text))));
  if (done.length > 0) body.append(list(done, "done"));
  else body.append(element("p", {class: "prose"}, "The numbers were taken as they are."));
  if (warnings.length > 0) body.append(element("h3", {}, "Be careful about"), list(warnings, "warnings"));
}

/// `passed`: a tick; false: an exclamation mark; null: neither good nor bad.
function check(passed, title, words) {
  return element("li", {class: passed === null ? "plain" : passed ? "pass" : "fail"}, element("span", {class: "tick", "aria-hidden": "true"}, passed === null ? "–" : passed ? "✓" : "!"),
                 element("div", {}, element("strong", {}, title), element("p", {}, words)));
}

function setUpCertificate() {
  const c = summary.certificate, p = nodes.length, pairs = (p * (p - 1)) / 2;
  const inverses = c.residual !== null && c.residual < 1e-6 * Math.max(1, p);
  byId("certificate-body").append(
    element("p", {class: "prose"}, "What can be checked from the result itself, without trusting the method that made it."),
    element("ul", {class: "checks"},
      check(c.eig_min > 0, c.eig_min > 0 ? "The precision matrix is positive definite" : "The precision matrix is not positive definite", `Its smallest eigenvalue is ${number(c.eig_min)}, its largest ${number(c.eig_max)}.`),
      check(inverses, `Precision and covariance are ${inverses ? "" : "not "}inverses of each other`, `‖ΘW − I‖ = ${number(c.residual)} (Frobenius norm).`),
      check(c.condition !== null && c.condition < 1e6, c.condition < 1e6 ? "It is numerically safe" : "It is numerically delicate", `Condition number ${number(c.condition)}.`),
      check(summary.edges === 0 || summary.edges === pairs ? null : true, summary.edges === pairs ? "Every pair has an edge: there is no zero" : summary.edges === 0 ? "No pair has an edge" : "Missing edges are exact zeros", `${thousands(summary.edges)} of ${plural(pairs, "pair")} are edges (${number(100 * (c.density ?? 0), 2)} %); no threshold was applied to this picture.`),
      stableCheck()));
}

function stableCheck() {
  if (summary.stable_q === null) return null;
  const stable = stableCount(), words = sentence(summary.stable_check || "Judged by the bootstrap shares.");
  if (stable === 0) return check(false, `No edge is stable at ${percent(summary.stable_q)}`, words);
  const doubts = summary.notes.some((note) => note.kind === "warning");
  return check(doubts ? null : true, `${plural(stable, "stable edge")}: at most ${percent(summary.stable_q)} false ones expected${doubts ? ", if the warnings above do not matter" : ""}`, words);
}

/// Held-out log-likelihood with its spread over the folds, all on one axis.
function scorePicture(candidate, low, high) {
  if (candidate.held_out === null) return "–";
  const x = (value) => (6 + (148 * (value - low)) / (high - low || 1)).toFixed(1), spread = candidate.spread ?? 0;
  return [element("span", {class: "value"}, fixed(candidate.held_out, 3)),
          element("svg", {class: "score", viewBox: "0 0 160 14", "aria-hidden": "true"},
                  element("line", {x1: x(candidate.held_out - spread), x2: x(candidate.held_out + spread), y1: 7, y2: 7}),
                  element("circle", {cx: x(candidate.held_out), cy: 7, r: 3.6}))];
}

function choiceWords() {
  const given = summary.notes.filter((note) => note.kind === "choice").map((note) => sentence(note.text));
  const scored = summary.candidates.filter((c) => c.held_out !== null);
  const judged = "fitted to a part of the rows and judged by the log-likelihood of the others, on the same folds for all. ";
  if (given.length > 0) return [scored.length > 1 ? `Every candidate was ${judged}` : "", ...given];
  if (scored.length < 2) return "The method was set, not chosen among candidates.";
  return `The method was set, not chosen. To compare, it and others were ${judged}`;
}

function candidateRow(candidate, low, high, withNmse) {
  const failed = candidate.held_out === null && candidate.edges === 0 && candidate.note !== "";
  return element("tr", {class: candidate.chosen ? "chosen" : ""},
    element("th", {scope: "row"}, element("bdi", {title: candidate.method}, candidate.name), candidate.chosen ? element("span", {class: "badge"}, summary.notes.some((note) => note.kind === "choice") ? "chosen" : "used") : null, candidate.note ? element("div", {class: "note"}, element("bdi", {}, candidate.note)) : null),
    element("td", {class: "wide"}, scorePicture(candidate, low, high)),
    withNmse ? element("td", {class: "number"}, candidate.nmse === null ? "–" : number(candidate.nmse)) : null,
    element("td", {class: "number"}, failed ? "–" : thousands(candidate.edges)));
}

function setUpChoice() {
  const body = byId("choice-body"), scored = summary.candidates.filter((c) => c.held_out !== null);
  body.append(element("p", {class: "prose"}, choiceWords()));
  if (summary.candidates.length === 0) return;
  const low = Math.min(...scored.map((c) => c.held_out - (c.spread ?? 0))), high = Math.max(...scored.map((c) => c.held_out + (c.spread ?? 0)));
  const withNmse = summary.candidates.some((c) => c.nmse !== null);
  const order = [...summary.candidates].sort((u, v) => (v.held_out ?? -Infinity) - (u.held_out ?? -Infinity));
  body.append(element("div", {class: "scroller"}, element("table", {class: "candidates"},
    element("thead", {}, element("tr", {}, element("th", {scope: "col"}, "Method"), element("th", {scope: "col"}, "Held-out log-likelihood per row ± spread"), withNmse ? element("th", {scope: "col", class: "number"}, "NMSE (synthetic)") : null, element("th", {scope: "col", class: "number"}, "Edges"))),
    element("tbody", {}, order.map((candidate) => candidateRow(candidate, low, high, withNmse))))));
}

function setUpSettings() {
  const rows = [...summary.settings, {name: "code of the method taken", value: summary.method}].map(({name, value}) => element("div", {}, element("dt", {}, element("bdi", {}, name)), element("dd", {}, element("bdi", {}, value))));
  byId("settings-body").append(rows.length > 0 ? element("dl", {class: "settings"}, rows) : element("p", {class: "prose"}, "None were recorded."));
}

function setUpContents() {
  const items = [...document.querySelectorAll("main > section")].map((section) => element("li", {}, element("a", {href: `#${section.id}`}, section.dataset.short)));
  byId("contents").append(...items);
  byId("copy-bibtex").addEventListener("click", async (event) => {
    const button = event.target, text = byId("bibtex").textContent;
    try {
      await navigator.clipboard.writeText(text);
    } catch {  // pages opened from a file may not be allowed to
      const range = document.createRange();
      range.selectNodeContents(byId("bibtex"));
      getSelection().removeAllRanges();
      getSelection().addRange(range);
      document.execCommand("copy");
    }
    button.textContent = "Copied";
    setTimeout(() => (button.textContent = "Copy"), 1500);
  });
}
