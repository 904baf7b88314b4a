// What is brought by hand: a letter, a file, a backup, a link; chosen, pasted, or shared to the page.
import { askOrNotify } from "./ask.mjs";
import { base64 } from "./bytes.mjs";
import { linkIn } from "./links.mjs";
import { takeSeat } from "./pair.mjs";
import { Area, button, value } from "./parts.mjs";
import { closeSheet, notify, sheet } from "./sheet.mjs";
import { send } from "./store.mjs";
import { html } from "./view.mjs";
import { during } from "./waiting.mjs";
import { say } from "./words.mjs";

/** @param {string} data base64 @param {boolean} [sure] a backup's keys come with a yes only */
async function take(data, sure = false) {
  if (!sure && atob(data.slice(0, 8)).startsWith("PK\x03\x04")) {
    sheet(say("backup-in"), () => html`<p>${say("backup-in-about")}</p><div class="ways">${button(say("backup-yes"), () => take(data, true), { class: "first" })}${button(say("cancel"), closeSheet)}</div>`);
    return;
  }
  const answer = await askOrNotify({ do: "bring", data });
  if (!answer) return;
  closeSheet();
  if (answer.invitation) return send("invitation-opened", { ...answer.invitation, api: null });
  send("open-table");
  if (answer.scene && !answer.scene.joining && !sure) notify(answer.new ? say("new-records", { n: answer.new }) : answer.proposed > 0 ? say("new-proposal") : say("no-news"));
}

/** @param {Iterable<File>} files */
export const takeFiles = (files) => during(async () => {
  for (const file of files) await take(base64(new Uint8Array(await file.arrayBuffer())));
});

/** @param {string} text a letter's words, an armoured file, or a link @returns {Promise<unknown>} */
export async function takeText(text) {
  const link = linkIn(text);
  if (link && !/^\{|-----BEGIN/m.test(text.trim())) {
    closeSheet();
    return send("open-link", link);
  }
  if (!text.trim()) return notify(say("nothing-pasted"), { trouble: true });
  if (!/^\s*\{|-----BEGIN/m.test(text)) return notify(say("only-words"), { trouble: true });
  return take(base64(new TextEncoder().encode(text)));
}

export function Bringing() {
  return html`<p>${say("bring-about")}</p>
    <div class="field"><label for="file">${say("choose-file")}</label><input type="file" id="file" multiple onChange=${async (/** @type {any} */ event) => {
      await takeFiles([...event.target.files]);
      event.target.value = "";
    }} /></div>
    <${Area} id="paste" label=${say("paste-here")} rows="3" spellcheck=${false} autocapitalize="off" />
    <div class="ways">${button(say("take-in"), () => takeText(value("paste")))}${button(say("pair-take"), () => takeSeat())}</div>`;
}
