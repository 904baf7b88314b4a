// Every failure as a sentence of ours and the names of the buttons that help; no exception reaches the screen.
import { say } from "./words.mjs";

/** @import { Answer } from "../types.js" */

/**
 * @typedef {"retry" | "reload" | "look" | "paper" | "update" | "backup" | "space" | "another" | "details" | "clock"} Help
 * @typedef {{ text: string, help: Help[] }} Trouble
 */

/** @type {Set<string>} */
const KNOWN = new Set(["retry", "reload", "look", "paper", "update", "backup"]);

/** What Python says went wrong, and what helps. @param {{ fault?: string, hint?: string }} answer */
export const faultText = ({ fault, hint }) => [fault, hint].filter(Boolean).join("\n");

/**
 * What Python, the storage or a worker said.
 * @param {Answer} answer
 * @returns {Trouble}
 */
export function troubleOf(answer) {
  if (answer.storage) return { text: say("storage"), help: ["retry", "backup"] };
  if (answer.missing) return { text: say("not-fetched"), help: ["retry"] };
  if (answer.broken) return { text: say("broken"), help: ["reload", "details"] };
  const text = faultText(answer);
  /** @type {Help[]} */
  const help = KNOWN.has(answer.help || "") ? [/** @type {Help} */ (answer.help)] : [];
  return { text: text || say("broken"), help: answer.trace ? [...help, "details"] : help };
}

/**
 * What a host's API said, or did not say.
 * @param {{ status: number, fault?: string }} answer
 * @returns {Trouble | null} null: it was what is expected of a host
 */
export function apiTrouble({ status, fault }) {
  if (fault === "odd") return { text: say("api-odd"), help: ["another"] };
  if (fault === "slow") return { text: say("api-slow"), help: ["retry", "another"] };
  if (fault === "login") return { text: say("api-login"), help: ["retry", "another"] };
  if (fault === "long") return { text: say("api-long"), help: ["another"] };
  if (fault === "broken") return { text: say("broken"), help: ["reload"] };
  if (status === 0) return { text: say(globalThis.navigator?.onLine === false ? "api-offline" : "api-away"), help: ["retry", "another"] };
  if (status === 401 || status === 403) return { text: say("api-word"), help: ["another"] };
  if (status === 404) return { text: say("api-no-match"), help: ["another"] };
  if (status === 429) return { text: say("api-busy"), help: ["retry"] };
  if (status >= 500) return { text: say("api-ill"), help: ["retry", "another"] };
  if (status >= 400) return { text: say("api-no"), help: ["retry", "another"] };
  return status === 200 || status === 202 ? null : { text: say("api-login"), help: ["retry", "another"] };
}

/**
 * The JSON object of an answer, or null where it is something else (a hotel's login page).
 * @param {Uint8Array} data
 * @returns {Record<string, any> | null}
 */
export function objectOf(data) {
  try {
    const parsed = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(data));
    return typeof parsed === "object" && parsed !== null && !Array.isArray(parsed) ? parsed : null;
  } catch {
    return null;
  }
}

/** Whether these bytes can be lines of a match file: nothing, or JSON objects. @param {Uint8Array} data */
export const areLines = (data) => data.length === 0 || data[0] === 0x7b;
