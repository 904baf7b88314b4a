// Every sentence of the page on its screen: scenes, answers and taps, and what each writes into the document.
// Without a file of words a sentence is its own name. Prints {what brings it: [names that were written]} as JSON.
import { document, every, fresh, frozen, written } from "./dom.mjs";

const real = (act) => setImmediate(act);
const WORDS = { "not-started": "not-started", "help-retry": "help-retry" }; // what the page can say before any file of words came
const stored = new Map();
const tab = new Map();
const heard = {};
let copied = "";
let answers = {};
let hostAnswers = {};
const text = (value) => new TextEncoder().encode(typeof value === "string" ? value : JSON.stringify(value));

class Worker_ {
  constructor(file) { this.file = file; }
  postMessage({ id, question, act, given }) {
    const message = question ? { answer: { ok: true, ...(answers[question.do]?.(question) ?? {}) } } : { status: 200, data: new Uint8Array(0), ...hostAnswers[act]?.(given) };
    real(() => this.onmessage({ data: { id, ...message } }), 0);
  }
}

const worker = { controller: {}, addEventListener: (kind, act) => (heard[kind] = act), removeEventListener() {}, register: async () => registration, getRegistration: async () => registration };
const registration = {
  active: { postMessage: () => real(() => heard.message?.({ data: { print: "NEW", version: "9" }, source: registration.active }), 0) }, waiting: null, installing: null,
  addEventListener() {}, update: async () => {}, pushManager: { getSubscription: async () => null, subscribe: async () => ({ toJSON: () => ({}) }) },
};
const here = { userAgent: "Firefox", maxTouchPoints: 1, languages: ["en"], onLine: true, serviceWorker: worker, storage: { estimate: async () => ({ quota: 1e12, usage: 0 }), persisted: async () => true, persist: async () => true },
  clipboard: { writeText: async (given) => void (copied = given) }, locks: { request: async (name, how, act = how) => (name === "pbem" ? void act({}) : new Promise(() => {})) } }; // a service worker that is never ended
const define = (given) => { for (const [name, value] of Object.entries(given)) Object.defineProperty(globalThis, name, { value, configurable: true, writable: true }); };
define({
  document, navigator: here, Worker: Worker_, indexedDB: {}, scrollTo() {}, scrollY: 0, innerWidth: 360, addEventListener: (kind, act) => (heard[kind] = act), removeEventListener() {},
  matchMedia: () => ({ matches: false, addEventListener() {} }), requestAnimationFrame: (act) => real(act, 0), cancelAnimationFrame: clearTimeout, ResizeObserver: class { observe() {} },
  setTimeout: (act, after = 0) => (after > 60000 ? 0 : real(act, 0)), clearTimeout, setInterval: () => 0, location: { hash: "", search: "", pathname: "/", origin: "https://x.example", href: "https://x.example/", reload() {} },
  history: { state: null, pushState() {}, replaceState() {}, go() {} }, caches: { open: async () => ({ keys: async () => [], match: async () => undefined, put: async () => {} }) },
  sessionStorage: { getItem: (key) => tab.get(key) ?? null, setItem: (key, value) => tab.set(key, String(value)), removeItem: (key) => tab.delete(key) },
  localStorage: { getItem: (key) => stored.get(key) ?? null, setItem: (key, value) => stored.set(key, String(value)), removeItem: (key) => stored.delete(key) },
  fetch: async (name) => ({ ok: !String(name).startsWith("pbem-"), headers: { get: () => null }, json: async () => (String(name).startsWith("words-") ? WORDS : { version: "8", address: "", print: "P" }), arrayBuffer: async () => new ArrayBuffer(1) }),
  FontFace: class { async load() { return this; } }, Function: class { constructor() { throw new Error("as the policy has it"); } },
  // nothing here waits for another thread: so many turns of the loop are enough, however slow the machine is
  crypto: { subtle: { digest: async () => new ArrayBuffer(32) } }, Blob: class { async arrayBuffer() { return new ArrayBuffer(2); } },
  Notification: { permission: "default", requestPermission: async () => "granted" }, PushManager: class {}, File: class { constructor(_, name) { this.name = name; } },
});
define({ isSecureContext: true });
URL.createObjectURL = () => "blob:x";
console.error = () => {};

