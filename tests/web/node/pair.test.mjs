// Two codes on one device, one after the other: what still waits in the first exchange receives nothing of the second.
import assert from "node:assert/strict";
import { test } from "node:test";
import { document } from "./dom.mjs";

/** @type {(() => void)[]} what waits for a time, until the test lets it come */
const later = [];
/** @type {{ channel: string, number: number, answer: (message: object) => void }[]} messages that were asked for and have not come */
const waiting = [];
/** @type {string[]} what Python was asked to listen to */
const heard = [];

class Device {
  /** @type {(message: { data: any }) => void} */
  onmessage = () => {};

  /** @param {any} message */
  postMessage({ id, question, act, given }) {
    const answer = (/** @type {object} */ message) => void setImmediate(() => this.onmessage({ data: { id, ...message } }));
    if (act === "pair-get") waiting.push({ channel: given.channel, number: given.number, answer });
    else if (act) answer({ status: 201, data: new TextEncoder().encode('{"ticket":"T"}') });
    else answer({ answer: { ok: true, ...asked(question) } });
  }
}

/** @param {any} question */
function asked(question) {
  if (question.do === "pair-take") return { channel: question.code.slice(0, 2), send: "AAAA" };
  if (question.do !== "pair-hear") return {};
  heard.push(atob(question.data));
  return heard.length === 1 ? { ok: false, fault: "the codes do not match", hint: "" } : { send: "AAAA" };
}

const given = {
  document, navigator: { userAgent: "Firefox, Android" }, Worker: Device, pbemScript: (/** @type {string} */ file) => file, setTimeout: (/** @type {() => void} */ act) => later.push(act), clearTimeout() {},
  localStorage: { getItem: () => null, setItem() {} }, addEventListener() {}, matchMedia: () => ({ matches: false, addEventListener() {} }), requestAnimationFrame() {},
};
for (const [name, value] of Object.entries(given)) Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
const rest = async () => { for (let at = 0; at < 20; at += 1) await new Promise((done) => void setImmediate(done)); };

/** The first thing in a drawing that is pressed and says this. @param {any} tree @param {string} text @returns {any} */
function pressed(tree, text) {
  if (Array.isArray(tree)) return tree.map((one) => pressed(one, text)).find(Boolean);
  if (!tree?.props) return undefined;
  return tree.type === "button" && [tree.props.children].flat().includes(text) ? tree : pressed(tree.props.children, text);
}

test("a second code is an exchange of its own, whatever still waits in the first", async () => {
  const { read } = await import("../../../pbem/web/page/store.mjs");
  const { boot } = await import("../../../pbem/web/page/ask.mjs");
  const { startPython } = await import("../../../pbem/web/page/workers.mjs");
  const { takeSeat } = await import("../../../pbem/web/page/pair.mjs");
  await boot(startPython("en"));
  const fields = ["pair-code", "pair-name"].map((id) => Object.assign(document.createElement("input"), { id, value: "Phone" }));
  document.documentElement.append(...fields);
  takeSeat("https://host.example");
  const type = async (/** @type {string} */ code) => {
    fields[0].value = code;
    pressed(read().sheet?.body(), "take-in").props.onClick();
    await rest();
  };
  const comes = async (/** @type {string} */ text) => {
    const { answer } = /** @type {any} */ (waiting.shift());
    answer({ status: 200, data: new TextEncoder().encode(text) });
    await rest();
  };
  await type("AAWXYZ");
  await comes("the first code's answer"); // which is refused: a wrong code
  assert.equal(later.length, 1); // the first exchange would look again in two seconds …
  await type("BBWXYZ"); // … and meanwhile another code was typed
  for (const act of later.splice(0)) act();
  await rest();
  assert.deepEqual(waiting.map(({ channel, number }) => [channel, number]), [["BB", 2]]);
  await comes("the second code's answer");
  assert.deepEqual(heard, ["the first code's answer", "the second code's answer"]);
  assert.deepEqual(waiting.map(({ channel, number }) => [channel, number]), [["BB", 4]]);
});
