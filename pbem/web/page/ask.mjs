// The two workers: one holds the keys and Python, the other may speak to hosts and sees no key.
import { app, during, redraw, tell } from "./app.mjs";
import { troubleOf } from "./trouble.mjs";
import { say } from "./words.mjs";
import { remedy } from "./remedies.mjs";

/** @import { Answer, Scene } from "../types.js" */

/** @param {string} file @returns {(message: object) => Promise<any>} */
function spoken(file) {
  const worker = new Worker(globalThis.pbemScript(file), { type: "module" });
  /** @type {Map<number, (data: any) => void>} */
  const open = new Map();
  let number = 0;
  worker.onmessage = ({ data }) => {
    open.get(data.id)?.(data);
    open.delete(data.id);
  };
  worker.onerror = (event) => {
    event.preventDefault();
    for (const done of open.values()) done({ status: 0, fault: "broken", answer: { ok: false, help: "reload", fault: say("broken"), trace: event.message || file } });
    open.clear();
  };
  return (message) => new Promise((done) => {
    number += 1;
    open.set(number, done);
    worker.postMessage({ id: number, ...message });
  });
}

/** @type {(message: object) => Promise<any>} */
let keysWorker;
/** @type {(message: object) => Promise<any>} */
let postWorker;
/** @type {Promise<unknown>} */
let asking = Promise.resolve();

/** What may come when its match was left meanwhile. */
const LATE = new Set(["answered", "left", "proposals"]);

/** Start Python. @param {string} lang @returns {Promise<Answer>} */
export async function boot(lang) {
  keysWorker = spoken("keys.mjs");
  const { answer } = await keysWorker({ question: { do: "boot", lang } });
  globalThis.pbemMeasure = () => keysWorker({ question: { do: "measure" } });
  return answer;
}

/**
 * One question, after those before it. A scene in the answer is shown from then on; what a door brings for a match that
 * was left meanwhile is not.
 * @param {{ do: string, [name: string]: unknown }} question
 * @returns {Promise<Answer>}
 */
export const ask = (question) => during(async () => {
  const before = asking;
  /** @type {(value?: unknown) => void} */
  let free = () => {};
  asking = new Promise((done) => (free = done));
  await before;
  try {
    const { answer } = await keysWorker({ question });
    if (answer.ok && answer.scene && (!LATE.has(question.do) || app.scene?.match === answer.scene.match)) take(answer.scene);
    return answer;
  } finally {
    free();
  }
});

/** @param {Scene} scene */
function take(scene) {
  const same = app.scene?.match === scene.match;
  app.scene = scene;
  Object.assign(app, { weighed: null, chosen: [], why: "", since: Date.now() });
  if (app.screen === "joining" || app.screen === "table") app.screen = scene.joining ? "joining" : "table"; // the host has answered
  if (!same) Object.assign(app, { roomy: null, status: "", leaf: null, tab: "table" });
}

/**
 * The answer, or null after its fault was told.
 * @param {{ do: string, [name: string]: unknown }} question
 * @returns {Promise<any>}
 */
export async function wish(question) {
  const answer = await ask(question);
  if (answer.ok) return answer;
  fault(answer);
  return null;
}

/** A fault of Python's or of the storage, with the button that helps. @param {Answer} answer */
export function fault(answer) {
  const { text, help } = troubleOf(answer);
  tell(text, { trouble: true, help: help.flatMap((one) => remedy(one, answer)) });
  redraw();
}

/** @param {string} act @param {object} given @returns {Promise<{ status: number, fault?: string, data: Uint8Array }>} */
export async function post(act, given) {
  postWorker ||= spoken("post.mjs");
  return postWorker({ act, given });
}
