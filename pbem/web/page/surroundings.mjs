// Where the page runs, as far as keys can be lost by it: a messenger's own browser, a private window, a phone that
// clears what is not on its home screen, a clock that is wrong, a storage that is nearly full.
import { button } from "./parts.mjs";
import { notify } from "./sheet.mjs";
import { read, send } from "./store.mjs";
import { html } from "./view.mjs";
import { say } from "./words.mjs";

/**
 * Which kind of browser this is, by what it says of itself.
 * @param {string} agent
 * @returns {"" | "messenger"}
 */
export const messenger = (agent) => (/\b(?:FBAN|FBAV|FB_IAB|Instagram|Line\/|MicroMessenger|WhatsApp|Telegram|Snapchat|LinkedInApp|Twitter|Threads)|; wv\)/i.test(agent) ? "messenger" : "");

/** Whether this is an iPhone or iPad. @param {string} agent @param {number} fingers */
export const apple = (agent, fingers) => /iPhone|iPad|iPod/.test(agent) || (/Macintosh/.test(agent) && fingers > 1);

/**
 * What is to be said before keys are made here; by the names of the page's sentences, the gravest first.
 * @param {{ agent: string, fingers: number, standalone: boolean, quota: number, usage: number, skew: number, persisted: boolean }} here
 */
export function warnings({ agent, fingers, standalone, quota, usage, skew, persisted }) {
  const warned = [];
  if (messenger(agent)) warned.push("in-messenger");
  else if (apple(agent, fingers) && !standalone) warned.push("on-apple");
  // A private window is given a small part of the space that others have, and none that lasts.
  if (quota && quota < 600e6 && !persisted && !messenger(agent)) warned.push("in-private");
  if (quota && quota - usage < 25e6) warned.push("nearly-full");
  if (Math.abs(skew) > 600) warned.push("clock-wrong");
  return warned;
}

/** How far this clock is from the server's, in seconds; 0 where nobody says. @param {string | null} date @param {number} now */
export const skewOf = (date, now) => (date && !Number.isNaN(Date.parse(date)) ? Math.round((now - Date.parse(date)) / 1000) : 0);

/** Whether the page runs from the home screen. */
export const standalone = () => matchMedia("(display-mode: standalone)").matches || /** @type {any} */ (navigator).standalone === true;

export async function checkBrowser() {
  const [storage, persisted, skew] = await Promise.all([
    /** @type {Promise<StorageEstimate>} */ (navigator.storage?.estimate?.().catch(() => ({})) ?? Promise.resolve({})),
    navigator.storage?.persisted?.().catch(() => false) ?? false,
    fetch(`service.js?${Date.now()}`, { method: "HEAD", cache: "no-store" }).then((answer) => skewOf(answer.headers.get("Date"), Date.now()), () => 0),
  ]);
  send("notes", warnings({ agent: navigator.userAgent, fingers: navigator.maxTouchPoints, standalone: standalone(), quota: storage.quota ?? 0, usage: storage.usage ?? 0, skew, persisted }));
}

/** The browser is asked to keep what lies here; most say yes to a page that is used. */
export async function persistStorage() {
  await navigator.storage?.persist?.().catch(() => false);
}

/** Installing is offered once, where the browser can: its own offer is kept by start.mjs, which was there first. */
export function watchInstallPrompt() {
  const offered = () => {
    if (globalThis.pbemInstall && !localStorage.getItem("install")) send("install", true);
  };
  addEventListener("beforeinstallprompt", offered);
  offered();
}

async function install() {
  localStorage.setItem("install", "asked");
  send("install", false);
  await globalThis.pbemInstall?.prompt();
}

/** @param {{ joining?: boolean }} given */
export function Notes({ joining = false }) {
  const { notes, install: offered, link } = read().device;
  const shown = notes.filter((note) => joining || note !== "in-private");
  return html`${shown.map((note) => html`<div class="warning" key=${note} role="note"><p>${say(note)}</p>${note === "in-messenger" && button(say("copy-link"), async () => {
    await navigator.clipboard.writeText(location.href.replace(/#.*$/, "") + link).catch(() => {});
    notify(say("copied-link"));
  })}</div>`)}
    ${!joining && offered && html`<div class="warning" key="install"><p>${say("install-about")}</p><div class="ways">${button(say("install"), install, { class: "first" })}${button(say("not-now-button"), () => {
      localStorage.setItem("install", "asked");
      send("install", false);
    })}</div></div>`}`;
}
