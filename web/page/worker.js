// The library in a thread of its own: the page stays alive, and Stop ends the thread.
"use strict";
importScripts("spodnet.js", "library.js");

const loaded = spodnetModule().then((wasm) => {
  const library = spodnetLibrary(wasm, (what, fraction) => postMessage({progress: {what, fraction}}));
  postMessage({ready: library.version()});
  return library;
});
loaded.catch((error) => postMessage({broken: String(error.message || error)}));

let result = 0;

function analyse(library, {bytes, name, prepare, analyse: options}) {
  const start = performance.now();
  library.freeResult(result);
  result = 0;
  const data = library.parse(new Uint8Array(bytes), name, prepare);
  try {
    result = library.analyse(data, options);
  } finally {
    library.freeData(data);
  }
  const report = library.text(result, "report.html");
  postMessage({report, message: library.text(result, "message") || "", seconds: (performance.now() - start) / 1000});
}

onmessage = async ({data: {table, files}}) => {
  const library = await loaded;
  try {
    if (table) analyse(library, table);
    if (files) postMessage({files: library.files(result)});
  } catch (error) {
    // Anything that is not the library's own line ends this thread: what memory holds is not known then.
    if (error.status) postMessage({error: error.message, advice: error.advice});
    else postMessage({broken: String(error.message || error)});
  }
};
