// Being called when it is one's turn: only asked for by the player, one registration for each API.
import { apiOf, askOrNotify, postTo } from "./ask.mjs";
import { hex } from "./bytes.mjs";
import { button, Switch } from "./parts.mjs";
import { closeSheet, notify, sheet } from "./sheet.mjs";
import { read, send } from "./store.mjs";
import { apple, standalone } from "./surroundings.mjs";
import { apiTrouble, objectOf } from "./trouble.mjs";
import { html } from "./view.mjs";
import { code, say } from "./words.mjs";

/** @import { Api } from "../types.js" */

/** A browser holds one subscription for each scope: each API has a scope of its own, by its hash. @param {string} url @returns {Promise<string>} */
export async function scopeOf(url) {
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(url)));
  return `push/${hex(hash.slice(0, 12))}/`;
}

/** Why this browser cannot be called, as the name of a sentence; empty where it can. */
export function obstacle() {
  if (apple(navigator.userAgent, navigator.maxTouchPoints) && !standalone()) return "push-apple";
  if (!("PushManager" in globalThis) || !("Notification" in globalThis)) return "push-none";
  return Notification.permission === "denied" ? "push-denied" : "";
}

// What a notice says lies where the service worker finds it while no page is open: words, and titles by their matches.
/** In the language of now. @param {string} [match] its short name, where the player asked to be called for it @param {string} [title] */
export async function storeNotificationTexts(match = "", title = "") {
  const store = await caches.open("pbem-calls");
  const kept = await (await store.match("words"))?.json();
  if (!kept && !match) return; // nobody is called
  const matches = { ...kept?.matches, ...(match && { [match]: title }) };
  await store.put("words", new Response(JSON.stringify({ body: say("your-turn-file"), matches })));
}

/** The key of a host's API, or why there is none. @param {Api & { match: string }} api */
async function keyOf(api) {
  const answer = await postTo("push-key", api);
  if (answer.status === 404) return { trouble: say("push-no-host") };
  const trouble = apiTrouble(answer);
  const key = trouble ? null : objectOf(answer.data)?.key;
  return typeof key === "string" ? { key } : { trouble: trouble?.text ?? say("api-login") };
}

/** @param {string} match @param {boolean} named */
async function subscribe(match, named) {
  const api = await apiOf(match);
  if (!api) return say("push-no-host");
  if ((await Notification.requestPermission()) !== "granted") return say("push-denied");
  const { key, trouble } = await keyOf(api);
  if (!key) return trouble;
  const registration = await navigator.serviceWorker.register(globalThis.pbemScript("service.js"), { scope: await scopeOf(api.url), updateViaCache: "none" });
  await active(registration);
  const subscription = (await registration.pushManager.getSubscription()) ?? (await registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: key }));
  const wished = { subscription: subscription.toJSON(), named, zone: Intl.DateTimeFormat().resolvedOptions().timeZone, lang: code };
  const answer = await postTo("push", api, { text: JSON.stringify(wished) });
  const refused = apiTrouble(answer.status === 204 || answer.status === 201 ? { status: 200 } : answer);
  if (refused) return refused.text;
  await askOrNotify({ do: "push", match, ...wished });
  await storeNotificationTexts(api.match, read().list.matches.find((candidate) => candidate.id === match)?.title ?? read().match.scene?.title ?? match);
  localStorage.setItem(`push ${match}`, "on");
  return say("push-on");
}

/** @param {ServiceWorkerRegistration} registration */
async function active(registration) {
  const worker = registration.installing || registration.waiting;
  if (registration.active || !worker) return;
  await new Promise((done) => worker.addEventListener("statechange", () => worker.state === "activated" && done(null)));
}

/** @param {string} match */
async function unsubscribe(match) {
  const api = await apiOf(match);
  if (api) {
    await postTo("push-off", api);
    const registration = await navigator.serviceWorker.getRegistration(await scopeOf(api.url));
    await (await registration?.pushManager.getSubscription())?.unsubscribe();
  }
  await askOrNotify({ do: "push", match, subscription: null });
  localStorage.removeItem(`push ${match}`);
  return say("push-off-done");
}

/** The switch for one match. @param {string} [match] */
export function pushSheet(match = read().match.scene?.match ?? "") {
  const why = obstacle();
  const on = localStorage.getItem(`push ${match}`) === "on";
  let named = false;
  const done = async (/** @type {Promise<string | undefined>} */ work) => {
    closeSheet();
    try {
      notify((await work) || "");
    } catch {
      notify(say("push-failed"), { trouble: true });
    }
  };
  sheet(say("push"), () => html`<p>${say(why || "push-about")}</p>${!why && html`<${Switch} id="push-named" label=${say("push-named")} on=${named} act=${(/** @type {boolean} */ set) => {
      named = set;
      send("redraw");
    }} />
    <p class="note">${say("push-who")}</p><div class="ways">${on ? button(say("push-stop"), () => done(unsubscribe(match)), { class: "first" })
      : button(say("push-start"), () => done(subscribe(match, named)), { class: "first" })}${button(say("cancel"), closeSheet)}</div>`}`);
}

/** The switch for whichever match. */
export function pushAll() {
  const own = read().list.matches.filter((match) => !match.practice && !match.over);
  if (own.length === 1) return pushSheet(own[0].id);
  return sheet(say("push"), () => html`<p>${say("push-which")}</p><ul class="rows">${own.map((match) => html`<li key=${match.id}><button type="button" class="row" onClick=${() => pushSheet(match.id)}>${match.title}<span class="id">${match.id}</span></button></li>`)}</ul>`);
}