const rest = async () => { for (let at = 0; at < 60; at += 1) await new Promise((done) => real(done, 0)); };
const found = {};
async function brings(name, act) {
  written.clear();
  await act();
  await rest();
  found[name] = [...written];
}
const named = (node) => [node.attributes["aria-label"], node.textContent.trim()];
/** The last button or link with this name, pressed. */
async function press(name) {
  const one = every().findLast((node) => ["button", "a"].includes(node.localName) && named(node).some((said) => said?.split(/[\s:,()]+/).includes(name)));
  if (!one) throw new Error(`no button says ${name}: ${every().filter((node) => node.localName === "button").map((node) => named(node).join("/"))}`);
  void one.click();
  await rest();
}
/** What is on the page is drawn anew, as nothing of it were there. */
const blank = () => render(null, document.getElementById("page"));
const fill = (id, value) => Object.assign(document.getElementById(id), { value });

// --- before the page ---------------------------------------------------------------------------------------------------

let starts = 0;
const start = async () => {
  fresh();
  starts += 1;
  await import(`../../../pbem/web/page/start.mjs?${starts}`);
  await rest();
};
const during = async (change, act) => {
  const before = Object.fromEntries(Object.keys(change).map((key) => [key, globalThis[key]]));
  define(change);
  await act();
  define(before);
};
const without = Object.fromEntries(Object.entries(here).filter(([name]) => name !== "serviceWorker"));
const registering = (register, controller = null) => ({ navigator: { ...here, serviceWorker: { ...worker, controller, register } } });
const failing = (name) => async () => { throw Object.assign(new Error("x"), { name }); };

await brings("an address that is not encrypted", () => during({ isSecureContext: false }, start));
await brings("a browser without service workers", () => during({ navigator: without }, start));
await brings("a browser that keeps nothing", () => during({ localStorage: undefined }, start));
await brings("a server without the headers", () => during({ Function: class {} }, start));
await brings("a certificate that is not trusted", () => during(registering(failing("SecurityError")), start));
await brings("a storage that is full", () => during(registering(failing("QuotaExceededError")), start));
await brings("a file that did not come", () => during(registering(failing("TypeError")), start));
await brings("no network at the first visit", () => during({ navigator: { ...registering(failing("TypeError")).navigator, onLine: false } }, start));
await brings("a file that is not as released", () => during(registering(async () => {
  heard.message({ data: { fetched: 1e6, of: 5e6 } });
  heard.message({ data: { failed: "hash" } });
  return { installing: { addEventListener() {} } };
}), start));
await import("../../../pbem/web/page/page.mjs"); // from the disk, which takes as long as it takes
let made = 0;
class Silent { constructor() { made += 1; } postMessage() {} }
await brings("a service worker that is ended again and again", () => during({ navigator: { ...here, locks: { request: async (_, how, act = how) => void act({}) } }, Worker: Silent }, async () => {
  for (let turn = 1; turn <= 3; turn += 1) {
    void start(); // which never ends
    while (made < turn) await rest();
  }
}));
await brings("another tab", () => during({ navigator: { ...here, locks: { request: async (_, how, act) => void act?.(null) } } }, start));

// --- the list ------------------------------------------------------------------------------------------------------------

