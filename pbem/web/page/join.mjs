// From an invitation to a seat: one name, one button; the paper after the first turn, not before.
import { codeIn, linesTrouble } from "./api.mjs";
import { askOrNotify, forPython, post, postTo } from "./ask.mjs";
import { Bringing, takeFiles } from "./bringing.mjs";
import { base64 } from "./bytes.mjs";
import { leave, look, sendAgain } from "./exchange.mjs";
import { backup, forget } from "./looking.mjs";
import { takeSeat } from "./pair.mjs";
import { paper } from "./paper.mjs";
import { Area, button, Choice, Field, Fold, value } from "./parts.mjs";
import { closeSheet, notify, sheet } from "./sheet.mjs";
import { read, send } from "./store.mjs";
import { Notes, persistStorage } from "./surroundings.mjs";
import { apiTrouble } from "./trouble.mjs";
import { html, useState } from "./view.mjs";
import { during, pause } from "./waiting.mjs";
import { say } from "./words.mjs";

/** @import { Api, Invitation } from "../types.js" */

const goHome = () => send("open-home");

/** Milliseconds that the browser's own question may take. */
const ANSWERED = 3000;

/** @param {Invitation} invited */
async function join(invited) {
  const typed = (/** @type {string} */ id) => (document.getElementById(id) ? value(id).trim() : "");
  const question = {
    do: "join", seat: invited.code ? invited.seat : typed("seat"), name: typed("name"), mail: typed("mail"),
    zone: Intl.DateTimeFormat().resolvedOptions().timeZone, word: invited.word || typed("word"), api: forPython(invited.api), ...(invited.code ? { code: invited.code } : {}),
  };
  // Busy from the tap on: some browsers ask the person whether to keep what lies here, others take their time. Whoever
  // does not answer the browser's question joins all the same.
  const answer = await during(async () => {
    await Promise.race([persistStorage(), pause(ANSWERED)]);
    return askOrNotify(question);
  });
  if (!answer) return;
  send("open-table");
  await leave(answer.file);
}

/** @param {{ invitation: Invitation }} given */
export function InvitationScreen({ invitation: invited }) {
  const free = invited.seats.filter((seat) => seat.free);
  const taken = invited.seats.find((seat) => seat.seat === invited.seat && !seat.free);
  const can = invited.code ? !taken || invited.retake : free.length > 0;
  return html`<h1>${say("invited", { title: invited.title })}</h1>
    ${invited.says && html`<p>${invited.says}</p>`}<p class="note">${say("host-print", { print: invited.host })}</p>${invited.hosted && html`<p class="hosted">${invited.hosted}</p>`}
    ${invited.seats.some((seat) => !seat.free) && html`<p>${say("at-table", { names: invited.seats.filter((seat) => !seat.free).map((seat) => seat.name).join(", ") })}</p>`}
    <${Notes} joining=${true} />
    ${taken && invited.code && html`<p role="alert">${invited.retake ? say("take-over", { name: taken.name }) : say("link-done")}</p>`}
    ${can ? html`${!invited.code && html`<${Choice} id="seat" label=${say("seat")} options=${free.map((seat) => [seat.seat, seat.seat])} value=${invited.seat} />`}
      <${Field} id="name" label=${say("name")} maxLength="40" autocomplete="nickname" />
      ${!invited.code && html`<${Field} id="mail" label=${say("mail")} type="email" autocomplete="email" />
        <${Field} id="word" label=${say("word")} defaultValue=${invited.word || ""} autocapitalize="off" />`}` : !taken && html`<p>${say("no-seat")}</p>`}
    <div class="ways">${can && button(say(taken ? "take-over-yes" : "join"), () => join(invited), { class: "first" })}${button(say("cancel"), goHome)}</div>
    ${free.length < invited.seats.length && html`<${OwnSeat} api=${invited.api} unfolded=${!can} />`}`;
}

/**
 * An email's link on a device without the seat: the words of its paper bring it, or a backup of the other device.
 * @param {{ kind: string, match: string, seat: string }} link
 * @param {string} url of the host's API
 */
export function bringSeat(link, url) {
  sheet(say("bring-seat"), () => html`<p>${say("bring-seat-about")}</p>
    ${button(say("pair-take"), () => takeSeat(url))}
    <${OwnSeat} api=${{ url, code: "" }} link=${link} unfolded=${true} />
    <div class="field"><label for="backup-file">${say("backup-in")}</label><input type="file" id="backup-file" onChange=${(/** @type {any} */ event) => takeFiles([...event.target.files])} /></div>`);
  return undefined;
}

