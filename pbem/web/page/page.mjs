// What is seen. Everything shown is set as text; the picture is an image. Nothing here knows a game or decides a rule:
// the worker says what there is to choose, and is told what was chosen.

let say;
let words;
let code;
let registration;
let scene = null;
let busy = 0;
let asking = Promise.resolve();

// --- elements ------------------------------------------------------------------------------------------------

function el(tag, given = {}, ...inside) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined || value === null || value === false) continue;
    if (name === "on") for (const [event, act] of Object.entries(value)) made.addEventListener(event, act);
    else if (name === "class") made.className = value;
    else if (name === "text") made.textContent = value;
    else if (name in made && !name.includes("-") && name !== "list") made[name] = value;
    else made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...inside.filter((one) => one !== null && one !== undefined && one !== false));
  return made;
}

const button = (text, act, given = {}) => el("button", { type: "button", text, on: { click: act }, ...given });
const paragraph = (text, given = {}) => el("p", { text, ...given });
const root = () => document.getElementById("page");

// --- workers -------------------------------------------------------------------------------------------------

function spoken(file) {
  const worker = new Worker(globalThis.pbemScript(file), { type: "module" });
  const open = new Map();
  let number = 0;
  worker.onmessage = ({ data }) => {
    open.get(data.id)?.(data);
    open.delete(data.id);
  };
  worker.onerror = (event) => {
    for (const done of open.values()) done({ answer: { ok: false, broken: true, fault: event.message || file } });
    open.clear();
  };
  return (message) => new Promise((done) => {
    number += 1;
    open.set(number, done);
    worker.postMessage({ id: number, ...message });
  });
}

let keysWorker;
let postWorker;

async function during(work) {
  busy += 1;
  document.documentElement.dataset.busy = "yes";
  try {
    return await work();
  } finally {
    busy -= 1;
    if (!busy) document.documentElement.dataset.busy = "no";
  }
}

const ask = (question) => during(async () => {
  const before = asking;
  let free;
  asking = new Promise((done) => (free = done));
  await before;
  try {
    const { answer } = await keysWorker({ question });
    // What the host's door brings for a match that was left meanwhile is not shown.
    if (answer.ok && answer.scene && (question.do !== "answered" || scene?.match === answer.scene.match)) scene = answer.scene;
    return answer;
  } finally {
    free();
  }
});

// An answer, or null after its fault was told.
async function wish(question) {
  const answer = await ask(question);
  if (answer.ok) return answer;
  const text = answer.storage ? say("storage", { why: answer.fault }) : answer.fault;
  tell([text, answer.hint].filter(Boolean).join("\n"), true);
  return null;
}

async function post(act, given) {
  postWorker ||= spoken("post.mjs");
  return postWorker({ act, given });
}

// --- what is told for a moment -------------------------------------------------------------------------------

function tell(text, trouble = false) {
  let place = document.getElementById("told");
  const over = document.querySelector("dialog[open] .inside");
  if (trouble && over) { // behind an open dialog it would not be seen
    place = over.querySelector(":scope > .told") || el("div", { role: "status" });
    over.prepend(place);
  }
  place.className = trouble ? "told trouble" : "told";
  place.replaceChildren(el("p", { text }), button(say("close"), () => place.replaceChildren(), { class: "small" }));
}

function dialog(title, ...inside) {
  const made = el("dialog", { "aria-labelledby": "dialog-title" });
  const done = () => made.close();
  made.append(
    el("header", {}, el("h2", { id: "dialog-title", text: title }), button("×", done, { class: "close", "aria-label": say("close") })),
    el("div", { class: "inside" }, ...inside),
  );
  made.addEventListener("close", () => made.remove());
  document.querySelector("dialog[open]")?.close();
  root().append(made);
  made.showModal();
  return made;
}

const closed = () => document.querySelector("dialog[open]")?.close();

// --- start ---------------------------------------------------------------------------------------------------

export async function start(given) {
  ({ say, words, code, registration } = given);
  if (!(await alone())) return;
  keysWorker = spoken("keys.mjs");
  const [{ answer }] = await Promise.all([keysWorker({ question: { do: "boot", lang: code } }), fetchLetters()]);
  if (!answer.ok) throw new Error(answer.fault);
  globalThis.pbemMeasure = () => keysWorker({ question: { do: "measure" } });
  frame();
  watchVersions();
  await followLink();
  addEventListener("hashchange", followLink);
}

// One tab at a time may write; another waits, and goes on when the first is closed.
function alone() {
  return new Promise((done) => {
    navigator.locks.request("pbem", { ifAvailable: true }, (lock) => {
      if (lock) {
        done(true);
        return new Promise(() => {});
      }
      document.documentElement.dataset.state = "elsewhere";
      root().replaceChildren(el("h1", { text: "pbem" }), paragraph(say("elsewhere"), { role: "alert" }));
      navigator.locks.request("pbem", () => location.reload());
      done(false);
      return undefined;
    });
  });
}

