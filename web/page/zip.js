// Files as one zip archive, stored as they are.
"use strict";

const crcTable = Uint32Array.from({length: 256}, (_, byte) => {
  for (let bit = 0; bit < 8; ++bit) byte = byte & 1 ? (byte >>> 1) ^ 0xedb88320 : byte >>> 1;
  return byte;
});

function crc32(bytes) {
  let crc = 0xffffffff;
  for (const byte of bytes) crc = (crc >>> 8) ^ crcTable[(crc ^ byte) & 255];
  return (crc ^ 0xffffffff) >>> 0;
}

// Numbers of two and four bytes, one after the other: [[size, value], ...].
function littleEndian(numbers) {
  const bytes = new Uint8Array(numbers.reduce((sum, [size]) => sum + size, 0));
  const view = new DataView(bytes.buffer);
  let at = 0;
  for (const [size, value] of numbers) {
    size === 2 ? view.setUint16(at, value, true) : view.setUint32(at, value, true);
    at += size;
  }
  return bytes;
}

// files: [{name, bytes}]; `when` is the time that they bear.
function zip(files, when = new Date()) {
  const time = (when.getHours() << 11) | (when.getMinutes() << 5) | (when.getSeconds() >> 1);
  const day = ((when.getFullYear() - 1980) << 9) | ((when.getMonth() + 1) << 5) | when.getDate();
  const parts = [], places = [];
  let at = 0;
  const add = (list, ...bytes) => bytes.forEach((each) => list.push(each));
  for (const {name, bytes} of files) {
    const called = new TextEncoder().encode(name);
    const facts = [[2, 20], [2, 0x0800], [2, 0], [2, time], [2, day], [4, crc32(bytes)], [4, bytes.length], [4, bytes.length], [2, called.length], [2, 0]];
    add(places, littleEndian([[4, 0x02014b50], [2, 20], ...facts, [2, 0], [2, 0], [2, 0], [4, 0], [4, at]]), called);
    add(parts, littleEndian([[4, 0x04034b50], ...facts]), called, bytes);
    at += 30 + called.length + bytes.length;
  }
  const size = places.reduce((sum, each) => sum + each.length, 0);
  const end = littleEndian([[4, 0x06054b50], [2, 0], [2, 0], [2, files.length], [2, files.length], [4, size], [4, at], [2, 0]]);
  return new Blob([...parts, ...places, end], {type: "application/zip"});
}

if (typeof module !== "undefined") module.exports = {zip};
