// A signed file on its way: kept on this device, then by the host's API or by hand; each success in one true sentence.
import { app, pause, redraw, notify } from "./app.mjs";
import { ask, post, wish } from "./ask.mjs";
import { save } from "./bytes.mjs";
import { look } from "./api.mjs";
import { button } from "./parts.mjs";
import { remedy } from "./remedies.mjs";
import { sheet, closeSheet } from "./sheet.mjs";
import { apiTrouble, objectOf } from "./trouble.mjs";
import { html } from "./view.mjs";
import { clock, say } from "./words.mjs";

/** @import { Leaf } from "../types.js" */

/** @param {string} text @param {string} way @param {string} place */
const left = (text, way, place) => wish({ do: "left", text, way, place });

/** A file that was signed before, once more. @param {string} entry empty: the newest without an answer */
export async function sendAgain(entry) {
  const answer = await wish({ do: "again", entry });
  if (!answer) return;
  if (app.scene?.api) await carry(answer.file);
  else leaving(answer.file);
}

/**
 * A file at the host's API: its receipt, or what went wrong.
 * @param {{ url: string, match: string, word: string }} api
 * @param {string} text
 * @returns {Promise<{ receipt: string, trouble?: import("./trouble.mjs").Trouble | null }>}
 */
async function posted(api, text) {
  const sent = await post("file", { api: api.url, match: api.match, word: api.word, text });
  const taken = sent.status === 202 || sent.status === 200;
  const receipt = taken ? objectOf(sent.data)?.receipt : null;
  if (typeof receipt === "string" && /^[0-9a-f]{64}$/.test(receipt)) return { receipt };
  return { receipt: "", trouble: apiTrouble(taken ? { status: 0, fault: "login" } : sent) };
}

/** Matches of which the own part of the shuffle is on its way. @type {Set<string>} */
const onItsWay = new Set();

/**
 * The own part of the shuffle leaves without a tap, as soon as it is waited for: whoever joined has agreed to it. Once,
 * whoever asks meanwhile: the list, the open match, what a host who was listened to has answered.
 * @param {string} match
 */
export async function beReady(match) {
  if (onItsWay.has(match)) return;
  onItsWay.add(match);
  try {
    await readied(match);
  } finally {
    onItsWay.delete(match);
  }
}

/** @param {string} match */
async function readied(match) {
  const { file } = await ask({ do: "ready", match });
  const { api } = file?.ok ? await ask({ do: "api", match }) : { api: null };
  if (!api) return;
  if (app.scene?.match === match) {
    await carry(file);
    return;
  }
  const { receipt } = await posted(api, file.text);
  if (receipt) await ask({ do: "left", match, text: file.text, way: "api", place: new URL(api.url).host });
}

/**
 * To the host's API: the file, then its receipt, then the records that it became. Each step is said while no other file
 * has left since, and this match is open: "accepted" of one file is not to be read of the next.
 * @param {Leaf} leaf
 * @returns {Promise<void>}
 */
export async function carry(leaf) {
  redraw({ leaf });
  if (!leaf.ok) return leaving(leaf);
  const { api } = await ask({ do: "api" });
  if (!api) return leaving(leaf);
  const status = (/** @type {string} */ text, done = {}) => app.leaf === leaf && redraw({ status: text, ...done });
  status(say("sending"));
  const { receipt, trouble } = await posted(api, leaf.text);
  if (!receipt) {
    status(say("kept", { at: clock() }));
    return notify(`${trouble?.text}\n${say("kept-here")}`, {
      trouble: true,
      help: (trouble?.help ?? []).flatMap((name) => remedy(name, {}, { retry: () => carry(leaf), another: () => leaving(leaf) })),
    });
  }
  const at = clock();
  status(say("sent", { at }));
  await left(leaf.text, "api", new URL(api.url).host);
  redraw();
  for (const wait of [300, 700, 1500, 3000, 6000, 12000]) {
    await pause(wait);
    const answer = await post("receipt", { api: api.url, match: api.match, word: api.word, receipt });
    const became = answer.status === 200 ? objectOf(answer.data) : null;
    if (!became || became.state === "waiting") continue;
    await look(true, true);
    if (became.state === "recorded") return void status(say("accepted", { at: clock() }), { leaf: null });
    const broken = became.reject?.body?.rules || [];
    const rules = broken.length ? await wish({ do: "rules", rows: broken }) : null;
    status(say("refused-short", { at: clock() }), { leaf: null });
    return notify([say("host-refused", { why: became.why || "" }), rules?.text].filter(Boolean).join("\n"), { trouble: true, help: remedy("look") });
  }
  return void status(say("waiting", { at }));
}

/** The ways by hand: shared, saved, copied, mailed. @param {Leaf} leaf */
export function leaving(leaf) {
  const name = leaf.name;
  let note = "";
  const noted = (/** @type {string} */ text) => {
    note = text;
    redraw();
  };
  const file = () => new File([`${leaf.text}\n`], name.replace(".json", ".txt"), { type: "text/plain" });
  const share = async () => {
    try {
      await navigator.share({ files: [file()], title: name });
    } catch {
      return;
    }
    await left(leaf.text, "write", name);
    noted(say("shared"));
  };
  const download = async () => {
    save(name, new Blob([`${leaf.text}\n`], { type: "application/json" }));
    await left(leaf.text, "write", name);
    noted(leaf.mailto ? say("downloaded-to", { name, mail: leaf.mailto }) : say("downloaded", { name }));
  };
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(leaf.armour);
    } catch {
      return noted(say("not-copied"));
    }
    await left(leaf.text, "armour", say("copy"));
    return noted(leaf.mailto ? say("copied-to", { mail: leaf.mailto }) : say("copied"));
  };
  sheet(say("your-turn-file"), () => html`<p class=${leaf.ok ? "" : "fault"}>${leaf.ok ? say("signed") : say("refused", { said: leaf.said })}</p>
    ${leaf.warnings.map((text) => html`<p class="note">${text}</p>`)}<p role="status" id="left">${note}</p>
    <div class="ways">
      ${app.scene?.api && button(say("send"), () => {
        closeSheet();
        void carry(leaf);
      }, { class: "first" })}
      ${navigator.canShare?.({ files: [file()] }) && button(say("share"), share)}
      ${leaf.mailto && html`<a class="button" href=${mailto(leaf)} onClick=${() => left(leaf.text, "armour", leaf.mailto || "")}>${say("mail-it")}</a>`}
      ${button(say("download"), download, { class: app.scene?.api ? "" : "first" })}
      ${button(say("copy"), copy)}
      ${button(say("done"), closeSheet)}
    </div>
    <details><summary>${say("as-text")}</summary><pre class="armour" tabIndex="0">${leaf.armour}</pre></details>`);
}

/** A letter to the host that carries the file as text; by its subject a mailbox is searched. @param {Leaf} leaf */
export const mailto = (leaf) => `mailto:${encodeURIComponent(leaf.mailto || "").replace("%40", "@")}?subject=${encodeURIComponent(`[pbem] ${leaf.name}`)}&body=${encodeURIComponent(leaf.armour)}`;