function watchVersions() {
  const offered = async (worker) => {
    const channel = new Promise((done) => {
      navigator.serviceWorker.addEventListener("message", function heard(event) {
        if (event.data?.print && event.source === worker) {
          navigator.serviceWorker.removeEventListener("message", heard);
          done(event.data);
        }
      });
    });
    worker.postMessage("who");
    const { version, print } = await channel;
    if (print === (await built()).print) return;
    const place = document.getElementById("version");
    place?.replaceChildren(
      paragraph(say("new-version", { version, print })),
      button(say("use-version"), () => {
        navigator.serviceWorker.addEventListener("message", (event) => event.data?.taken && location.reload());
        worker.postMessage("now");
      }),
    );
  };
  // It may have come while Python was starting, when there was no place yet to ask, or while every page was closed.
  const look = () => {
    const worker = registration.waiting || registration.active;
    if (worker) offered(worker);
  };
  const follow = () => registration.installing?.addEventListener("statechange", look);
  registration.addEventListener("updatefound", follow);
  follow();
  look();
  registration.update().catch(() => {}); // without a network there is nothing new
}

function frame() {
  document.documentElement.dataset.state = "started";
  root().replaceChildren(el("div", { id: "version", role: "status" }), el("div", { id: "told", role: "status", class: "told" }), el("div", { id: "screen" }));
}

function shown(name, ...inside) {
  const another = document.documentElement.dataset.screen !== name;
  document.documentElement.dataset.screen = name;
  document.getElementById("screen").replaceChildren(...inside.filter(Boolean));
  if (another) scrollTo(0, 0);
}

// --- links ---------------------------------------------------------------------------------------------------

async function followLink() {
  const asked = new URLSearchParams(location.hash.slice(1));
  if (location.hash) history.replaceState(null, "", location.pathname + location.search); // the word of the link stays in no address bar
  if (asked.has("practice")) return practiceOf(asked.get("practice"));
  const door = asked.get("door") ? { url: asked.get("door"), word: asked.get("word") || "" } : null;
  if (asked.get("join") && door) return follow(asked.get("join"), door);
  const match = asked.get("match");
  if (!match) return home();
  const list = (await wish({ do: "matches" }))?.matches || [];
  const meant = (one) => (one.game === match || one.id.split("-")[0] === match) && (!asked.get("seat") || one.seat === asked.get("seat"));
  const name = list.find(meant)?.id;
  if (!name && door) return follow(match, door, ""); // played on another device until now
  if (!name) {
    await home();
    return tell(say("door-unknown"), true);
  }
  await open(name);
  if (!door) return undefined;
  const known = (await ask({ do: "door", match: name })).door;
  if (!known || known.url !== door.url) {
    const made = dialog(say("your-file"), paragraph(say("door-new", { url: door.url })));
    made.querySelector("h2").textContent = say("look-for-news");
    made.querySelector(".inside").append(
      el("div", { class: "ways" }, button(say("door-yes"), async () => {
        closed();
        await wish({ do: "door", match: name, set: door });
        await open(name);
        await news(true);
      }), button(say("cancel"), closed)),
    );
    return undefined;
  }
  if (known.word !== door.word) await wish({ do: "door", match: name, set: door });
  return news(true);
}

async function follow(match, door, word = door.word) {
  await home();
  tell(say("looking"));
  const parts = [];
  for (let after = -1; ; ) {
    const answer = await post("lines", { door: door.url, match, word: door.word, after });
    if (answer.status !== 200) return tell(trouble(answer), true);
    if (!answer.data.length) break;
    parts.push(answer.data);
    after += answer.data.reduce((count, byte) => count + (byte === 10 ? 1 : 0), 0);
  }
  const told = await wish({ do: "invited", data: base64(new Uint8Array(await new Blob(parts).arrayBuffer())) });
  if (told) told.invitation.word = word;
  if (told) invitation(told.invitation, door);
  return undefined;
}

function trouble(answer) {
  if (answer.status === 401 || answer.status === 403) return say("door-trouble", { why: say("door-word") });
  if (answer.fault === "odd") return say("door-odd");
  return say("door-trouble", { why: answer.fault || String(answer.status) });
}

function base64(bytes) {
  let text = "";
  for (let at = 0; at < bytes.length; at += 0x8000) text += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  return btoa(text);
}

// --- the first screen ----------------------------------------------------------------------------------------

async function home() {
  scene = null;
  const answer = await wish({ do: "matches" });
  const matches = answer ? answer.matches : [];
  shown(
    "home",
    el("h1", { text: say("title") }),
    el("section", { "aria-labelledby": "own" }, el("h2", { id: "own", text: say("matches") }),
      matches.length ? el("ul", { class: "matches" }, ...matches.map(matchRow)) : paragraph(say("no-matches"))),
    bringing(),
    practising(matches.length === 0),
    settings(),
  );
  return undefined;
}

