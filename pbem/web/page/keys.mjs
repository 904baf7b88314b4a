// The worker that holds the keys: Python, our own client code, and what it keeps in this browser. It may fetch from
// its own origin only. Every question is answered when what it changed is kept, not before.
import { base64, bytesOf, hex } from "./bytes.mjs";
import { loadPyodide } from "./pyodide/pyodide.mjs";
import { unpack } from "./unpack.mjs";

const ROOT = "/pbem";
const SITE = "/lib/site";
/** The games whose first table takes files of its own. */
const GAMES = /*GAMES*/ [];

// A worker obeys the headers of its own script: without them it holds no key.
try {
  new Function("");
  throw new RangeError("no protection");
} catch (fault) {
  if (fault instanceof RangeError) throw fault;
}

// --- what the browser keeps: files in one database, secrets in another, wrapped ------------------------------

function database() {
  return new Promise((done, fail) => {
    const asked = indexedDB.open("pbem-keys", 1);
    asked.onupgradeneeded = () => asked.result.createObjectStore("kept");
    asked.onsuccess = () => done(asked.result);
    asked.onerror = () => fail(asked.error);
  });
}

function settled(request) {
  return new Promise((done, fail) => {
    request.onsuccess = () => done(request.result);
    request.onerror = () => fail(request.error);
  });
}

async function kept(way, use) {
  const base = await database();
  try {
    const change = base.transaction("kept", way, { durability: "strict" });
    const ended = new Promise((done, fail) => {
      change.oncomplete = done;
      change.onabort = change.onerror = () => fail(change.error || new Error("storage"));
    });
    const result = await use(change.objectStore("kept"));
    await ended;
    return result;
  } finally {
    base.close();
  }
}

// The key that wraps the others cannot be read out, by this page or any other: a copied disk alone opens nothing.
async function wrapper() {
  const stored = await kept("readonly", (store) => settled(store.get("wrap")));
  if (stored) return stored;
  const generated = await crypto.subtle.generateKey({ name: "AES-GCM", length: 256 }, false, ["encrypt", "decrypt"]);
  await kept("readwrite", (store) => settled(store.put(generated, "wrap")));
  return generated;
}

const named = (name) => new TextEncoder().encode(name);

async function secrets() {
  const wrap = await wrapper();
  const names = await kept("readonly", (store) => settled(store.getAllKeys()));
  const opened = {};
  for (const key of names.filter((name) => name.startsWith("secret "))) {
    const { iv, box } = await kept("readonly", (store) => settled(store.get(key)));
    const name = key.slice(7);
    try {
      const open = await crypto.subtle.decrypt({ name: "AES-GCM", iv, additionalData: named(name) }, wrap, box);
      opened[name] = base64(new Uint8Array(open));
    } catch {
      // the wrapping key is another one: shown as lost keys, and the paper helps
    }
  }
  return opened;
}

async function keep(fresh) {
  const wrap = await wrapper();
  for (const [name, secret] of Object.entries(fresh)) {
    if (secret === null) {
      await kept("readwrite", (store) => settled(store.delete("secret " + name)));
      continue;
    }
    const iv = crypto.getRandomValues(new Uint8Array(12));
    const box = await crypto.subtle.encrypt({ name: "AES-GCM", iv, additionalData: named(name) }, wrap, bytesOf(secret));
    await kept("readwrite", (store) => settled(store.put({ iv, box }, "secret " + name)));
  }
}

// What was verified before (pbem/web/shelf.py) lies beside them. It saves work and no more: what finds no space is not kept.
async function verifiedBefore() {
  const known = {};
  for (const key of await kept("readonly", (store) => settled(store.getAllKeys()))) {
    if (key.startsWith("known ")) known[key.slice(6)] = await kept("readonly", (store) => settled(store.get(key)));
  }
  return known;
}

let verified = 0;
async function keepVerified() {
  if (!worker) return;
  const proxy = worker.verified();
  const fresh = proxy.toJs({ dict_converter: Array.from });
  proxy.destroy();
  for (const [name, raw] of fresh) {
    verified += raw ? 1 : 0;
    const key = "known " + name;
    await kept("readwrite", (store) => settled(raw ? store.put(raw, key) : store.delete(key))).catch(() => {});
  }
}

async function fingerprint() {
  const hashes = await (await fetch("hashes.json")).arrayBuffer();
  return hex(new Uint8Array(await crypto.subtle.digest("SHA-256", hashes)));
}

// --- Python --------------------------------------------------------------------------------------------------

