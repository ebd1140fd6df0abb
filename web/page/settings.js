// The form as options of the C interface (docs/c.md), and in whose words the page gives advice.
"use strict";

const remedies = {
  ranks: "More settings, Correlations by ranks: Spearman",
  pairwise: "Missing values: pairs, from rows with both",
  em: "Missing values: EM",
  auto_method: "Method: choose by prediction",
  glasso_cv: "Method: graphical lasso, cross-validated",
  resamples: "Resamples: N",
  header: "More settings, First line",
  levels: "Ordered answers: low<medium<high",
  decimal: "More settings, Decimal sign",
  missing_word: "Codes for missing values: WORD",
  exclude: "More settings, Leave out columns: NAMES",
  weights: "More settings, Column of weights",
  ordinal: "More settings, Columns are: ordered levels",
};

const listOf = (text, separator) => text.split(separator).map((part) => part.trim()).filter((part) => part);

// What is left empty has the library's default.
const filled = (options) => Object.fromEntries(Object.entries(options).filter(([, value]) => value !== "" && value.length !== 0));

// {prepare, analyse} for spod_parse and spod_analyse.
function optionsOf(form) {
  const value = (name) => form.elements[name].value.trim();
  return {
    prepare: filled({
      kind: value("kind"), missing: value("missing"), robust: value("robust"), header: value("header"), decimal: value("decimal"),
      weights: value("weights"), adjust: listOf(value("adjust"), ","), exclude: listOf(value("exclude"), ","),
      na: listOf(value("na"), ","), levels: listOf(value("levels"), "\n"),
    }),
    analyse: filled({
      method: value("method"), bootstrap: value("bootstrap") || "0", seed: value("seed") || "0",
      stable: Number(value("bootstrap")) > 0 ? value("stable") : "",
      remedies: Object.entries(remedies).flat(),
    }),
  };
}
