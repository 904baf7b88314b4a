// Choosing by touch: what a touch does at once, what is asked ahead, and the yes.
import { ask, askOrNotify, notifyFault, refreshScene } from "./ask.mjs";
import { leave, sendAgain } from "./exchange.mjs";
import { button } from "./parts.mjs";
import { clickedAt } from "./press.mjs";
import { closeSheet, notify, sheet } from "./sheet.mjs";
import { finishNews, showNews } from "./since.mjs";
import { read, send } from "./store.mjs";
import { drawing, partOf } from "./svg.mjs";
import { nodeAt, offerAt, sameParts, settledFor, touched } from "./touch.mjs";
import { html, useLayoutEffect, useRef } from "./view.mjs";
import { during, shown } from "./waiting.mjs";
import { plain, say } from "./words.mjs";

/** @import { Offer } from "../types.js" */

/** A part was touched: shown before anything is asked. @param {string} part */
export function touch(part) {
  if (read().match.news) finishNews();
  const { scene, chosen: before, since } = read().match;
  if (!scene) return;
  const { chosen, why } = touched(scene.tree, before, part, scene.why);
  const moved = !sameParts(chosen, before);
  const renamed = offerAt(scene.tree, chosen)?.label !== offerAt(scene.tree, before)?.label;
  send("chosen", { parts: chosen, why: moved ? "" : why || say("not-now"), since: renamed ? Date.now() : since });
  if (moved) void askAhead();
}

/** Several parts at once, as a row of the list names them. @param {string[]} parts */
export function touchAll(parts) {
  if (read().match.news) finishNews();
  send("chosen", { parts: [...parts], why: "", since: 0 });
  void askAhead();
  document.querySelector(/** @type {"button"} */ ("#yes"))?.focus();
}

/** What lies deeper, and what the yes would mean in full: asked once the touch is on the screen. */
const askAhead = () => during(async () => {
  const { scene, chosen: parts } = read().match;
  if (!scene) return;
  const shownYet = () => read().match.scene?.at === scene.at;
  const still = () => shownYet() && sameParts(parts, read().match.chosen);
  await shown();
  if (!still()) return;
  if (nodeAt(scene.tree, parts) === null) {
    const answer = await ask({ do: "branch", at: scene.at, parts });
    if (!answer.ok) return void (still() && notifyFault(answer));
    if (shownYet()) send("branch", { parts, node: answer.node });
  }
  if (still() && offerAt(read().match.scene?.tree, parts)) {
    const answer = await ask({ do: "weigh", at: scene.at, parts });
    if (answer.ok && still()) send("weighed", { parts, offer: answer.offer });
  }
});

/** What the action bar names now, with what follows once that is known. @returns {Offer | null} */
export function offered() {
  const { scene, chosen, weighed } = read().match;
  const offer = offerAt(scene?.tree, chosen);
  return offer && weighed && sameParts(weighed.parts, chosen) ? { ...offer, ...weighed.offer } : offer;
}

/** Whether a press of the yes counts: not what came up under a finger on its way. @param {MouseEvent} event */
export const isDeliberate = (event) => event.detail === 0 || settledFor(read().match.since, clickedAt(event));

let acting = false;
/**
 * One yes at a time, until it is signed or played: neither what is asked besides, like the weight of a choice, nor a
 * file on its way to a slow host keeps the next one waiting.
 * @param {() => Promise<any>} work the answer to it, or nothing
 */
async function once(work) {
  if (acting) return;
  acting = true;
  let answer;
  try {
    answer = await work();
  } finally {
    acting = false;
  }
  if (answer) await acted(answer);
}

/** The yes. @param {{ only?: boolean, again?: boolean }} [more] */
export const act = ({ only = false, again = false } = {}) => once(async () => {
  const { scene, chosen: parts } = read().match;
  if (!scene) return undefined;
  send("status", say("kept-working"));
  const answer = await ask({ do: "act", at: scene.at, parts, only, again });
  send("status", "");
  if (answer.ok) return answer;
  notifyFault(answer);
  return refreshScene();
});

/** What an answer to a yes leads to. @param {any} answer */
async function acted(answer) {
  if (answer.acted === "same") {
    sheet(say("your-turn-file"), () => html`<p>${answer.says}</p><div class="ways">
      ${button(say("send-old"), () => {
        closeSheet();
        void sendAgain(answer.entry);
      }, { class: "first" })}${button(say("sign-again"), () => {
        closeSheet();
        void (answer.draft ? sendDraft(true) : act({ again: true }));
      })}${button(say("cancel"), closeSheet)}</div>`);
    return;
  }
  document.getElementById("asked")?.focus({ preventScroll: true });
  if (answer.acted === "signed") await leave(answer.file);
  if (read().match.scene?.news) await showNews();
}

/** The draft leaves as it is. @param {boolean} [again] */
export const sendDraft = (again = false) => once(async () => {
  const { scene } = read().match;
  if (!scene) return undefined;
  send("status", "");
  notify("");
  const seen = await askOrNotify({ do: "file" });
  if (!seen) return undefined;
  const { empty, fault: wrong, check, same, entry } = seen.preview;
  if (empty || wrong) return notify(check || say("nothing-chosen"), { trouble: true });
  if (same && !again) return { acted: "same", says: same, entry, draft: true };
  const answer = await ask({ do: "sign", at: scene.at, again });
  if (answer.ok) return { ...answer, acted: answer.file ? "signed" : "played" };
  notifyFault(answer);
  return refreshScene();
});

/** What a card or a part of the table is and does, in the words of the rules, and how it looks from near. @param {string} part @param {() => boolean} wanted whether it still is, once that is known */
export async function about(part, wanted) {
  const [answer, near] = await Promise.all([askOrNotify({ do: "card", part }), ask({ do: "picture", form: "portrait" })]);
  if (!answer || !wanted()) return;
  const { name, text, rows } = answer.card;
  const drawn = near.ok && near.picture ? partOf(near.picture.tree, part) : null;
  sheet(plain(name), () => html`${drawn && html`<${Near} tree=${drawn} />`}${text && html`<p>${text}</p>`}
    ${rows.length > 0 && html`<dl class="rules">${rows.map((/** @type {any} */ row) => html`<div key=${row.id}><dt>${row.id}</dt><dd>${row.text}</dd></div>`)}</dl>`}`, { kind: "about" });
}

/** What `about` shows is not wanted. */
export function closeAbout() {
  if (read().sheet?.kind === "about") closeSheet();
}

/** One part out of a drawing, as large as the screen allows. @param {{ tree: any }} given */
function Near({ tree }) {
  const place = useRef(/** @type {HTMLElement | null} */ (null));
  useLayoutEffect(() => {
    const svg = place.current?.querySelector("svg");
    const box = svg?.getBBox();
    if (svg && box?.width) svg.setAttribute("viewBox", `${box.x} ${box.y} ${box.width} ${box.height}`);
  });
  return html`<div class="near" ref=${place} aria-hidden="true">${drawing(["svg", { width: "100%", height: "100%" }, tree])}</div>`;
}
