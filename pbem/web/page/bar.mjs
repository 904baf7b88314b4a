// The action bar: what would be sent, its yes, and buttons for what is seen nowhere on the table.
import { seenIn } from "./board.mjs";
import { act, isDeliberate, offered, sendDraft, touch } from "./choose.mjs";
import { sendAgain } from "./exchange.mjs";
import { undo } from "./list.mjs";
import { Answer, Answering, finishNews } from "./since.mjs";
import { read, send } from "./store.mjs";
import { drawing } from "./svg.mjs";
import { talk } from "./talk.mjs";
import { unseen } from "./touch.mjs";
import { html } from "./view.mjs";
import { say } from "./words.mjs";

/** @import { Branch, Offer, Scene } from "../types.js" */

/** @type {any} */
const BUBBLE = ["svg", { viewBox: "0 0 24 24", width: 24, height: 24 }, ["path", { d: "M4 4 H20 V16 H11 L6 20 V16 H4 Z", fill: "none", stroke: "currentColor", "stroke-width": 2, "stroke-linejoin": "round" }]];

/** Whether words or a nudge wait for the next file. @param {Scene} scene */
const spoken = (scene) => Boolean(scene.say || scene.nudge || Object.keys(scene.tell).length);

/** @param {{ scene: Scene }} given */
export function ActionBar({ scene }) {
  const { news, chosen } = read().match;
  const { chips, numbers, current } = unseen(scene.tree, chosen, seenIn(scene));
  return html`<section class="actions" aria-label=${say("actions")}>
    ${(chips.length > 0 || numbers.length > 0) && !news && html`<div class="chips">
      ${numbers.length > 0 && html`<${Stepper} numbers=${numbers} current=${current} />`}
      ${chips.map((chip) => html`<button key=${chip.part} type="button" class="chip can" data-part=${chip.part} onClick=${() => touch(chip.part)}>${chip.words}</button>`)}</div>`}
    <${Answering} />
    <div class="yes">${news ? html`<${Answer} /><${Skip} />` : html`<${Yes} scene=${scene} />`}
      ${!scene.settled && html`<button type="button" class="talk" aria-label=${say("talk")} onClick=${talk}><span class="bubble" aria-hidden="true">${drawing(BUBBLE)}</span>${spoken(scene) && html`<span class="dot" aria-hidden="true"></span>`}</button>`}</div>
  </section>`;
}

function Skip() {
  const { news } = read().match;
  const last = news && news.at >= news.steps.length - 1;
  return html`<button type="button" id="yes" class="first" onClick=${() => finishNews()}>${say(last ? "go-on" : "skip")}</button>`;
}

/** @param {{ numbers: Branch[], current: string }} given */
function Stepper({ numbers, current }) {
  const at = numbers.findIndex((number) => number.part === current);
  const shown = at < 0 ? 0 : at;
  const go = (/** @type {number} */ to) => () => touch(numbers[to].part);
  return html`<div class="stepper" role="group">
    <button type="button" aria-label=${say("less")} disabled=${at <= 0} onClick=${go(at - 1)}>−</button>
    <button type="button" class=${at < 0 ? "number can" : "number chosen"} onClick=${go(shown)}>${numbers[shown].words}</button>
    <button type="button" aria-label=${say("more-of-it")} disabled=${at >= numbers.length - 1} onClick=${go(at + 1)}>+</button></div>`;
}

/** @param {{ scene: Scene }} given */
function Yes({ scene }) {
  const offer = offered();
  const { chosen, why, status } = read().match;
  if (chosen.length) {
    return html`<button type="button" class="clear" aria-label=${say("let-go")} onClick=${() => send("choice-cleared")}>×</button>
      ${offer ? html`<${Offered} key="offer" offer=${offer} />` : html`<p class="hint" role="status">${why || say("touch-next")}</p>`}`;
  }
  const draft = scene.tray.length > 0;
  if (draft || spoken(scene)) {
    const row = scene.rows.findLast((candidate) => candidate.do === "send");
    return html`${draft && html`<button type="button" class="clear" aria-label=${say("take-back", { label: scene.tray.at(-1) })} onClick=${() => undo(-1)}>↶</button>`}
      ${row ? html`<${Press} key="send" label=${row.label} effect=${why || (draft ? scene.tray.join("; ") : row.effect)} act=${() => sendDraft()} />` : html`<p class="hint" role="status">${why || scene.tray.join("; ")}</p>`}`;
  }
  if (offer) return html`<${Offered} key="root" offer=${offer} />`;
  const ready = scene.rows.find((row) => row.do === "send");
  if (ready) return html`<${Press} key="ready" label=${ready.label} effect=${ready.effect} act=${() => sendDraft()} />`;
  const deliver = scene.rows.findLast((row) => row.do === "deliver");
  if (deliver) return html`<${Press} key="deliver" label=${deliver.label} effect=${status} act=${() => sendAgain("")} />`;
  return html`<p class="hint" role="status">${why || status || (scene.tree?.next.length ? say("touch-marked") : scene.asked)}</p>`;
}

/** @param {{ offer: Offer }} given */
function Offered({ offer }) {
  const label = offer.button || offer.label;
  const { why, scene } = read().match;
  return html`<${Press} key=${offer.label} label=${label} effect=${why || offer.effect || offer.ends || ""} act=${() => act()} />
    ${offer.sends && scene?.tree && offer.only && html`<button type="button" class="clear" aria-label=${say("only-add")} onClick=${() => act({ only: true })}>+</button>`}`;
}

/** @param {{ label: string, effect?: string, act: () => unknown }} given */
function Press({ label, effect = "", act: yes }) {
  const press = (/** @type {MouseEvent} */ event) => isDeliberate(event) && yes();
  return html`<button type="button" id="yes" class="first" data-since=${read().match.since} onClick=${press}><span class="label">${label}</span>${effect && html`<span class="effect">${effect}</span>`}</button>`;
}
