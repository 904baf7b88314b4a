// What happened is asked for once, then moves by transforms alone, at most a second a step and twelve in all.
import assert from "node:assert/strict";
import { mock, test } from "node:test";

import { document, fresh } from "./dom.mjs";

const asked = [];
/** @type {{ frames: Record<string, unknown>[], duration: number }[]} */
const moved = [];
let still = false;
let news = {};

class Device {
  postMessage({ id, question }) {
    asked.push(question.do);
    setImmediate(() => this.onmessage({ data: { id, answer: { ok: true, news: question.do === "news" ? news : null } } }));
  }
}
Object.assign(globalThis, {
  document, Worker: Device, pbemScript: (/** @type {string} */ file) => file, requestAnimationFrame: (/** @type {() => void} */ act) => setImmediate(act),
  matchMedia: () => ({ matches: still }), addEventListener() {}, removeEventListener() {},
});
Object.getPrototypeOf(Object.getPrototypeOf(document.createElement("p"))).animate ??= () => {};
document.createElement("p").constructor.prototype.animate = (frames, { duration }) => {
  moved.push({ frames, duration });
  return { finished: Promise.resolve() };
};
const { read, send } = await import("../../../pbem/web/page/store.mjs");
const { boot } = await import("../../../pbem/web/page/ask.mjs");
const { startPython } = await import("../../../pbem/web/page/workers.mjs");
const { pace, showNews } = await import("../../../pbem/web/page/since.mjs");
const turns = async () => { for (let at = 0; at < 9; at += 1) await new Promise((done) => setImmediate(done)); };

async function shown(count) {
  fresh();
  const stage = document.createElement("div");
  stage.setAttribute("id", "stage");
  document.body.append(stage);
  moved.length = asked.length = 0;
  const step = (seq) => ({
    seq, seat: "burt", title: "Burt", text: ["Burt shoots."], say: "", private: [], under: [], reacts: ["Wow!"], figures: [], parts: {}, end: null,
    moves: [{ from: "seat:burt", to: "hand", name: "", count: 2 }], shots: [{ words: "2 in 6", hit: true }],
  });
  news = { begin: { tree: ["svg", {}], width: 1, height: 1, alt: "" }, steps: Array.from({ length: count }, (_, at) => step(at)), earlier: "", react: {}, upto: count };
  send("scene", { match: "m", at: 1, news: { count, since: 0 } });
  send("table-opened");
  send("news-over");
  await showNews();
  return stage;
}

test("news move by transforms alone, a second a step at most and twelve in all", async () => {
  await boot(startPython("en"));
  mock.timers.enable({ apis: ["setTimeout"] });
  for (const count of [1, 12, 30]) {
    const stage = await shown(count);
    await turns();
    assert.deepEqual(stage.childNodes.map((one) => one.textContent).slice(-2), ["Wow!", "shot-hit"]); // it has turned over
    let time = 0;
    for (; read().match.news; time += 10) {
      mock.timers.tick(10);
      await Promise.resolve();
    }
    assert.ok(time <= Math.min(12000, 1000 * (count + 1)) + 10 * count, `${count} steps took ${time}`); // within ten milliseconds a step
    assert.equal(moved.length, 4 * count); // a card, a word, a shot before it turns and after
    for (const { frames, duration } of moved) {
      assert.ok(duration <= pace(count));
      for (const frame of frames) assert.deepEqual(Object.keys(frame), ["transform"]);
    }
    assert.equal(stage.childNodes.length, 0);
    await turns();
    assert.deepEqual(asked, ["news", "looked"]);
  }
});

test("nothing moves for who wants no motion, and all of it is shown", async () => {
  still = true;
  await shown(30);
  assert.deepEqual([moved, read().match.news.tree, read().match.news.at], [[], null, 29]);
});

test("what is shown, and answered there, is not begun again by who asked for it at the same time", async () => {
  still = true;
  await shown(2);
  send("news-over");
  const [first, second] = [showNews(), showNews()]; // a file has its answer, and the host who was listened to has answered
  await first;
  send("news-held", 1);
  await second;
  assert.equal(read().match.news.held, 1);
});
