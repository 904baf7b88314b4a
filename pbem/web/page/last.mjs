// The last public table, shown while Python starts: never a hand, whose key is not open yet.
import { read } from "./store.mjs";
import { drawing, sized } from "./svg.mjs";
import { html } from "./view.mjs";
import { clock, say } from "./words.mjs";

/** @typedef {{ match: string, title: string, at: number, width: number, height: number, tree: any }} Last */

const KEY = "last";
let kept = 0;

/** Kept whenever another table is shown; let go where the player leaves it. */
export function keepLast() {
  const { screen, match: { scene, news } } = read();
  if (screen.name === "home") localStorage.removeItem(KEY);
  if (screen.name !== "table" || !scene?.board || scene.at === kept || news) return;
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
  return html`<div class="game last"><div class="bar"><span class="where">${last.title}</span></div>
    <div class="turn"><p id="notice" role="status">${say("last-table", { at: clock(last.at) })}</p></div>
    <section class="seen"><div class="board" aria-hidden="true" style=${{ aspectRatio: `${last.width} / ${last.height}` }}>${drawing(sized(last))}</div></section></div>`;
}
