// Questions to Python, one after the other, and to hosts.
import { notify } from "./sheet.mjs";
import { read, send } from "./store.mjs";
import { troubleOf } from "./trouble.mjs";
import { during } from "./waiting.mjs";
import { startWorker } from "./workers.mjs";

/** @import { Answer, Api } from "../types.js" */

/** @type {(message: object) => Promise<any>} */
let keysWorker;
/** @type {(message: object) => Promise<any>} */
let postWorker;
/** @type {Promise<unknown>} */
let asking = Promise.resolve();

/** What may come when its match was left meanwhile. */
const LATE = new Set(["answered", "left", "proposals"]);

/** Until Python has started. @param {ReturnType<typeof import("./workers.mjs").startPython>} python @returns {Promise<Answer>} */
export async function boot({ worker, booted }) {
  keysWorker = worker;
  globalThis.pbemMeasure = () => keysWorker({ question: { do: "measure" } });
  return (await booted).answer;
}

/**
 * One question, after those before it. A scene in the answer is shown from then on; what an API brings for a match that
 * was left meanwhile is not.
 * @param {{ do: string, [name: string]: unknown }} question
 * @returns {Promise<Answer>}
 */
export const ask = (question) => during(() => {
  const answered = asking.then(async () => {
    const { answer } = await keysWorker({ question });
    if (answer.ok && answer.scene && (!LATE.has(question.do) || read().match.scene?.match === answer.scene.match)) send("scene", answer.scene);
    return answer;
  });
  asking = answered.catch(() => {});
  return answered;
});

/**
 * The answer, or null after its fault was shown.
 * @param {{ do: string, [name: string]: unknown }} question
 * @returns {Promise<any>}
 */
export async function askOrNotify(question) {
  const answer = await ask(question);
  if (answer.ok) return answer;
  notifyFault(answer);
  return null;
}

/** A fault of Python's or of the storage, with the button that helps. @param {Answer} answer */
export function notifyFault(answer) {
  const { text, help } = troubleOf(answer);
  notify(text, { trouble: true, help, answer });
}

/** The newest scene, after one that is no longer so. */
export const refreshScene = () => ask({ do: "look" });

/** @param {string} act @param {object} given @returns {Promise<{ status: number, fault?: string, data: Uint8Array }>} */
export async function post(act, given) {
  postWorker ||= startWorker("post.mjs");
  return postWorker({ act, given });
}

/**
 * The API of a match's host, with what is asked of it next; `join`: the receipt of a join whose invitation's code is the
 * access code as yet. Null where none is known.
 * @param {string} [match] the open one
 * @returns {Promise<(Api & { match: string, after: number, join: string }) | null>}
 */
export async function apiOf(match) {
  const { api } = await ask({ do: "api", ...(match !== undefined && { match }) });
  return api ? { url: api.url, code: api.word, match: api.match, after: api.after, join: api.join } : null;
}

/** An API as Python and the list of matches keep it. @param {Api | null | undefined} api */
export const forPython = (api) => api && { url: api.url, word: api.code };

/** Something is asked of a host for one match. @param {string} act @param {Api & { match: string }} api @param {object} [more] */
export const postTo = (act, { url, code, match }, more = {}) => post(act, { api: url, match, code, ...more });
