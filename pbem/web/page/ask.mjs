// Questions to Python, one after the other, and to hosts.
import { app, during, redraw, notify } from "./app.mjs";
import { troubleOf } from "./trouble.mjs";
import { remedy } from "./remedies.mjs";
import { spoken } from "./workers.mjs";

/** @import { Answer, Scene } from "../types.js" */

/** @type {(message: object) => Promise<any>} */
let keysWorker;
/** @type {(message: object) => Promise<any>} */
let postWorker;
/** @type {Promise<unknown>} */
let asking = Promise.resolve();

/** What may come when its match was left meanwhile. */
const LATE = new Set(["answered", "left", "proposals"]);

/** Until Python has started. @param {ReturnType<typeof import("./workers.mjs").begin>} python @returns {Promise<Answer>} */
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
 * The answer, or null after its fault was shown.
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
  notify(text, { trouble: true, help: help.flatMap((name) => remedy(name, answer)) });
  redraw();
}

/** @param {string} act @param {object} given @returns {Promise<{ status: number, fault?: string, data: Uint8Array }>} */
export async function post(act, given) {
  postWorker ||= spoken("post.mjs");
  return postWorker({ act, given });
}