function matchRow(one) {
  return el("li", {}, el("button", { type: "button", class: one.mine ? "row mine" : "row", on: { click: () => open(one.id) } },
    el("span", { class: "label", text: one.practice ? `${one.title} (${say("practice-match")})` : one.title }),
    one.mine && el("span", { class: "mark", text: say("your-move") }),
    el("span", { class: "effect", text: one.told }),
    el("span", { class: "id", text: one.id })));
}

function chosen(id, label, options, value) {
  const made = el("select", { id }, ...options.map(([key, text]) => el("option", { value: key, text, selected: key === value })));
  return el("div", { class: "field" }, el("label", { htmlFor: id, text: label }), made);
}

const GAMES = [["wyatt-earp", "Wyatt Earp"], ["way-out-west", "Way Out West"]];

async function begin(game, against, level) {
  if (await wish({ do: "practice", game, against, level })) table();
}

// The link that one gives to a friend, #practice=GAME: his match against the computer, the one that he has begun if any.
async function practiceOf(wanted) {
  const game = GAMES.some(([key]) => key === wanted) ? wanted : GAMES[0][0];
  await home();
  const matches = (await wish({ do: "matches" }))?.matches || [];
  const begun = matches.findLast((one) => one.practice && one.mine && one.id.startsWith(`${game}-`));
  return begun ? open(begun.id) : begin(game, 2, "medium");
}

function practising(unfolded) {
  const value = (id) => document.getElementById(id).value;
  return el("details", { open: unfolded }, el("summary", {}, el("h2", { text: say("practise") })),
    paragraph(say("practise-about")),
    chosen("game", say("game"), GAMES, "wyatt-earp"),
    chosen("against", say("opponents"), [["2", "2"], ["3", "3"]], "2"),
    chosen("level", say("level"), [["easy", say("easy")], ["medium", say("medium")], ["strong", say("strong")]], "medium"),
    button(say("begin"), () => begin(value("game"), Number(value("against")), value("level")), { class: "first" }));
}

