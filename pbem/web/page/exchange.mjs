// The open match and its host: a signed file goes, kept on this device before, and records come; each success in one true
// sentence.
import { bringNews, postFile } from "./api.mjs";
import { apiOf, ask, askOrNotify, postTo } from "./ask.mjs";
import { leaveByHand, noteLeft } from "./byhand.mjs";
import { notify } from "./sheet.mjs";
import { showNews } from "./since.mjs";
import { read, send } from "./store.mjs";
import { objectOf } from "./trouble.mjs";
import { pause } from "./waiting.mjs";
import { clock, say } from "./words.mjs";

/** @import { Leaf } from "../types.js" */

const isOpen = (/** @type {string} */ match) => read().match.scene?.match === match;

/** A signed file leaves: by the API of its match, or by hand where it has none. @param {Leaf} leaf */
export const leave = (leaf) => (read().match.scene?.api ? carry(leaf) : byHand(leaf));

/** @param {Leaf} leaf */
const byHand = (leaf) => leaveByHand(leaf, () => void carry(leaf));

/** A file that was signed before, once more. @param {string} entry empty: the newest without an answer */
export async function sendAgain(entry) {
  const answer = await askOrNotify({ do: "again", entry });
  if (answer) await leave(answer.file);
}

/**
 * To the host's API: the file, then its receipt, then the records that it became. Each step is said while no other file
 * has left since, and this match is open: "accepted" of one file is not to be read of the next.
 * @param {Leaf} leaf
 * @returns {Promise<void>}
 */
async function carry(leaf) {
  send("leaving", leaf);
  if (!leaf.ok) return byHand(leaf);
  const api = await apiOf();
  if (!api) return byHand(leaf);
  const status = (/** @type {string} */ text, over = false) => {
    if (read().match.leaf !== leaf) return;
    send("status", text);
    if (over) send("leaving", null);
  };
  status(say("sending"));
  const { receipt, trouble } = await postFile(api, leaf.text);
  if (!receipt) {
    status(say("kept", { at: clock() }));
    return notify(`${trouble?.text}\n${say("kept-here")}`, { trouble: true, help: trouble?.help ?? [], retry: () => carry(leaf), another: () => byHand(leaf) });
  }
  const at = clock();
  status(say("sent", { at }));
  await noteLeft(leaf.text, "api", new URL(api.url).host);
  for (const wait of [300, 700, 1500, 3000, 6000, 12000]) {
    await pause(wait);
    const answer = await postTo("receipt", api, { receipt });
    const became = answer.status === 200 ? objectOf(answer.data) : null;
    if (!became || became.state === "waiting") continue;
    await look(true, true);
    if (became.state === "recorded") return status(say("accepted", { at: clock() }), true);
    const broken = became.reject?.body?.rules || [];
    const rules = broken.length ? await askOrNotify({ do: "rules", rows: broken }) : null;
    status(say("refused-short", { at: clock() }), true);
    return notify([say("host-refused", { why: became.why || "" }), rules?.text].filter(Boolean).join("\n"), { trouble: true, help: ["look"] });
  }
  return status(say("waiting", { at }));
}

/** Matches of which the own part of the shuffle is on its way. @type {Set<string>} */
const onItsWay = new Set();

/**
 * The own part of the shuffle leaves without a tap, as soon as it is waited for: whoever joined has agreed to it. Once,
 * whoever asks meanwhile: the list, the open match, what a host who was listened to has answered.
 * @param {string} match
 */
export async function sendShufflePart(match) {
  if (onItsWay.has(match)) return;
  onItsWay.add(match);
  try {
    const { file } = await ask({ do: "ready", match });
    const api = file?.ok ? await apiOf(match) : null;
    if (!api) return;
    if (isOpen(match)) {
      await carry(file);
      return;
    }
    const { receipt } = await postFile(api, file.text);
    if (receipt) await ask({ do: "left", match, text: file.text, way: "api", place: new URL(api.url).host });
  } finally {
    onItsWay.delete(match);
  }
}

/** The look that goes on. @type {Promise<unknown> | null} */
let looking = null;

/** Whether the open match is being asked for. */
export const isLooking = () => looking !== null;

/** Ask for the open match. @param {boolean} quiet without news nothing is shown @param {boolean} [there] there is a record, which a look that has begun may not bring */
export async function look(quiet, there = false) {
  while (there && looking) await looking;
  const { scene } = read().match;
  if (looking || !scene) return;
  const bringing = bringNews(scene.match, () => quiet || notify(say("looking")));
  looking = bringing.catch(() => {}).finally(() => (looking = null));
  const { fresh, proposed, trouble, refused } = await bringing;
  if (!isOpen(scene.match)) return;
  if (trouble) {
    if (!quiet || refused) notify(trouble.text, { trouble: true, help: trouble.help, retry: () => look(false) });
  } else if (!quiet) notify(fresh ? say("new-records", { n: fresh }) : proposed ? say("new-proposal") : say("no-news"));
  await sendShufflePart(scene.match);
  const { match, sheet } = read();
  if (fresh && isOpen(scene.match) && match.scene?.news && !match.news && !sheet && !match.chosen.length) await showNews();
}
