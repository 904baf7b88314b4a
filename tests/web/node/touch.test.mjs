// The walk through the tree of what may be done.
import assert from "node:assert/strict";
import { test } from "node:test";

import { meant, nextOf, nodeAt, offerAt, settledFor, touched, unseen } from "../../../pbem/web/page/touch.mjs";

const leaf = (label) => ({ next: [], row: { label } });
const branch = (part, node, number = null) => ({ part, words: part, number, node });
const TREE = {
  row: null,
  next: [
    branch("hand:a", { row: { label: "Discard a" }, next: [branch("poster:a", { row: { label: "Lay a" }, next: [branch("count:2", leaf("Lay two a"), 2), branch("count:3", leaf("Lay three a"), 3)] })] }),
    branch("hand:b", { row: { label: "Discard b" }, next: [branch("group:x", leaf("Hide x")), branch("group:y", null)] }),
    branch("say:pass", leaf("Pass")),
  ],
};

test("the first touch on a card offers its discard, the second part what both mean", () => {
  const first = touched(TREE, [], "hand:a");
  assert.deepEqual(first, { chosen: ["hand:a"], why: "" });
  assert.equal(offerAt(TREE, first.chosen).label, "Discard a");
  const second = touched(TREE, first.chosen, "poster:a");
  assert.equal(offerAt(TREE, second.chosen).label, "Lay a");
  assert.deepEqual([...nextOf(TREE, second.chosen).keys()], ["count:2", "count:3"]);
});

test("another card begins again, the same one is let go, a number takes the place of a number", () => {
  assert.deepEqual(touched(TREE, ["hand:a", "poster:a"], "hand:b").chosen, ["hand:b"]);
  assert.deepEqual(touched(TREE, ["hand:a", "poster:a"], "poster:a").chosen, ["hand:a"]);
  assert.deepEqual(touched(TREE, ["hand:a"], "hand:a").chosen, []);
  assert.deepEqual(touched(TREE, ["hand:a", "poster:a", "count:2"], "count:3").chosen, ["hand:a", "poster:a", "count:3"]);
  assert.deepEqual(touched(TREE, ["hand:b", "group:x"], "group:y").chosen, ["hand:b", "group:y"]);
});

test("what leads nowhere changes nothing and says why", () => {
  assert.deepEqual(touched(TREE, ["hand:a"], "discard", { discard: "Its top card was taken." }), { chosen: ["hand:a"], why: "Its top card was taken." });
  assert.deepEqual(touched(TREE, [], "poster:a"), { chosen: [], why: "" });
  assert.deepEqual(touched(null, [], "hand:a"), { chosen: [], why: "" });
});

test("a branch that was not shown yet is null, one that is not there undefined", () => {
  assert.equal(nodeAt(TREE, ["hand:b", "group:y"]), null);
  assert.equal(nodeAt(TREE, ["hand:b", "group:y", "more"]), null);
  assert.equal(nodeAt(TREE, ["hand:c"]), undefined);
  assert.equal(offerAt(TREE, ["hand:b", "group:y"]), null);
});

test("what is seen nowhere is a chip, numbers are a stepper that stays while one is chosen", () => {
  const seen = (part) => !part.startsWith("say:") && !part.startsWith("count:");
  assert.deepEqual(unseen(TREE, [], seen).chips.map((one) => one.part), ["say:pass"]);
  const before = unseen(TREE, ["hand:a", "poster:a"], seen);
  assert.deepEqual([before.numbers.map((one) => one.number), before.current], [[2, 3], ""]);
  const after = unseen(TREE, ["hand:a", "poster:a", "count:3"], seen);
  assert.deepEqual([after.numbers.map((one) => one.number), after.current], [[2, 3], "count:3"]);
  assert.deepEqual(unseen(TREE, ["hand:b", "group:x"], seen), { chips: [], numbers: [], current: "" });
});

test("a finger means the smallest part under it that leads on, then one near enough, then whatever is under it", () => {
  const boxes = [
    { part: "poster:a", x: 0, y: 0, width: 84, height: 100 },
    { part: "group:x", x: 10, y: 60, width: 60, height: 20 },
    { part: "box:small", x: 120, y: 10, width: 16, height: 16 },
  ];
  const all = () => true;
  assert.equal(meant(boxes, all, 20, 70), "group:x");
  assert.equal(meant(boxes, (part) => part === "poster:a", 20, 70), "poster:a");
  assert.equal(meant(boxes, all, 145, 18), "box:small");
  assert.equal(meant(boxes, () => false, 20, 70), "group:x");
  assert.equal(meant(boxes, all, 300, 300), "");
});

test("the yes takes no tap in its first 300 milliseconds", () => {
  assert.equal(settledFor(1000, 1299), false);
  assert.equal(settledFor(1000, 1300), true);
});
