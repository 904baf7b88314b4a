import { app } from "./app.mjs";
import { Bringing } from "./bringing.mjs";
import { look } from "./api.mjs";
import { audit, backup, forget, group, orders, read, rules, story, wholeTable } from "./looking.mjs";
import { matters } from "./matters.mjs";
import { giveSeat } from "./pair.mjs";
import { pushed } from "./push.mjs";
import { sheet, closeSheet } from "./sheet.mjs";
import { talk } from "./talk.mjs";
import { html } from "./view.mjs";
import { webhook } from "./webhook.mjs";
import { say } from "./words.mjs";

/** Everything besides the turn, in one list. */
export function menu() {
  const { scene } = app;
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
    scene.practice && ["hint", () => read("hint")],
    scene.practice && ["review", () => read("review")],
    ["audit", audit],
    ["group", group],
    scene.api && ["push", pushed],
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
