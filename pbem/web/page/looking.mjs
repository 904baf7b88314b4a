// Looking back and around: the story with its proofs, the audit, the rules, standing orders, backups.
import { askOrNotify } from "./ask.mjs";
import { bytesOf } from "./bytes.mjs";
import { sendDraft } from "./choose.mjs";
import { button, Field, value } from "./parts.mjs";
import { mayReact, Reactions } from "./react.mjs";
import { matching } from "./searching.mjs";
import { save } from "./share.mjs";
import { closeSheet, notify, sheet } from "./sheet.mjs";
import { read, send } from "./store.mjs";
import { drawing, sized } from "./svg.mjs";
import { html } from "./view.mjs";
import { say } from "./words.mjs";

/** @import { Picture } from "../types.js" */

/** @param {{ picture: Picture }} given */
export const PictureView = ({ picture }) => html`<div class="moment" role="img" aria-label=${picture.alt}>${drawing(sized(picture))}</div>`;

export function wholeTable() {
  const { scene } = read().match;
  if (!scene) return;
  sheet(say("table"), () => html`<pre tabIndex="0">${scene.table}</pre>${scene.hosted && html`<p class="hosted">${scene.hosted}</p>`}`);
}

/** @param {"hint" | "review"} what */
export async function readText(what) {
  const answer = await askOrNotify({ do: what });
  if (answer) sheet(say(what), () => html`<pre class="story">${answer.text}</pre>`);
}

/** How one plays: the goal, a turn by its steps, an example. @param {{ title: string, lines: string[], numbered: boolean }} part */
const opening = ({ title, lines, numbered }) => html`<section key=${title}><h3>${title}</h3>${numbered
  ? html`<ol class="ordered">${lines.map((line) => html`<li key=${line}>${line}</li>`)}</ol>`
  : lines.map((line) => html`<p key=${line}>${line}</p>`)}</section>`;

/** A table of the board; the columns in `right` are numbers. @param {{ head: string[], rows: (string | number)[][], right: number[] }} given */
const grid = ({ head, rows, right }) => {
  const side = (/** @type {number} */ at) => (right.includes(at) ? "number" : undefined);
  return html`<table class="boxes" key=${head[0]}><thead><tr>${head.map((cell, at) => html`<th scope="col" class=${side(at)}>${cell}</th>`)}</tr></thead>
    <tbody>${rows.map((row) => html`<tr key=${row[0]}>${row.map((cell, at) => html`<td class=${side(at)}>${cell}</td>`)}</tr>`)}</tbody></table>`;
};

/** The rules: how one plays, the board, every row, with a search. */
export async function rules() {
  const answer = await askOrNotify({ do: "rules" });
  if (!answer) return;
  let wanted = "";
  sheet(say("rules"), () => {
    const sections = matching(answer.sections || [], wanted);
    const count = sections.reduce((sum, section) => sum + section.rows.length, 0);
    return html`<${Field} id="find" type="search" label=${say("find-rule")} value=${wanted} onInput=${(/** @type {any} */ event) => {
      wanted = event.target.value;
      send("redraw");
    }} />
      ${!wanted.trim() && html`${(answer.opening || []).map(opening)}
        ${answer.picture && html`<${PictureView} picture=${answer.picture} />`}${(answer.board || []).map(grid)}`}
      ${wanted.trim() && html`<p class="note" role="status">${count ? say("rules-found", { n: count }) : say("rules-none", { text: wanted.trim() })}</p>`}
      ${sections.map((section) => html`<section key=${section.title}><h3>${section.title}</h3><dl class="rules">${section.rows.map((row) => html`<div key=${row.id}><dt>${row.id}</dt><dd>${row.text}</dd></div>`)}</dl></section>`)}`;
  }, { kind: "rules-sheet" });
}

