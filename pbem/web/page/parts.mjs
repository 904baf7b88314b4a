// Small pieces of screens that several have.
import { html } from "./view.mjs";

/**
 * @param {string} text
 * @param {() => unknown} act
 * @param {Record<string, unknown>} [given]
 */
export const button = (text, act, given = {}) => html`<button type="button" onClick=${act} ...${given}>${text}</button>`;

/** @param {{ id: string, label: string, options: [string, string][], value: string, onPick?: (value: string) => unknown }} given */
export const Choice = ({ id, label, options, value, onPick }) => html`<div class="field"><label for=${id}>${label}</label>
  <select id=${id} onChange=${(/** @type {any} */ event) => onPick?.(event.target.value)}>
    ${options.map(([key, text]) => html`<option key=${key} value=${key} selected=${key === value}>${text}</option>`)}
  </select></div>`;

/** @param {{ id: string, label: string, [attribute: string]: unknown }} given */
export const Field = ({ id, label, ...given }) => html`<div class="field"><label for=${id}>${label}</label><input id=${id} ...${given} /></div>`;

/** @param {{ id: string, label: string, [attribute: string]: unknown }} given */
export const Area = ({ id, label, ...given }) => html`<div class="field"><label for=${id}>${label}</label><textarea id=${id} ...${given}></textarea></div>`;

/** What is typed in a field. @param {string} id */
export const value = (id) => /** @type {HTMLInputElement} */ (document.getElementById(id)).value;

/** @param {{ title: string, open?: boolean, id?: string, children?: any }} given */
export function Fold({ title, open = false, id, children }) {
  // `open` is only its first state: what the reader folds or unfolds stays as it is
  return html`<details id=${id} ref=${(/** @type {HTMLDetailsElement | null} */ details) => {
    if (details && details.dataset.placed !== "yes") {
      details.dataset.placed = "yes";
      details.open = open;
    }
  }}><summary><h2>${title}</h2></summary>${children}</details>`;
}

/** @param {{ id: string, label: string, on: boolean, act: (on: boolean) => unknown }} given */
export const Switch = ({ id, label, on, act }) => html`<button type="button" id=${id} role="switch" class="row" aria-checked=${String(on)} onClick=${() => act(!on)}>${label}</button>`;