const CHANGES_NOTHING = new Set(["hello", "matches", "open", "invited", "backup", "more", "back", "touch", "orders", "file", "again", "moment", "audit", "hint", "review", "rules", "look", "branch", "weigh", "news", "card", "picture", "group", "paper-words", "pair-give", "pair-take", "pair-yes", "pair-end"]);
/** What is asked again where it could not be kept: a full storage can still be read. */
const MAY_BE_LOST = new Set(["looked", "served"]);
/** What is asked for a first practice table, and to open it again, where no match of people is kept: for all else everything is there first, and for names in other letters. */
const FIRST = new Set(["hello", "matches", "served", "open", "practice", "news", "looked", "branch", "weigh"]);
let python;
let worker;
/** Takes an archive with the folders "library" and "site"; what is there already in the library stays. */
let takeIn;

function synced(populate) {
  return new Promise((done, fail) => python.FS.syncfs(populate, (fault) => (fault ? fail(fault) : done())));
}

/** A file of the page's own; the service worker has held it against its hash. @param {string} name */
async function brought(name) {
  const file = await fetch(name);
  if (!file.ok) throw Object.assign(new Error(`${name}: ${file.status}`), { missing: true });
  return file.arrayBuffer();
}

// Python starts while our own modules are still on their way, and imports of its library what they will ask for.
async function load(code, game) {
  const client = brought("app.zip");
  const sums = import("./primitives.mjs").then(({ provide }) => provide());
  const stored = Promise.all([secrets(), verifiedBefore(), fingerprint()]);
  for (const begun of [client, sums, stored]) begun.catch(() => {}); // thrown where it is waited for
  if (GAMES.includes(game)) void client.then(() => coming(archiveOf(game))).catch(() => {}); // asked again when it is needed
  const lock = await (await fetch("pyodide/pyodide-lock.json")).text();
  python = await loadPyodide({ indexURL: new URL("pyodide/", self.location.href).href, lockFileContents: lock, fullStdLib: false, env: { PYTHONTZPATH: "" } }); // the browser has the zones
  takeIn = python.runPython(TAKEN_IN);
  python.runPython("import ahead");
  python.FS.mkdirTree(ROOT);
  python.FS.mount(python.FS.filesystems.IDBFS, {}, ROOT);
  await synced(true);
  unpack(await client, SITE, python.FS);
  if (code !== "en") await speak(code);
  return { stored: await stored, sums: await sums };
}

/** @type {ReturnType<typeof load>} */
let loading;

async function boot(code) {
  const { stored: [known, before, print], sums } = await loading;
  const folders = python.FS.readdir(ROOT);
  if (Object.keys(known).length || folders.includes("matches")) await complete();
  else if (folders.includes("practice")) await take(...GAMES.filter((game) => python.FS.readdir(`${ROOT}/practice`).some((name) => name.startsWith(`${game}-`))).map(archiveOf));
  else void coming(REST).catch(() => {}); // asked again when it is needed
  const start = python.runPython("import importlib; importlib.invalidate_caches()\nfrom pbem.web.browser import start\nstart");
  worker = start(JSON.stringify(known), ROOT, sums, code, ahead, before, print);
  if (taken.has(REST)) addLater();
  python.runPython("gc.freeze(); gc.enable()");
}

const TAKEN_IN = `
import gc, importlib, io, os, sys, zipfile
gc.disable()  # nothing of what a start makes is let go
sys.path.insert(0, "${SITE}")

def take_in(raw):
    library = next(place for place in sys.path if place.endswith(".zip"))
    with zipfile.ZipFile(io.BytesIO(raw.to_bytes())) as given, zipfile.ZipFile(library, "a") as archive:
        known = set(archive.namelist())
        for name in given.namelist():
            folder, _, place = name.partition("/")
            if folder == "library" and place not in known:
                archive.writestr(place, given.read(name))
            elif folder == "site":
                os.makedirs(os.path.dirname(f"${SITE}/{place}"), exist_ok=True)
                with open(f"${SITE}/{place}", "wb") as file:
                    file.write(given.read(name))
    importlib.invalidate_caches()

take_in`;

const REST = "rest.zip";
const archiveOf = (game) => `game-${game}.zip`;
/** Archives that are on their way or wait to be taken in, and those that were. */
const fetched = new Map();
const taken = new Set();

/** An archive, fetched once, and again where it did not come. @param {string} name */
function coming(name) {
  if (!fetched.has(name)) fetched.set(name, brought(name).catch((fault) => {
    fetched.delete(name);
    throw Object.assign(fault, { missing: true });
  }));
  return fetched.get(name);
}

