// Waiting: a mark while something is worked at, the next frame, a while.

let busy = 0;

/**
 * While something is worked at, a mark says so.
 * @template T
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function during(work) {
  busy += 1;
  document.documentElement.dataset.busy = "yes";
  try {
    return await work();
  } finally {
    busy -= 1;
    if (!busy) document.documentElement.dataset.busy = "no";
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
