// The first file that runs: it looks whether the page is served as it must be, lets the service worker fetch the page,
// each file with its hash, and only then starts anything that may see a key: by the service worker alone, which gives
// nothing whose hash is another one. Python starts while the last files are on their way.
import { preferredLanguage, say, setWords, storedChoice } from "./words.mjs";
import { startPython } from "./workers.mjs";

const POLICIES = /*POLICIES*/ {};
const root = document.documentElement;
const message = /** @type {HTMLElement} */ (document.getElementById("notice"));
// A browser offers to install the page when it likes, mostly before the page has started: kept until that asks for it.
addEventListener("beforeinstallprompt", (event) => {
  event.preventDefault();
  globalThis.pbemInstall = /** @type {any} */ (event);
});
const theme = storedChoice("theme");
if (theme) root.dataset.theme = theme;

// What was asked of the header, not of a meta element: a worker obeys the header of its own script alone.
async function isProtected() {
  const sent = await Promise.all(Object.entries(POLICIES).map(async ([name, policy]) => {
    const answer = await fetch(name, { cache: "no-cache" });
    return answer.ok && answer.headers.get("Content-Security-Policy") === policy;
  }));
  if (!sent.every(Boolean)) return false;
  try {
    new Function("");
    return false;
  } catch {
    return true;
  }
}

/** @param {string} text a button under it starts again */
function failed(text) {
  message.replaceChildren(text);
  message.setAttribute("role", "alert");
  root.dataset.state = "refused";
  const again = Object.assign(document.createElement("button"), { type: "button", textContent: say("help-retry") });
  again.addEventListener("click", () => location.reload());
  message.append(document.createElement("br"), again);
  if (!message.isConnected) document.getElementById("page")?.replaceChildren(message);
}

const code = preferredLanguage();

/** Whether the browser lets an address keep anything: where cookies are forbidden even looking is a fault. */
function canStore() {
  try {
    return Boolean(globalThis.localStorage);
  } catch {
    return false;
  }
}

/** @param {number} bytes */
const mega = (bytes) => (bytes / 1e6).toFixed(1);

/** Why a file did not come, by the service worker's word: it knows it before whoever asked for the file. @type {(fault: Error) => void} */
let broken = () => {};
let gone = false;
const refused = new Promise((_, fail) => (broken = fail));

/** A browser may end the service worker in the middle; so often another one goes on with what is here already. */
const TURNS = 3;

/** @returns {Promise<ServiceWorkerRegistration>} */
async function installWorker() {
  const worker = navigator.serviceWorker;
  const scripts = new Set(["service.js", "keys.mjs", "post.mjs"]);
  const policy = globalThis.trustedTypes?.createPolicy("pbem", { createScriptURL: (url) => (scripts.has(url) ? url : "") });
  globalThis.pbemScript = (url) => /** @type {string} */ (/** @type {unknown} */ (policy ? policy.createScriptURL(url) : url));
  message.textContent = say(worker.controller ? "starting-again" : "starting");
  // what one can read while the first visit loads: the goal of each game
  if (!worker.controller) document.getElementById("meanwhile")?.append(...say("meanwhile").split("\n\n").map((text) => Object.assign(document.createElement("p"), { textContent: text })));
  worker.addEventListener("message", ({ data }) => {
    if (data?.of && root.dataset.state !== "refused") message.textContent = data.all ? say("starting-again") : say("fetching", { done: mega(data.fetched), of: mega(data.of) });
    if (data?.failed) gone = true;
    if (data?.failed) broken(Object.assign(new Error(data.failed), { key: data.failed === "QuotaExceededError" ? "no-room" : "not-fetched" }));
  });
  for (let turn = 1; ; turn += 1) {
    try {
      return await untilControlled(await worker.register(globalThis.pbemScript("service.js"), { updateViaCache: "none" }));
    } catch (fault) {
      if (/** @type {any} */ (fault).key !== "not-fetched" || gone || turn === TURNS) throw fault;
    }
  }
}

