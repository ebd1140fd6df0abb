// The page's library beside the command on the same tables: the same edges and words, numbers to 1e-10.
//   node same_as_command.js PAGE COMMAND DATA
"use strict";
const assert = require("node:assert");
const {execFileSync, spawnSync} = require("node:child_process");
const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");
const zlib = require("node:zlib");

const [page, command, data] = process.argv.slice(2).map((each) => path.resolve(each));
const {spodnetLibrary} = require(path.join(page, "library.js"));
const {zip} = require(path.join(page, "zip.js"));
const work = fs.mkdtempSync(path.join(os.tmpdir(), "spodnet-web-"));

// Cells that are numbers in both agree, others are the same.
function sameTable(ours, theirs, name) {
  const rows = (text) => text.trim().split("\n").map((line) => line.split(","));
  const a = rows(ours), b = rows(theirs);
  assert.equal(a.length, b.length, `${name}: lines`);
  a.forEach((row, k) => row.forEach((cell, j) => {
    const [x, y] = [Number(cell), Number(b[k][j])];
    if (Number.isNaN(x) || Number.isNaN(y)) assert.equal(cell, b[k][j], `${name}, line ${k + 1}`);
    else assert.ok(Math.abs(x - y) <= 1e-10 * Math.max(1, Math.abs(y)), `${name}, line ${k + 1}: ${cell} and ${b[k][j]}`);
  }));
}

function byCommand(file, words) {
  const folder = path.join(work, "out");
  fs.rmSync(folder, {recursive: true, force: true});
  execFileSync(command, ["graph", file, "-o", folder, "--no-cache", "--quiet", "--threads", "1", ...words]);
  return folder;
}

function filesOf(library, file, prepare, options) {
  const parsed = library.parse(fs.readFileSync(file), path.basename(file), prepare);
  const result = library.analyse(parsed, options);
  const files = library.files(result);
  const report = library.text(result, "report.html");
  library.freeResult(result);
  library.freeData(parsed);
  return {files: new Map(files.map(({name, bytes}) => [name, Buffer.from(bytes)])), report};
}

// What is the same in every report: all but the numbers of the data.
const withoutData = (report) => report.replace(/<script[^>]*type="application\/json"[^>]*>[^]*?<\/script>/g, "").replace(/<title>[^]*?<\/title>|<h1>[^]*?<\/h1>/g, "");

function compare(library, file, words, prepare, options) {
  const folder = byCommand(file, words);
  const {files, report} = filesOf(library, file, prepare, options);
  const names = fs.readdirSync(folder).filter((name) => name !== "settings.toml");
  assert.deepEqual([...files.keys()].sort(), names.sort());
  for (const name of names.filter((each) => each.endsWith(".csv")))
    sameTable(files.get(name).toString(), fs.readFileSync(path.join(folder, name), "utf8"), `${path.basename(file)}: ${name}`);
  const summary = (text) => { const all = JSON.parse(text); return [all.method, all.edges, all.notes.length, all.stable_check]; };
  assert.deepEqual(summary(files.get("summary.json")), summary(fs.readFileSync(path.join(folder, "summary.json"))));
  assert.equal(withoutData(report), withoutData(fs.readFileSync(path.join(folder, "report.html"), "utf8")));
  assert.equal(report, files.get("report.html").toString());
  return files;
}

function refusesAsTheCommand(library) {
  const file = path.join(work, "ragged.csv");
  fs.writeFileSync(file, "a,b,c\n1,2,3\n4,5\n6,7,8\n");
  const {stderr, status} = spawnSync(command, ["graph", file, "-o", path.join(work, "no")], {encoding: "utf8"});
  assert.equal(status, 2);
  const line = stderr.trim().replace(/^spodnet: /, "").replace(file, "ragged.csv");
  assert.throws(() => library.parse(fs.readFileSync(file), "ragged.csv", {}), (error) => {
    assert.equal(error.status, 2);
    assert.ok(line.startsWith(error.message.slice(0, 40)), `${error.message} and ${line}`);
    return true;
  });
  assert.throws(() => library.parse(Buffer.from(""), "empty.csv", {}), /empty\.csv/);
  assert.throws(() => library.parse(Buffer.from("a,b\n1,2\n3,4\n"), "t.csv", {knd: "auto"}), /did you mean 'kind'/);
}

async function opensAsZip(files) {
  const archive = path.join(work, "all.zip");
  const all = [...files].map(([name, bytes]) => ({name: `wine/${name}`, bytes}));
  fs.writeFileSync(archive, Buffer.from(await zip(all).arrayBuffer()));
  const listed = execFileSync("python3", ["-c", "import sys, zipfile; z = zipfile.ZipFile(sys.argv[1]); print(z.testzip(), len(z.namelist()), z.read('wine/edges.csv').decode()[:6])", archive], {encoding: "utf8"});
  assert.equal(listed.trim(), `None ${all.length} ${files.get("edges.csv").toString().slice(0, 6)}`);
}

async function main() {
  const seen = [];
  const wasm = await require(path.join(page, "spodnet.js"))();
  const library = spodnetLibrary(wasm, (what, fraction) => seen.push([what, fraction]));
  const wine = path.join(data, "wine.csv"), items = path.join(data, "questionnaire.csv");

  const files = compare(library, wine, ["--bootstrap", "30", "--stable", "0.1"], {}, {bootstrap: "30", stable: "0.1"});
  assert.ok(seen.length > 20 && seen.every(([what, fraction]) => what && fraction >= 0 && fraction <= 1));
  await opensAsZip(files);
  compare(library, items, ["--method", "glasso-ebic", "--na", "5", "--missing", "pairwise", "--seed", "3"],
    {na: ["5"], missing: "pairwise"}, {method: "glasso-ebic", seed: "3"});
  const packed = path.join(work, "wine.csv.gz");
  fs.writeFileSync(packed, zlib.gzipSync(fs.readFileSync(wine)));
  compare(library, packed, ["--kind", "gaussian", "--adjust", "Ash", "--method", "pretrained"],
    {kind: "gaussian", adjust: ["Ash"]}, {method: "pretrained"});
  const words = path.join(work, "words.csv");
  const levels = ["never", "sometimes", "often"];
  fs.writeFileSync(words, "x,y,z\n" + Array.from({length: 90}, (_, k) => [levels[k % 3], levels[(k + (k % 5 > 2)) % 3], (k * 7919) % 31].join()).join("\n"));
  compare(library, words, ["--levels", "never<sometimes<often", "--method", "glasso-ebic"], {levels: ["never<sometimes<often"]}, {method: "glasso-ebic"});
  refusesAsTheCommand(library);

  const memory = wasm.HEAPU8.length;
  for (let k = 0; k < 30; ++k) filesOf(library, wine, {}, {method: "glasso-ebic"});
  assert.ok(wasm.HEAPU8.length - memory < 32 << 20, "memory grows with every analysis");
  console.log("the page's numbers are the command's");
}

main().then(() => fs.rmSync(work, {recursive: true}), (error) => {
  console.error(error);
  process.exit(1);
});
