// A press is seen before anything is done about it: the button under a finger looks pressed from its first contact on,
// and what it does begins after the frame that shows so. Slow work behind a button keeps nobody in doubt.
import { during, shown } from "./waiting.mjs";

/** @type {WeakMap<Event, number>} */
const pressedAt = new WeakMap();

/** When a click was made, however late it is heard: milliseconds as of `Date.now()`. @param {Event} event */
export const clickedAt = (event) => pressedAt.get(event) ?? Date.now();

// what only shows that it was touched, a part or a tab, does so in the first frame itself
const BUTTON = "button:not(:disabled, [data-part], [role=tab])";

/** @param {Event} event @returns {HTMLButtonElement | null} */
const buttonOf = ({ target }) => /** @type {Element} */ (target).closest?.(BUTTON) ?? null;

/** Every button of the document, now and later. */
export function watchPresses() {
  let frames = 0; // that are to show a press and have not
  /** @type {Promise<unknown>} */
  let frame = Promise.resolve();
  document.addEventListener("pointerdown", (event) => {
    const button = buttonOf(event);
    if (!button || event.button !== 0) return;
    button.dataset.pressed = "yes";
    frames += 1;
    frame = shown().then(() => (frames -= 1));
    const over = () => {
      for (const kind of ["pointerup", "pointercancel"]) document.removeEventListener(kind, over, true);
      void frame.then(() => delete button.dataset.pressed);
    };
    for (const kind of ["pointerup", "pointercancel"]) document.addEventListener(kind, over, true);
  }, true);
  document.addEventListener("click", (event) => {
    const button = buttonOf(event);
    if (!button || !frames || event.detail === 0 || pressedAt.has(event)) return;
    event.stopPropagation();
    event.preventDefault();
    const later = new MouseEvent("click", event);
    pressedAt.set(later, Date.now());
    void during(async () => {
      await frame;
      if (button.isConnected) button.dispatchEvent(later);
    });
  }, true);
}