function bringing() {
  const take = async (data) => {
    const told = await wish({ do: "bring", data });
    if (!told) return;
    closed();
    if (told.invitation) return invitation(told.invitation, null);
    table();
    if (told.scene && !told.scene.joining) tell(told.new ? say("new-records", { n: told.new }) : say("no-news"));
  };
  const file = el("input", { type: "file", id: "file", on: { change: () => during(async () => {
    for (const one of file.files) await take(base64(new Uint8Array(await one.arrayBuffer())));
  }) } });
  file.multiple = true;
  const paste = el("textarea", { id: "paste", rows: 3, spellcheck: false, autocapitalize: "off" });
  const pasted = async () => {
    const text = paste.value.trim();
    const link = /^\S*(#(?:join|match)=\S+)$/.exec(text);
    if (link) location.hash = link[1];
    else if (text) await take(base64(new TextEncoder().encode(paste.value)));
  };
  return el("details", { open: true }, el("summary", {}, el("h2", { text: say("bring") })), paragraph(say("bring-about")),
    el("div", { class: "field" }, el("label", { htmlFor: "file", text: say("choose-file") }), file),
    el("div", { class: "field" }, el("label", { htmlFor: "paste", text: say("paste-here") }), paste),
    button(say("take-in"), pasted));
}

function settings() {
  const made = el("details", {}, el("summary", {}, el("h2", { text: say("settings") })),
    chosen("lang", say("language"), [["en", "English"], ["fr", "Français"], ["it", "Italiano"], ["de", "Deutsch"]], code),
    chosen("theme", say("colours"), [["", say("colours-auto")], ["light", say("light")], ["dark", say("dark")]], localStorage.getItem("theme") || ""),
    el("h3", { text: say("about") }), el("p", { id: "print" }), el("p", { id: "address" }), paragraph(say("about-who")), paragraph(say("about-keys")));
  made.querySelector("#lang").addEventListener("change", async (event) => {
    localStorage.setItem("lang", event.target.value);
    code = event.target.value;
    document.documentElement.lang = code;
    const fresh = await (await fetch(`words-${code}.json`)).json();
    for (const [key, value] of Object.entries(fresh)) words[key] = value;
    document.title = say("title");
    await wish({ do: "hello", lang: code });
    home();
  });
  made.querySelector("#theme").addEventListener("change", (event) => {
    if (event.target.value) localStorage.setItem("theme", event.target.value);
    else localStorage.removeItem("theme");
    document.documentElement.dataset.theme = event.target.value;
  });
  built().then(({ version, print, address }) => {
    made.querySelector("#print").textContent = say("about-version", { version, print });
    made.querySelector("#address").textContent = say(address ? "about-address" : "about-no-address", { address });
  });
  return made;
}

async function built() {
  return (await fetch("built.json")).json().then(async (about) => {
    const raw = await (await fetch("hashes.json")).arrayBuffer();
    const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", raw));
    const hex = [...hash].map((byte) => byte.toString(16).padStart(2, "0")).join("");
    return { version: about.version, address: about.address, print: hex };
  });
}

// --- joining -------------------------------------------------------------------------------------------------

function invitation(told, door) {
  const free = told.seats.filter((one) => one.free);
  const join = async () => {
    const value = (id) => document.getElementById(id).value;
    const answer = await wish({ do: "join", seat: value("seat"), name: value("name"), mail: value("mail"),
      zone: Intl.DateTimeFormat().resolvedOptions().timeZone, word: told.word || value("word").trim(), door });
    if (answer) paper(answer.paper, () => leaving(answer.file));
  };
  const fields = [
    chosen("seat", say("seat"), free.map((one) => [one.seat, one.seat]), told.seat),
    el("div", { class: "field" }, el("label", { htmlFor: "name", text: say("name") }), el("input", { id: "name", maxLength: 40, autocomplete: "nickname" })),
    el("div", { class: "field" }, el("label", { htmlFor: "mail", text: say("mail") }), el("input", { id: "mail", type: "email", autocomplete: "email" })),
    el("div", { class: "field" }, el("label", { htmlFor: "word", text: say("word") }), el("input", { id: "word", value: told.word || "", autocapitalize: "off" })),
  ];
  shown("invitation", el("h1", { text: say("invited", { title: told.title }) }), paragraph(say("host-print", { print: told.host })), told.hosted ? paragraph(told.hosted, { class: "hosted" }) : null,
    ...(free.length ? fields : [paragraph(say("no-seat"))]),
    el("div", { class: "ways" }, free.length ? button(say("join"), join, { class: "first" }) : null, button(say("cancel"), home)),
    free.length < told.seats.length ? ownSeat(door, !free.length) : null);
  return undefined;
}

// The match is played on another device: the words of its paper bring the seat here.
function ownSeat(door, unfolded) {
  const typed = el("textarea", { id: "words", rows: 3, autocapitalize: "characters", spellcheck: false });
  const take = async () => (await wish({ do: "paper", words: typed.value, door })) && table();
  return el("details", { open: unfolded }, el("summary", {}, el("h2", { text: say("have-seat") })), paragraph(say("have-seat-about")),
    el("div", { class: "field" }, el("label", { htmlFor: "words", text: say("paper-words") }), typed), button(say("take-in"), take));
}

function paper(text, then) {
  const made = dialog(say("paper"), paragraph(say("paper-about")), el("pre", { class: "paper", text, tabIndex: 0 }),
    el("div", { class: "ways" }, button(say("paper-done"), () => closed(), { class: "first" }), button(say("backup"), backup)));
  made.addEventListener("close", then, { once: true });
  table();
}

// --- a match -------------------------------------------------------------------------------------------------

async function open(name) {
  const answer = await ask({ do: "open", match: name });
  if (answer.ok) {
    table();
    return;
  }
  lost(name, answer);
}

function lost(name, answer) {
  const typed = el("textarea", { id: "words", rows: 3, autocapitalize: "characters", spellcheck: false });
  const again = async () => {
    const told = await wish({ do: "paper", match: name, words: typed.value });
    if (told) table();
  };
  shown("lost", el("h1", { text: name }), paragraph([answer.fault, answer.hint].filter(Boolean).join("\n"), { role: "alert" }), paragraph(say("lost-keys")),
    el("div", { class: "field" }, el("label", { htmlFor: "words", text: say("paper-words") }), typed),
    el("div", { class: "ways" }, button(say("take-in"), again, { class: "first" }), button(say("back-to-matches"), home)));
}

let drawn = { svg: "", url: "" };

function pictureOf(picture, at) {
  if (drawn.svg !== picture.svg) {
    if (drawn.url) URL.revokeObjectURL(drawn.url);
    drawn = { svg: picture.svg, url: imageOf(picture.svg) };
  }
  const image = el("img", { src: drawn.url, alt: picture.alt, width: picture.width, height: picture.height });
  const made = el("div", { class: "picture" }, image);
  for (const spot of picture.spots) {
    const place = el("button", { type: "button", class: "spot", "aria-label": spot.words, title: spot.words, on: { click: () => touch(spot.spot, at) } });
    place.style.left = `${(100 * spot.x) / picture.width}%`;
    place.style.top = `${(100 * spot.y) / picture.height}%`;
    place.style.width = `${(100 * spot.width) / picture.width}%`;
    place.style.height = `${(100 * spot.height) / picture.height}%`;
    made.append(place);
  }
  return made;
}

function table() {
  if (!scene) return home();
  if (scene.joining) return waitingForJoin();
  const now = scene;
  const bar = el("nav", { class: "bar" },
    button(say("back-to-matches"), home, { class: "small" }),
    el("span", { class: "where", text: [now.title, now.chapter].filter(Boolean).join(", ") }),
    button(say("menu"), menu, { class: "small", "aria-haspopup": "dialog" }));
  const asked = el("h1", { id: "asked", tabIndex: -1, text: now.asked });
  const due = now.due ? paragraph(now.due, { class: "due" }) : null;
  const fresh = now.fresh ? paragraph(now.fresh, { class: "fresh" }) : null;
  shown("table", bar,
    el("div", { class: "table" },
      el("section", { class: "choosing", "aria-labelledby": "asked" }, asked, due, fresh, newsOf(now), rowsOf(now), trayOf(now)),
      el("section", { class: "seen", "aria-label": say("table") },
        now.picture ? pictureOf(now.picture, now.at) : null,
        now.picture && now.picture.spots.length ? paragraph(say("touch"), { class: "note" }) : null,
        el("details", {}, el("summary", { text: say("table") }), now.hand ? paragraph(now.hand) : null, el("pre", { text: now.table, tabIndex: 0 })),
        el("details", {}, el("summary", { text: say("story") }), el("pre", { class: "story", text: now.latest })))));
  return undefined;
}

function waitingForJoin() {
  shown("joining", el("nav", { class: "bar" }, button(say("back-to-matches"), home, { class: "small" }), el("span", { class: "where", text: scene.title })),
    el("h1", { text: say("joining") }), ...scene.told.map((text) => paragraph(text)),
    el("div", { class: "ways" },
      scene.entry ? button(say("send-old"), sendOld) : null,
      scene.door ? button(say("look-for-news"), () => news(false)) : null,
      button(say("backup"), backup), button(say("forget"), forget)), bringing());
}

function newsOf(now) {
  if (!now.news) return null;
  return el("details", { class: "news", open: true }, el("summary", { text: say("news") }), el("pre", { class: "story", text: now.news }),
    button(say("close"), async () => (await wish({ do: "looked" })) && table(), { class: "small" }));
}

// The rows of a dialog or of the screen; what follows a tap is the same. Each knows the scene it was shown in: what came
// from the host meanwhile never turns a tap into another choice.
function rowsOf({ rows, at }) {
  return el("ul", { class: "rows", "aria-label": say("choices") }, ...rows.map((row) => {
    if (row.do === "note") return el("li", {}, paragraph([row.label, row.effect].filter(Boolean).join(" "), { class: "note" }));
    const kind = row.do === "send" || row.do === "deliver" ? "row first" : "row";
    const main = el("button", { type: "button", class: kind, "data-do": row.do, on: { click: () => take(row, at) } },
      el("span", { class: "label", text: row.label }), row.effect ? el("span", { class: "effect", text: row.effect }) : null);
    if (row.do === "offer") main.setAttribute("aria-pressed", String(row.taken));
    const more = row.more ? button("…", () => more_(row, at), { class: "more", "aria-label": say("say-more", { label: row.label }) }) : null;
    return el("li", {}, main, more);
  }));
}

function trayOf(now) {
  if (!now.tray.length && !now.words.length) return null;
  const rows = now.tray.map((text, index) => el("li", {}, el("span", { text }), button("×", () => undo(index), { class: "close", "aria-label": say("take-back", { label: text }) })));
  return el("section", { class: "tray", "aria-label": say("tray") }, el("h2", { text: say("tray") }), el("ol", {}, ...rows), ...now.words.map((text) => paragraph(text, { class: "note" })),
    button(say("look-at-file"), file, { class: "first" }));
}

const SCREENS = { send: () => file(), deliver: () => sendOld(), talk: () => talk(), orders: () => orders(), story: () => story(-1), table: () => wholeTable() };

// Whether a tap on what was shown in that scene counts: not the second of two, and not on what is not there any more.
let tapped = 0;
function counts(at) {
  if (tapped === at) return false;
  if (at === scene?.at) {
    tapped = at;
    document.querySelector("#told:not(.trouble)")?.replaceChildren(); // what was told is known by now
    return true;
  }
  closed();
  table();
  return false;
}

async function take(row, at) {
  if (!counts(at)) return undefined;
  const told = await wish({ do: "take", row: row.row, at });
  if (!told) return refreshed();
  if (told.screen) {
    closed();
    table();
    return SCREENS[told.screen]?.();
  }
  return again(row);
}

// After a choice: in the sheet of a touched place as long as it leads deeper, else at the table.
function again(row) {
  const sheet = document.querySelector("dialog.sheet[open]");
  const deeper = scene.rows[0]?.do === "back";
  if (sheet && deeper && row.do !== "back") return sheetOf(sheet);
  closed();
  table();
  document.getElementById("asked")?.focus({ preventScroll: row.do === "offer" });
  return undefined;
}

async function refreshed() {
  const told = await ask({ do: "look" });
  const trouble = document.querySelector("dialog[open] .told.trouble p")?.textContent;
  closed();
  if (told.ok) table();
  if (trouble) tell(trouble, true);
}

async function more_(row, at) {
  if (!counts(at)) return undefined;
  if (!(await wish({ do: "more", row: row.row, at }))) return refreshed();
  const sheet = document.querySelector("dialog.sheet[open]");
  return sheet ? sheetOf(sheet) : table();
}

async function touch(spot, at) {
  if (!counts(at)) return undefined;
  if (!(await wish({ do: "touch", spot, at }))) return refreshed();
  const made = dialog(scene.asked);
  made.classList.add("sheet");
  made.addEventListener("close", async () => {
    if (scene && scene.rows[0]?.do === "back" && document.documentElement.dataset.screen === "table") {
      await ask({ do: "back" });
      table();
    }
  }, { once: true });
  return sheetOf(made);
}

function sheetOf(sheet) {
  sheet.querySelector("h2").textContent = scene.asked;
  sheet.querySelector(".inside").replaceChildren(rowsOf(scene));
  sheet.querySelector(".inside button")?.focus();
}

async function undo(index) {
  const told = await wish({ do: "undo", index });
  if (!told) return;
  table();
  if (told.note) tell(told.note);
}

// --- a file --------------------------------------------------------------------------------------------------

async function file() {
  const told = await wish({ do: "file" });
  if (!told) return;
  const { summary, check, fault, empty, same, entry } = told.preview;
  const { at } = scene; // what is looked at is what is signed
  const sign = async (again) => {
    const answer = await wish({ do: "sign", at, again });
    if (!answer) return refreshed();
    closed();
    table();
    if (answer.file) leaving(answer.file);
    return undefined;
  };
  const ways = [];
  if (!empty && !fault) {
    if (same) ways.push(button(say("send-old"), () => sendOld(entry)), button(say("sign-again"), () => sign(true)));
    else ways.push(button(say(scene.practice ? "sign-practice" : "sign"), () => sign(false), { class: "first" }));
  }
  dialog(say("your-file"), same ? paragraph(same) : null, el("pre", { class: "story", text: summary }), check ? paragraph(check, { class: fault ? "fault" : "" }) : null,
    el("div", { class: "ways" }, ...ways, button(say("not-yet"), closed)));
}

async function sendOld(entry = "") {
  const told = await wish({ do: "again", entry: typeof entry === "string" ? entry : "" });
  if (told) leaving(told.file);
}

function leaving(leaf) {
  const left = async (way, place) => {
    const told = await wish({ do: "left", text: leaf.text, way, place });
    if (told) table();
    return told;
  };
  const note = el("p", { role: "status", id: "left" });
  const name = leaf.name;
  const asFile = () => new File([leaf.text + "\n"], name.replace(".json", ".txt"), { type: "text/plain" });
  const ways = [];
  if (scene.door) ways.push(button(say("send"), (event) => carry(leaf, note, event.target), { class: "first" }));
  if (navigator.canShare?.({ files: [asFile()] })) ways.push(button(say("share"), async () => {
    try {
      await navigator.share({ files: [asFile()], title: name });
    } catch {
      return;
    }
    note.textContent = say("downloaded", { name });
    await left("write", name);
  }));
  ways.push(button(say("download"), async () => {
    save(name, new Blob([leaf.text + "\n"], { type: "application/json" }));
    note.textContent = say("downloaded", { name });
    await left("write", name);
  }, { class: scene.door ? "" : "first" }));
  ways.push(button(say("copy"), async () => {
    await navigator.clipboard.writeText(leaf.armour);
    note.textContent = say("copied");
    await left("armour", say("copy"));
  }));
  dialog(say("your-file"), paragraph(leaf.ok ? say("signed") : say("refused", { said: leaf.said }), { class: leaf.ok ? "" : "fault" }),
    ...leaf.warnings.map((text) => paragraph(text, { class: "note" })), note, el("div", { class: "ways" }, ...ways, button(say("not-yet"), closed)),
    el("details", {}, el("summary", { text: say("as-text") }), el("pre", { class: "armour", text: leaf.armour, tabIndex: 0 })));
}

// The picture speaks with our own letters, so that what was measured to fit does fit.
let letters = "";
async function fetchLetters() {
  const faces = { "Pbem Text": "pbem-text.ttf", "Pbem Poster": "pbem-poster.ttf" };
  const rules = await Promise.all(Object.entries(faces).map(async ([family, name]) => {
    const raw = new Uint8Array(await (await fetch(name)).arrayBuffer());
    return `@font-face{font-family:"${family}";src:url(data:font/ttf;base64,${base64(raw)})}`;
  }));
  letters = `<style>${rules.join("")}</style>`;
}

const imageOf = (svg) => URL.createObjectURL(new Blob([svg.replace(/^<svg[^>]*>/, (tag) => tag + letters)], { type: "image/svg+xml" }));

function save(name, blob) {
  const url = URL.createObjectURL(blob);
  const link = el("a", { href: url, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 60000);
}

const pause = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));