const match = { id: "m-anna", title: "T", host: "H", mine: true, practice: false, over: false, says: "X", due_at: new Date(Date.now() + 9e6).toISOString(), game: "m", seat: "anna" };
const games = [{ id: "g", title: "G", seats: [2, 3], practice: true }];
answers = { matches: () => ({ matches: [], games }) };
stored.set("last", JSON.stringify({ match: "m-anna", title: "T", at: 1, width: 1, height: 1, tree: ["svg", {}] }));
answers.open = () => ({ ok: false, fault: "F", help: "paper" });
await brings("a start on the last table, whose keys are gone", start);
await brings("no match yet", () => press("back-to-matches"));
const { read, send, subscribe } = await import("../../../pbem/web/page/store.mjs");
const { render } = await import("../../../pbem/web/page/view.mjs");
subscribe(() => frozen(read())); // whoever writes into it fails
const page = (name) => import(`../../../pbem/web/page/${name}.mjs`);
const { home } = await page("home");
answers.matches = () => ({ matches: [match, { ...match, id: "p", practice: true }], games });
await brings("the list", home);
answers.api = () => ({ api: null });
await brings("the list asked again", () => press("look-for-news"));
send("version", null);
await brings("a newer page", async () => send("version", { version: "9", print: "P", worker: { ...registration.active } }));
await brings("where keys can be lost", async () => {
  send("notes", ["in-messenger", "on-apple", "nearly-full", "clock-wrong"]);
  send("install", true);
});
send("link", "#join=m&seat=anna&api=https://d.example&code=C");
await brings("the link of a messenger copied", () => press("copy-link"));
if (copied !== `https://x.example/${read().device.link}`) throw new Error(`copied: ${copied}`);
send("notes", []);
send("install", false);
send("version", null);
answers.group = () => ({ group: [] });
await brings("a group without a match", () => press("group"));
await press("close");
answers.group = () => ({ group: [{ name: "N", matches: 1, won: 1, figure: 1, best: 1, waited: 1 }] });
await brings("a group", () => press("group"));
await press("close");
await brings("nothing pasted", () => press("take-in"));
fill("paste", "HELLO");
await brings("words pasted", () => press("take-in"));
await brings("a list where a host serves this", async () => send("served-by", { says: "SERVED", api: "https://h.example" }));
fill("paste", "Come to https://other.example/play/#join=zzzzzzzz&seat=anna&code=secret");
await brings("another host's link pasted where a host serves this", () => press("take-in"));
if (!stored.get("others").endsWith('play/#match=zzzzzzzz"]')) throw new Error(`kept of it: ${stored.get("others")}`);
await press("close");
await press("others-remove");
send("served-by", { says: "", api: "" });
const { takeFiles } = await page("bringing");
const file = (given) => ({ arrayBuffer: async () => text(given).buffer });
await brings("a backup", () => takeFiles([file("PK\x03\x04XXXX")]));
await press("cancel");
await brings("an address of the page of its release", () => during({ fetch: async () => ({ ok: true, json: async () => ({ version: "8", address: "https://y.example" }), arrayBuffer: async () => new ArrayBuffer(1) }) }, async () => {
  blank();
  send("home-opened");
  await rest();
}));

// --- joining ---------------------------------------------------------------------------------------------------------------

const invitation = (invited, api) => send("invitation-opened", { ...invited, api });
const seats = [{ seat: "anna", free: true, name: "" }, { seat: "burt", free: false, name: "B" }];
const invited = { title: "T", says: "X", host: "H", hosted: "", seats, seat: "anna", code: "", word: "", retake: false };
send("notes", ["in-private"]);
await brings("an invitation", async () => invitation(invited, null));
await brings("an invitation without a free seat", async () => invitation({ ...invited, seats: seats.slice(1) }, null));
await brings("a seat that can be taken again", async () => invitation({ ...invited, code: "C", seat: "burt", retake: true }, null));
await brings("a link that has done its work", async () => invitation({ ...invited, code: "C", seat: "burt" }, null));
send("notes", []);
const api = { url: "https://h.example", match: "m", word: "w", after: 3, join: "" };
const { followLink } = await page("following");
const link = (kind, code = "") => followLink(`#${kind}=zzzzzzzz&seat=anna&api=https://h.example${code}`);
hostAnswers = { lines: () => ({ status: 401 }) };
await brings("a link whose invitation is gone", () => link("join", "&code=c"));
await brings("a link of a match that is not here", () => link("match"));
answers["api-key"] = () => ({ file: "{}" });
hostAnswers["access-code"] = () => ({ status: 401 });
await brings("words that are no keys of the seat", async () => {
  fill("words", "W");
  await press("take-in");
});
await press("close");
answers.open = () => ({ scene: { ...scene, board: null } });
answers.api = () => ({ api: { ...api, url: "https://other.example" } });
const followed = (word) => followLink(`#match=m&seat=anna&api=https://h.example${word}`);
hostAnswers = { lines: () => ({}), "access-code": () => ({ status: 404 }) };

