// The buttons that help after a failure, by their names.
import { refreshScene } from "./ask.mjs";
import { look } from "./exchange.mjs";
import { backup } from "./looking.mjs";
import { notify, sheet } from "./sheet.mjs";
import { read, send } from "./store.mjs";
import { faultText } from "./trouble.mjs";
import { html } from "./view.mjs";
import { say } from "./words.mjs";

/** @import { Notice } from "../types.js" */

/** The buttons of a notice; none for what nothing here does. @param {Notice} notice @returns {{ text: string, act: () => unknown }[]} */
export function remedies({ help, answer, retry, another }) {
  const { scene } = read().match;
  /** @type {Record<string, (() => unknown) | undefined | false>} */
  const acts = {
    retry: retry ?? refreshScene,
    another,
    reload: () => location.reload(),
    look: () => (scene?.api ? look(false) : refreshScene()),
    paper: () => scene && send("keys-missing", { match: scene.match, text: faultText(answer) }),
    update: () => location.reload(),
    backup: scene && !scene.practice ? backup : undefined,
    details: () => details([answer.fault, answer.trace].filter(Boolean).join("\n\n")),
  };
  return help.flatMap((name) => {
    const act = acts[name];
    return act ? [{ text: say(`help-${name}`), act }] : [];
  });
}

/** What a person who helps wants to read. @param {string} text */
function details(text) {
  sheet(say("help-details"), () => html`<pre class="armour" tabIndex="0">${text}</pre><div class="ways"><button type="button" class="first" onClick=${async () => {
    await navigator.clipboard.writeText(text).catch(() => {});
    notify(say("copied-details"));
  }}>${say("copy")}</button></div>`);
}
