// What lies over the screen: one sheet at a time, closed by its button, by Escape and by the phone's Back.
import { app, redraw } from "./app.mjs";
import { Notice } from "./notice.mjs";
import { html } from "./view.mjs";
import { say } from "./words.mjs";

/** @import { Sheet } from "../types.js" */

let number = 0;

/**
 * @param {string} title
 * @param {() => any} body drawn again with everything else
 * @param {{ kind?: string, closed?: () => unknown }} [more] `closed`: what follows, however it was closed
 */
export function sheet(title, body, { kind = "", closed } = {}) {
  const before = app.sheet;
  number += 1;
  redraw({ sheet: { id: number, title, body, kind, closed }, notice: null });
  before?.closed?.();
}

/** The open sheet is closed. */
export function closeSheet() {
  const before = app.sheet;
  if (!before) return;
  redraw({ sheet: null });
  before.closed?.();
}

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
export const SheetView = ({ sheet: shown }) => html`<dialog ref=${opened} class=${`sheet ${shown.kind}`} aria-labelledby="dialog-title" onCancel=${cancel} onClick=${beside}>
    <header><h2 id="dialog-title">${shown.title}</h2><button type="button" class="close" aria-label=${say("close")} onClick=${closeSheet}>×</button></header>
    <div class="inside">${app.notice?.trouble ? html`<${Notice} key="notice" id="" />` : null}${shown.body()}</div>
  </dialog>`;
