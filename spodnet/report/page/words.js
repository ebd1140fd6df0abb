// The answer in sentences.

const settingOf = (wanted) => summary.settings.find(({name}) => name === wanted)?.value;
const rowsOf = () => summary.rows ?? summary.samples;
const rowsWords = () => (rowsOf() === null ? "these data" : plural(Math.round(rowsOf()), "row"));

const stableCount = () => edges.filter((edge) => edge.stable).length;

/// Why no edge is stable, as far as it was said.
function whyNone() {
  const why = summary.stable_check.replace(/^no edge( is stable)?[:;,]? */, "");
  return why === "" ? [] : ["Why: ", sentence(why), " "];
}

function ledeWords() {
  const p = nodes.length, pairs = (p * (p - 1)) / 2;
  const first = [`Of the ${plural(pairs, "possible pair")} among ${plural(p, "variable")}, `];
  if (summary.edges === 0) return [...first, element("strong", {}, "no link was found"), ` in ${rowsWords()}. Links that are weak, or too many for so few rows, are not seen.`];
  const found = `${thousands(summary.edges)} ${summary.edges === 1 ? "has an edge" : "have an edge"} in the estimate, all other variables accounted for`;
  if (hasShares && summary.stable_q !== null) {
    const stable = stableCount();
    if (stable > 0) first.push(element("strong", {}, `${thousands(stable)} ${stable === 1 ? "is linked" : "are linked"} stably`), ` (at most ${percent(summary.stable_q)} of them expected to be false); ${found}. `);
    else first.push(element("strong", {}, `none has a stable edge at ${percent(summary.stable_q)}`), `; ${found}. `, ...whyNone());
  } else {
    first.push(element("strong", {}, found), ". ");
  }
  const top = edges[0];
  first.push("The strongest link joins ", nameOf(top.a), " and ", nameOf(top.b), ` (partial correlation ${fixed(top.partial, 2)}`, top.share === null ? "). " : `, in ${percent(top.share)} of the resamples). `);
  if (groups.length > 1) first.push(`The variables fall into ${groups.length} communities${loners.length > 0 ? `; ${plural(loners.length, "stands", "stand")} alone` : ""}. `);
  if (hasShares && summary.stable_q !== null) {
    first.push(stableCount() > 0 ? "Edges that are not stable are drawn faint." : "All edges are drawn faint: read them as candidates.");
  } else if (hasShares) {
    const sure = edges.filter((edge) => !isFaint(edge)).length;
    first.push(`${thousands(sure)} of the edges appear in at least ${percent(state.share)} of ${summary.resamples} bootstrap resamples; the others are drawn faint.`);
  } else if (settingOf("input")?.startsWith("covariance")) {
    first.push("A covariance has no rows to draw again, so how sure each edge is stays open.");
  } else {
    first.push("No resamples were drawn, so how sure each edge is remains unknown (", element("code", {}, "--bootstrap 200"), " shows it).");
  }
  return first;
}

function fact(term, ...value) {
  return element("div", {}, element("dt", {}, term), element("dd", {}, ...value));
}

function setUpWords() {
  byId("lede").replaceChildren(...ledeWords());
  const density = summary.certificate.density;
  byId("facts").replaceChildren(
    fact("Variables", thousands(nodes.length)),
    fact("Rows", rowsOf() === null ? "–" : thousands(Math.round(rowsOf()))),
    fact("Edges", thousands(summary.edges)),
    ...(hasShares && summary.stable_q !== null ? [fact("Stable edges", thousands(stableCount()))] : []),
    fact("Density", density === null ? "–" : `${number(100 * density, 2)} %`),
    fact("Communities", thousands(groups.length)),
    fact("Method", element("bdi", {class: "method"}, summary.method_name)));
  const warnings = summary.notes.filter((note) => note.kind === "warning");
  const alerts = warnings.slice(0, 3).map((note) => element("p", {class: "alert"}, element("strong", {}, "Careful: "), sentence(note.text)));
  if (warnings.length > 3) alerts.push(element("p", {class: "alert"}, element("a", {href: "#data-story"}, `${warnings.length - 3} more to be careful about`)));
  byId("alerts").replaceChildren(...alerts);
  byId("faint-words").textContent = hasShares ? "Faint lines are edges that many bootstrap resamples do not have." : "";
  setUpHairball();
}

/// Too many lines for one look: say what is shown first.
function setUpHairball() {
  const shown = edges.filter(isVisible).length;
  if (shown === summary.edges) return;
  const box = byId("hairball");
  box.hidden = false;
  box.replaceChildren(element("strong", {}, `${thousands(summary.edges)} edges are too many for one look. `),
                      `You see the ${thousands(shown)} strongest (partial correlation of at least ${fixed(state.threshold, 3)} in size); move the slider to the left for more. The heat map and the files hold the rest.`);
}