// To the host's door: the file, then its receipt, then the records that it became.
async function carry(leaf, note, pressed) {
  const { door } = await ask({ do: "door" });
  pressed.disabled = true;
  note.textContent = say("sending");
  const sent = await post("file", { door: door.url, match: door.match, word: door.word, text: leaf.text });
  pressed.disabled = false;
  if (sent.status !== 202 && sent.status !== 200) {
    note.textContent = trouble(sent);
    return;
  }
  const { receipt } = JSON.parse(new TextDecoder().decode(sent.data));
  note.textContent = say("sent", { receipt: String(receipt).slice(0, 8) });
  await wish({ do: "left", text: leaf.text, way: "door", place: new URL(door.url).host });
  table();
  for (const wait of [300, 700, 1500, 3000, 6000, 12000]) {
    await pause(wait);
    const answer = await post("receipt", { door: door.url, match: door.match, word: door.word, receipt: String(receipt) });
    if (answer.status !== 200) continue;
    const became = JSON.parse(new TextDecoder().decode(answer.data));
    if (became.state === "waiting") continue;
    await news(true);
    note.textContent = became.state === "recorded" ? say("recorded", { n: became.record ?? "" }) : say("host-refused", { why: became.why || "" });
    const broken = became.reject?.body?.rules || [];
    const rules = broken.length ? await wish({ do: "rules", rows: broken }) : null;
    if (rules) note.append("\n", rules.text);
    return;
  }
  note.textContent = say("waiting");
}

