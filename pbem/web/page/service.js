// The page offline. Every file is fetched once, with its hash, and served from here ever after. A new version is
// fetched beside the old one and waits until the player says yes.
"use strict";
const BUILT = /*BUILT*/ { version: "", print: "", files: {} };
const STORE = "pbem " + BUILT.print;

self.addEventListener("install", (event) => event.waitUntil(fill()));

async function fill() {
  const store = await caches.open(STORE);
  const names = Object.keys(BUILT.files);
  let done = 0;
  await Promise.all(
    names.map(async (name) => {
      const answer = await fetch(new Request(name, { integrity: BUILT.files[name], cache: "no-cache", credentials: "omit", redirect: "error" }));
      if (!answer.ok) throw new Error(name + ": " + answer.status);
      await store.put(name, answer);
      done += 1;
      for (const page of await clients.matchAll({ includeUncontrolled: true })) page.postMessage({ fetched: done, of: names.length });
    }),
  );
}

self.addEventListener("activate", (event) =>
  event.waitUntil(
    (async () => {
      for (const name of await caches.keys()) if (name.startsWith("pbem ") && name !== STORE) await caches.delete(name);
      await clients.claim();
    })(),
  ),
);

self.addEventListener("fetch", (event) => {
  const url = new URL(event.request.url);
  if (url.origin !== self.location.origin || event.request.method !== "GET") return;
  const scope = new URL(self.registration.scope).pathname;
  if (!url.pathname.startsWith(scope)) return;
  const name = url.pathname.slice(scope.length) || "index.html";
  if (name in BUILT.files) event.respondWith(served(name));
});

async function served(name) {
  const kept = await (await caches.open(STORE)).match(name);
  if (kept) return kept;
  // The browser has cleared a part of its storage: fetched again, with the same hash.
  const answer = await fetch(new Request(name, { integrity: BUILT.files[name], cache: "no-cache", credentials: "omit" }));
  await (await caches.open(STORE)).put(name, answer.clone());
  return answer;
}

self.addEventListener("message", (event) => {
  if (event.data === "who") event.source.postMessage({ version: BUILT.version, print: BUILT.print });
  if (event.data === "now") self.skipWaiting();
});
