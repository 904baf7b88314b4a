// What is no move: a pause, being away, the end, agreeing to what others propose. Words and order are those of `pbem play`.
import { askOrNotify } from "./ask.mjs";
import { sendAgain } from "./exchange.mjs";
import { button, Field, value } from "./parts.mjs";
import { closeSheet, sheet } from "./sheet.mjs";
import { read, send } from "./store.mjs";
import { html } from "./view.mjs";
import { say } from "./words.mjs";

/** @typedef {{ matter: string, label: string, type: string }} Matter */

export async function matters() {
  const offer = await askOrNotify({ do: "matters" });
  const at = read().match.scene?.at;
  if (!offer) return;
  /** @type {{ matter: Matter, typed: string, says: string, signs: boolean } | null} what would be signed, once it was asked */
  let asked = null;
  /** @type {Matter | null} */
  let chosen = null;
  const ask = async (/** @type {Matter} */ matter, typed = "") => {
    const answer = await askOrNotify({ do: "matter", at, matter: matter.matter, typed });
    if (answer) asked = { matter, typed, says: answer.says, signs: answer.signs };
    send("redraw");
  };
  const pick = (/** @type {Matter} */ matter) => {
    chosen = matter;
    if (!matter.type) return ask(matter);
    return send("redraw");
  };
  const yes = async () => {
    if (!asked) return;
    const signed = await askOrNotify({ do: "propose", at, matter: asked.matter.matter, typed: asked.typed });
    if (!signed) return;
    closeSheet();
    await sendAgain(signed.entry);
  };
  const back = () => {
    chosen = null;
    asked = null;
    send("redraw");
  };
  sheet(offer.title, () => {
    if (asked) return html`<p>${asked.says}</p><div class="ways">${asked.signs && button(say("send"), yes, { class: "first" })}${button(say("cancel"), back)}</div>`;
    const matter = chosen;
    if (matter?.type) return html`<${Field} id="matter" label=${matter.label} placeholder=${matter.type} autocapitalize="off" spellcheck=${false} /><p class="note">${matter.type}</p>
      <div class="ways">${button(say("go-on"), () => ask(matter, value("matter")), { class: "first" })}${button(say("cancel"), back)}</div>`;
    return html`${offer.held && html`<p class="note">${offer.held}</p>`}<ul class="rows">${offer.matters.map((/** @type {Matter} */ row) => html`<li key=${row.matter}><button type="button" class=${row.matter.startsWith("asked-") ? "row first" : "row"} data-matter=${row.matter} onClick=${() => pick(row)}>${row.label}</button></li>`)}</ul>`;
  });
}