const row = (kind, more = {}) => ({ row: 0, do: kind, label: kind.toUpperCase(), effect: "", touch: [], ...more });
const branch = (part, number = null, node = { next: [], row: { label: "L", sends: true, only: true } }) => ({ part, words: part.toUpperCase(), number, node });
const scene = {
  match: "m-anna", at: 1, practice: false, api: true, title: "T", chapter: "C", me: "A", asked: "ASKED", mine: true, due: "DUE", due_at: match.due_at, head: 9, hosted: "HOSTED", over: false, settled: false,
  rows: [row("action", { more: true })], tray: [], words: [], say: "", tell: {}, react: {}, nudge: "", nudgeable: "burt", others: { burt: "B" }, held: [{ part: "hand:x", name: "X", short: "X", count: 2, fresh: true }],
  purse: [], players: [{ part: "seat:burt", seat: "burt", name: "B", figure: "9", cards: 3, waiting: true, me: true }], board: { tree: ["svg", {}, ["rect", { "data-part": "supply" }]], width: 9, height: 9, alt: "ALT" },
  tree: { row: null, next: [branch("supply"), branch("bid:1", 1), branch("bid:2", 2)] }, why: {}, table: "TT", latest: "LL", unanswered: [], news: null, played: true,
};
await brings("a link to another address of the host", () => followed("&word=v"));
await press("cancel");
answers.api = () => ({ api });
await brings("a link with another access code", () => followed("&word=v"));
await press("cancel");
await brings("an API that is no address", async () => {
  hostAnswers.lines = () => ({ status: 0, fault: "odd" });
  answers.api = () => ({ api });
  await (await page("exchange")).look(false);
});
answers.look = () => ({ scene });
const { look } = await page("exchange");
for (const [name, answer] of Object.entries({ slow: { status: 0, fault: "slow" }, away: { status: 0, fault: "away" }, login: { status: 200, data: text("<html>") }, long: { status: 0, fault: "long" }, "no-match": { status: 404 }, busy: { status: 429 }, ill: { status: 500 }, no: { status: 422 }, word: { status: 401 } })) {
  hostAnswers.lines = () => answer;
  await brings(`a host's API: ${name}`, () => look(false));
}
hostAnswers.lines = () => ({ status: 0, fault: "away" });
await brings("a device without a network", () => during({ navigator: { ...here, onLine: false } }, async () => {
  await look(false);
  await rest();
}));
hostAnswers.lines = () => ({});
answers.answered = () => ({ new: 0 });
await brings("nothing new", () => look(false));
hostAnswers.proposals = () => ({ data: text("{}") });
answers.proposals = () => ({ new: 1 });
await brings("a proposal that comes alone", () => look(false));
hostAnswers.proposals = () => ({});
hostAnswers.lines = () => ({ data: text("{}") });
let more = 1;
answers.answered = () => ({ new: more-- > 0 ? 2 : 0 });
await brings("new records", () => look(false));

// --- the table ---------------------------------------------------------------------------------------------------------------

const shown = (change = {}) => {
  scene.at += 1;
  answers.look = () => ({ scene: { ...scene, ...change } });
  send("sheet-closed");
  send("home-opened");
  blank();
  written.clear(); // what the list says is not of this screen
  send("scene", { ...scene, ...change });
  send("table-opened");
  return rest();
};
await brings("the table", () => shown());
await brings("words and a draft", () => shown({ tray: ["X"], words: ["Y"], say: "Z" }));
await brings("what one has in place of a hand", () => shown({ held: [], purse: [{ label: "L", value: "V" }] }));
await shown();
const { touch } = await page("choose");
answers.weigh = () => ({ offer: { label: "L", sends: true, only: true } });
await brings("a part touched", async () => touch("supply"));
await shown({ tree: { row: null, next: [branch("supply", null, { next: [branch("poster")], row: null })] } });
await brings("a part that needs another", async () => touch("supply"));
await brings("what cannot be touched", async () => touch("nothing"));
answers.file = () => ({ preview: { empty: true, fault: false, check: "" } });
await shown({ rows: [row("send")] });
const { sendDraft, act } = await page("choose");
await brings("nothing chosen", () => sendDraft());
answers.file = () => ({ preview: { empty: false, fault: false, same: "SAME", entry: "E" } });
await brings("a decision that is signed already", () => sendDraft());
await press("cancel");
answers.file = () => ({ preview: { empty: false, fault: false, same: "" } });
const leaf = { name: "turn.json", text: "{}", armour: "AR", kind: "turn", n: 1, ok: true, said: "S", warnings: [], mailto: "h@example.org" };
answers.sign = () => ({ file: leaf });
const receipt = "0".repeat(64);
const posted = (state, more_ = {}) => ({ file: () => ({ status: 202, data: text({ receipt }) }), receipt: () => ({ data: text({ state, ...more_ }) }), lines: () => ({}) });
for (const [name, given] of [["accepted", posted("recorded")], ["refused", posted("refused", { why: "WHY" })], ["not ruled on", posted("waiting")], ["not sent", { file: () => ({ status: 0, fault: "away" }) }]]) {
  await shown();
  hostAnswers = given;
  await brings(`a turn by the API: ${name}`, () => sendDraft());
}
await brings("the yes on its way", () => act());
const { leaveByHand } = await page("byhand");
await shown();
await brings("a file by hand", async () => leaveByHand(leaf));
await brings("copied for the host", () => press("copy"));
await brings("saved for the host", () => press("download"));
await brings("a file by hand where the host's address is not known", async () => leaveByHand({ ...leaf, mailto: "" }));
await brings("copied", () => press("copy"));
await brings("saved", () => press("download"));
await brings("a clipboard that is closed", () => during({ navigator: { ...here, clipboard: { writeText: failing("NotAllowedError") } } }, () => press("copy")));
await brings("a file that the host would refuse", async () => leaveByHand({ ...leaf, ok: false }));
await brings("a file shared", () => during({ navigator: { ...here, canShare: () => true, share: async () => {} } }, async () => {
  leaveByHand(leaf);
  await rest();
  await press("share");
}));
const { notifyFault } = await page("ask");
await shown();
await brings("a fault of Python", async () => notifyFault({ ok: false, broken: true, trace: "TRACE" }));
await brings("its details", () => press("help-details"));
await brings("its details copied", () => press("copy"));
await shown();
await brings("a browser that could not keep it", async () => notifyFault({ ok: false, storage: true }));
for (const help of ["look", "paper", "update"]) await brings(`a fault that ${help} helps`, async () => notifyFault({ ok: false, fault: "F", help }));