/** @param {string[]} names of archives */
async function take(...names) {
  const missing = names.filter((name) => !taken.has(name));
  const archives = await Promise.all(missing.map(coming));
  for (const [at, name] of missing.entries()) {
    takeIn(archives[at]);
    taken.add(name);
    fetched.delete(name);
  }
}

/** What no first table needs: of the client, of each game, of the languages that are spoken. */
async function complete() {
  if (taken.has(REST)) return;
  const restOf = [...taken].filter((name) => name.startsWith("lang-")).map((name) => name.replace("lang", "rest"));
  await take(...GAMES.map(archiveOf), ...restOf, REST);
  if (worker) addLater();
}

/** The questions of what no first table needs, and catalogues that know its words. */
function addLater() {
  worker.renew();
  add("pbem.web.later");
}

/** @param {string} module whose questions Python answers from now on */
function add(module) {
  const answers = python.runPython(`from ${module} import answers; answers`);
  worker.add(answers);
  answers.destroy();
}

// How many seconds the clocks of a zone are ahead of UTC at a time (seconds since 1970): the browser knows, Python here
// does not. Days and hours in words are Python's, as everywhere.
const zones = new Map();
function ahead(zone, seconds) {
  if (!zones.has(zone)) {
    const numbers = { year: "numeric", month: "numeric", day: "numeric", hour: "numeric", minute: "numeric", second: "numeric" };
    try {
      zones.set(zone, new Intl.DateTimeFormat("en-US", { timeZone: zone, hourCycle: "h23", calendar: "gregory", ...numbers }));
    } catch {
      zones.set(zone, null);
    }
  }
  const format = zones.get(zone);
  if (!format) return undefined;
  const part = Object.fromEntries(format.formatToParts(seconds * 1000).map(({ type, value }) => [type, Number(value)]));
  return Date.UTC(part.year, part.month - 1, part.day, part.hour, part.minute, part.second) / 1000 - seconds;
}

const speak = (code) => take(`lang-${code}.zip`, ...(taken.has(REST) ? [`rest-${code}.zip`] : []));

// What could not be kept is tried again with the next question: nothing is shown that only memory holds.
let unkept = {};
let changed = false;

/** A seat that goes along to another device needs modules of its own; most never do. */
async function loadPairing() {
  if (taken.has("pairing.zip")) return;
  await take("pairing.zip");
  add("pbem.web.pairing");
}

async function answer(question) {
  if (!FIRST.has(question.do) || !/^[ -~]*$/.test(JSON.stringify(question))) await complete();
  if (question.do === "practice" && GAMES.includes(question.game)) await take(archiveOf(question.game));
  if (question.do.startsWith("pair-")) await loadPairing();
  if (question.do === "hello" && question.lang !== "en") await speak(question.lang);
  const ask = () => JSON.parse(worker.ask(JSON.stringify(question)));
  let reply = ask();
  if (!reply.ok && reply.trace && !taken.has(REST)) {
    await complete(); // it may be that a module or a template is missing that no first table took when the page was built
    reply = ask();
  }
  Object.assign(unkept, reply.keep || {});
  if (MAY_BE_LOST.has(question.do)) await synced(false).catch(() => {});
  else changed = changed || !(CHANGES_NOTHING.has(question.do) || (question.do === "api" && !question.set) || (question.do === "ready" && !reply.file));
  try {
    if (Object.keys(unkept).length) await keep(unkept);
    unkept = {};
    if (changed) await synced(false);
    changed = false;
  } catch (fault) {
    return { ok: false, storage: true, fault: "", hint: "", trace: String((fault && (fault.message || fault.name)) || fault) };
  }
  delete reply.keep;
  return reply;
}

// --- one after the other -------------------------------------------------------------------------------------

let last = Promise.resolve();
onmessage = ({ data: { id, question } }) => {
  last = last.then(async () => {
    try {
      if (question.do === "load") {
        await (loading = load(question.lang, question.game));
        postMessage({ id, answer: { ok: true } });
      } else if (question.do === "boot") {
        await boot(question.lang);
        postMessage({ id, answer: { ok: true } });
      } else if (question.do === "measure") {
        postMessage({ id, answer: { ok: true, heap: python._module.HEAP8.length, verified } });
      } else {
        postMessage({ id, answer: await answer(question) });
        await keepVerified();
      }
    } catch (fault) {
      const kind = fault && fault.missing ? "missing" : "broken";
      postMessage({ id, answer: { ok: false, [kind]: true, fault: "", hint: "", trace: String((fault && fault.message) || fault) } });
    }
  });
};
