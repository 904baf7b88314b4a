// From an invitation to a seat: one name, one button; the paper after the first turn, not before.
import { app, during, pause, redraw, notify } from "./app.mjs";
import { post, wish } from "./ask.mjs";
import { look } from "./api.mjs";
import { recordsOf } from "./following.mjs";
import { home } from "./home.mjs";
import { carry, leaving, sendAgain } from "./leave.mjs";
import { backup, forget } from "./looking.mjs";
import { Bringing, takeFiles } from "./bringing.mjs";
import { takeSeat } from "./pair.mjs";
import { Area, button, Choice, Field, Fold, value } from "./parts.mjs";
import { sheet, closeSheet } from "./sheet.mjs";
import { keepStorage, Notes } from "./surroundings.mjs";
import { showTable } from "./table.mjs";
import { apiTrouble, objectOf } from "./trouble.mjs";
import { html, useState } from "./view.mjs";
import { say } from "./words.mjs";

/** @import { Invitation } from "../types.js" */
/** @import { Api } from "./links.mjs" */

/** Milliseconds that the browser's own question may take. */
const ANSWERED = 3000;

/** @param {Invitation} invited @param {Api | null} api */
export function invitation(invited, api) {
  redraw({ screen: "invitation", invitation: { ...invited, api }, sheet: null });
  scrollTo(0, 0);
  return undefined;
}

async function join() {
  const invited = /** @type {Invitation} */ (app.invitation);
  const read = (/** @type {string} */ id) => (document.getElementById(id) ? value(id).trim() : "");
  const question = {
    do: "join", seat: invited.code ? invited.seat : read("seat"), name: read("name"), mail: read("mail"),
    zone: Intl.DateTimeFormat().resolvedOptions().timeZone, word: invited.word || read("word"), api: invited.api, ...(invited.code ? { code: invited.code } : {}),
  };
  // Busy from the tap on: some browsers ask the person whether to keep what lies here, others take their time. Whoever
  // does not answer the browser's question joins all the same.
  const answer = await during(async () => {
    await Promise.race([keepStorage(), pause(ANSWERED)]);
    return wish(question);
  });
  if (!answer) return;
  showTable();
  if (app.scene?.api) await carry(answer.file);
  else leaving(answer.file);
}

export function InvitationScreen() {
  const invited = /** @type {Invitation} */ (app.invitation);
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
    <div class="ways">${can && button(say(taken ? "take-over-yes" : "join"), join, { class: "first" })}${button(say("cancel"), home)}</div>
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
    <${OwnSeat} api=${{ url, word: "" }} link=${link} unfolded=${true} />
    <div class="field"><label for="backup-file">${say("backup-in")}</label><input type="file" id="backup-file" onChange=${(/** @type {any} */ event) => takeFiles([...event.target.files])} /></div>`);
  return undefined;
}

/**
 * The host's access code and the records, for whoever has the words of the seat's paper.
 * @param {{ kind: string, match: string, seat: string }} link @param {Api} api
 * @returns {Promise<Api | null>}
 */
async function openedByWords(link, api) {
  const login = await wish({ do: "api-key", words: value("words"), link: { match: link.match, seat: link.seat, api: api.url } });
  if (!login) return null;
  const answer = await post("word", { api: api.url, match: link.match, text: login.file });
  const word = answer.status === 200 ? objectOf(answer.data)?.word : "";
  if (typeof word !== "string" || !word) {
    notify(answer.status === 401 ? say("api-keys") : apiTrouble(answer)?.text ?? say("api-login"), { trouble: true });
    return null;
  }
  return (await recordsOf({ ...link, kind: "match" }, { url: api.url, word })) ? { url: api.url, word } : null;
}

// The match is played on another device: the words of its paper bring the seat here.
/** @param {{ api: Api | null | undefined, link?: { kind: string, match: string, seat: string }, unfolded: boolean }} given */
function OwnSeat({ api, link, unfolded }) {
  return html`<${Fold} id="own-seat" title=${say("have-seat")} open=${unfolded}><${OnPaper} about=${say("have-seat-about")} take=${async () => {
    const words = value("words");
    const opened = link && api ? await openedByWords(link, api) : api;
    if ((link && !opened) || !(await wish({ do: "paper", words, api: opened }))) return;
    closeSheet();
    showTable();
  }} /></${Fold}>`;
}

// Where a host serves the page, the words of the paper are asked for behind the sentence about that and a yes.
/** @param {{ about: string, take: () => unknown }} given */
function OnPaper({ about, take }) {
  const [asked, setAsked] = useState(!app.served);
  if (!asked) return html`<p class="hosted">${app.served}</p>${button(say("have-seat"), () => setAsked(true))}`;
  return html`<p>${about}</p><${Area} id="words" label=${say("paper-words")} rows="3" autocapitalize="characters" spellcheck=${false} />
    ${button(say("take-in"), take)}`;
}

/** The words for paper, which can be shown until they are written down. @param {string} match */
export async function paper(match) {
  const text = (await wish({ do: "paper-words", match }))?.paper;
  if (text === undefined) return;
  if (!text) {
    localStorage.setItem(`safe ${match}`, "yes");
    return notify(say("paper-gone"));
  }
  const written = async () => {
    closeSheet();
    if (!(await wish({ do: "written", match }))) return;
    localStorage.setItem(`safe ${match}`, "yes");
    redraw();
  };
  sheet(say("paper"), () => html`<p>${say("paper-about")}</p><pre class="paper" tabIndex="0">${text}</pre>
    <div class="ways">${button(say("paper-done"), written, { class: "first" })}${button(say("backup"), backup)}${button(say("not-now-button"), closeSheet)}</div>`);
}

/** A match whose keys are not here. @param {string} name @param {{ fault?: string, hint?: string }} answer */
export function lost(name, answer) {
  redraw({ screen: "lost", lost: { name, text: [answer.fault, answer.hint].filter(Boolean).join("\n") }, sheet: null });
}

export function LostScreen() {
  const { name, text } = /** @type {{ name: string, text: string }} */ (app.lost);
  const take = async () => (await wish({ do: "paper", match: name, words: value("words") })) && showTable();
  return html`<h1>${name}</h1><p role="alert">${text}</p><${OnPaper} about=${say("lost-keys")} take=${take} />
    <div class="ways">${button(say("back-to-matches"), home)}</div>`;
}

/** The join is on its way, or the host has not dealt yet. */
export function JoiningScreen() {
  const scene = /** @type {any} */ (app.scene);
  return html`<nav class="bar"><button type="button" class="small" aria-label=${say("back-to-matches")} onClick=${home}>‹</button><span class="where">${scene.title}</span></nav>
    <h1 id="asked" tabIndex="-1">${say("joining")}</h1>${scene.says.map((/** @type {string} */ text) => html`<p>${text}</p>`)}
    <p id="status" role="status">${app.status}</p>
    <div class="ways">${scene.entry && button(say("send-old"), () => sendAgain(scene.entry), { class: "first" })}
      ${scene.api && button(say("look-for-news"), () => look(false))}${button(say("paper"), () => paper(scene.match))}${button(say("backup"), backup)}${button(say("forget"), forget)}</div>
    <${Fold} id="bring" title=${say("bring")} open=${!scene.api}><${Bringing} /></${Fold}>`;
}
