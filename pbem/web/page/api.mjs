// One match at its host's API: what is new comes from there, a signed file goes there, with the access code that counts.
import { apiOf, ask, forPython, post, postTo } from "./ask.mjs";
import { base64 } from "./bytes.mjs";
import { apiTrouble, areLines, faultText, objectOf } from "./trouble.mjs";

/** @import { Api } from "../types.js" */
/** @import { Trouble } from "./trouble.mjs" */

/** @param {{ status: number, data: Uint8Array }} answer that should be lines of a match file */
export const linesTrouble = (answer) => apiTrouble(answer.status === 200 && !areLines(answer.data) ? { status: 0, fault: "login" } : answer);

/**
 * All that is new of one match at its host's API; how much that was, or what went wrong.
 * @param {string} match
 * @param {() => void} [begun]
 * @returns {Promise<{ fresh: number, proposed?: number, trouble?: Trouble, refused?: boolean }>} `refused`: what came is not what it should be
 */
export async function bringNews(match, begun) {
  let fresh = 0;
  // An answer of the host holds a part of many records: asked until there is nothing more.
  for (;;) {
    const api = await apiOf(match);
    if (!api) return { fresh };
    if (!fresh) begun?.();
    let code = (api.join ? await lastingCode(match, api) : api.code) || (await codeByKeys(match, api));
    let answer = await postTo("lines", { ...api, code }, { after: api.after });
    if (answer.status === 401 && code === api.code) {
      const newer = await codeByKeys(match, api); // the host has given the seat another code
      if (newer) answer = await postTo("lines", { ...api, code: newer }, { after: api.after });
      code = newer;
    }
    const trouble = linesTrouble(answer);
    if (trouble) return { fresh, trouble };
    const taken = await ask({ do: "answered", match, data: base64(answer.data) });
    if (!taken.ok) return { fresh, refused: true, trouble: { text: faultText(taken), help: taken.help ? [/** @type {any} */ (taken.help)] : ["retry"] } };
    fresh += taken.new;
    if (!taken.new) return { fresh, proposed: await bringProposals(match, { ...api, code }) };
  }
}

// What other seats propose makes no record until all have agreed, and no email brings it to a seat without an address.
// A host of an older release has none to give. How many were new.
/** @param {string} match @param {Api & { match: string }} api */
export async function bringProposals(match, api) {
  const answer = await postTo("proposals", api);
  if (answer.status !== 200 || !answer.data.length || !areLines(answer.data)) return 0;
  return (await ask({ do: "proposals", match, data: base64(answer.data) })).new ?? 0;
}

// The code of an invitation dies with the seat's first turn. What became of the join brings the access code that stays.
/** @param {string} match @param {Api & { match: string, join: string }} api */
async function lastingCode(match, api) {
  const answer = await postTo("receipt", api, { receipt: api.join });
  const became = answer.status === 200 ? objectOf(answer.data) : null;
  if (became?.state !== "recorded") return api.code;
  const code = typeof became.word === "string" && became.word ? became.word : api.code;
  await ask({ do: "api", match, set: forPython({ url: api.url, code }) });
  return code;
}

// Whoever holds the seat's keys is given its access code: no email brings it.
/** @param {string} match @param {Api & { match: string }} api */
async function codeByKeys(match, api) {
  const { file } = await ask({ do: "api-key", match });
  const code = codeIn(await post("access-code", { api: api.url, match: api.match, text: file }));
  if (code) await ask({ do: "api", match, set: forPython({ url: api.url, code }) });
  return code;
}

/** The access code that a host gave to whoever has the keys of a seat; empty where it gave none. @param {{ status: number, data: Uint8Array }} answer */
export function codeIn(answer) {
  const code = answer.status === 200 ? objectOf(answer.data)?.word : "";
  return typeof code === "string" ? code : "";
}

/**
 * A file at the host's API: its receipt, or what went wrong.
 * @param {Api & { match: string }} api
 * @param {string} text
 * @returns {Promise<{ receipt: string, trouble?: Trouble | null }>}
 */
export async function postFile(api, text) {
  const sent = await postTo("file", api, { text });
  const taken = sent.status === 202 || sent.status === 200;
  const receipt = taken ? objectOf(sent.data)?.receipt : null;
  if (typeof receipt === "string" && /^[0-9a-f]{64}$/.test(receipt)) return { receipt };
  return { receipt: "", trouble: apiTrouble(taken ? { status: 0, fault: "login" } : sent) };
}
