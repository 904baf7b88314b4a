// The buttons that help after a failure, by their names.
import { app, notify } from "./app.mjs";
import { look } from "./api.mjs";
import { refreshed } from "./choose.mjs";
import { backup } from "./looking.mjs";
import { lost } from "./join.mjs";
import { sheet } from "./sheet.mjs";
import { html } from "./view.mjs";
import { say } from "./words.mjs";

/**
 * @param {string} name
 * @param {{ trace?: string, fault?: string }} [answer]
 * @param {{ retry?: () => unknown, another?: () => unknown }} [own] what is done here again, or otherwise
 * @returns {{ text: string, act: () => unknown }[]} none where nothing here does that
 */
export function remedy(name, answer = {}, { retry, another } = {}) {
  /** @type {Record<string, (() => unknown) | undefined | false>} */
  const acts = {
    retry: retry ?? (() => refreshed()),
    another,
    reload: () => location.reload(),
    look: () => (app.scene?.api ? look(false) : refreshed()),
    paper: () => app.scene && lost(app.scene.match, answer),
    update: () => location.reload(),
    backup: app.scene && !app.scene.practice ? () => backup() : undefined,
    details: () => details([answer.fault, answer.trace].filter(Boolean).join("\n\n")),
  };
  const act = acts[name];
  return act ? [{ text: say(`help-${name}`), act }] : [];
}

/** What a person who helps wants to read. @param {string} text */
function details(text) {
  sheet(say("help-details"), () => html`<pre class="armour" tabIndex="0">${text}</pre><div class="ways"><button type="button" class="first" onClick=${async () => {
    await navigator.clipboard.writeText(text).catch(() => {});
    notify(say("copied-details"));
  }}>${say("copy")}</button></div>`);
}
