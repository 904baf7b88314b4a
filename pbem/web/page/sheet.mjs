// What lies over the screen is opened and closed: one sheet at a time, and a notice for a moment. They are drawn by overlay.mjs.
import { read, send } from "./store.mjs";

/** @import { Notice } from "../types.js" */

let number = 0;

/**
 * @param {string} title
 * @param {() => any} body drawn again with everything else
 * @param {{ kind?: string, closed?: () => unknown }} [more] `closed`: what follows, however it was closed
 */
export function sheet(title, body, { kind = "", closed } = {}) {
  const before = read().sheet;
  number += 1;
  send("sheet-opened", { id: number, title, body, kind, closed });
  before?.closed?.();
}

/** The open sheet is closed. */
export function closeSheet() {
  const before = read().sheet;
  if (!before) return;
  send("sheet-closed");
  before.closed?.();
}

/**
 * Something to read for a moment, in the open dialog if there is one.
 * @param {string} text empty: nothing any more
 * @param {Partial<Notice>} [more] the names of the buttons that help, and what `retry` and `another` do here
 */
export function notify(text, more = {}) {
  send("notice", text ? { trouble: false, help: [], answer: {}, ...more, text } : null);
}
