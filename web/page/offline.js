// Keeps this folder's files, so that the page works without a network once it has been loaded. web/build writes the version
// and the files.
"use strict";
const version = "spodnet {{version}} {{stamp}}";
const files = {{files}};

addEventListener("install", (event) => {
  skipWaiting();
  event.waitUntil(caches.open(version).then((cache) => cache.addAll(files)));
});

addEventListener("activate", (event) => {
  event.waitUntil(caches.keys()
    .then((names) => Promise.all(names.filter((name) => name.startsWith("spodnet ") && name !== version).map((name) => caches.delete(name))))
    .then(() => clients.claim()));
});

addEventListener("fetch", (event) => {
  event.respondWith(caches.open(version)
    .then((cache) => cache.match(event.request, {ignoreSearch: true}))
    .then((kept) => kept || fetch(event.request)));
});
