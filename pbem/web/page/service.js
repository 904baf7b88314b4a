// The page offline. What the first table needs is fetched at once, the rest behind it; every file with its hash, and
// served from here ever after. A new version is fetched beside the old one and waits until the player says yes, also
// when every page is closed meanwhile and the browser starts the new service worker: what is served is the version that
// he said yes to, at first the first one. For a host's door, in a scope of its own, it only says whose turn it is.
"use strict";
const BUILT = /*BUILT*/ { version: "", print: "", files: {}, sizes: {}, later: [] };
const PREFIX = "pbem ";
const STORE = PREFIX + BUILT.print;
const CONSENT = "consent";
const PRINT = "print";
const SHARED = "pbem-shared";
const CALLS = "pbem-calls";
const ofDoor = new URL(self.registration.scope).pathname.includes("/push/");

self.addEventListener("install", (event) => {
  if (!ofDoor) event.waitUntil(fill());
});

async function tell(message) {
  for (const page of await clients.matchAll({ includeUncontrolled: true })) page.postMessage(message);
}

const fetched = (name) => fetch(new Request(name, { integrity: BUILT.files[name], cache: "no-cache", credentials: "omit", redirect: "error" }));

// A version that follows another brings everything at once: it must do without a network whatever the first did.
async function fill() {
  const later = new Set((await before()) ? [] : BUILT.later);
  const names = Object.keys(BUILT.files).filter((name) => !later.has(name));
  const of = names.reduce((sum, name) => sum + (BUILT.sizes[name] || 0), 0);
  const store = await caches.open(STORE);
  let done = 0;
  let told = 0;
  const count = async (bytes) => {
    done += bytes;
    if (done - told < 50000 && done < of) return;
    told = done;
    await tell({ fetched: Math.min(done, of), of });
  };
  try {
    await Promise.all(names.map(async (name) => {
      const answer = await fetched(name);
      if (!answer.ok) throw new Error(name + ": " + answer.status);
      const [kept, counted] = answer.body ? answer.body.tee() : [null, null];
      const counting = counted && (async () => {
        const reader = counted.getReader();
        for (;;) {
          const { done: end, value } = await reader.read();
          if (end) return;
          await count(value.length);
        }
      })();
      await Promise.all([store.put(name, new Response(kept, { headers: answer.headers })), counting]);
    }));
  } catch (fault) {
    await tell({ failed: fault.name === "QuotaExceededError" ? fault.name : String(fault.message || fault) });
    throw fault;
  }
}

// What only matches with people, or another language, need.
async function fillLater() {
  const store = await caches.open(STORE);
  for (const name of BUILT.later) {
    if (await store.match(name)) continue;
    if (!(await brought(store, name).catch(() => null))) return; // the next visit asks again
  }
}

// One file is fetched once, whoever asks for it meanwhile.
const onTheWay = new Map();
async function brought(store, name) {
  if (!onTheWay.has(name)) {
    const bringing = async () => {
      const answer = await fetched(name);
      await store.put(name, answer.clone());
      return answer;
    };
    onTheWay.set(name, bringing().finally(() => onTheWay.delete(name)));
  }
  return (await onTheWay.get(name)).clone();
}

// The version to serve. Where the browser has thrown the old one away there is only this one.
const before = async () => (await caches.open(CONSENT)).match(PRINT);
async function consented() {
  const kept = await before();
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
      if (ofDoor) return;
      if ((await consented()) === BUILT.print) await consent();
      await clients.claim();
    })(),
  ),
);

self.addEventListener("fetch", (event) => {
  const url = new URL(event.request.url);
  if (url.origin !== self.location.origin) return;
  const scope = new URL(self.registration.scope).pathname;
  if (!url.pathname.startsWith(scope)) return;
  const name = url.pathname.slice(scope.length) || "index.html";
  if (event.request.method === "POST" && name === "shared") event.respondWith(received(event.request));
  else if (event.request.method === "GET") event.respondWith(served(name, event.request));
});

// What another program shares lies here until the page takes it.
async function received(request) {
  const form = await request.formData();
  const store = await caches.open(SHARED);
  let number = 0;
  for (const file of form.getAll("files").slice(0, 20)) await store.put("shared/" + (number += 1), new Response(file, { headers: { "X-Kind": "file" } }));
  const text = ["text", "url", "title"].map((field) => form.get(field)).filter(Boolean).join("\n");
  if (text && !number) await store.put("shared/text", new Response(text, { headers: { "X-Kind": "text" } }));
  return Response.redirect("./?shared", 303);
}

async function served(name, request) {
  const print = await consented();
  const store = await caches.open(PREFIX + print);
  const kept = await store.match(name);
  if (kept) return kept;
  if (!(name in BUILT.files)) return fetch(request);
  if (print !== BUILT.print) return Response.error(); // no file of a version that nobody said yes to
  // Not fetched yet, or the browser has cleared a part of its storage: with the same hash.
  return brought(store, name);
}

async function take(page) {
  await consent();
  await self.skipWaiting();
  page.postMessage({ taken: BUILT.print });
}

self.addEventListener("message", (event) => {
  if (event.data === "who") event.source.postMessage({ version: BUILT.version, print: BUILT.print });
  if (event.data === "now") event.waitUntil(take(event.source));
  if (event.data === "later") event.waitUntil(fillLater());
});

// --- called by a host ----------------------------------------------------------------------------------------

// Empty: it is somebody's turn, and the words lie here. With a text: which match it is, as the player asked for.
self.addEventListener("push", (event) => event.waitUntil(called(event.data ? event.data.text().trim() : "")));

async function called(text) {
  const kept = await (await caches.open(CALLS)).match(self.registration.scope);
  const words = kept ? await kept.json() : { title: "pbem", body: "Your turn" };
  const seen = await clients.matchAll({ type: "window", includeUncontrolled: true });
  for (const page of seen) page.postMessage({ called: true });
  if (seen.some((page) => page.visibilityState === "visible")) return;
  await self.registration.showNotification(words.title, { body: text ? words.body + ": " + text : words.body, tag: "turn", icon: self.registration.scope.replace(/push\/.*$/, "") + "icon-192.png" });
  await self.navigator.setAppBadge?.();
}

self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil((async () => {
    const [page] = await clients.matchAll({ type: "window", includeUncontrolled: true });
    return page ? page.focus() : clients.openWindow(self.registration.scope.replace(/push\/.*$/, ""));
  })());
});
