// The recovery words of a seat, for paper.
import { askOrNotify } from "./ask.mjs";
import { backup } from "./looking.mjs";
import { button } from "./parts.mjs";
import { closeSheet, notify, sheet } from "./sheet.mjs";
import { send } from "./store.mjs";
import { html } from "./view.mjs";
import { say } from "./words.mjs";

/** The words for paper, which can be shown until they are written down. @param {string} match */
export async function paper(match) {
  const text = (await askOrNotify({ do: "paper-words", match }))?.paper;
  if (text === undefined) return;
  if (!text) {
    localStorage.setItem(`safe ${match}`, "yes");
    return notify(say("paper-gone"));
  }
  const written = async () => {
    closeSheet();
    if (!(await askOrNotify({ do: "written", match }))) return;
    localStorage.setItem(`safe ${match}`, "yes");
    send("redraw");
  };
  sheet(say("paper"), () => html`<p>${say("paper-about")}</p><pre class="paper" tabIndex="0">${text}</pre>
    <div class="ways">${button(say("paper-done"), written, { class: "first" })}${button(say("backup"), backup)}${button(say("not-now-button"), closeSheet)}</div>`);
}
