// Everything besides the turn, in one list.
import { Bringing } from "./bringing.mjs";
import { look } from "./exchange.mjs";
import { audit, backup, forget, group, orders, readText, rules, story, wholeTable } from "./looking.mjs";
import { matters } from "./matters.mjs";
import { giveSeat } from "./pair.mjs";
import { pushSheet } from "./push.mjs";
import { closeSheet, sheet } from "./sheet.mjs";
import { read } from "./store.mjs";
import { talk } from "./talk.mjs";
import { html } from "./view.mjs";
import { webhook } from "./webhook.mjs";
import { say } from "./words.mjs";

export function menu() {
  const { scene } = read().match;
  if (!scene) return;
  /** @type {([string, () => unknown] | false)[]} */
  const entries = [
    scene.api && ["look-for-news", () => look(false)],
    !scene.settled && ["talk", talk],
    !scene.settled && ["orders", orders],
    !scene.settled && !scene.practice && ["matters", matters],
    ["story", () => story(-1)],
    ["whole-table", wholeTable],
    ["rules", rules],
    scene.practice && ["hint", () => readText("hint")],
    scene.practice && ["review", () => readText("review")],
    ["audit", audit],
    ["group", group],
    scene.api && ["push", pushSheet],
    scene.api && ["webhook", webhook],
    ["bring", () => sheet(say("bring"), () => html`<${Bringing} />`)],
    !scene.practice && ["backup", backup],
    scene.api && ["pair", giveSeat],
    ["forget", forget],
  ];
  sheet(say("menu"), () => html`<ul class="rows">${entries.flatMap((entry) => (entry ? [entry] : [])).map(([key, act]) => html`<li key=${key}><button type="button" class="row" onClick=${() => {
    closeSheet();
    act();
  }}>${say(key)}</button></li>`)}</ul>`);
}
