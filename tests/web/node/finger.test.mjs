// A finger on a part, by the times of its events and with a timer that comes too early or too late.
import assert from "node:assert/strict";
import { mock, test } from "node:test";

import { document } from "./dom.mjs";

const heard = {};
Object.assign(globalThis, {
  document, matchMedia: () => ({ matches: false }),
  addEventListener: (/** @type {string} */ kind, /** @type {any} */ act) => (heard[kind] = act), removeEventListener: (/** @type {string} */ kind) => delete heard[kind],
});
const { fingers, HELD } = await import("../../../pbem/web/page/finger.mjs");
mock.timers.enable({ apis: ["setTimeout"] });

function hand() {
  const did = [];
  let open = () => false;
  const on = fingers(() => "hand:a", {
    touch: (part) => did.push(`touch ${part}`),
    about: (part, wanted) => { did.push(`about ${part}`); open = wanted; },
    closeAbout: () => did.push("close about"),
  });
  const down = (timeStamp, button = 0) => on.onPointerDown({ timeStamp, button });
  const up = (timeStamp) => heard.pointerup?.({ timeStamp });
  const click = (detail = 1) => on.onClick({ detail });
  return { on, did, down, up, click, wanted: () => open() };
}

test("a tap means the part, a touch that is held asks what it is", () => {
  const one = hand();
  one.down(1000);
  mock.timers.tick(80);
  one.up(1080);
  one.click();
  mock.timers.tick(2 * HELD);
  assert.deepEqual(one.did, ["touch hand:a"]);
  one.down(5000);
  mock.timers.tick(HELD);
  one.up(5600);
  one.click();
  assert.deepEqual(one.did, ["touch hand:a", "about hand:a"]);
  assert.equal(one.wanted(), true);
});

test("a tap whose lifting comes late is a tap: what it is goes again, the click after it counts once", () => {
  const one = hand();
  one.down(1000);
  mock.timers.tick(3 * HELD); // the thread was busy, the timer came before the finger's lifting
  assert.deepEqual(one.did, ["about hand:a"]);
  one.up(1090);
  assert.equal(one.wanted(), false); // a sheet that is still on its way is not opened
  one.click();
  assert.deepEqual(one.did, ["about hand:a", "close about", "touch hand:a"]);
  one.down(9000);
  one.up(9050);
  one.click();
  assert.deepEqual(one.did.slice(3), ["touch hand:a"]);
});

test("a touch that was held is held, however late the timer", () => {
  const one = hand();
  one.down(1000);
  one.up(1000 + HELD);
  one.click();
  mock.timers.tick(2 * HELD);
  assert.deepEqual(one.did, ["about hand:a"]);
});

test("a finger that goes away or scrolls means nothing, and a key after a held touch counts", () => {
  const one = hand();
  for (const away of ["onPointerCancel", "onPointerLeave"]) {
    one.down(1000);
    one.on[away]();
    assert.equal(heard.pointerup, undefined);
    mock.timers.tick(2 * HELD);
  }
  assert.deepEqual(one.did, []);
  one.down(1000);
  mock.timers.tick(HELD);
  one.on.onPointerLeave(); // the sheet lies under the finger now
  one.up(1700);
  one.click(0);
  assert.deepEqual(one.did, ["about hand:a", "touch hand:a"]);
});