export async function orders() {
  let standing = (await askOrNotify({ do: "orders" }))?.orders;
  if (!standing) return;
  const change = async (/** @type {object} */ question) => {
    const answer = await askOrNotify({ do: "order", ...question });
    if (answer) standing = answer.orders;
    send("redraw");
  };
  const add = async () => {
    const typed = value("rule").trim();
    if (typed) await change({ text: typed });
  };
  sheet(say("orders"), () => html`<ul class="rows">${standing.lines.map((/** @type {any} */ line, /** @type {number} */ at) => html`<li key=${`${at} ${line.label}`}>${
      !line.can && !line.send ? html`<p class="note">${[line.label, line.effect].filter(Boolean).join("  ")}</p>`
        : html`<button type="button" class=${line.send ? "row first" : "row"} onClick=${() => (line.send ? (closeSheet(), sendDraft()) : change({ line: at }))}><span class="label">${line.label}</span>${line.effect && html`<span class="effect">${line.effect}</span>`}</button>`}</li>`)}</ul>
    <${Field} id="rule" label=${say("orders-type")} autocapitalize="off" spellcheck=${false} />${button(say("add"), add)}
    ${standing.answers && html`<pre class="story">${standing.answers}</pre>`}
    <details><summary>${say("orders-vocabulary")}</summary><pre tabIndex="0">${standing.vocabulary}</pre></details>`);
}

/** @param {number} index one moment of the story; -1 is the last */
export async function story(index) {
  const answer = await askOrNotify({ do: "moment", index });
  if (!answer) return;
  const { moment } = answer;
  const step = (/** @type {string} */ key, /** @type {number} */ to) => button(say(key), () => story(to), { disabled: to < 0 || to >= moment.count || to === moment.index });
  sheet(say("story"), () => html`<p class="note">${moment.title}</p>
    <div class="steps">${step("first", 0)}${step("earlier", moment.index - 1)}${step("later", moment.index + 1)}${step("last", moment.count - 1)}</div>
    <pre class="story">${moment.text}</pre>${moment.proofs > 0 && button(say("proofs"), () => proofs(moment.seq, moment.index))}
    ${moment.react && mayReact(read().match.scene) && html`<${Reactions} seq=${moment.seq} words=${moment.react} now=${() => {
      closeSheet();
      return sendDraft();
    }} />`}
    ${moment.picture?.tree && html`<${PictureView} picture=${moment.picture} />`}`, { kind: "story-sheet" });
}

/** @param {number} seq @param {number} index */
async function proofs(seq, index) {
  const answer = await askOrNotify({ do: "audit", seq });
  if (answer) sheet(say("proofs"), () => html`${answer.proofs.map((/** @type {string} */ text) => html`<pre tabIndex="0">${text}</pre>`)}${button(say("story"), () => story(index))}`);
}

export async function audit() {
  const answer = await askOrNotify({ do: "audit" });
  if (!answer) return;
  const report = answer.audit;
  sheet(say("audit"), () => html`<p class=${report.ok ? "" : "fault"}>${report.says}</p><p class="note">${report.counts}</p><p>${say("audit-head", { head: report.head })}</p>
    ${report.faults.map((/** @type {string} */ text) => html`<p class="fault">${text}</p>`)}`);
}

export async function backup() {
  const match = read().match.scene?.match;
  const answer = match && (await askOrNotify({ do: "backup", match }));
  if (!answer) return;
  save(answer.name, new Blob([bytesOf(answer.data)], { type: "application/zip" }));
  localStorage.setItem(`safe ${match}`, "yes");
  notify(say("backup-about"));
}

export function forget() {
  const name = read().match.scene?.match;
  sheet(say("forget"), () => html`<p>${say("forget-sure")}</p><div class="ways">${button(say("remove"), async () => {
    closeSheet();
    if (await askOrNotify({ do: "forget", match: name })) send("open-home");
  }, { class: "first" })}${button(say("cancel"), closeSheet)}</div>`);
}

/** Everybody over all matches on this device. */
export async function group() {
  const answer = await askOrNotify({ do: "group" });
  if (!answer) return;
  sheet(say("group"), () => (answer.group.length ? html`<div class="wide" tabIndex="0"><table><thead><tr>${["name", "matches-count", "won", "figure", "best", "waited"].map((key) => html`<th scope="col">${say(`group-${key}`)}</th>`)}</tr></thead>
    <tbody>${answer.group.map((/** @type {any} */ player) => html`<tr key=${player.name}><th scope="row">${player.name}</th><td>${player.matches}</td><td>${player.won}</td><td>${player.figure}</td><td>${player.best}</td><td>${player.waited}</td></tr>`)}</tbody></table></div>`
    : html`<p>${say("group-none")}</p>`));
}
