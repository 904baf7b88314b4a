// The last public table, shown while Python starts: never a hand, whose key is not open yet.
import { app } from "./app.mjs";
import { drawing } from "./svg.mjs";
import { html } from "./view.mjs";
import { clock, say } from "./words.mjs";

/** @typedef {{ match: string, title: string, at: number, width: number, height: number, tree: any }} Last */

const KEY = "last";
let kept = 0;

/** Kept whenever another table is shown; let go where the player leaves it. */
export function keepLast() {
  const { scene } = app;
  if (app.screen === "home") localStorage.removeItem(KEY);
  if (app.screen !== "table" || !scene?.board || scene.at === kept || app.news) return;
  kept = scene.at;
  const { width, height, tree } = scene.board;
  const last = { match: scene.match, title: [scene.title, scene.chapter].filter(Boolean).join(", "), at: Date.now(), width, height, tree };
  try {
    localStorage.setItem(KEY, JSON.stringify(last));
  } catch {
    localStorage.removeItem(KEY); // no space: the next start shows nothing meanwhile
  }
}

/** @returns {Last | null} */
export function lastTable() {
  try {
    const stored = JSON.parse(localStorage.getItem(KEY) || "null");
    return stored && Array.isArray(stored.tree) && stored.width > 0 && stored.height > 0 ? stored : null;
  } catch {
    return null;
  }
}

export function LastScreen() {
  const last = lastTable();
  if (!last) return null;
  const [tag, given, ...inside] = last.tree;
  return html`<div class="game last"><div class="bar"><span class="where">${last.title}</span></div>
    <div class="turn"><p id="notice" role="status">${say("last-table", { at: clock(last.at) })}</p></div>
    <section class="seen"><div class="board" aria-hidden="true" style=${{ aspectRatio: `${last.width} / ${last.height}` }}>${drawing([tag, { ...given, viewBox: `0 0 ${last.width} ${last.height}`, width: "100%", height: "100%" }, ...inside])}</div></section></div>`;
}
