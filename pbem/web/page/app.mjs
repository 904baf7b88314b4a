// What is shown, in one object; whoever changes it says so by `redraw`. Nothing here knows a game or decides a rule.

/** @import { App } from "../types.js" */

/** @type {App} */
export const app = {
  screen: "", link: "", lost: null, invitation: null, scene: null, matches: [], games: [], game: "", quiet: false, served: "", servedAt: "",
  chosen: [], since: 0, why: "", weighed: null, tab: "table",
  sheet: null, notice: null, status: "", leaf: null, busy: 0, news: null, version: null, notes: [], offers: {}, roomy: null,
};

/** @type {() => void} */
let draw = () => {};

/** @param {() => void} way how everything is drawn from `app`, at once */
export function drawnBy(way) {
  draw = way;
}

/** @param {Partial<App>} [change] */
export function redraw(change = {}) {
  Object.assign(app, change);
  draw();
}

/**
 * Something to read for a moment, in the open dialog if there is one.
 * @param {string} text
 * @param {{ trouble?: boolean, help?: { text: string, act: () => unknown }[] }} [more]
 */
export function notify(text, { trouble = false, help = [] } = {}) {
  redraw({ notice: text ? { text, trouble, help } : null });
}

/**
 * While something is worked at, a mark says so.
 * @template T
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function during(work) {
  app.busy += 1;
  document.documentElement.dataset.busy = "yes";
  try {
    return await work();
  } finally {
    app.busy -= 1;
    if (!app.busy) document.documentElement.dataset.busy = "no";
  }
}

/**
 * Until what is so now is on the screen; where nothing is drawn, as in a tab behind others, not for long.
 * @returns {Promise<void>}
 */
export const shown = () => new Promise((done) => {
  requestAnimationFrame(() => setTimeout(done, 0));
  setTimeout(done, 250);
});

/** @param {number} milliseconds @returns {Promise<void>} */
export const pause = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));
