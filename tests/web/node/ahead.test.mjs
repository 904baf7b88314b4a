// What lies behind a touch is asked ahead, also of who touches while what happened is still shown.
import assert from "node:assert/strict";
import { test } from "node:test";

import { document } from "./dom.mjs";

const asked = [];
let at = 1;
const root = (node) => ({ row: null, next: [{ part: "hand:a", words: "A", number: null, node }] });
const scene = () => ({ match: "m", at, tree: root(null), rows: [], why: {}, news: null });

class Device {
  postMessage({ id, question }) {
    asked.push(`${question.do} ${question.at ?? ""}`.trim());
    setImmediate(() => this.onmessage({ data: { id, answer: answered(question) } }));
  }
}
function answered(question) {
  if (question.do === "looked") {
    at += 1; // each scene that is told has a number of its own
    return { ok: true, scene: scene() };
  }
  if (question.at !== undefined && question.at !== at) return { ok: false, fault: "the table has changed" };
  if (question.do === "branch") return { ok: true, node: { next: [], row: { label: "Discard A" } } };
  return { ok: true, offer: { label: "Discard A", effect: "ends your turn" } };
}
Object.assign(globalThis, {
  document, Worker: Device, pbemScript: (/** @type {string} */ file) => file, requestAnimationFrame: (/** @type {() => void} */ act) => setImmediate(act),
  matchMedia: () => ({ matches: false }), addEventListener() {}, removeEventListener() {},
});
const { app } = await import("../../../pbem/web/page/app.mjs");
const { boot } = await import("../../../pbem/web/page/ask.mjs");
const { begin } = await import("../../../pbem/web/page/workers.mjs");
const { offered, touch } = await import("../../../pbem/web/page/choose.mjs");

test("a touch while what happened is shown is told in full", async () => {
  await boot(begin("en"));
  Object.assign(app, { screen: "table", scene: scene(), news: { steps: [], upto: 3, at: 0, tree: null, figures: {} } });
  touch("hand:a");
  assert.equal(app.news, null);
  for (let turn = 0; turn < 200 && !app.weighed; turn += 1) await new Promise((done) => setImmediate(done));
  assert.deepEqual(app.chosen, ["hand:a"]);
  assert.deepEqual(offered(), { label: "Discard A", effect: "ends your turn" });
  assert.deepEqual(asked.filter((one) => one.endsWith("2")), ["branch 2", "weigh 2"]);
});
