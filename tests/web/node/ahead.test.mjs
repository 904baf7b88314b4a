// What lies behind a touch is asked ahead, also of who touches while what happened is still shown; the yes is of that
// scene, and the next one waits for no host.
import assert from "node:assert/strict";
import { test } from "node:test";

import { document } from "./dom.mjs";

const asked = [];
let at = 1;
let seen = () => {};
let api = null; // of a host that answers nothing
const root = (node) => ({ row: null, next: [{ part: "hand:a", words: "A", number: null, node }] });
const scene = () => ({ match: "m", at, tree: root(null), rows: [], why: {}, news: { count: 1, since: 2 } });

class Device {
  postMessage({ id, question, act: posted }) {
    if (posted) return void asked.push(`post ${posted}`);
    asked.push(`${question.do} ${question.at ?? ""}`.trim());
    const answer = () => this.onmessage({ data: { id, answer: answered(question) } });
    if (question.do === "looked") seen = answer; // Python is slow
    else setImmediate(answer);
  }
}
function answered(question) {
  if (["load", "boot", "looked"].includes(question.do)) return { ok: true, news: null };
  if (question.at !== undefined && question.at !== at) return { ok: false, fault: "the table has changed" };
  if (question.do === "branch") return { ok: true, node: { next: [], row: { label: "Discard A" } } };
  if (question.do === "weigh") return { ok: true, offer: { label: "Discard A", effect: "ends your turn" } };
  if (question.do === "api") return { ok: true, api };
  at += 1; // each scene that is sent has a number of its own
  return { ok: true, acted: api ? "signed" : "added", file: { ok: true, text: "" }, scene: { ...scene(), api, news: null } };
}
Object.assign(globalThis, {
  document, Worker: Device, pbemScript: (/** @type {string} */ file) => file, requestAnimationFrame: (/** @type {() => void} */ act) => setImmediate(act),
  matchMedia: () => ({ matches: false }), addEventListener() {}, removeEventListener() {},
});
const { read, send } = await import("../../../pbem/web/page/store.mjs");
const { boot } = await import("../../../pbem/web/page/ask.mjs");
const { startPython } = await import("../../../pbem/web/page/workers.mjs");
const { act, offered, touch } = await import("../../../pbem/web/page/choose.mjs");
const { sendShufflePart } = await import("../../../pbem/web/page/exchange.mjs");
const until = async (so) => { for (let turn = 0; turn < 200 && !so(); turn += 1) await new Promise((done) => setImmediate(done)); };
const shownNews = () => {
  send("scene", scene());
  send("table-opened");
  send("news", { begin: null, steps: [], earlier: "", react: {}, upto: 3, moving: false });
};

test("a touch while the news are shown shows them in full", async () => {
  await boot(startPython("en"));
  shownNews();
  touch("hand:a");
  assert.equal(read().match.news, null);
  await until(() => asked.includes("looked"));
  seen();
  await until(() => read().match.weighed);
  assert.deepEqual([read().match.chosen, read().match.scene.news], [["hand:a"], null]);
  assert.deepEqual(offered(), { label: "Discard A", effect: "ends your turn" });
  assert.deepEqual(asked, ["load", "boot", "looked", "branch 1", "weigh 1"]);
});

test("its yes counts, however long it takes to keep that this was seen", async () => {
  asked.length = 0;
  shownNews();
  touch("hand:a");
  await until(() => asked.includes("looked"));
  const done = act();
  seen();
  await done;
  assert.deepEqual([read().notice, read().match.scene.at, asked.filter((one) => one.startsWith("act"))], [null, 2, ["act 1"]]);
});

test("while a file is on its way to a host that does not answer, the next yes counts", async () => {
  asked.length = 0;
  api = { url: "https://anna.test/api", match: "m", word: "w" };
  send("scene", { ...scene(), api, news: null });
  void act();
  await until(() => asked.includes("post file"));
  void act();
  await until(() => asked.filter((one) => one === "post file").length === 2);
  assert.deepEqual(asked, ["act 2", "api", "post file", "act 3", "api", "post file"]);
});

test("the own part of the shuffle leaves once, whoever asks for it while it is on its way", async () => {
  asked.length = 0;
  api = { url: "https://anna.test/api", match: "n", word: "w" };
  send("scene", { ...scene(), match: "n", api, news: null });
  void sendShufflePart("n");
  await until(() => asked.includes("post file"));
  await sendShufflePart("n");
  assert.deepEqual(asked.filter((one) => /^(ready|post)/.test(one)), ["ready", "post file"]);
});
