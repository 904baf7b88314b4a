// The state of the page: `read` gives it, messages change it, and whoever subscribed hears of each. Nothing here knows a
// game or decides a rule.
import { replaced } from "./svg.mjs";
import { grafted, sameParts } from "./touch.mjs";

/** @import { Changes, Messages, OpenMatch, Playback, State } from "../types.js" */

/** @type {OpenMatch} */
const NO_MATCH = { scene: null, chosen: [], since: 0, why: "", weighed: null, news: null, tab: "table", status: "", leaf: null, wide: null };

/** @type {State} */
let state = {
  screen: { name: "" },
  match: NO_MATCH,
  list: { matches: [], games: [], game: "", quiet: false },
  host: { says: "", api: "" },
  sheet: null,
  notice: null,
  device: { link: "", notes: [], install: false, version: null },
};

/** @type {Set<(kind: keyof Messages, given: any) => void>} */
const listeners = new Set();

/** The state as it is now. */
export const read = () => state;

/** Calls `listener` after each message. @param {(kind: keyof Messages, given: any) => void} listener */
export const subscribe = (listener) => void listeners.add(listener);

/**
 * Changes the state by a message, or asks the page for another screen by one.
 * @template {keyof Messages} K
 * @param {K} kind
 * @param {Messages[K] extends void ? [] : [given: Messages[K]]} given
 */
export function send(kind, ...given) {
  const change = /** @type {((state: State, given: any) => State) | undefined} */ (CHANGES[/** @type {keyof Changes} */ (kind)]);
  if (change) state = change(state, given[0]);
  for (const listener of listeners) listener(kind, given[0]);
}

/** @param {State} before @param {Partial<OpenMatch>} match @returns {State} */
const inMatch = (before, match) => ({ ...before, match: { ...before.match, ...match } });

/** @param {State} before @param {Partial<State["device"]>} device @returns {State} */
const onDevice = (before, device) => ({ ...before, device: { ...before.device, ...device } });

/** @param {State} before @param {(news: Readonly<Playback>) => Partial<Playback>} change @returns {State} */
const inNews = (before, change) => (before.match.news ? inMatch(before, { news: { ...before.match.news, ...change(before.match.news) } }) : before);

/** The table as the step that was shown leaves it, and the next step, if there is one. @param {Readonly<Playback>} news */
function stepped(news) {
  const step = news.steps[news.at];
  const figures = { ...news.figures, ...Object.fromEntries((step?.figures || []).map(({ part, words }) => [part, words])) };
  const tree = news.tree && step ? /** @type {Playback["tree"]} */ (replaced(news.tree, step.parts || {})) : news.tree;
  return { at: Math.min(news.at + 1, news.steps.length - 1), tree, figures };
}

/** @type {{ [K in keyof Changes]: (before: State, given: Changes[K]) => State }} */
const CHANGES = {
  "last-table-opened": (before) => ({ ...before, screen: { name: "last" } }),
  "home-opened": (before) => ({ ...before, screen: { name: "home" }, match: NO_MATCH, notice: null }),
  "invitation-opened": (before, invitation) => ({ ...before, screen: { name: "invitation", invitation }, sheet: null }),
  "keys-missing": (before, { match, text }) => ({ ...before, screen: { name: "lost", match, text }, sheet: null }),
  "table-opened": (before) => ({ ...before, screen: { name: before.match.scene?.joining ? "joining" : "table" }, sheet: null }),

  scene: (before, scene) => {
    const same = before.match.scene?.match === scene.match;
    const fresh = { scene, weighed: null, chosen: [], why: "", since: Date.now() };
    const waits = before.screen.name === "joining" || before.screen.name === "table";
    const after = inMatch(before, same ? fresh : { ...fresh, wide: null, status: "", leaf: null, tab: "table" });
    return waits ? { ...after, screen: { name: scene.joining ? "joining" : "table" } } : after; // the host has answered
  },
  chosen: (before, { parts, why, since }) => ({ ...inMatch(before, { chosen: parts, why, since, status: "" }), notice: null }),
  "choice-cleared": (before) => inMatch(before, { chosen: [], why: "", since: Date.now() }),
  branch: (before, { parts, node }) => {
    const { scene, chosen, since } = before.match;
    if (!scene?.tree) return before;
    return inMatch(before, { scene: { ...scene, tree: grafted(scene.tree, parts, node) }, since: sameParts(parts, chosen) ? Date.now() : since });
  },
  weighed: (before, weighed) => inMatch(before, { weighed }),
  status: (before, status) => inMatch(before, { status }),
  leaving: (before, leaf) => inMatch(before, { leaf }),
  tab: (before, tab) => inMatch(before, { tab }),
  "wide-drawing": (before, wide) => inMatch(before, { wide }),

  news: (before, { moving, ...news }) => inMatch(before, { news: { ...news, held: null, figures: {}, ...(moving ? { at: -1, tree: news.begin?.tree ?? null } : { at: news.steps.length - 1, tree: null }) } }),
  "news-step": (before) => inNews(before, stepped),
  "news-held": (before, held) => inNews(before, () => ({ held })),
  "news-over": (before) => inMatch(before, { news: null }),
  "news-left": (before, news) => (before.match.scene ? inMatch(before, { scene: { ...before.match.scene, news } }) : before),

  "sheet-opened": (before, sheet) => ({ ...before, sheet, notice: null }),
  "sheet-closed": (before) => ({ ...before, sheet: null }),
  notice: (before, notice) => ({ ...before, notice }),

  list: (before, list) => ({ ...before, list: { ...before.list, ...list } }),
  "served-by": (before, host) => ({ ...before, host }),
  link: (before, link) => onDevice(before, { link }),
  notes: (before, notes) => onDevice(before, { notes }),
  install: (before, install) => onDevice(before, { install }),
  version: (before, version) => onDevice(before, { version }),
  redraw: (before) => before,
};
