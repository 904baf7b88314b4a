// The state is changed by messages alone: what was read before stays as it was, and a request changes nothing.
import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { frozen } from "./dom.mjs";

const { read, send, subscribe } = await import("../../../pbem/web/page/store.mjs");
const node = (label) => ({ row: { label }, next: [] });
const tree = () => ({ row: null, next: [{ part: "a", words: "A", number: null, node: null }, { part: "b", words: "B", number: null, node: node("B") }] });
const scene = (match, more = {}) => ({ match, at: 1, tree: tree(), news: null, ...more });

beforeEach(() => {
  send("home-opened");
  send("scene", scene("m"));
  send("table-opened");
});

test("a scene lets the choice go; one of another match lets all go that was shown of the last", () => {
  const leaf = { text: "{}" };
  send("status", "sent");
  send("leaving", leaf);
  send("tab", "hand");
  send("chosen", { parts: ["b"], why: "", since: 7 });
  assert.deepEqual([read().match.chosen, read().match.since, read().match.status], [["b"], 7, ""]);
  send("status", "sent");
  send("scene", scene("m", { at: 2 }));
  const { chosen, status, tab, leaf: kept } = read().match;
  assert.deepEqual([chosen, status, tab, kept], [[], "sent", "hand", leaf]);
  send("scene", scene("n", { joining: true }));
  assert.deepEqual([read().match.status, read().match.tab, read().match.leaf, read().screen], ["", "table", null, { name: "joining" }]);
});

test("a branch that was asked ahead is known from then on, and what was read before stays as it was", () => {
  send("chosen", { parts: ["a"], why: "", since: 0 });
  const before = frozen(read());
  send("branch", { parts: ["a"], node: node("A") });
  assert.equal(before.match.scene.tree.next[0].node, null);
  assert.deepEqual(read().match.scene.tree.next.map((one) => one.node.row.label), ["A", "B"]);
  assert.ok(read().match.since > 0); // the confirm button says something new
  send("branch", { parts: ["a", "nothing"], node: node("C") });
  send("branch", { parts: ["nothing"], node: node("C") });
  assert.deepEqual(read().match.scene.tree.next.map((one) => one.node.row.label), ["A", "B"]);
});

test("steps of what happened leave the table as they say, the last one too", () => {
  const part = (fill) => ["rect", { "data-part": "p", fill }];
  const steps = ["red", "blue"].map((fill) => ({ parts: { p: part(fill) }, figures: [{ part: "seat:a", words: fill }] }));
  send("news", { begin: { tree: ["svg", {}, part("white")] }, steps, earlier: "", react: {}, upto: 2, moving: true });
  const seen = [0, 1, 2].map(() => {
    send("news-step");
    const { at, tree: drawn, figures } = frozen(read()).match.news;
    return [at, drawn[2][1].fill, figures["seat:a"]];
  });
  assert.deepEqual(seen, [[0, "white", undefined], [1, "red", "red"], [1, "blue", "blue"]]);
});

test("whoever asks for another screen changes nothing, and is heard", () => {
  const heard = [];
  subscribe((kind, given) => heard.push([kind, given]));
  const before = read();
  send("open-match", "n");
  assert.deepEqual([heard, read() === before], [[["open-match", "n"]], true]);
});
