// The first file that runs: it looks whether the page is served as it must be, lets the service worker fetch every
// file with its hash, and only then starts anything that may see a key.
const LANGUAGES = ["en", "fr", "it", "de"];
const POLICIES = /*POLICIES*/ {};

function language() {
  const wished = [localStorage.getItem("lang"), ...(navigator.languages || [])];
  for (const one of wished) {
    const code = (one || "").slice(0, 2).toLowerCase();
    if (LANGUAGES.includes(code)) return code;
  }
  return "en";
}

const told = document.getElementById("told");
const code = language();
document.documentElement.lang = code;
if (localStorage.getItem("theme")) document.documentElement.dataset.theme = localStorage.getItem("theme");
const words = await (await fetch(`words-${code}.json`)).json();
const say = (key, values = {}) => words[key].replace(/\{(\w+)\}/g, (_, name) => String(values[name] ?? ""));
document.title = say("title");

// What was asked of the header, not of a meta element: a worker obeys the header of its own script alone.
async function protectedAsMust() {
  for (const [name, policy] of Object.entries(POLICIES)) {
    const answer = await fetch(name, { cache: "no-cache" });
    const sent = answer.headers.get("Content-Security-Policy");
    if (!answer.ok || sent !== policy) return false;
  }
  try {
    new Function("");
    return false;
  } catch {
    return true;
  }
}

function failed(text) {
  told.textContent = text;
  told.setAttribute("role", "alert");
  document.documentElement.dataset.state = "refused";
}

async function installed() {
  const worker = navigator.serviceWorker;
  const policy = globalThis.trustedTypes?.createPolicy("pbem", { createScriptURL: (url) => (url === "service.js" || url === "keys.mjs" || url === "post.mjs" ? url : "") });
  globalThis.pbemScript = (url) => (policy ? policy.createScriptURL(url) : url);
  told.textContent = say(worker.controller ? "starting-again" : "starting");
  worker.addEventListener("message", (event) => {
    if (event.data && event.data.of) told.textContent = `${say("starting")} ${event.data.fetched}/${event.data.of}`;
  });
  const registration = await worker.register(globalThis.pbemScript("service.js"), { updateViaCache: "none" });
  if (worker.controller) return registration;
  const fresh = registration.installing || registration.waiting || registration.active;
  await new Promise((done, fail) => {
    worker.addEventListener("controllerchange", done, { once: true });
    fresh.addEventListener("statechange", () => {
      if (fresh.state === "redundant") fail(new Error(say("no-headers")));
      if (fresh.state === "activated" && worker.controller) done();
    });
    if (worker.controller) done();
  });
  return registration;
}

try {
  if (!("serviceWorker" in navigator)) failed(say("no-service"));
  else if (!(await protectedAsMust())) failed(say("no-headers"));
  else {
    const registration = await installed();
    const page = await import("./page.mjs");
    await page.start({ code, words, say, registration });
  }
} catch (fault) {
  failed(say("not-started", { why: String(fault && fault.message ? fault.message : fault) }));
}
