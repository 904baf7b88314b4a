// What is told for a moment, with a button that helps where something went wrong.
import { app, tell } from "./app.mjs";
import { html } from "./view.mjs";
import { say } from "./words.mjs";

/** @param {{ id?: string }} given */
export function Told({ id = "told" }) {
  const { told } = app;
  const looks = told ? (told.trouble ? "told trouble" : "told") : "told";
  return html`<div id=${id || undefined} class=${looks} role="status">${told && html`<p>${told.text}</p>
    <div class="ways">${told.help.map(({ text, act }) => html`<button type="button" class="small first" onClick=${() => {
      tell("");
      act();
    }}>${text}</button>`)}<button type="button" class="small" onClick=${() => tell("")}>${say("close")}</button></div>`}</div>`;
}
