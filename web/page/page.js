// A dropped table goes to the worker; its report fills the page.
"use strict";

const byId = (id) => document.getElementById(id);
const show = (id, yes = true) => { byId(id).hidden = !yes; };
let worker, table, reportAddress;

function say(text) { byId("state").textContent = text; }

function alertWith(text) {
  byId("alert").textContent = text;
  show("alert", text !== "");
}

function busy(yes) {
  show("progress", yes);
  show("stop", yes);
  document.body.classList.toggle("busy", yes);
  if (yes) ["save-report", "save-all", "again"].forEach((id) => show(id, false));
}

// The form, or the report.
function turnTo(report) {
  show("begin", !report);
  show("report", report);
  ["save-report", "save-all", "again"].forEach((id) => show(id, report));
  document.body.classList.toggle("reporting", report);
}

function advised(text, advice) {
  const remedy = remedies[advice];
  return remedy ? `${text} (${remedy})` : text;
}

function save(blob, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

const plainName = () => table.name.replace(/\.gz$/i, "").replace(/\.[a-z]+$/i, "");

function failed(text) {
  busy(false);
  turnTo(false);
  say(`${table ? table.name : "spodnet"}: not analysed`);
  alertWith(text);
  byId("alert").scrollIntoView({block: "center"});
}

const answers = {
  ready: (version) => {
    byId("version").textContent = version;
    if (!table) say("Ready.");
  },
  progress: ({what, fraction}) => {
    say(`${table.name}: ${what}`);
    byId("progress").value = fraction;
  },
  error: (text, {advice}) => failed(advised(text, advice)),
  broken: (text) => {
    start();
    failed(`The analysis broke off: ${/memory|allocat/i.test(text) ? "this browser gives a page at most 4 GB of memory, which did not suffice; choose fewer columns, or use the command" : text}`);
  },
  report: (html, {seconds, message}) => {
    busy(false);
    if (reportAddress) URL.revokeObjectURL(reportAddress);
    reportAddress = URL.createObjectURL(new Blob([html], {type: "text/html"}));
    byId("report").src = reportAddress;
    byId("save-report").href = reportAddress;
    byId("save-report").download = `${plainName()}-report.html`;
    show("go");
    turnTo(true);
    say(`${table.name}: done in ${seconds < 9.95 ? seconds.toFixed(1) : Math.round(seconds)} s${message ? `; careful: ${message}` : ""}`);
  },
  files: (files) => save(zip(files.map(({name, bytes}) => ({name: `${plainName()}/${name}`, bytes}))), `${plainName()}-spodnet.zip`),
};

function start() {
  if (worker) worker.terminate();
  worker = new Worker("worker.js");
  worker.onerror = (event) => answers.broken(event.message || "the program could not be loaded: is the whole folder there?");
  worker.onmessage = ({data}) => Object.keys(data).forEach((key) => answers[key]?.(data[key], data));
}

async function analyse() {
  if (!byId("settings").reportValidity()) return;
  alertWith("");
  turnTo(false);
  busy(true);
  byId("progress").removeAttribute("value");
  say(`${table.name}: reading`);
  const bytes = await table.arrayBuffer();
  worker.postMessage({table: {bytes, name: table.name, ...optionsOf(byId("settings"))}}, [bytes]);
}

function take(file) {
  if (!file || document.body.classList.contains("busy")) return;
  table = file;
  analyse();
}

async function example(name) {
  const answer = await fetch(name);
  if (answer.ok) take(new File([await answer.blob()], name));
  else failed(`The example ${name} is not in this folder.`);
}

byId("file").onchange = ({target}) => { take(target.files[0]); target.value = ""; };
byId("settings").onsubmit = (event) => { event.preventDefault(); if (table) analyse(); };
byId("stop").onclick = () => { start(); busy(false); show("go", !!table); say("Stopped."); };
byId("again").onclick = () => { turnTo(false); show("save-report"); say(`${table.name}: change settings and analyse again, or drop another table`); };
byId("save-all").onclick = () => worker.postMessage({files: true});
document.querySelectorAll("[data-example]").forEach((button) => { button.onclick = () => example(button.dataset.example); });
addEventListener("dragover", (event) => { event.preventDefault(); document.body.classList.add("over"); });
addEventListener("dragleave", (event) => { if (!event.relatedTarget) document.body.classList.remove("over"); });
addEventListener("drop", (event) => { event.preventDefault(); document.body.classList.remove("over"); take(event.dataTransfer.files[0]); });

start();
if ("serviceWorker" in navigator && isSecureContext) navigator.serviceWorker.register("offline.js").catch(() => {});
