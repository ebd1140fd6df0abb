// The C interface (include/spodnet.h) as JavaScript: for the page's worker and for node.
"use strict";

// watch(what, fraction) is called while the library works.
function spodnetLibrary(wasm, watch = () => {}) {
  let last = "";
  const watcher = wasm.addFunction((user, what, fraction) => {
    const now = `${what}:${Math.floor(100 * fraction)}`;  // of some thousand reports the page gets these
    if (now !== last) watch(wasm.UTF8ToString(what), fraction);
    last = now;
    return 0;
  }, "iiid");
  const handle = wasm._malloc(4);

  function failure(status) {
    const text = wasm.UTF8ToString(wasm._spod_error()).replace(/(^|: )(?:[a-z][a-z0-9]*_)+[a-z0-9]+: /g, "$1");
    return Object.assign(new Error(text), {status, advice: wasm.UTF8ToString(wasm._spod_error_advice())});
  }

  // Gives each text its place in memory for the time of `work`, whose status says whether *handle was made.
  function called(texts, work) {
    const places = texts.map((text) => wasm.stringToNewUTF8(text));
    try {
      const status = work(...places);
      if (status > 1) throw failure(status);
      return wasm.HEAPU32[handle >> 2];
    } finally {
      places.forEach((place) => wasm._free(place));
    }
  }

  function parse(bytes, name, options) {
    const place = wasm._malloc(bytes.length || 1);
    wasm.HEAPU8.set(bytes, place);
    try {
      return called([name, JSON.stringify(options)], (title, json) => wasm._spod_parse(place, bytes.length, title, json, watcher, 0, handle));
    } finally {
      wasm._free(place);
    }
  }

  const analyse = (data, options) => called([JSON.stringify(options)], (json) => wasm._spod_analyse(data, json, watcher, 0, handle));

  // Text number `index` of a list, or undefined behind its end.
  function text(result, name, index = 0) {
    const key = wasm.stringToNewUTF8(name);
    const found = wasm._spod_text(result, key, index);
    wasm._free(key);
    return found ? wasm.UTF8ToString(found) : undefined;
  }

  // All files of the command: [{name, bytes}].
  function files(result) {
    const folder = `/files-${result}`;
    called([folder], (place) => wasm._spod_write(result, place));
    const names = wasm.FS.readdir(folder).filter((name) => !name.startsWith("."));
    const all = names.map((name) => ({name, bytes: wasm.FS.readFile(`${folder}/${name}`)}));
    names.forEach((name) => wasm.FS.unlink(`${folder}/${name}`));
    wasm.FS.rmdir(folder);
    return all;
  }

  return {
    parse, analyse, text, files,
    version: () => wasm.UTF8ToString(wasm._spod_version()),
    freeData: (data) => wasm._spod_free_data(data),
    freeResult: (result) => wasm._spod_free_result(result),
  };
}

if (typeof module !== "undefined") module.exports = {spodnetLibrary};
