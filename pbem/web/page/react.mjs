// What one can put under a record, in six words: it travels with the next file, or at once by the host's API.
import { askOrNotify } from "./ask.mjs";
import { button } from "./parts.mjs";
import { read } from "./store.mjs";
import { html } from "./view.mjs";
import { say } from "./words.mjs";

/** @import { Scene } from "../types.js" */

/** Whether somebody is there who would read it. @param {Scene | null} scene */
export const mayReact = (scene) => Boolean(scene && !scene.settled && !scene.practice);

/**
 * The six words under record `seq`; the one that is chosen is taken back by another press. `done`: what follows a press;
 * `now`: sends it at once, where that can be.
 * @param {{ seq: number, words: Record<string, string>, done?: () => unknown, now?: () => unknown }} given
 */
export function Reactions({ seq, words, done, now }) {
  const scene = /** @type {Scene} */ (read().match.scene);
  const react = (/** @type {string} */ word) => async () => {
    await askOrNotify({ do: "react", seq, with: word });
    done?.();
  };
  const alone = now && scene.api && !scene.tray.length && Object.keys(scene.react).length > 0;
  return html`<div class="chips reactions" role="group" aria-label=${say("react")}>${Object.entries(words).map(([word, text]) => html`<button key=${word} type="button" class=${scene.react[seq] === word ? "chip chosen" : "chip"} aria-pressed=${scene.react[seq] === word} onClick=${react(word)}>${text}</button>`)}</div>
    ${scene.react[seq] && html`<p class="note" role="status">${say("react-travels")}</p>`}
    ${alone && button(say("react-now"), now)}`;
}
