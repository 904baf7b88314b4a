// The table and what one holds, as parts that a finger can mean. Nothing here knows a game: parts come with their
// names, and with the drawing that they stand in.
import { about, closeAbout, touch } from "./choose.mjs";
import { fingers } from "./finger.mjs";
import { read } from "./store.mjs";
import { boxesOf, drawing, partsOf, sized } from "./svg.mjs";
import { meant, nextOf } from "./touch.mjs";
import { html, useRef, useState } from "./view.mjs";
import { plain, say } from "./words.mjs";

/** @import { Card, Picture, Player, Scene } from "../types.js" */

const WIDE = "(min-width: 48em)";
export const wide = () => matchMedia(WIDE).matches;

const MEANT = { touch, about, closeAbout };

/** What a part looks like now. @param {Scene} scene */
function looks(scene) {
  const { chosen } = read().match;
  const next = nextOf(scene.tree, chosen);
  const first = chosen.length ? nextOf(scene.tree, []) : next;
  // a part that was touched may be one to be touched again: another counter from the same town
  return (/** @type {string} */ part) => (chosen.includes(part) ? (next.has(part) ? "chosen can" : "chosen") : next.has(part) ? "can" : first.has(part) ? "other" : "");
}

/** The parts that are seen somewhere, so that they need no button of their own. @param {Scene} scene */
export function seenIn(scene) {
  const visible = partsOf((read().match.wide ?? scene.board)?.tree);
  for (const card of scene.held ?? []) visible.add(card.part);
  if (wide()) for (const player of scene.players ?? []) visible.add(player.part);
  return (/** @type {string} */ part) => visible.has(part);
}

/** Whether a part leads on now, or begins again. @param {string} part */
function leads(part) {
  const { scene, chosen } = read().match;
  return nextOf(scene?.tree, chosen).has(part) || nextOf(scene?.tree, []).has(part) || chosen.includes(part);
}

/** @param {{ scene: Scene, picture: Picture }} given */
export function Board({ scene, picture }) {
  const place = useRef(/** @type {HTMLElement | null} */ (null));
  // made once: whatever is drawn again between a finger's coming down and its lifting is still the same finger
  const [on] = useState(() => fingers((event) => (place.current ? meant(boxesOf(place.current), leads, event.clientX, event.clientY) : ""), MEANT));
  // What can be touched is touched with a finger here and by the list below with a keyboard; the picture is named as one.
  return html`<div class="board" ref=${place} style=${{ aspectRatio: `${picture.width} / ${picture.height}`, "--ratio": String(picture.width / picture.height) }} role="img" aria-label=${picture.alt} ...${on}>
    ${drawing(sized(picture), looks(scene))}</div>`;
}

/** @param {{ scene: Scene }} given */
export function Hand({ scene }) {
  const look = looks(scene);
  return html`<ul class="hand" aria-label=${say("hand")} data-kinds=${scene.held.length}>${scene.held.map((card) => html`<${Held} key=${card.part} card=${card} look=${look(card.part)} />`)}</ul>`;
}

/** @param {{ card: Card, look: string }} given */
function Held({ card, look }) {
  const [on] = useState(() => fingers((event) => event.currentTarget?.dataset?.part ?? "", MEANT));
  const label = card.count > 1 ? `${plain(card.name)}, ${card.count}` : plain(card.name);
  return html`<li><button type="button" class=${`card ${look} ${card.fresh ? "fresh" : ""}`} data-part=${card.part} aria-label=${card.fresh ? say("fresh-card", { name: label }) : label} aria-pressed=${String(look.startsWith("chosen"))} ...${on}>
    ${card.icon && html`<span class="icon" aria-hidden="true">${drawing(card.icon)}</span>`}
    <span class="name">${card.short || card.name}</span>${card.count > 1 && html`<span class="count">×${card.count}</span>`}</button></li>`;
}

const VOWEL = "[aeiouyøæœαεηιουωаеёиоуыэюя]\\p{M}*";
const SYLLABLE = new RegExp(`(\\p{L}*?${VOWEL}[\\p{L}\\p{M}]*?)(?<=[\\p{L}\\p{M}]{2})(?=(?:sch|[cpst]h|[bcdfgkpt][lr]|(?!${VOWEL})\\p{L}\\p{M}*)${VOWEL}\\p{L})`, "giu");

/**
 * A player's name with the places where a narrow seat may break a long word of it by a hyphen: before a consonant and its vowel.
 * @param {string} name
 */
export const breaking = (name) => name.normalize("NFD").replace(/[\p{L}\p{M}]{6,}/gu, (word) => word.replace(SYLLABLE, "$1\u00ad")).normalize("NFC");

/** @param {{ scene: Scene }} given */
export function Purse({ scene }) {
  return html`<dl class="purse">${scene.purse.map((entry) => html`<div key=${entry.label}><dt>${entry.label}</dt><dd>${entry.value}</dd></div>`)}</dl>`;
}

/** Beside the name of a seat that a computer plays. @type {any} */
const COMPUTER = ["svg", { viewBox: "0 0 24 24", width: 12, height: 12 }, ["path", { d: "M4 9 H20 V21 H4 Z M12 9 V4 M9 3 H15 M9 14 V15 M15 14 V15 M9 18 H15", fill: "none", stroke: "currentColor", "stroke-width": 2.5 }]];

/** @param {{ scene: Scene }} given */
export function Players({ scene }) {
  const look = looks(scene);
  return html`<ul class="players" aria-label=${say("players")}>${scene.players.map((player) => html`<${Seat} key=${player.part} player=${player} look=${look(player.part)} />`)}</ul>`;
}

/** @param {{ player: Player, look: string }} given */
function Seat({ player, look }) {
  const [on] = useState(() => fingers((event) => event.currentTarget?.dataset?.part ?? "", MEANT));
  const marks = [player.waiting && say("is-asked"), player.me && say("is-you")].filter(Boolean).join(", ");
  const inside = html`<span class="who">${player.mark && html`<span class="icon" aria-hidden="true">${drawing(player.mark)}</span>`}
    <span class="name">${breaking(player.name)}</span>${player.computer && html`<span class="computer" aria-hidden="true">${drawing(COMPUTER)}</span> <span class="hidden">${player.computer}</span>`}</span> <span class="figure">${player.figure}</span>
    ${player.cards !== null && player.cards !== undefined && html`<span class="cards"><span aria-hidden="true">${player.cards}</span><span class="hidden">${say("cards", { n: player.cards })}</span></span>`}
    ${marks && html`<span class="hidden">${marks}</span>`}`;
  const style = `seat ${look} ${player.waiting ? "asked" : ""}`;
  // on a narrow screen it is a low line: where it is to be touched a finger may do so, or on a button of the action bar
  return wide() ? html`<li><button type="button" class=${style} data-part=${player.part} ...${on}>${inside}</button></li>`
    : html`<li><span class=${style} data-part=${player.part} title=${`${player.name} ${player.computer}`.trim()} ...${on}>${inside}</span></li>`;
}
