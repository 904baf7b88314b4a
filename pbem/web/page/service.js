// The page offline. What stands on the first screen is fetched at once, then what the first table needs in the order in
// which it is needed, the rest behind it; every file is held against its hash before it is kept or given to anybody, and
// served from here ever after. A new version is fetched beside the old one and waits until the player says yes, also
// when every page is closed meanwhile and the browser starts the new service worker: what is served is the version that
// he said yes to, at first the first one. For a host's API, in a scope of its own, it only says whose turn it is.
"use strict";
const BUILT = /*BUILT*/ { version: "", print: "", files: {}, sizes: {}, waves: [], later: [] };
const PREFIX = "pbem ";
const STORE = PREFIX + BUILT.print;
const CONSENT = "consent";
const PRINT = "print";
const SHARED = "pbem-shared";
const CALLS = "pbem-calls";
const ALIVE = "pbem-service";
const ofApi = new URL(self.registration.scope).pathname.includes("/push/");

self.addEventListener("install", (event) => {
  if (!ofApi) event.waitUntil(fill());
});

// Held as long as this worker runs: a page that waits for a file learns by it that the browser has ended this worker.
if (!ofApi) void self.navigator.locks?.request(ALIVE, () => new Promise(() => {}));

async function tell(message) {
  for (const page of await clients.matchAll({ includeUncontrolled: true })) page.postMessage(message);
}

// --- what comes over the line ----------------------------------------------------------------------------------

// How many bytes each file takes on the line: what its answer says, before that what lies beside the page for the way
// in which this server packs, else its size. They are numbers to look at, so nobody signs them.
let packed = null;
const onTheLine = new Map();
const lineSize = (name) => onTheLine.get(name) ?? packed?.[name] ?? BUILT.sizes[name] ?? 0;
async function readPacked() {
  const answer = await fetch("sizes.json", { cache: "no-cache", credentials: "omit" }).catch(() => null);
  const sizes = answer?.ok ? await answer.json().catch(() => ({})) : {};
  packed = sizes[answer?.headers.get("Content-Encoding") || ""] || {};
}

/** What is being counted: each file by its name, and how much of it is here, from 0 to 1. */
const counted = new Map();
/** A browser may end this worker in the middle of a first visit: what is here already is counted by the next one, too. */
let counting = null;
const counts = (store) => (counting ??= countedFrom(store));
async function countedFrom(store) {
  const scope = new URL(self.registration.scope).pathname;
  const kept = new Set((await store.keys()).map(({ url }) => new URL(url).pathname.slice(scope.length)));
  for (const name of Object.keys(BUILT.files)) if (!BUILT.later.includes(name)) counted.set(name, kept.has(name) ? 1 : 0);
  void readPacked();
}
let reported = 0;
async function count(name, share) {
  if (!counted.has(name)) return;
  counted.set(name, share);
  if (!packed) return;
  let done = 0;
  let of = 0;
  for (const [file, part] of counted) {
    done += lineSize(file) * part;
    of += lineSize(file);
  }
  const all = [...counted.values()].every((part) => part === 1);
  if (done - reported < 25000 && !all) return;
  reported = Math.max(reported, done);
  await tell({ fetched: reported, of: Math.max(of, reported), all });
}

// One file, counted while it comes, and its hash looked at before anybody has it: the browser's own check would hold it
// back without a sign until its last byte.
async function fetched(name) {
  const answer = await fetch(new Request(name, { cache: "no-cache", credentials: "omit", redirect: "error" }));
  if (!answer.ok) throw new Error(name + ": " + answer.status);
  const length = Number(answer.headers.get("Content-Length"));
  if (length > 0) onTheLine.set(name, length);
  const bytes = new Uint8Array(BUILT.sizes[name]);
  let here = 0;
  const reader = answer.body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    if (here + value.length > bytes.length) throw new Error(name + ": longer than it was released");
    bytes.set(value, here);
    here += value.length;
    void count(name, Math.min(here / bytes.length, 0.999));
  }
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  if ("sha256-" + btoa(String.fromCharCode(...hash)) !== BUILT.files[name]) throw new Error(name + ": the hash is another one");
  return { bytes, headers: answer.headers };
}

// One file is fetched once, whoever asks for it meanwhile; what is given has been kept.
const onTheWay = new Map();
async function brought(store, name) {
  if (!onTheWay.has(name)) {
    const bringing = async () => {
      const kept = await store.match(name); // by a worker that the browser ended in the middle
      if (kept) return { bytes: await kept.arrayBuffer(), headers: kept.headers };
      const { bytes, headers } = await fetched(name);
      await store.put(name, new Response(bytes, { headers }));
      await count(name, 1);
      return { bytes, headers };
    };
    onTheWay.set(name, bringing().finally(() => onTheWay.delete(name)));
  }
  const { bytes, headers } = await onTheWay.get(name);
  return new Response(bytes, { headers });
}

async function failed(fault) {
  await tell({ failed: fault.name === "QuotaExceededError" ? fault.name : String(fault.message || fault) });
  throw fault;
}

