// A button looks pressed from the finger's first contact on, and does what it does after a frame has shown that.
import assert from "node:assert/strict";
import { before, beforeEach, mock, test } from "node:test";

const heard = {};
const frames = [];
/** @type {string[]} */
let did = [];
globalThis.MouseEvent = class {
  constructor(type, { detail, clientX }) { Object.assign(this, { type, detail, clientX }); }
};
globalThis.requestAnimationFrame = (act) => frames.push(act);
const document = {
  documentElement: { dataset: {} },
  addEventListener: (kind, act) => (heard[kind] ??= new Set()).add(act), removeEventListener: (kind, act) => heard[kind].delete(act),
};
Object.assign(globalThis, { document, matchMedia: () => ({ matches: false }) });
const { send } = await import("../../../pbem/web/page/store.mjs");
const { isDeliberate } = await import("../../../pbem/web/page/choose.mjs");
const { watchPresses, clickedAt } = await import("../../../pbem/web/page/press.mjs");
const fire = (kind, event) => { for (const act of [...(heard[kind] ?? [])]) act({ type: kind, button: 0, ...event }); };

function button() {
  const one = { dataset: {}, isConnected: true, closest: () => one, dispatchEvent: (event) => { fire("click", { ...event, target: one }); did.push(`${event.type} ${event.detail} at ${event.clientX}, made ${clickedAt(event)}${isDeliberate(event) ? "" : ", too early for a yes"}`); } };
  return one;
}
function click(target, detail = 1) {
  const event = { target, detail, clientX: 5, stopped: false, stopPropagation() { this.stopped = true; }, preventDefault() {} };
  for (const act of heard.click) act(event);
  if (!event.stopped) did.push("at once");
}
const turns = async () => { for (let at = 0; at < 9; at += 1) await Promise.resolve(); };
async function painted() {
  for (const act of frames.splice(0)) act();
  mock.timers.tick(0);
  await turns();
}

before(() => {
  mock.timers.enable({ apis: ["setTimeout", "Date"], now: 1000 });
  watchPresses();
});
beforeEach(() => (did = []));

test("a quick tap looks pressed at once, is busy, and acts after the frame, as made when the finger made it", async () => {
  const one = button();
  fire("pointerdown", { target: one });
  assert.equal(one.dataset.pressed, "yes");
  fire("pointerup", { target: one });
  click(one);
  assert.deepEqual([did, one.dataset.pressed, document.documentElement.dataset.busy], [[], "yes", "yes"]);
  const at = Date.now();
  mock.timers.tick(90); // the processor is slow: no frame yet
  await turns();
  assert.deepEqual(did, []);
  await painted();
  assert.deepEqual(did, [`click 1 at 5, made ${at}`]);
  assert.deepEqual([one.dataset.pressed, document.documentElement.dataset.busy], [undefined, "no"]);
});

test("a finger that stays for a frame waits for none, nor does a key", async () => {
  const one = button();
  click(one, 0);
  fire("pointerdown", { target: one });
  await painted();
  assert.equal(one.dataset.pressed, "yes");
  fire("pointerup", { target: one });
  click(one);
  assert.deepEqual(did, ["at once", "at once"]);
  await turns();
  assert.equal(one.dataset.pressed, undefined);
});

test("the yes takes no tap of its first 300 milliseconds, however late it is heard", async () => {
  const one = button();
  send("choice-cleared");
  mock.timers.tick(250);
  fire("pointerdown", { target: one });
  click(one);
  mock.timers.tick(100);
  await painted();
  assert.match(did.join(), /too early for a yes$/);
});

test("what is gone by then does nothing, and where nothing is drawn a press is not lost", async () => {
  const [gone, one] = [button(), button()];
  fire("pointerdown", { target: gone });
  click(gone);
  gone.isConnected = false;
  fire("pointercancel", { target: gone });
  await painted();
  assert.deepEqual(did, []);
  fire("pointerdown", { target: one });
  click(one);
  mock.timers.tick(250);
  await turns();
  assert.equal(did.length, 1);
});
