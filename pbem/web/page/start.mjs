// The first file that runs: it looks whether the page is served as it must be, lets the service worker fetch the page,
// each file with its hash, and only then starts anything that may see a key: by the service worker alone, which gives
// nothing whose hash is another one. Python starts while the last files are on their way.
import { say, speak, wished } from "./words.mjs";

const POLICIES = /*POLICIES*/ {};
const root = document.documentElement;
const told = /** @type {HTMLElement} */ (document.getElementById("told"));
// A browser offers to install the page when it likes, mostly before the page has started: kept until that asks for it.
addEventListener("beforeinstallprompt", (event) => {
  event.preventDefault();
  globalThis.pbemInstall = /** @type {any} */ (event);
});
if (localStorage.getItem("theme")) root.dataset.theme = localStorage.getItem("theme") ?? "";

// What was asked of the header, not of a meta element: a worker obeys the header of its own script alone.
async function protectedAsMust() {
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

/** @param {string} text @param {string} [help] what the button says that starts anew */
function failed(text, help = "") {
  told.replaceChildren(text);
  told.setAttribute("role", "alert");
  root.dataset.state = "refused";
  if (!help) return;
  const again = Object.assign(document.createElement("button"), { type: "button", textContent: help });
  again.addEventListener("click", () => location.reload());
  told.append(document.createElement("br"), again);
  if (!told.isConnected) document.getElementById("page")?.replaceChildren(told);
}

/** @param {number} bytes */
const mega = (bytes) => (bytes / 1e6).toFixed(1);

/** Why a file did not come, by the service worker's word: he knows it before whoever asked for the file. @type {(fault: Error) => void} */
let broken = () => {};
const refused = new Promise((_, fail) => (broken = fail));

/** @returns {Promise<ServiceWorkerRegistration>} */
async function installed() {
  const worker = navigator.serviceWorker;
  const scripts = new Set(["service.js", "keys.mjs", "post.mjs"]);
  const policy = globalThis.trustedTypes?.createPolicy("pbem", { createScriptURL: (url) => (scripts.has(url) ? url : "") });
  globalThis.pbemScript = (url) => /** @type {string} */ (/** @type {unknown} */ (policy ? policy.createScriptURL(url) : url));
  told.textContent = say(worker.controller ? "starting-again" : "starting");
  // what one can read while the first visit loads: the goal of each game
  if (!worker.controller) document.getElementById("meanwhile")?.append(...say("meanwhile").split("\n\n").map((text) => Object.assign(document.createElement("p"), { textContent: text })));
  worker.addEventListener("message", ({ data }) => {
    if (data?.of && root.dataset.state !== "refused") told.textContent = data.all ? say("starting-again") : say("fetching", { done: mega(data.fetched), of: mega(data.of) });
    if (data?.failed) broken(Object.assign(new Error(data.failed), { key: data.failed === "QuotaExceededError" ? "no-room" : "not-fetched" }));
  });
  const registration = await worker.register(globalThis.pbemScript("service.js"), { updateViaCache: "none" });
  if (worker.controller) return registration;
  const fresh = /** @type {ServiceWorker} */ (registration.installing || registration.waiting || registration.active);
  const ready = new Promise((done, fail) => {
    worker.addEventListener("controllerchange", done, { once: true });
    fresh.addEventListener("statechange", () => {
      // why is said by a message of its own, which may come a moment later
      if (fresh.state === "redundant") setTimeout(() => fail(Object.assign(new Error("redundant"), { key: "not-fetched" })), 2000);
      if (fresh.state === "activated" && worker.controller) done(undefined);
    });
    if (worker.controller) done(undefined);
  });
  await ready;
  return registration;
}

/** Why it does not start, as a sentence of ours. @param {any} fault */
function why(fault) {
  if (fault?.key) return say(fault.key);
  if (fault?.told) return fault.message;
  if (fault?.name === "QuotaExceededError") return say("no-room");
  if (fault?.name === "SecurityError") return say("no-certificate");
  return say(navigator.onLine ? "not-started" : "not-started-offline");
}

async function begun() {
  const registration = await installed();
  const page = await import("./page.mjs");
  await page.start({ registration });
}

try {
  const code = wished();
  const sound = protectedAsMust(); // asked meanwhile
  sound.catch(() => {});
  speak(code, await (await fetch(`words-${code}.json`)).json());
  if (!globalThis.isSecureContext) failed(say("not-secure"));
  else if (!("serviceWorker" in navigator) || !globalThis.indexedDB) failed(say("no-service"));
  else if (!(await sound)) failed(say("no-headers"));
  else {
    await Promise.race([begun(), refused]);
  }
} catch (fault) {
  console.error(fault);
  failed(why(fault), say("help-retry"));
}