/**
 * All records that a host's API has of a match, taken as its invitation.
 * @param {{ kind: string, match: string, seat: string }} link
 * @param {Api} api
 * @returns {Promise<any>} null where they did not come, and the person sees why
 */
export async function recordsOf(link, api) {
  notify(say("looking"));
  const parts = [];
  for (let after = -1; ; ) {
    const answer = await postTo("lines", { ...api, match: link.match }, { after });
    const trouble = linesTrouble(answer);
    if (trouble) {
      const gone = answer.status === 401 || answer.status === 403;
      const hash = `#${link.kind}=${link.match}&seat=${link.seat}&api=${api.url}&${link.kind === "join" ? "code" : "word"}=${api.code}`;
      notify(gone && link.kind === "join" ? say("link-dead") : trouble.text, { trouble: true, help: trouble.help, retry: () => send("open-link", { hash }) });
      return null;
    }
    if (!answer.data.length) break;
    parts.push(answer.data);
    after += answer.data.reduce((count, byte) => count + (byte === 10 ? 1 : 0), 0);
  }
  return askOrNotify({ do: "invited", data: base64(new Uint8Array(await new Blob(/** @type {BlobPart[]} */ (parts)).arrayBuffer())), ...(link.seat ? { seat: link.seat } : {}) });
}

/**
 * The host's access code and the records, for whoever has the words of the seat's paper.
 * @param {{ kind: string, match: string, seat: string }} link @param {Api} api
 * @returns {Promise<Api | null>}
 */
async function openByRecoveryWords(link, api) {
  const login = await askOrNotify({ do: "api-key", words: value("words"), link: { match: link.match, seat: link.seat, api: api.url } });
  if (!login) return null;
  const answer = await post("access-code", { api: api.url, match: link.match, text: login.file });
  const code = codeIn(answer);
  if (!code) {
    notify(answer.status === 401 ? say("api-keys") : apiTrouble(answer)?.text ?? say("api-login"), { trouble: true });
    return null;
  }
  return (await recordsOf({ ...link, kind: "match" }, { url: api.url, code })) ? { url: api.url, code } : null;
}

// The match is played on another device: the words of its paper bring the seat here.
/** @param {{ api: Api | null | undefined, link?: { kind: string, match: string, seat: string }, unfolded: boolean }} given */
function OwnSeat({ api, link, unfolded }) {
  return html`<${Fold} id="own-seat" title=${say("have-seat")} open=${unfolded}><${OnPaper} about=${say("have-seat-about")} take=${async () => {
    const words = value("words");
    const opened = link && api ? await openByRecoveryWords(link, api) : api;
    if ((link && !opened) || !(await askOrNotify({ do: "paper", words, api: forPython(opened) }))) return;
    closeSheet();
    send("open-table");
  }} /></${Fold}>`;
}

// Where a host serves the page, the words of the paper are asked for behind the sentence about that and a yes.
/** @param {{ about: string, take: () => unknown }} given */
function OnPaper({ about, take }) {
  const { says } = read().host;
  const [asked, setAsked] = useState(!says);
  if (!asked) return html`<p class="hosted">${says}</p>${button(say("have-seat"), () => setAsked(true))}`;
  return html`<p>${about}</p><${Area} id="words" label=${say("paper-words")} rows="3" autocapitalize="characters" spellcheck=${false} />
    ${button(say("take-in"), take)}`;
}

/** A match whose keys are not here. @param {{ match: string, text: string }} given */
export function LostScreen({ match, text }) {
  const take = async () => (await askOrNotify({ do: "paper", match, words: value("words") })) && send("open-table");
  return html`<h1>${match}</h1><p role="alert">${text}</p><${OnPaper} about=${say("lost-keys")} take=${take} />
    <div class="ways">${button(say("back-to-matches"), goHome)}</div>`;
}

/** The join is on its way, or the host has not dealt yet. */
export function JoiningScreen() {
  const scene = /** @type {any} */ (read().match.scene);
  return html`<nav class="bar"><button type="button" class="small" aria-label=${say("back-to-matches")} onClick=${goHome}>‹</button><span class="where">${scene.title}</span></nav>
    <h1 id="asked" tabIndex="-1">${say("joining")}</h1>${scene.says.map((/** @type {string} */ text) => html`<p>${text}</p>`)}
    <p id="status" role="status">${read().match.status}</p>
    <div class="ways">${scene.entry && button(say("send-old"), () => sendAgain(scene.entry), { class: "first" })}
      ${scene.api && button(say("look-for-news"), () => look(false))}${button(say("paper"), () => paper(scene.match))}${button(say("backup"), backup)}${button(say("forget"), forget)}</div>
    <${Fold} id="bring" title=${say("bring")} open=${!scene.api}><${Bringing} /></${Fold}>`;
}
