// Links of invitations and letters: what stands behind the #, and what is done with it. Nothing of a link replaces
// what is known of a match without a yes.

/** @import { Api } from "../types.js" */

/**
 * @typedef {{ kind: "practice", game: string } | { kind: "join" | "match", match: string, seat: string, code: string, api: Api | null, beside: string } | null} Link
 */

/**
 * What a link asks for.
 * @param {string} hash with or without its #
 * @param {string} page the page's own address: a host's page lies beside its API, which then needs no name
 * @returns {Link}
 */
export function linkOf(hash, page) {
  const asked = new URLSearchParams(hash.replace(/^#/, ""));
  if (asked.has("practice")) return { kind: "practice", game: asked.get("practice") || "" };
  const code = asked.get("code") || "";
  const opens = code || asked.get("word") || ""; // the access code is the link's word
  const beside = new URL("..", page).href.replace(/\/+$/, "");
  const url = asked.get("api") || (opens ? beside : "");
  const api = url ? { url, code: opens } : null;
  for (const kind of /** @type {const} */ (["join", "match"])) {
    const match = asked.get(kind);
    if (match) return { kind, match, seat: asked.get("seat") || "", code, api, beside };
  }
  return null;
}

/**
 * The link in a text that was pasted: alone, or somewhere in the words of an invitation.
 * @param {string} text
 * @returns {{ page: string, hash: string } | null} the address of its page, if it names one, and the rest from its # on
 */
export function linkIn(text) {
  const match = /(https?:\/\/[^\s<>"'#]+)?(#(?:join|match|practice)=[^\s<>"']+)/.exec(text);
  return match && { page: match[1] ?? "", hash: match[2] };
}

/**
 * The match that a link means among those on this device.
 * @param {{ id: string, game?: string, seat?: string }[]} matches
 * @param {{ match: string, seat: string }} link
 */
export const meantBy = (matches, { match, seat }) =>
  matches.find((candidate) => (candidate.game === match || candidate.id.split("-")[0] === match) && (!seat || candidate.seat === seat));

/**
 * Whether an API is another one than is known, and what of it: its address, or only its access code. A link without a
 * code leaves the one that is known.
 * @param {Api | null} known
 * @param {Api} api
 * @returns {"" | "url" | "code"}
 */
export const differs = (known, api) => (!known || known.url !== api.url ? "url" : api.code && known.code !== api.code ? "code" : "");
