// A seat goes along to another device: six signs are read on the one that has it and typed on the other. What the two say
// to each other is made and judged by Python; here it is carried, and a person is asked.
import { bringNews } from "./api.mjs";
import { apiOf, ask, post, postTo } from "./ask.mjs";
import { base64, bytesOf } from "./bytes.mjs";
import { forget } from "./looking.mjs";
import { button, Field, value } from "./parts.mjs";
import { closeSheet, notify, sheet } from "./sheet.mjs";
import { read, send } from "./store.mjs";
import { Notes } from "./surroundings.mjs";
import { apiTrouble, objectOf } from "./trouble.mjs";
import { html } from "./view.mjs";
import { pause } from "./waiting.mjs";
import { say } from "./words.mjs";

/**
 * One exchange. `said`: what is shown; `code`: of the device that gives; `device`: who asks for the seat.
 * @typedef {{ api: string, channel: string, ticket: string, over: boolean, said: string, code: string, device: string, sent: boolean, done: boolean }} Talk
 */

/** @param {string} api @returns {Talk} */
const newTalk = (api) => ({ api, channel: "", ticket: "", over: false, said: "", code: "", device: "", sent: false, done: false });

/** How often a host is asked again that does not answer, and how long one waits between. */
const TRIES = 4;
const APART = 2000;

/** The exchange is over: for the other device too, and the host forgets it. @param {Talk} talk @param {string} why */
function endTalk(talk, why) {
  if (talk.over) return;
  Object.assign(talk, { over: true, said: why });
  if (talk.ticket && !talk.done) void post("pair-end", talk);
  void ask({ do: "pair-end" });
  send("redraw");
}

/** Why there is no next message, as a sentence of ours. @param {Talk} talk @param {{ status: number, fault?: string }} answer */
function refusal(talk, answer) {
  if (talk.sent) return say("pair-unsure", { name: talk.device });
  if (answer.status === 404 || answer.status === 409 || answer.status === 401) return say("pair-over");
  return apiTrouble(answer)?.text ?? say("api-login");
}

/**
 * Message `number` leaves for the other device. @param {Talk} talk @param {number} number @param {string} data base64
 * @returns {Promise<boolean>}
 */
async function sendMessage(talk, number, data) {
  const given = { ...talk, number, data: bytesOf(data) };
  let answer = await post("pair-put", given);
  for (let tried = 1; answer.status === 0 && tried < TRIES && !talk.over; tried += 1) {
    await pause(APART);
    answer = await post("pair-put", given);
  }
  if (answer.status !== 201) return endTalk(talk, refusal(talk, answer)) ?? false;
  talk.ticket ||= String(objectOf(answer.data)?.ticket ?? "");
  return !talk.over;
}

/** What Python says to message `number`, when it has come; null where the exchange is over. @param {Talk} talk @param {number} number @returns {Promise<any>} */
async function receive(talk, number) {
  let silent = 0;
  while (!talk.over) {
    const answer = await post("pair-get", { ...talk, number });
    if (answer.status === 200) {
      const message = await ask({ do: "pair-hear", data: base64(answer.data) });
      if (message.ok) return talk.over ? null : message;
      endTalk(talk, [message.fault, message.hint].filter(Boolean).join(" "));
    } else if (answer.status !== 204) {
      silent += 1;
      if (answer.status !== 0 || silent === TRIES) endTalk(talk, refusal(talk, answer));
    }
    await pause(answer.status === 204 ? APART / 2 : APART);
  }
  return null;
}

/** @param {Talk} talk @param {() => any} body */
const talkView = (talk, body) => html`${talk.over ? html`<p role="alert">${talk.said}</p><div class="ways">${talk.done && button(say("forget"), () => {
  closeSheet();
  forget();
})}${button(say("close"), closeSheet, { class: "first" })}</div>` : body()}`;

/** A mailbox at the host of this match; empty where there is none, and the person sees why. @param {string} match @returns {Promise<Talk | null>} */
async function mailbox(match) {
  let api = await apiOf(match);
  if (!api) return notify(say("pair-no-host"), { trouble: true }) ?? null;
  let answer = await postTo("pair-open", api);
  if (answer.status === 401) {
    await bringNews(match); // the host has given the seat another access code
    api = (await apiOf(match)) ?? api;
    answer = await postTo("pair-open", api);
  }
  const login = answer.status === 201 ? objectOf(answer.data) : null;
  if (answer.status === 404) return notify(say("pair-no-host"), { trouble: true }) ?? null;
  if (typeof login?.channel !== "string") return notify((answer.status === 201 ? null : apiTrouble(answer)?.text) ?? say("api-login"), { trouble: true }) ?? null;
  return { ...newTalk(api.url), channel: login.channel, ticket: String(login.ticket) };
}

