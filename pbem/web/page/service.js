// The page offline. Every file is fetched once, with its hash, and served from here ever after. A new version is
// fetched beside the old one and waits until the player says yes, also when every page is closed meanwhile and the
// browser starts the new service worker: what is served is the version that he said yes to, at first the first one.
"use strict";
const BUILT = /*BUILT*/ { version: "", print: "", files: {} };
const PREFIX = "pbem ";
const STORE = PREFIX + BUILT.print;
const CONSENT = "consent";
const PRINT = "print";

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

// The version to serve. Where the browser has thrown the old one away there is only this one.
async function consented() {
  const kept = await (await caches.open(CONSENT)).match(PRINT);
  const print = kept ? await kept.text() : BUILT.print;
  return (await caches.has(PREFIX + print)) ? print : BUILT.print;
}

async function consent() {
  await (await caches.open(CONSENT)).put(PRINT, new Response(BUILT.print));
  for (const name of await caches.keys()) if (name.startsWith(PREFIX) && name !== STORE) await caches.delete(name);
}

self.addEventListener("activate", (event) =>
  event.waitUntil(
    (async () => {
      if ((await consented()) === BUILT.print) await consent();
      await clients.claim();
    })(),
  ),
);

self.addEventListener("fetch", (event) => {
  const url = new URL(event.request.url);
  if (url.origin !== self.location.origin || event.request.method !== "GET") return;
  const scope = new URL(self.registration.scope).pathname;
  if (!url.pathname.startsWith(scope)) return;
  event.respondWith(served(url.pathname.slice(scope.length) || "index.html", event.request));
});

async function served(name, request) {
  const print = await consented();
  const store = await caches.open(PREFIX + print);
  const kept = await store.match(name);
  if (kept) return kept;
  if (!(name in BUILT.files)) return fetch(request);
  if (print !== BUILT.print) return Response.error(); // no file of a version that nobody said yes to
  // The browser has cleared a part of its storage: fetched again, with the same hash.
  const answer = await fetch(new Request(name, { integrity: BUILT.files[name], cache: "no-cache", credentials: "omit" }));
  await store.put(name, answer.clone());
  return answer;
}

async function take(page) {
  await consent();
  await self.skipWaiting();
  page.postMessage({ taken: BUILT.print });
}

self.addEventListener("message", (event) => {
  if (event.data === "who") event.source.postMessage({ version: BUILT.version, print: BUILT.print });
  if (event.data === "now") event.waitUntil(take(event.source));
});
