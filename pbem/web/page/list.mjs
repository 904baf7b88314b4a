// The same choices as a list: for the keyboard, for screen readers, and for whoever likes lists.
import { ask, askOrNotify, refreshScene } from "./ask.mjs";
import { sendDraft, touchAll } from "./choose.mjs";
import { sendAgain } from "./exchange.mjs";
import { orders, story, wholeTable } from "./looking.mjs";
import { matters } from "./matters.mjs";
import { notify } from "./sheet.mjs";
import { read, send } from "./store.mjs";
import { talk } from "./talk.mjs";
import { html } from "./view.mjs";
import { say } from "./words.mjs";

/** @import { Row, Scene } from "../types.js" */

/** @type {Record<string, () => unknown>} */
const SCREENS = { send: () => sendDraft(), deliver: () => sendAgain(""), talk, orders, matters, story: () => story(-1), table: wholeTable };

/** Each row knows the scene it was shown in: what came from the host meanwhile turns no tap into another choice. @param {{ scene: Scene }} given */
export function List({ scene }) {
  return html`<ul class="rows" aria-label=${say("choices")}>${scene.rows.map((row) => html`<${RowView} key=${`${row.do} ${row.label} ${(row.touch || []).join()}`} row=${row} at=${scene.at} />`)}</ul>`;
}

/** @param {{ row: Row, at: number }} given */
function RowView({ row, at }) {
  if (row.do === "note") return html`<li><p class="note">${[row.label, row.effect].filter(Boolean).join(" ")}</p></li>`;
  const looks = row.do === "send" || row.do === "deliver" ? "row first" : "row";
  const chosen = Boolean(row.touch?.length) && row.touch?.join("\n") === read().match.chosen.join("\n");
  return html`<li><button type="button" class=${looks} data-do=${row.do} aria-pressed=${row.do === "offer" ? String(row.taken) : chosen ? "true" : undefined} onClick=${() => takeRow(row, at)}>
      <span class="label">${row.label}</span>${row.effect && html`<span class="effect">${row.effect}</span>`}</button>
    ${row.more && html`<button type="button" class="more" aria-label=${say("say-more", { label: row.label })} onClick=${() => openDeeper(row, at)}>…</button>`}</li>`;
}

let tapped = 0;
/** Whether a tap on what was shown in that scene counts: not the second of two, and not on what is not there any more. @param {number} at */
function counts(at) {
  const { match, notice } = read();
  if (tapped === at || at !== match.scene?.at) return false;
  tapped = at;
  if (notice && !notice.trouble) notify("");
  return true;
}

/** @param {Row} row @param {number} at */
async function takeRow(row, at) {
  if (row.touch?.length && row.do === "action") return touchAll(row.touch);
  if (row.do in SCREENS) return at === read().match.scene?.at ? SCREENS[row.do]() : undefined;
  if (!counts(at)) return undefined;
  const answer = await askOrNotify({ do: "take", row: row.row, at });
  if (!answer) return refreshScene();
  send("status", ""); // as for a touch: what was said of the file before is not said of this choice
  document.getElementById("asked")?.focus({ preventScroll: row.do === "offer" });
  return answer.screen ? SCREENS[answer.screen]?.() : undefined;
}

/** @param {Row} row @param {number} at */
async function openDeeper(row, at) {
  if (!counts(at)) return;
  if (!(await askOrNotify({ do: "more", row: row.row, at }))) await refreshScene();
}

/** What lies in the draft, and the way back. @param {{ scene: Scene }} given */
export function Draft({ scene }) {
  if (!scene.tray.length && !scene.words.length) return null;
  return html`<section class="tray" aria-label=${say("tray")}><h2>${say("tray")}</h2>
    <ol>${scene.tray.map((text, at) => html`<li key=${`${at} ${text}`}><span>${text}</span><button type="button" class="close" aria-label=${say("take-back", { label: text })} onClick=${() => undo(at)}>×</button></li>`)}</ol>
    ${scene.words.map((text) => html`<p class="note">${text}</p>`)}</section>`;
}

/** @param {number} index of the draft; -1 is the last */
export async function undo(index) {
  const answer = await ask({ do: "undo", index });
  if (!answer.ok) return refreshScene();
  if (answer.note) notify(answer.note);
  return undefined;
}
