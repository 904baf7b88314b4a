// Choosing by touch: what a touch does at once, what is asked ahead, and the yes.
import { app, during, redraw, shown, notify } from "./app.mjs";
import { ask, fault, wish } from "./ask.mjs";
import { carry, leaving, sendAgain } from "./leave.mjs";
import { madeAt } from "./press.mjs";
import { finishNews, showNews } from "./since.mjs";
import { sheet, closeSheet } from "./sheet.mjs";
import { button } from "./parts.mjs";
import { drawing, partOf } from "./svg.mjs";
import { nodeAt, offerAt, settledFor, touched } from "./touch.mjs";
import { html, useLayoutEffect, useRef } from "./view.mjs";
import { say } from "./words.mjs";

/** @import { Offer } from "../types.js" */

/** A part was touched: shown before anything is asked. @param {string} part */
export function touch(part) {
  const { scene } = app;
  if (!scene) return;
  if (app.news) finishNews();
  const before = offerAt(scene.tree, app.chosen)?.label;
  const { chosen, why } = touched(scene.tree, app.chosen, part, scene.why);
  const moved = chosen.length !== app.chosen.length || chosen.some((name, at) => name !== app.chosen[at]);
  const line = moved ? "" : why || say("not-now");
  if (offerAt(scene.tree, chosen)?.label !== before) app.since = Date.now();
  redraw({ chosen, why: line, status: "", notice: null });
  if (moved) void ahead();
}

/** Several parts at once, as a row of the list names them. @param {string[]} parts */
export function touchAll(parts) {
  if (app.news) finishNews();
  app.since = 0;
  redraw({ chosen: [...parts], why: "", status: "", notice: null });
  void ahead();
  document.querySelector(/** @type {"button"} */ ("#yes"))?.focus();
}

/** Nothing is touched any more. */
export function letGo() {
  app.since = Date.now();
  redraw({ chosen: [], why: "" });
}

/** What lies deeper, and what the yes would mean in full: asked once the touch is on the screen. */
const ahead = () => during(async () => {
  const { scene } = app;
  const parts = [...app.chosen];
  if (!scene) return;
  const still = () => app.scene?.at === scene.at && parts.length === app.chosen.length && parts.every((part, at) => part === app.chosen[at]);
  await shown();
  if (!still()) return;
  if (nodeAt(scene.tree, parts) === null) {
    const answer = await ask({ do: "branch", at: scene.at, parts });
    if (!answer.ok) return void (still() && fault(answer));
    graft(parts, answer.node);
    if (still()) app.since = Date.now();
    redraw();
  }
  if (offerAt(scene.tree, parts) && still()) {
    const answer = await ask({ do: "weigh", at: scene.at, parts });
    if (answer.ok && still()) redraw({ weighed: { parts, offer: answer.offer } });
  }
});

/** A branch that was asked ahead is put into the tree. @param {string[]} parts @param {any} node */
function graft(parts, node) {
  const above = nodeAt(app.scene?.tree, parts.slice(0, -1));
  const branch = above?.next.find((next) => next.part === parts.at(-1));
  if (branch) branch.node = node;
}

/** What the action bar names now, with what follows once that is known. @returns {Offer | null} */
export function offered() {
  const { scene, chosen, weighed } = app;
  const offer = offerAt(scene?.tree, chosen);
  if (!offer || !scene) return null;
  const same = weighed && weighed.parts.length === chosen.length && weighed.parts.every((part, at) => part === chosen[at]);
  return same ? { ...offer, ...weighed.offer } : offer;
}

/** Whether a press of the yes counts: not what came up under a finger on its way. @param {MouseEvent} event */
export const counts = (event) => event.detail === 0 || settledFor(app.since, madeAt(event));

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
  const { scene } = app;
  if (!scene) return undefined;
  const parts = [...app.chosen];
  redraw({ status: say("kept-working") });
  const answer = await ask({ do: "act", at: scene.at, parts, only, again });
  redraw({ status: "" });
  if (answer.ok) return answer;
  fault(answer);
  return refreshed();
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
        void (answer.draft ? send(true) : act({ again: true }));
      })}${button(say("cancel"), closeSheet)}</div>`);
    return;
  }
  redraw();
  document.getElementById("asked")?.focus({ preventScroll: true });
  if (answer.acted === "signed") {
    if (app.scene?.api) await carry(answer.file);
    else leaving(answer.file);
  }
  if (app.scene?.news) await showNews();
}

/** The draft leaves as it is. @param {boolean} [again] */
export const send = (again = false) => once(async () => {
  const { scene } = app;
  if (!scene) return undefined;
  redraw({ status: "", notice: null });
  const seen = await wish({ do: "file" });
  if (!seen) return undefined;
  const { empty, fault: wrong, check, same, entry } = seen.preview;
  if (empty || wrong) return notify(check || say("nothing-chosen"), { trouble: true });
  if (same && !again) return { acted: "same", says: same, entry, draft: true };
  const answer = await ask({ do: "sign", at: scene.at, again });
  if (answer.ok) return { ...answer, acted: answer.file ? "signed" : "played" };
  fault(answer);
  return refreshed();
});

/** The newest scene, after one that is no longer so. */
export async function refreshed() {
  const kept = app.notice;
  const answer = await ask({ do: "look" });
  if (answer.ok) redraw({ notice: kept });
}

/** What a card or a part of the table is and does, in the words of the rules, and how it looks from near. @param {string} part @param {() => boolean} wanted whether it still is, once that is known */
export async function about(part, wanted) {
  const [answer, near] = await Promise.all([wish({ do: "card", part }), ask({ do: "picture", form: "portrait" })]);
  if (!answer || !wanted()) return;
  const { name, text, rows } = answer.card;
  const drawn = near.ok && near.picture ? partOf(near.picture.tree, part) : null;
  sheet(name.replaceAll("\u00ad", ""), () => html`${drawn && html`<${Near} tree=${drawn} />`}${text && html`<p>${text}</p>`}
    ${rows.length > 0 && html`<dl class="rules">${rows.map((/** @type {any} */ row) => html`<div key=${row.id}><dt>${row.id}</dt><dd>${row.text}</dd></div>`)}</dl>`}`, { kind: "about" });
}

/** What `about` shows is not wanted. */
export function letAbout() {
  if (app.sheet?.kind === "about") closeSheet();
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