const here = async (store, names) => Promise.all(names.map((name) => brought(store, name)));

// A version that follows another brings everything at once: it must do without a network whatever the first did.
async function fill() {
  const store = await caches.open(STORE);
  if (await before()) return here(store, Object.keys(BUILT.files)).catch(failed);
  const waited = new Set([...BUILT.waves.flat(), ...BUILT.later]);
  const first = Object.keys(BUILT.files).filter((name) => !waited.has(name));
  await counts(store);
  void fillWaves(store).catch(failed).catch(() => {}); // whoever needs one of them asks for it again
  return here(store, first).catch(failed);
}

// The line carries first what takes longest to start: the next wave sets out when little of the one before is missing.
async function fillWaves(store) {
  const coming = [];
  for (const names of BUILT.waves) {
    coming.push(here(store, names));
    let ended = false;
    const all = coming.at(-1).catch(() => {}).then(() => (ended = true)); // a fault is sent once, below
    const nearly = async () => {
      while (!ended && names.some((name) => counted.get(name) < 0.9)) await new Promise((done) => setTimeout(done, 100));
    };
    await Promise.race([all, nearly()]);
  }
  await Promise.all(coming);
}

// What only matches with people, or another language, need.
async function fillLater() {
  const store = await caches.open(STORE);
  for (const name of [...BUILT.waves.flat(), ...BUILT.later]) {
    if (await store.match(name)) continue;
    if (!(await brought(store, name).catch(() => null))) return; // the next visit asks again
  }
}

// The version to serve. Where the browser has thrown the old one away there is only this one.
const before = async () => (await caches.open(CONSENT)).match(PRINT);
async function consented() {
  const kept = await before();
  const print = kept ? await kept.text() : BUILT.print;
  return (await caches.has(PREFIX + print)) ? print : BUILT.print;
}

// As long as a file is found there, which version it is is not asked again: a start takes some seventy files.
let serving = null;

async function consent() {
  serving = null;
  await (await caches.open(CONSENT)).put(PRINT, new Response(BUILT.print));
  for (const name of await caches.keys()) if (name.startsWith(PREFIX) && name !== STORE) await caches.delete(name);
}

// The browser may end this worker before that is done, and a page loaded past it is not served by it: such a page asks.
async function claim() {
  if (ofApi) return;
  if ((await consented()) === BUILT.print) await consent();
  await clients.claim();
}
self.addEventListener("activate", (event) => event.waitUntil(claim()));

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
  serving ??= consented();
  const cached = await caches.match(name, { cacheName: PREFIX + (await serving) });
  if (cached) return cached;
  serving = consented();
  const print = await serving;
  const store = await caches.open(PREFIX + print);
  const kept = await store.match(name);
  if (kept) return kept;
  if (!(name in BUILT.files)) return fetch(request);
  if (print !== BUILT.print) return Response.error(); // no file of a version that nobody said yes to
  // Not fetched yet, or the browser has cleared a part of its storage: with the same hash.
  if (!BUILT.later.includes(name)) await counts(store);
  return brought(store, name).catch(BUILT.later.includes(name) ? undefined : failed);
}

async function take(page) {
  await consent();
  await self.skipWaiting();
  page.postMessage({ taken: BUILT.print });
}

self.addEventListener("message", (event) => {
  if (event.data === "who") event.source.postMessage({ version: BUILT.version, print: BUILT.print });
  if (event.data === "now") event.waitUntil(take(event.source));
  if (event.data === "claim") event.waitUntil(claim());
  if (event.data === "later") event.waitUntil(fillLater());
});

// --- called by a host ----------------------------------------------------------------------------------------

// Empty: it is somebody's turn, and the words lie here. With a text: which match it is, as the player asked for; what
// the match is called here lies beside the words.
self.addEventListener("push", (event) => event.waitUntil(called(event.data ? event.data.text() : "")));

/** @param {string} text what the host has sealed: JSON with the match, or nothing */
function matchOf(text) {
  try {
    return String(JSON.parse(text).match ?? "");
  } catch {
    return "";
  }
}

async function called(text) {
  const kept = await (await caches.open(CALLS)).match("words");
  const words = kept ? await kept.json() : { body: "Your turn", matches: {} };
  const match = matchOf(text);
  const seen = await clients.matchAll({ type: "window", includeUncontrolled: true });
  for (const page of seen) page.postMessage({ called: true });
  if (seen.some((page) => page.visibilityState === "visible")) return;
  await self.registration.showNotification("pbem", { body: match ? words.body + ": " + (words.matches[match] || match) : words.body, tag: "turn", icon: self.registration.scope.replace(/push\/.*$/, "") + "icon-192.png" });
  await self.navigator.setAppBadge?.();
}

self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil((async () => {
    const [page] = await clients.matchAll({ type: "window", includeUncontrolled: true });
    return page ? page.focus() : clients.openWindow(self.registration.scope.replace(/push\/.*$/, ""));
  })());
});