let looking = false;
async function news(quiet) {
  if (looking || !scene) return;
  looking = true;
  try {
    const match = scene.match;
    let fresh = 0;
    // An answer of the host holds a part of many records: asked until there is nothing more.
    for (;;) {
      const { door } = await ask({ do: "door", match });
      if (!door) return;
      if (!quiet && !fresh) tell(say("looking"));
      const answer = await post("lines", { door: door.url, match: door.match, word: door.word, after: door.after });
      if (answer.status !== 200) return void (quiet || tell(trouble(answer), true));
      const told = await wish({ do: "answered", match, data: base64(answer.data) });
      if (!told) return;
      fresh += told.new;
      if (!told.new) break;
      if (scene?.match === match && !document.querySelector("dialog.sheet[open]")) table();
    }
    if (!quiet || fresh) tell(fresh ? say("new-records", { n: fresh }) : say("no-news"));
  } finally {
    looking = false;
  }
}

// While others are asked their turns appear by themselves: the host's door answers as soon as there is a record, or after
// LISTEN seconds. What comes while somebody has begun to choose or to read is left at the host until he is through.
const LISTEN = 20;
let listening = false;
const idle = () => scene && scene.door && document.visibilityState === "visible" && !document.querySelector("dialog[open]") && !(scene.tray || []).length && !scene.mine;

