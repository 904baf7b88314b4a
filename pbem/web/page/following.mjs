// A link is followed: to a match on this device, to an invitation at a host's API, to practice.
import { app, notify } from "./app.mjs";
import { ask, post, wish } from "./ask.mjs";
import { base64 } from "./bytes.mjs";
import { bringNews, look } from "./api.mjs";
import { beginPractice, games, home } from "./home.mjs";
import { bringSeat, invitation } from "./join.mjs";
import { differs, linkOf, meantBy } from "./links.mjs";
import { leadElsewhere } from "./others.mjs";
import { button } from "./parts.mjs";
import { remedy } from "./remedies.mjs";
import { sheet, closeSheet } from "./sheet.mjs";
import { openMatch, showTable } from "./table.mjs";
import { apiTrouble, areLines } from "./trouble.mjs";
import { html } from "./view.mjs";
import { say } from "./words.mjs";

/** @import { Api } from "./links.mjs" */

/** @param {string} [hash] @param {string} [page] the page that the link leads to, where it was pasted */
export async function followLink(hash = location.hash, page = "") {
  if (location.hash) history.replaceState(history.state, "", location.pathname + location.search); // the code of the link stays in no address bar
  const here = location.origin + location.pathname;
  const link = linkOf(hash, page || here);
  if (!link) return app.screen === "" ? home() : undefined;
  app.link = hash; // for whoever is asked to open it in another browser
  if (link.kind === "practice") return practiceOf(link.game);
  await home();
  const match = meantBy(app.matches, link);
  // a host's web app has that host's matches alone, with their keys
  if (!match && app.served && page && page !== here && (link.api?.url ?? link.beside) !== app.servedAt) return leadElsewhere(page, hash, link.match);
  if (!match && link.api?.word) return invited(link, link.api);
  if (!match) return bringSeat(link, link.api?.url ?? link.beside);
  await openMatch(match.id);
  const api = link.api ?? (app.served ? { url: link.beside, word: "" } : null);
  return api ? sameApi(match.id, api, link.code) : look(true);
}

/** A link that leads to another API, or with another code, changes what is known only after a yes. @param {string} match @param {Api} api @param {string} code */
async function sameApi(match, api, code) {
  const { api: known } = await ask({ do: "api", match });
  const what = differs(known, api);
  // The word that the join brought outlives the code of its link; another code counts once that word opens nothing.
  const lives = what === "word" && code && (await bringNews(match)).trouble?.text !== say("api-word");
  if (!what || lives) return look(true);
  sheet(say("look-for-news"), () => html`<p>${what === "url" ? say("api-new", { url: api.url }) : say("api-new-word")}</p><div class="ways">${button(say("api-yes"), async () => {
    closeSheet();
    await wish({ do: "api", match, set: api });
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
async function invited(link, api) {
  const answer = await recordsOf(link, api);
  if (!answer) return undefined;
  notify("");
  return invitation({ ...answer.invitation, seat: link.seat || answer.invitation.seat, code: link.code, word: link.kind === "join" && !link.code ? api.word : "" }, api);
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
    const answer = await post("lines", { api: api.url, match: link.match, word: api.word, after });
    const trouble = apiTrouble(answer.status === 200 && !areLines(answer.data) ? { status: 0, fault: "login" } : answer);
    if (trouble) {
      const gone = answer.status === 401 || answer.status === 403;
      notify(gone && link.kind === "join" ? say("link-dead") : trouble.text, { trouble: true, help: trouble.help.flatMap((name) => remedy(name, {}, { retry: () => followLink(`#${link.kind}=${link.match}&seat=${link.seat}&api=${api.url}&${link.kind === "join" ? "code" : "word"}=${api.word}`) })) });
      return null;
    }
    if (!answer.data.length) break;
    parts.push(answer.data);
    after += answer.data.reduce((count, byte) => count + (byte === 10 ? 1 : 0), 0);
  }
  return wish({ do: "invited", data: base64(new Uint8Array(await new Blob(/** @type {BlobPart[]} */ (parts)).arrayBuffer())), ...(link.seat ? { seat: link.seat } : {}) });
}

// The link that one gives to a friend, #practice=GAME: a match against the computer, the one that is begun if any.
/** @param {string} wanted */
async function practiceOf(wanted) {
  await home();
  const game = games().some(([key]) => key === wanted) ? wanted : app.game;
  const begun = app.matches.findLast((match) => match.practice && match.mine && match.id.startsWith(`${game}-`));
  if (begun) return openMatch(begun.id);
  const seats = app.games.find((info) => info.id === game)?.seats ?? [];
  return (await beginPractice(game, Math.min(2, Math.max(...seats) - 1), "easy")) && showTable();
}
