// The host's API: what is new there, for the open match and for the list, by itself while one waits.
import { app, pause, redraw, notify } from "./app.mjs";
import { ask, post, wish } from "./ask.mjs";
import { base64 } from "./bytes.mjs";
import { beReady } from "./leave.mjs";
import { remedy } from "./remedies.mjs";
import { showNews } from "./since.mjs";
import { apiTrouble, areLines, objectOf } from "./trouble.mjs";
import { say } from "./words.mjs";

/** The look that goes on. @type {Promise<unknown> | null} */
let looking = null;

/**
 * All that is new of one match at its host's API; how much that was, or what went wrong.
 * @param {string} match
 * @param {{ begun?: () => void, part?: () => void }} [more]
 * @returns {Promise<{ fresh: number, proposed?: number, trouble?: import("./trouble.mjs").Trouble, refused?: boolean }>} `refused`: what came is not what it should be
 */
export async function bringNews(match, { begun, part } = {}) {
  let fresh = 0;
  // An answer of the host holds a part of many records: asked until there is nothing more.
  for (;;) {
    const { api } = await ask({ do: "api", match });
    if (!api) return { fresh };
    if (!fresh) begun?.();
    let word = (api.join ? await lastingWord(match, api) : api.word) || (await wordByKeys(match, api));
    let answer = await post("lines", { api: api.url, match: api.match, word, after: api.after });
    if (answer.status === 401 && word === api.word) {
      const newer = await wordByKeys(match, api); // the host has given the seat another word
      if (newer) answer = await post("lines", { api: api.url, match: api.match, word: newer, after: api.after });
      word = newer;
    }
    const trouble = apiTrouble(answer.status === 200 && !areLines(answer.data) ? { status: 0, fault: "login" } : answer);
    if (trouble) return { fresh, trouble };
    const taken = await ask({ do: "answered", match, data: base64(answer.data) });
    if (!taken.ok) return { fresh, refused: true, trouble: { text: [taken.fault, taken.hint].filter(Boolean).join("\n"), help: taken.help ? [/** @type {any} */ (taken.help)] : ["retry"] } };
    fresh += taken.new;
    if (!taken.new) {
      return { fresh, proposed: await bringProposals(match, { ...api, word }) };
    }
    part?.();
  }
}

// What other seats propose makes no record until all have agreed, and no email brings it to a seat without an address.
// A host of an older release has none to give. How many were new.
/** @param {string} match @param {{ url: string, match: string, word: string }} api */
async function bringProposals(match, api) {
  const answer = await post("proposals", { api: api.url, match: api.match, word: api.word });
  if (answer.status !== 200 || !answer.data.length || !areLines(answer.data)) return 0;
  const taken = await ask({ do: "proposals", match, data: base64(answer.data) });
  if (taken.new && app.scene?.match === match) redraw();
  return taken.new ?? 0;
}

// The code of an invitation dies with the seat's first turn. What became of the join brings the word that stays.
/** @param {string} match @param {{ url: string, match: string, word: string, join: string }} api */
async function lastingWord(match, api) {
  const answer = await post("receipt", { api: api.url, match: api.match, word: api.word, receipt: api.join });
  const became = answer.status === 200 ? objectOf(answer.data) : null;
  if (became?.state !== "recorded") return api.word;
  const word = typeof became.word === "string" && became.word ? became.word : api.word;
  await ask({ do: "api", match, set: { url: api.url, word } });
  return word;
}

// Whoever holds the seat's keys is given its word: no email brings it.
/** @param {string} match @param {{ url: string, match: string }} api */
async function wordByKeys(match, api) {
  const { file } = await ask({ do: "api-key", match });
  const answer = await post("word", { api: api.url, match: api.match, text: file });
  const word = answer.status === 200 ? objectOf(answer.data)?.word : "";
  if (typeof word !== "string" || !word) return "";
  await ask({ do: "api", match, set: { url: api.url, word } });
  return word;
}