async function listen() {
  if (listening || looking || !idle()) return;
  listening = true;
  try {
    const match = scene.match;
    const { door } = await ask({ do: "door", match });
    if (!door) return;
    const begun = Date.now();
    const answer = await post("lines", { door: door.url, match: door.match, word: door.word, after: door.after, wait: LISTEN });
    if (answer.status === 200 && answer.data.length) {
      if (idle() && scene.match === match) await news(true);
    } else {
      await pause(Math.max(0, LISTEN * 1000 - (Date.now() - begun))); // a host in trouble, or with too many who listen
    }
  } finally {
    listening = false;
  }
}

setInterval(listen, 1000);

// --- besides -------------------------------------------------------------------------------------------------

function menu() {
  const entries = [
    scene.door && ["look-for-news", () => news(false)],
    !scene.settled && ["talk", talk],
    !scene.settled && ["orders", orders],
    ["story", () => story(-1)],
    ["audit", audit],
    ["rules", () => read("rules")],
    scene.practice && ["hint", () => read("hint")],
    scene.practice && ["review", () => read("review")],
    ["bring", () => dialog(say("bring"), bringing())],
    !scene.practice && ["backup", backup],
    ["forget", forget],
  ].filter(Boolean);
  dialog(say("menu"), el("ul", { class: "rows" }, ...entries.map(([key, act]) => el("li", {}, button(say(key), () => {
    closed();
    act();
  }, { class: "row" })))));
}

