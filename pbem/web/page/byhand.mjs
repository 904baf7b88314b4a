// A signed file that leaves by hand: shared, saved, copied, mailed.
import { askOrNotify } from "./ask.mjs";
import { button } from "./parts.mjs";
import { save } from "./share.mjs";
import { closeSheet, sheet } from "./sheet.mjs";
import { read, send } from "./store.mjs";
import { html } from "./view.mjs";
import { say } from "./words.mjs";

/** @import { Leaf } from "../types.js" */

/** A file has left, which Python notes. @param {string} text @param {string} way @param {string} place */
export const noteLeft = (text, way, place) => askOrNotify({ do: "left", text, way, place });

/** @param {Leaf} leaf @param {() => unknown} post the way to the host's API, where the match has one */
export function leaveByHand(leaf, post) {
  const name = leaf.name;
  let note = "";
  const noted = (/** @type {string} */ text) => {
    note = text;
    send("redraw");
  };
  const file = () => new File([`${leaf.text}\n`], name.replace(".json", ".txt"), { type: "text/plain" });
  const share = async () => {
    try {
      await navigator.share({ files: [file()], title: name });
    } catch {
      return;
    }
    await noteLeft(leaf.text, "write", name);
    noted(say("shared"));
  };
  const download = async () => {
    save(name, new Blob([`${leaf.text}\n`], { type: "application/json" }));
    await noteLeft(leaf.text, "write", name);
    noted(leaf.mailto ? say("downloaded-to", { name, mail: leaf.mailto }) : say("downloaded", { name }));
  };
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(leaf.armour);
    } catch {
      return noted(say("not-copied"));
    }
    await noteLeft(leaf.text, "armour", say("copy"));
    return noted(leaf.mailto ? say("copied-to", { mail: leaf.mailto }) : say("copied"));
  };
  sheet(say("your-turn-file"), () => {
    const api = read().match.scene?.api;
    return html`<p class=${leaf.ok ? "" : "fault"}>${leaf.ok ? say("signed") : say("refused", { said: leaf.said })}</p>
    ${leaf.warnings.map((text) => html`<p class="note">${text}</p>`)}<p role="status" id="left">${note}</p>
    <div class="ways">
      ${api && button(say("send"), () => {
        closeSheet();
        post();
      }, { class: "first" })}
      ${navigator.canShare?.({ files: [file()] }) && button(say("share"), share)}
      ${leaf.mailto && html`<a class="button" href=${mailto(leaf)} onClick=${() => noteLeft(leaf.text, "armour", leaf.mailto || "")}>${say("mail-it")}</a>`}
      ${button(say("download"), download, { class: api ? "" : "first" })}
      ${button(say("copy"), copy)}
      ${button(say("done"), closeSheet)}
    </div>
    <details><summary>${say("as-text")}</summary><pre class="armour" tabIndex="0">${leaf.armour}</pre></details>`;
  });
}

/** A letter to the host that carries the file as text; by its subject a mailbox is searched. @param {Leaf} leaf */
export const mailto = (leaf) => `mailto:${encodeURIComponent(leaf.mailto || "").replace("%40", "@")}?subject=${encodeURIComponent(`[pbem] ${leaf.name}`)}&body=${encodeURIComponent(leaf.armour)}`;