/** Ask for the open match. @param {boolean} quiet without news nothing is shown @param {boolean} [there] there is a record, which a look that has begun may not bring */
export async function look(quiet, there = false) {
  while (there && looking) await looking;
  const { scene } = app;
  if (looking || !scene) return;
  /** @type {(value?: unknown) => void} */
  let free = () => {};
  looking = new Promise((done) => (free = done));
  let fresh;
  try {
    const news = await bringNews(scene.match, { begun: () => quiet || notify(say("looking")), part: () => app.scene?.match === scene.match && redraw() });
    if (app.scene?.match !== scene.match) return;
    if (news.trouble) {
      if (!quiet || news.refused) notify(news.trouble.text, { trouble: true, help: news.trouble.help.flatMap((name) => remedy(name, {}, { retry: () => look(false) })) });
    } else if (!quiet) notify(news.fresh ? say("new-records", { n: news.fresh }) : news.proposed ? say("new-proposal") : say("no-news"));
    ({ fresh } = news);
  } finally {
    looking = null;
    free();
  }
  await beReady(scene.match);
  if (fresh && app.scene?.match === scene.match && app.scene.news && !app.news && !app.sheet && !app.chosen.length) await showNews();
}

// While others are asked their turns appear by themselves: the host's API answers as soon as there is a record, or
// after LISTEN seconds. What comes while somebody has begun to choose or to read is left at the host until that is done.
const LISTEN = 20;
let listening = false;
const idle = () => app.scene?.api && document.visibilityState === "visible" && !app.sheet && !(app.scene.tray || []).length && !app.scene.mine && (app.screen === "table" || app.screen === "joining");

export async function listen() {
  if (listening || looking || !idle()) return;
  listening = true;
  try {
    const match = /** @type {import("../types.js").Scene} */ (app.scene).match;
    const { api } = await ask({ do: "api", match });
    if (!api) return;
    const begun = Date.now();
    const answer = await post("lines", { api: api.url, match: api.match, word: api.word, after: api.after, wait: LISTEN });
    if (answer.status === 200 && answer.data.length && areLines(answer.data)) {
      if (idle() && app.scene?.match === match) await look(true);
    } else {
      if (idle() && app.scene?.match === match) await bringProposals(match, api);
      await pause(Math.max(0, LISTEN * 1000 - (Date.now() - begun))); // a host in trouble, or with too many who listen
    }
  } finally {
    listening = false;
  }
}

// The list is fresh whenever it is looked at: each match's API is asked, a few at a time, and nothing waits for it.
const APART = 15000;
let refreshed = 0;
let refreshing = false;

/** @param {boolean} [now] asked for by the player: also when it was a moment ago */
export async function refreshList(now = false) {
  if (refreshing || (!now && Date.now() - refreshed < APART)) return;
  refreshing = true;
  let trouble = null;
  try {
    for (const match of app.matches.filter((row) => !row.practice && !row.over)) {
      if (app.screen !== "home") return;
      const news = await bringNews(match.id);
      trouble ??= news.trouble;
      await beReady(match.id);
      if (news.fresh) await readList();
    }
    refreshed = Date.now();
    if (now) notify(trouble ? trouble.text : say("list-fresh"), trouble ? { trouble: true, help: trouble.help.flatMap((name) => remedy(name, {}, { retry: () => refreshList(true) })) } : {});
  } finally {
    refreshing = false;
    redraw();
  }
}

/** A host has called this device: what is looked at is asked for again. */
export async function called() {
  refreshed = 0;
  if (app.screen === "home") await refreshList();
  else if (idle()) await look(true);
}

/** The list as this device knows it, and the number on the page's icon. */
export async function readList() {
  const answer = await wish({ do: "matches" });
  if (!answer) return;
  const games = answer.games ?? app.games;
  redraw({ matches: answer.matches, games, game: app.game || (games.find((/** @type {{ practice: boolean }} */ game) => game.practice)?.id ?? ""), quiet: Boolean(answer.quiet) });
  badge(answer.matches);
}

/** How many people wait for this player. @param {{ mine: boolean, practice: boolean }[]} matches */
export function badge(matches) {
  const count = matches.filter((match) => match.mine && !match.practice).length;
  const badged = count ? navigator.setAppBadge?.(count) : navigator.clearAppBadge?.();
  badged?.catch?.(() => {}); // a page that is not installed has no icon
}