async function read(what) {
  const told = await wish({ do: what });
  if (told) dialog(say(what), el("pre", { class: "story", text: told.text }));
}

function wholeTable() {
  dialog(say("table"), scene.hand ? paragraph(scene.hand) : null, el("pre", { text: scene.table, tabIndex: 0 }),
    scene.hosted ? paragraph(scene.hosted, { class: "hosted" }) : null);
}

function talk() {
  const all = el("textarea", { id: "talk-all", rows: 2, maxLength: 280, value: scene.say });
  const ones = Object.entries(scene.others).map(([seat, name]) => [seat, name, el("textarea", { id: `talk-${seat}`, rows: 1, maxLength: 280, value: scene.tell[seat] || "" })]);
  const keep = async () => {
    const told = await wish({ do: "talk", say: all.value, tell: Object.fromEntries(ones.map(([seat, , typed]) => [seat, typed.value])) });
    closed();
    if (told) table();
  };
  dialog(say("talk"), el("div", { class: "field" }, el("label", { htmlFor: "talk-all", text: say("talk-all") }), all),
    ...ones.map(([seat, name, typed]) => el("div", { class: "field" }, el("label", { htmlFor: `talk-${seat}`, text: say("talk-one", { name }) }), typed)),
    el("div", { class: "ways" }, button(say("keep"), keep, { class: "first" }), button(say("cancel"), closed)));
}

async function orders() {
  const told = await wish({ do: "orders" });
  if (told) ordersOf(told.orders);
}

function ordersOf(told) {
  const change = async (question) => {
    const answer = await wish({ do: "order", ...question });
    if (answer) {
      table();
      ordersOf(answer.orders);
    }
  };
  const rows = told.lines.map((line, at) => {
    if (!line.can && !line.send) return el("li", {}, paragraph([line.label, line.effect].filter(Boolean).join("  "), { class: "note" }));
    return el("li", {}, el("button", { type: "button", class: line.send ? "row first" : "row", on: { click: () => (line.send ? file() : change({ line: at })) } },
      el("span", { class: "label", text: line.label }), line.effect ? el("span", { class: "effect", text: line.effect }) : null));
  });
  const typed = el("input", { id: "rule", autocapitalize: "off", spellcheck: false });
  dialog(say("orders"), el("ul", { class: "rows" }, ...rows),
    el("div", { class: "field" }, el("label", { htmlFor: "rule", text: say("orders-type") }), typed),
    button(say("add"), () => typed.value.trim() && change({ text: typed.value.trim() })),
    told.answers ? el("pre", { class: "story", text: told.answers }) : null,
    el("details", {}, el("summary", { text: say("orders-vocabulary") }), el("pre", { text: told.vocabulary, tabIndex: 0 })));
}

let momentUrl = "";
async function story(index) {
  const told = await wish({ do: "moment", index });
  if (!told) return;
  const { moment } = told;
  if (momentUrl) URL.revokeObjectURL(momentUrl);
  momentUrl = moment.picture ? imageOf(moment.picture.svg) : "";
  const step = (key, to) => button(say(key), () => story(to), { disabled: to < 0 || to >= moment.count || to === moment.index });
  dialog(say("story"), paragraph(moment.title, { class: "note" }),
    el("div", { class: "steps" }, step("first", 0), step("earlier", moment.index - 1), step("later", moment.index + 1), step("last", moment.count - 1)),
    el("pre", { class: "story", text: moment.text }),
    moment.proofs ? button(say("proofs"), () => proofs(moment.seq, moment.index)) : null,
    moment.picture ? el("img", { class: "moment", src: momentUrl, alt: moment.picture.alt, width: moment.picture.width, height: moment.picture.height }) : null);
}

async function proofs(seq, index) {
  const told = await wish({ do: "audit", seq });
  if (told) dialog(say("proofs"), ...told.proofs.map((text) => el("pre", { text, tabIndex: 0 })), button(say("story"), () => story(index)));
}

async function audit() {
  const told = await wish({ do: "audit" });
  if (!told) return;
  const found = told.audit;
  dialog(say("audit"), paragraph(found.told, { class: found.ok ? "" : "fault" }), paragraph(found.counts, { class: "note" }), paragraph(say("audit-head", { head: found.head })),
    ...found.faults.map((text) => paragraph(text, { class: "fault" })));
}

async function backup() {
  const told = await wish({ do: "backup", match: scene.match });
  if (!told) return;
  save(told.name, new Blob([Uint8Array.from(atob(told.data), (letter) => letter.charCodeAt(0))], { type: "application/zip" }));
  tell(say("backup-about"));
}

function forget() {
  const name = scene.match;
  dialog(say("forget"), paragraph(say("forget-sure")), el("div", { class: "ways" }, button(say("remove"), async () => {
    closed();
    if (await wish({ do: "forget", match: name })) home();
  }), button(say("cancel"), closed)));
}
