// What is shown for a moment, with a button that helps where something went wrong.
import { app, tell } from "./app.mjs";
import { html } from "./view.mjs";
import { say } from "./words.mjs";

/** @param {{ id?: string }} given */
export function Notice({ id = "told" }) {
  const { notice } = app;
  const looks = notice ? (notice.trouble ? "told trouble" : "told") : "told";
  return html`<div id=${id || undefined} class=${looks} role="status">${notice && html`<p>${notice.text}</p>
    <div class="ways">${notice.help.map(({ text, act }) => html`<button type="button" class="small first" onClick=${() => {
      tell("");
      act();
    }}>${text}</button>`)}<button type="button" class="small" onClick=${() => tell("")}>${say("close")}</button></div>`}</div>`;
}