/** Until its service worker serves this page. @param {ServiceWorkerRegistration} registration */
async function untilControlled(registration) {
  const worker = navigator.serviceWorker;
  if (worker.controller) return registration;
  const fresh = /** @type {ServiceWorker} */ (registration.active || registration.installing || registration.waiting);
  await new Promise((done, fail) => {
    worker.addEventListener("controllerchange", done, { once: true });
    const look = () => {
      // why is said by a message of its own, which may come a moment later
      if (fresh.state === "redundant") setTimeout(() => fail(Object.assign(new Error("redundant"), { key: "not-fetched" })), 2000);
      if (worker.controller) done(undefined);
      else if (fresh.state === "activated") fresh.postMessage("claim");
    };
    fresh.addEventListener("statechange", look);
    look();
  });
  return registration;
}

/** Why it does not start, as a sentence of ours. @param {any} fault */
function sentenceFor(fault) {
  if (fault?.key) return say(fault.key);
  if (fault?.name === "QuotaExceededError") return say("no-room");
  if (fault?.name === "SecurityError") return say("no-certificate");
  return say(navigator.onLine ? "not-started" : "not-started-offline");
}

// One tab at a time may write; another waits, and goes on when the first is closed.
function claimPage() {
  return new Promise((done) => {
    void navigator.locks.request("pbem", { ifAvailable: true }, (lock) => {
      if (lock) {
        done(true);
        return new Promise(() => {});
      }
      root.dataset.state = "elsewhere";
      document.getElementById("page")?.replaceChildren(Object.assign(document.createElement("h1"), { textContent: "pbem" }), Object.assign(document.createElement("p"), { textContent: say("elsewhere"), role: "alert" }));
      void navigator.locks.request("pbem", () => location.reload());
      done(false);
      return undefined;
    });
  });
}

/** A browser may end the service worker while files are asked of it, and they never come: known when that is so. */
const ALIVE = "pbem-service";
const ended = { /** @type {Promise<unknown>} */ over: new Promise(() => {}) };
const AGAIN = "pbem-again";

/** @param {Promise<unknown>} here when all files are here that are needed to start */
function watchWorker(here) {
  const over = new AbortController();
  // a service worker that nobody asks for half a minute is ended, too, and on a slow device Python is at work that long
  const awake = setInterval(() => navigator.serviceWorker.controller?.postMessage("awake"), 10000);
  here.then(() => {
    over.abort();
    sessionStorage.removeItem(AGAIN);
  }, () => {}).finally(() => clearInterval(awake));
  ended.over = navigator.locks.request(ALIVE, { mode: "shared", signal: over.signal }, () => {});
  ended.over.then(startOver, () => {});
}

/** What is here already is not fetched again. */
function startOver() {
  const turn = Number(sessionStorage.getItem(AGAIN)) + 1;
  if (turn >= TURNS) return failed(say("not-fetched"));
  sessionStorage.setItem(AGAIN, String(turn));
  location.reload();
}

async function startPage() {
  const registration = await installWorker();
  if (!(await claimPage())) return;
  const python = startPython(code); // it starts while the modules of the page are read
  const page = import("./page.mjs");
  watchWorker(Promise.all([page, python.loaded.then(({ answer }) => answer.ok || Promise.reject(new Error(answer.trace)))]));
  await (await page).start({ registration, python });
}

try {
  const sound = isProtected(); // asked meanwhile
  sound.catch(() => {});
  setWords(code, await (await fetch(`words-${code}.json`)).json());
  if (!globalThis.isSecureContext) failed(say("not-secure"));
  else if (!canStore() || !("serviceWorker" in navigator) || !globalThis.indexedDB) failed(say("no-service"));
  else if (!(await sound)) failed(say("no-headers"));
  else {
    await Promise.race([startPage(), refused]);
  }
} catch (fault) {
  console.error(fault);
  // the end of the service worker may be known a moment after what it broke
  if (gone || !(await Promise.race([ended.over.then(() => true, () => false), new Promise((done) => setTimeout(done, 1000))]))) failed(sentenceFor(fault));
}
