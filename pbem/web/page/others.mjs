// Matches in other web apps: a host who serves one has the own matches there, with keys of their own. Where they are
// stays in the list of this one, without the code of any link.
import { sheet } from "./sheet.mjs";
import { read, send } from "./store.mjs";
import { html } from "./view.mjs";
import { say } from "./words.mjs";

const KEY = "others";

/** @returns {string[]} */
function others() {
  try {
    const stored = JSON.parse(localStorage.getItem(KEY) || "[]");
    return Array.isArray(stored) ? stored.filter((link) => /^https?:\/\/[^#]+#match=\w+$/.test(link)) : [];
  } catch {
    return [];
  }
}

/** @param {string[]} all */
function keep(all) {
  try {
    localStorage.setItem(KEY, JSON.stringify(all));
  } catch {
    // no space: the link opens it all the same
  }
}

/** A link to another host's web app is followed there. @param {string} page its address @param {string} hash @param {string} match */
export function openElsewhere(page, hash, match) {
  const address = `${page}#match=${match}`;
  keep([...others().filter((link) => link !== address), address]);
  sheet(say("others-title"), () => html`<p>${say("others-link")}</p><div class="ways"><a class="button" href=${page + hash}>${say("others-open")}</a></div>`);
}

/** Behind the list of a web app that a host serves. */
export function Others() {
  if (!read().host.says) return null;
  const all = others();
  return html`<p class="note">${say("others")}</p>${all.length > 0 && html`<ul class="rows">${all.map((link) => html`<li key=${link}>
    <a class="button row" href=${link}>${link.slice(0, link.indexOf("#"))}<span class="id">${link.slice(link.indexOf("=") + 1)}</span></a>
    <button type="button" class="close" aria-label=${say("others-remove", { address: link })} onClick=${() => {
      keep(others().filter((kept) => kept !== link));
      send("redraw");
    }}>×</button></li>`)}</ul>`}`;
}
