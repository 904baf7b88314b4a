// What is shown for a moment, with a button that helps where something went wrong.
import { app, notify } from "./app.mjs";
import { html } from "./view.mjs";
import { say } from "./words.mjs";

/** @param {{ id?: string }} given */
export function Notice({ id = "notice" }) {
  const { notice } = app;
  const looks = notice ? (notice.trouble ? "notice trouble" : "notice") : "notice";
  return html`<div id=${id || undefined} class=${looks} role="status">${notice && html`<p>${notice.text}</p>
    <div class="ways">${notice.help.map(({ text, act }) => html`<button type="button" class="small first" onClick=${() => {
      notify("");
      act();
    }}>${text}</button>`)}<button type="button" class="small" onClick=${() => notify("")}>${say("close")}</button></div>`}</div>`;
}