// --- what happened -------------------------------------------------------------------------------------------------------------

const standing = [{ seat: "a", name: "N", figure: "9", place: 1, me: true }];
const step = { seq: 1, at: "AT", seat: "burt", title: "B", text: ["X"], say: "", private: [], moves: [], shots: [{ hit: true, words: "1/2" }, { hit: false, words: "1/2" }], figures: [], parts: {}, under: ["U"], reacts: ["R"], end: null };
const news = (end) => () => ({ news: { begin: scene.board, steps: [{ ...step, end }], earlier: "", react: { clap: "CLAP" }, upto: 9 } });
const { showNews } = await page("since");
await shown();
await during({ matchMedia: (what) => ({ matches: what.includes("reduce"), addEventListener() {} }) }, async () => {
  answers.news = news(null);
  await brings("shots without motion", showNews);
});
await shown();
await brings("what happened, on its way", async () => {
  send("news", { begin: scene.board, steps: [step, step], earlier: "", react: { clap: "CLAP" }, upto: 9, moving: true });
  send("news-step");
  send("news-held", 1);
});
await shown();
answers.news = news({ kind: "hand", title: "END", lines: [], standing, again: false });
await brings("the end of a hand", showNews);
await shown();
answers.news = news({ kind: "match", title: "END", lines: [], standing, again: true });
answers["again-plan"] = () => ({ text: "PLAN" });
await brings("the end of a match", showNews);
await brings("the same people again", () => press("play-again"));

// --- besides ----------------------------------------------------------------------------------------------------------------------

await shown();
await brings("the menu", () => press("menu"));
await shown({ practice: true, api: false });
await brings("the menu in practice", () => press("menu"));
await shown();
const { talk } = await page("talk");
await brings("words and a nudge", async () => talk());
const looking = await page("looking");
answers.rules = () => ({ sections: [{ title: "S", rows: [{ id: "R1", text: "draw" }] }] });
await brings("the rules", () => looking.rules());
const find = async (value) => {
  Object.assign(document.getElementById("find"), { value }).does("input");
  await rest();
};
await brings("a rule that is found", () => find("draw"));
await brings("a rule that is not", () => find("zebra"));
answers.orders = () => ({ orders: { lines: [], answers: "A", vocabulary: "V" } });
await brings("standing orders", () => looking.orders());
answers.moment = () => ({ moment: { index: 0, count: 1, seq: 3, title: "T", text: "X", proofs: 1, picture: null, react: { clap: "CLAP" } } });
await shown({ react: { 3: "clap" } });
await brings("a moment of the story, and a reaction", () => looking.story(-1));
answers.audit = () => ({ audit: { ok: true, says: "X", counts: "C", head: "H", faults: [] }, proofs: ["P"] });
await brings("proofs", () => press("proofs"));
await brings("the audit", () => looking.audit());
answers.hint = answers.review = () => ({ text: "X" });
for (const what of ["hint", "review"]) await brings(what, () => looking.readText(what));
await brings("the table in words", async () => looking.wholeTable());
answers.backup = () => ({ name: "a.zip", data: "AAAA" });
await shown();
await brings("a backup saved", () => looking.backup());
await brings("a match removed", async () => looking.forget());
const { paper } = await page("paper");
answers["paper-words"] = () => ({ paper: "WORDS" });
await shown();
await brings("the words for paper", () => paper("m-anna"));
answers["paper-words"] = () => ({ paper: "" });
await brings("words that were shown before", () => paper("m-anna"));
await brings("a join on its way", async () => {
  send("scene", { ...scene, joining: true, says: ["X"], entry: "E" });
  send("table-opened");
});

