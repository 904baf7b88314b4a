// What comes by itself: the open match while one waits, the list whenever it is looked at, both when a host calls.
import { bringNews, bringProposals } from "./api.mjs";
import { apiOf, askOrNotify, postTo } from "./ask.mjs";
import { isLooking, look, sendShufflePart } from "./exchange.mjs";
import { notify } from "./sheet.mjs";
import { read, send } from "./store.mjs";
import { areLines } from "./trouble.mjs";
import { pause } from "./waiting.mjs";
import { say } from "./words.mjs";

// While others are asked their turns appear by themselves: the host's API answers as soon as there is a record, or
// after LISTEN seconds. What comes while somebody has begun to choose or to read is left at the host until that is done.
const LISTEN = 20;
let listening = false;

/** The match that is open, while its player only waits; empty where there is none. */
function waitedFor() {
  const { screen, sheet, match: { scene } } = read();
  const waits = scene?.api && !sheet && !(scene.tray || []).length && !scene.mine && (screen.name === "table" || screen.name === "joining");
  return waits && document.visibilityState === "visible" ? scene.match : "";
}

export async function listen() {
  const match = waitedFor();
  if (listening || isLooking() || !match) return;
  listening = true;
  try {
    const api = await apiOf(match);
    if (!api) return;
    const begun = Date.now();
    const answer = await postTo("lines", api, { after: api.after, wait: LISTEN });
    if (answer.status === 200 && answer.data.length && areLines(answer.data)) {
      if (waitedFor() === match) await look(true);
    } else {
      if (waitedFor() === match) await bringProposals(match, api);
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
    for (const match of read().list.matches.filter((row) => !row.practice && !row.over)) {
      if (read().screen.name !== "home") return;
      const news = await bringNews(match.id);
      trouble ??= news.trouble;
      await sendShufflePart(match.id);
      if (news.fresh) await readList();
    }
    refreshed = Date.now();
    if (now) notify(trouble ? trouble.text : say("list-fresh"), trouble ? { trouble: true, help: trouble.help, retry: () => refreshList(true) } : {});
  } finally {
    refreshing = false;
    send("redraw");
  }
}

/** A host has called this device: what is looked at is asked for again. */
export async function refreshWhenCalled() {
  refreshed = 0;
  if (read().screen.name === "home") await refreshList();
  else if (waitedFor()) await look(true);
}

/** The list as this device knows it, and the number on the page's icon. */
export async function readList() {
  const answer = await askOrNotify({ do: "matches" });
  if (!answer) return;
  const { list } = read();
  const games = answer.games ?? list.games;
  const practice = games.find((/** @type {{ practice: boolean }} */ game) => game.practice)?.id ?? "";
  send("list", { matches: answer.matches, games, game: list.game || practice, quiet: Boolean(answer.quiet) });
  showCount(answer.matches);
}

/** How many people wait for this player. @param {{ mine: boolean, practice: boolean }[]} matches */
function showCount(matches) {
  const count = matches.filter((match) => match.mine && !match.practice).length;
  const badged = count ? navigator.setAppBadge?.(count) : navigator.clearAppBadge?.();
  badged?.catch?.(() => {}); // a page that is not installed has no icon
}
