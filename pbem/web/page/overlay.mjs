// What lies over the screen is drawn: the sheet, closed by its button, by Escape and by the phone's Back; the notice, with
// a button that helps where something went wrong.
import { remedies } from "./remedies.mjs";
import { closeSheet, notify } from "./sheet.mjs";
import { read } from "./store.mjs";
import { html } from "./view.mjs";
import { say } from "./words.mjs";

/** @import { Sheet } from "../types.js" */

/**
 * Open as soon as it is drawn: what lies under it takes no further tap, and what lies in it can be measured.
 * @param {HTMLDialogElement} dialog
 */
function opened(dialog) {
  const before = /** @type {HTMLElement | null} */ (document.activeElement);
  dialog.showModal();
  return () => {
    dialog.close();
    if (before?.isConnected) before.focus({ preventScroll: true });
  };
}

const cancel = (/** @type {Event} */ event) => {
  event.preventDefault();
  closeSheet();
};
const beside = (/** @type {MouseEvent} */ event) => event.target === event.currentTarget && event.detail > 0 && closeSheet();

/** @param {{ sheet: Sheet }} given */
export const SheetView = ({ sheet }) => html`<dialog ref=${opened} class=${`sheet ${sheet.kind}`} aria-labelledby="dialog-title" onCancel=${cancel} onClick=${beside}>
    <header><h2 id="dialog-title">${sheet.title}</h2><button type="button" class="close" aria-label=${say("close")} onClick=${closeSheet}>×</button></header>
    <div class="inside">${read().notice?.trouble ? html`<${NoticeView} key="notice" id="" />` : null}${sheet.body()}</div>
  </dialog>`;

/** @param {{ id?: string }} given */
export function NoticeView({ id = "notice" }) {
  const { notice } = read();
  return html`<div id=${id || undefined} class=${notice?.trouble ? "notice trouble" : "notice"} role="status">${notice && html`<p>${notice.text}</p>
    <div class="ways">${remedies(notice).map(({ text, act }) => html`<button type="button" class="small first" onClick=${() => {
      notify("");
      act();
    }}>${text}</button>`)}<button type="button" class="small" onClick=${() => notify("")}>${say("close")}</button></div>`}</div>`;
}
