// Eigenvalues of Theta, small to large, on a logarithmic scale.

const powers = (low, high) => {
  const ticks = [];
  for (let k = Math.floor(Math.log10(low)); k <= Math.ceil(Math.log10(high)); ++k)
    for (const m of [1, 2, 5]) ticks.push(m * Math.pow(10, k));
  const inside = ticks.filter((tick) => tick >= low * 0.999 && tick <= high * 1.001);
  return inside.length > 7 ? inside.filter((tick) => Math.abs(Math.log10(tick) % 1) < 1e-9) : inside;
};

function spectrumPicture(values, width) {
  const height = 250, left = 56, right = 14, top = 14, bottom = 34;
  const low = values[0] / 1.25, high = values[values.length - 1] * 1.25;
  const x = (k) => left + ((width - left - right) * (k + 0.5)) / values.length;
  const y = (value) => top + (height - top - bottom) * (1 - Math.log(value / low) / Math.log(high / low));
  const r = clamp(160 / values.length, 1.6, 5);
  const picture = element("svg", {class: "chart", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `Eigenvalues from ${number(values[0])} to ${number(values[values.length - 1])}`});
  for (const tick of powers(low, high))
    picture.append(element("line", {x1: left, x2: width - right, y1: y(tick), y2: y(tick), class: "grid"}),
                   element("text", {x: left - 8, y: y(tick) + 4, "text-anchor": "end"}, number(tick)));
  picture.append(element("text", {x: left, y: height - 8}, "smallest"), element("text", {x: width - right, y: height - 8, "text-anchor": "end"}, "largest"));
  values.forEach((value, k) => picture.append(element("circle", {cx: x(k).toFixed(1), cy: y(value).toFixed(1), r, class: "eigenvalue"}, element("title", {}, `${k + 1}: ${number(value, 4)}`))));
  return picture;
}

function setUpSpectrum() {
  const values = data.eigenvalues.filter((value) => value !== null && value > 0), body = byId("spectrum-body");
  if (values.length === 0) return void body.append(element("p", {class: "prose"}, "No eigenvalues were recorded."));
  const ratio = values[values.length - 1] / values[0];
  const words = ratio < 100 ? "The estimate is well conditioned: small changes of the data change it little."
    : ratio < 1e4 ? "The estimate is moderately conditioned: some combinations of the variables are known much better than others."
    : "The estimate is ill-conditioned: some combinations of the variables are almost constant. Look for near-duplicate columns.";
  body.append(element("p", {class: "prose"}, `The ${plural(values.length, "eigenvalue")} of the precision matrix, ${settingOf("standardised") === "no" ? "in the units of the data" : "standardised as it was estimated"}. All are positive; the largest is ${number(ratio)} times the smallest. ${words}`), element("div", {class: "chart-frame"}));
  const frame = body.lastChild;
  new ResizeObserver(() => frame.replaceChildren(spectrumPicture(values, clamp(frame.clientWidth, 280, 760)))).observe(frame);
}