/** The seat of the open match goes along to another device. */
export async function giveSeat() {
  const match = read().match.scene?.match ?? "";
  const talk = await mailbox(match);
  if (!talk) return;
  const pairing = await ask({ do: "pair-give", match, channel: talk.channel });
  if (!pairing.ok) return notify([pairing.fault, pairing.hint].filter(Boolean).join(" "), { trouble: true });
  talk.code = pairing.code;
  sheet(say("pair"), () => talkView(talk, () => (talk.device
    ? html`<p>${say("pair-asks", { name: talk.device })}</p><div class="ways">${talk.sent ? html`<p role="status">${say("pair-sending")}</p>` : button(say("pair-yes"), () => confirmGiving(talk), { class: "first" })}${!talk.sent && button(say("pair-no"), () => endTalk(talk, say("pair-refused")))}</div>`
    : html`<p>${say("pair-about")}</p><p class="code" aria-label=${[...talk.code].join(" ")}>${`${talk.code.slice(0, 3)} ${talk.code.slice(3)}`}</p>
      <p class="note">${say("pair-once")}</p><p class="note">${say("pair-host", { url: talk.api })}</p>`)), { closed: () => endTalk(talk, "") });
  setTimeout(() => talk.device || endTalk(talk, say("pair-over")), pairing.seconds * 1000);
  const first = await receive(talk, 1);
  if (!first || !(await sendMessage(talk, 2, first.send))) return;
  const third = await receive(talk, 3);
  if (!third) return;
  talk.device = third.device;
  send("redraw");
}

/** The yes of the player who has the seat. @param {Talk} talk */
async function confirmGiving(talk) {
  talk.sent = true;
  send("redraw");
  const answer = await ask({ do: "pair-yes" });
  if (!answer.ok) {
    talk.sent = false;
    return endTalk(talk, [answer.fault, answer.hint].filter(Boolean).join(" "));
  }
  if (!(await sendMessage(talk, 4, answer.send)) || !(await receive(talk, 5))) return undefined;
  talk.done = true;
  return endTalk(talk, say("pair-done", { name: talk.device }));
}

/** How this device calls itself until its player says otherwise. */
export function deviceName(agent = navigator.userAgent) {
  const browser = /Firefox|FxiOS/.test(agent) ? "Firefox" : /Edg/.test(agent) ? "Edge" : /Chrome|CriOS/.test(agent) ? "Chrome" : /Safari/.test(agent) ? "Safari" : "";
  const system = /iPhone|iPad/.exec(agent)?.[0] ?? (/Android/.test(agent) ? "Android" : /Windows/.test(agent) ? "Windows" : /Macintosh/.test(agent) ? "Mac" : /Linux/.test(agent) ? "Linux" : "");
  return [browser, system].filter(Boolean).join(", ") || "?";
}

/** A seat comes here from another device. @param {string} [api] the address of the host, where it is known */
export function takeSeat(api = read().host.api) {
  let talk = newTalk(api);
  const again = () => { // another exchange: what still waits for an answer in the last one must not hear this one's
    talk = newTalk(api || value("pair-api").trim());
    void startTaking(talk);
  };
  const form = () => html`<p>${say("pair-take-about")}</p>
    <${Field} id="pair-code" label=${say("pair-code")} autocapitalize="characters" autocomplete="off" spellcheck=${false} maxLength="9" />
    <${Field} id="pair-name" label=${say("pair-name")} defaultValue=${deviceName()} maxLength="60" autocomplete="off" />
    ${!api && html`<${Field} id="pair-api" label=${say("pair-api")} type="url" placeholder="https://" autocapitalize="off" />`}
    <div class="ways">${button(say("take-in"), again, { class: "first" })}${button(say("cancel"), closeSheet)}</div>`;
  sheet(say("pair-take"), () => html`<${Notes} joining=${true} />${talk.over && html`<p role="alert">${talk.said}</p>`}
    ${talk.channel && !talk.over ? html`<p role="status">${say("pair-waits")}</p>` : form()}`, { closed: () => endTalk(talk, "") });
}

/** @param {Talk} talk */
async function startTaking(talk) {
  const answer = await ask({ do: "pair-take", code: value("pair-code"), device: value("pair-name") });
  if (!answer.ok) return endTalk(talk, answer.fault ?? "");
  talk.channel = answer.channel;
  send("redraw");
  if (!(await sendMessage(talk, 1, answer.send))) return undefined;
  const second = await receive(talk, 2);
  if (!second || !(await sendMessage(talk, 3, second.send))) return undefined;
  const fourth = await receive(talk, 4);
  if (!fourth) return undefined;
  talk.done = await sendMessage(talk, 5, fourth.send);
  Object.assign(talk, { over: true, done: true });
  closeSheet();
  send("open-table");
  return notify(say("pair-here"));
}