// --- being called ---------------------------------------------------------------------------------------------------------------

const { pushSheet, pushAll } = await page("push");
await shown();
answers.api = () => ({ api });
hostAnswers = { "push-key": () => ({ data: text({ key: "K" }) }), push: () => ({ status: 201 }) };
await brings("the switch of calls", async () => pushSheet());
await brings("calls turned on", () => press("push-start"));
await brings("the switch that is on", async () => pushSheet());
await brings("calls turned off", () => press("push-stop"));
const calls = async (change, given = hostAnswers) => during(change, async () => {
  hostAnswers = given;
  pushSheet();
  await rest();
  if (every().some((node) => named(node).includes("push-start"))) await press("push-start");
  await rest();
});
await brings("a host that does not call", () => calls({}, { "push-key": () => ({ status: 404 }) }));
await brings("a push service that is silent", () => calls({ crypto: { subtle: { digest: failing("x") } } }, { "push-key": () => ({ data: text({ key: "K" }) }) }));
await brings("calls that are blocked", () => calls({ Notification: { permission: "denied" } }));
await brings("an iPhone outside its home screen", () => calls({ navigator: { ...here, userAgent: "iPhone" } }));
delete globalThis.PushManager;
await brings("a browser without push", () => calls({}));
send("sheet-closed");
send("list", { matches: [match, { ...match, id: "n-anna" }] });
await brings("calls for which match", async () => pushAll());

// --- a webhook of one's own -----------------------------------------------------------------------------------------------------

const { webhook } = await page("webhook");
await shown();
hostAnswers = { webhook: () => ({ data: text({ service: "" }) }), "webhook-set": () => ({ data: text({ service: "ntfy" }) }) };
await brings("no webhook yet", () => webhook());
await brings("a webhook that is called from now on", () => press("webhook-set"));
hostAnswers = { webhook: () => ({ data: text({ service: "ntfy" }) }), "webhook-off": () => ({ data: text({ service: "" }) }), "webhook-set": () => ({ status: 422 }) };
await brings("a webhook that is called", () => webhook());
await brings("an address that is no webhook", () => press("webhook-set"));
await brings("a webhook turned off", () => press("webhook-off"));
hostAnswers = { webhook: () => ({ status: 404 }) };
await brings("a host that knows no webhooks", () => webhook());

// --- a seat goes along to another device ------------------------------------------------------------------------------------------

const { giveSeat, takeSeat } = await page("pair");
await shown();
answers.api = () => ({ api: null });
await brings("a host without codes", () => giveSeat());
answers.api = () => ({ api });
answers["pair-give"] = () => ({ code: "K7ABCD", seconds: 600 });
answers["pair-take"] = () => ({ channel: "K7", send: "AAAA" });
answers["pair-yes"] = () => ({ send: "AAAA" });
answers["pair-hear"] = () => ({ send: "AAAA", device: "PHONE" });
const carried = (upto, other = {}) => ({ "pair-open": () => ({ status: 201, data: text({ channel: "K7", ticket: "T" }) }), "pair-put": () => ({ status: 201, data: text({ ticket: "U" }) }), "pair-get": ({ number }) => (number <= upto ? { data: text("X") } : other) });
await shown();
hostAnswers = carried(0, { status: 404 });
await brings("a code, and its end", () => giveSeat());
await press("close");
hostAnswers = carried(3);
await brings("a device that asks for the seat", () => giveSeat());
await brings("a no to it", () => press("pair-no"));
await press("close");
await giveSeat();
await rest();
hostAnswers = carried(3, { status: 404 });
await brings("a seat sent, and no answer", () => press("pair-yes"));
await press("close");
hostAnswers = carried(5);
await giveSeat();
await rest();
await brings("a seat that is there", () => press("pair-yes"));
await press("close");
send("served-by", { says: "", api: "" });
hostAnswers = carried(1, { status: 404 });
await brings("a code to be typed", async () => takeSeat());
fill("pair-api", "https://h.example");
await brings("a code that was typed", () => press("take-in"));
await press("close");
hostAnswers = carried(5);
takeSeat("https://h.example");
await rest();
answers["pair-hear"] = () => ({ send: "AAAA", scene });
await brings("a seat that has come", () => press("take-in"));
process.stdout.write(JSON.stringify(found));
process.exit(0);
