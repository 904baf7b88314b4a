// The phone's Back goes back inside the page: from a sheet to its screen, from a match to the list, and then out.
import { read } from "./store.mjs";

/** How deep one is: the list 0, another screen 1, a sheet over it one more. */
export const depth = () => (["", "home", "last"].includes(read().screen.name) ? 0 : 1) + (read().sheet ? 1 : 0);

let level = 0;
let ours = 0;

/**
 * Keep the browser's history as deep as what is shown; after every drawing.
 * @param {number} [wanted]
 */
export function keepHistory(wanted = depth()) {
  if (wanted > level) {
    for (; level < wanted; level += 1) history.pushState({ level: level + 1 }, "");
  } else if (wanted < level) {
    const back = wanted - level;
    level = wanted;
    if ((history.state?.level ?? 0) + back < 0) return; // the phone's Back was faster
    ours += 1;
    history.go(back);
  }
}

/** @param {(level: number) => void} go what to do when the player went back to so deep */
export function onBack(go) {
  history.replaceState({ level: 0 }, "");
  addEventListener("popstate", (event) => {
    if (ours) {
      ours -= 1;
      return;
    }
    const to = event.state?.level ?? 0;
    if (to < level) {
      level = to;
      go(to);
    } else level = to;
    keepHistory();
  });
}
