// What the table marks leads on: scenes of tests/web/test_marked.py, drawn by the page's own modules, touched by lot.
// Each part that may come next is marked or offered somewhere, and whatever is marked is touched by a finger on it.
// Reads scenes as lines of JSON; prints {kind of part: how often it was touched}.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";

import { document, every, fresh } from "./dom.mjs";

const SIDE = 100;
let roomy = false;
const define = (given) => { for (const [name, value] of Object.entries(given)) Object.defineProperty(globalThis, name, { value, configurable: true, writable: true }); };
define({
  document, matchMedia: () => ({ matches: roomy, addEventListener() {} }), requestAnimationFrame() {}, setTimeout() {}, // nothing is asked ahead
  localStorage: { getItem: () => null, setItem() {} }, navigator: { userAgent: "", languages: ["en"] }, addEventListener() {}, removeEventListener() {},
  location: { hash: "", search: "", href: "https://x.example/" }, history: { state: null, pushState() {}, replaceState() {}, go() {} },
});
const { read, send, subscribe } = await import("../../../pbem/web/page/store.mjs");
const { TableScreen } = await import("../../../pbem/web/page/table.mjs");
const { html, render } = await import("../../../pbem/web/page/view.mjs");

// each part has a square of its own, so that a finger meets it: which of two a finger means is asked in a browser
const parts = (node) => every(node).filter((one) => one.attributes["data-part"] !== undefined);
const Node_ = Object.getPrototypeOf(document.body.constructor.prototype) === Object.prototype ? document.body.constructor : Object.getPrototypeOf(document.body.constructor);
Object.assign(Node_.prototype, {
  querySelectorAll() { return parts(this); },
  getBoundingClientRect() { return { x: SIDE * parts(document.documentElement).indexOf(this), y: 0, width: SIDE / 4, height: SIDE / 4 }; },
});

const looks = (node) => String(node.attributes.class ?? node.className ?? node.class ?? "").split(" ");
const marked = () => every().filter((one) => looks(one).includes("can"));
/** What handles a tap there: the element, or what lies around it. */
function heardAt(node) {
  for (let one = node; one; one = one.parentNode) if (one.heard.clickfalse ?? one.heard.click) return one;
  return null;
}
function finger(node) {
  const place = heardAt(node);
  assert.ok(place, `${node.attributes["data-part"]} is marked, and nothing hears a finger on it`);
  const { x, y } = node.getBoundingClientRect();
  const event = { type: "click", detail: 1, button: 0, target: node, currentTarget: place, clientX: x + 1, clientY: y + 1, preventDefault() {} };
  (place.heard.clickfalse ?? place.heard.click).call(place, event);
}

let lot = 7;
const among = (list) => list[(lot = (lot * 48271) % 2147483647) % list.length];
const { nodeAt } = await import("../../../pbem/web/page/touch.mjs");
fresh();
const root = document.getElementById("page");
subscribe(() => read().match.scene && render(html`<${TableScreen} />`, root));
const found = {};
for (const line of readFileSync(0, "utf8").trim().split("\n")) {
  const scene = JSON.parse(line);
  for (roomy of [false, true]) {
    send("scene", scene);
    send("table-opened");
    for (let node = scene.tree; node?.next.length; node = nodeAt(scene.tree, read().match.chosen)) {
      const shown = marked().map((one) => one.attributes["data-part"]);
      const stepped = node.next.some((one) => one.number !== null) && marked().some((one) => looks(one).includes("number"));
      for (const one of node.next) assert.ok(shown.includes(one.part) || (stepped && one.number !== null), `${one.part} may be touched, and is marked nowhere: ${read().match.chosen}`);
      const before = read().match.chosen;
      const one = among(marked());
      finger(one);
      assert.equal(read().match.chosen.length, before.length + 1, `${before}: ${one.attributes["data-part"]} led to ${read().match.chosen}`);
      const kind = `${roomy ? "wide" : "narrow"} ${read().match.chosen.at(-1).split(":")[0]}`;
      found[kind] = (found[kind] ?? 0) + 1;
    }
  }
}
console.log(JSON.stringify(found));
