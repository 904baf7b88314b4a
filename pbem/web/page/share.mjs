// What leaves the page for other programs of this device: a file is saved, a text is shared.
import { notify, sheet } from "./sheet.mjs";
import { html } from "./view.mjs";
import { say } from "./words.mjs";

/** A file of the reader's. @param {string} name @param {Blob} blob */
export function save(name, blob) {
  const url = URL.createObjectURL(blob);
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 60000);
}

/** A text for others: by the phone's own way to share, else by the clipboard. @param {string} title @param {string} text */
export async function share(title, text) {
  try {
    if (navigator.share) return await navigator.share({ title, text });
    await navigator.clipboard.writeText(text);
    notify(say("copied-text"));
  } catch (fault) {
    if (/** @type {Error} */ (fault).name !== "AbortError") sheet(title, () => html`<pre class="story" tabIndex="0">${text}</pre>`);
  }
  return undefined;
}
