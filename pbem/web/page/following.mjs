// A link is followed: to a match on this device, to an invitation at a host's API, to practice.
import { bringNews } from "./api.mjs";
import { apiOf, askOrNotify, forPython } from "./ask.mjs";
import { look } from "./exchange.mjs";
import { beginPractice, games, home } from "./home.mjs";
import { bringSeat, recordsOf } from "./join.mjs";
import { differs, linkOf, meantBy } from "./links.mjs";
import { openElsewhere } from "./others.mjs";
import { button } from "./parts.mjs";
import { closeSheet, notify, sheet } from "./sheet.mjs";
import { read, send } from "./store.mjs";
import { openMatch, showTable } from "./table.mjs";
import { html } from "./view.mjs";
import { say } from "./words.mjs";

/** @import { Api } from "../types.js" */

/** @param {string} [hash] @param {string} [page] the page that the link leads to, where it was pasted */
export async function followLink(hash = location.hash, page = "") {
  if (location.hash) history.replaceState(history.state, "", location.pathname + location.search); // the code of the link stays in no address bar
  const here = location.origin + location.pathname;
  const link = linkOf(hash, page || here);
  if (!link) return read().screen.name === "" ? home() : undefined;
  send("link", hash); // for whoever is asked to open it in another browser
  if (link.kind === "practice") return openPractice(link.game);
  await home();
  const { list, host } = read();
  const match = meantBy(list.matches, link);
  // a host's web app has that host's matches alone, with their keys
  if (!match && host.says && page && page !== here && (link.api?.url ?? link.beside) !== host.api) return openElsewhere(page, hash, link.match);
  if (!match && link.api?.code) return openInvitation(link, link.api);
  if (!match) return bringSeat(link, link.api?.url ?? link.beside);
  await openMatch(match.id);
  const api = link.api ?? (host.says ? { url: link.beside, code: "" } : null);
  return api ? confirmApi(match.id, api, link.code) : look(true);
}

/** A link that leads to another API, or with another code, changes what is known only after a yes. @param {string} match @param {Api} api @param {string} code */
async function confirmApi(match, api, code) {
  const what = differs(await apiOf(match), api);
  // The access code that the join brought outlives the code of its link; another one counts once that opens nothing.
  const lives = what === "code" && code && (await bringNews(match)).trouble?.text !== say("api-word");
  if (!what || lives) return look(true);
  sheet(say("look-for-news"), () => html`<p>${what === "url" ? say("api-new", { url: api.url }) : say("api-new-word")}</p><div class="ways">${button(say("api-yes"), async () => {
    closeSheet();
    await askOrNotify({ do: "api", match, set: forPython(api) });
    await openMatch(match);
    await look(true);
  }, { class: "first" })}${button(say("cancel"), closeSheet)}</div>`);
  return undefined;
}

/**
 * An invitation at a host's API, or a match that was played on another device until now. Looking changes nothing there.
 * @param {{ kind: string, match: string, seat: string, code: string }} link
 * @param {Api} api
 * @returns {Promise<unknown>}
 */
async function openInvitation(link, api) {
  const answer = await recordsOf(link, api);
  if (!answer) return undefined;
  notify("");
  send("invitation-opened", { ...answer.invitation, api, seat: link.seat || answer.invitation.seat, code: link.code, word: link.kind === "join" && !link.code ? api.code : "" });
  return undefined;
}

// The link that one gives to a friend, #practice=GAME: a match against the computer, the one that is begun if any.
/** @param {string} wanted */
async function openPractice(wanted) {
  await home();
  const { list } = read();
  const game = games().some(([key]) => key === wanted) ? wanted : list.game;
  const begun = list.matches.findLast((match) => match.practice && match.mine && match.id.startsWith(`${game}-`));
  if (begun) return openMatch(begun.id);
  const seats = list.games.find((info) => info.id === game)?.seats ?? [];
  return (await beginPractice(game, Math.min(2, Math.max(...seats) - 1), "easy")) && showTable();
}
