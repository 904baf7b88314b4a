// The worker that connects to hosts: one that hangs, one that sends without end, a place that is none.
import assert from "node:assert/strict";
import { before, mock, test } from "node:test";

const MATCH = "7q3kdw1x";
/** @type {(message: object) => Promise<any>} */
let asked;

before(async () => {
  /** @type {(answer: any) => void} */
  let done = () => {};
  globalThis.onmessage = null; // a worker has both
  globalThis.postMessage = (answer) => done(answer);
  await import("../../../pbem/web/page/post.mjs");
  asked = (message) => new Promise((resolve) => {
    done = resolve;
    void globalThis.onmessage({ data: { id: 1, ...message } });
  });
});

test("a host that hangs is given up after half a minute, and says so", async () => {
  mock.timers.enable({ apis: ["setTimeout"] });
  mock.method(globalThis, "fetch", (url, { signal }) => new Promise((_, fail) => signal.addEventListener("abort", () => fail(signal.reason))));
  const waiting = asked({ act: "lines", given: { api: "https://host.example", match: MATCH, code: "w", after: 0 } });
  let answered = false;
  void waiting.then(() => (answered = true));
  mock.timers.tick(29_900);
  await Promise.resolve();
  assert.equal(answered, false);
  mock.timers.tick(200);
  const { status, fault } = await waiting;
  assert.deepEqual([status, fault], [0, "slow"]);
  mock.restoreAll();
  mock.timers.reset();
});

test("an answer without end is cut, and an address that is none is asked for nothing", async () => {
  const part = new Uint8Array(8 * 1024 * 1024);
  let sent = 0;
  const endless = new ReadableStream({ pull: (to) => void (sent += part.length, to.enqueue(part)) });
  const fetched = mock.method(globalThis, "fetch", async () => new Response(endless));
  const given = { api: "https://host.example", match: MATCH, code: "w", after: 0 };
  assert.equal((await asked({ act: "lines", given })).fault, "long");
  assert.ok(sent < 96 * 1024 * 1024);
  const calls = fetched.mock.callCount();
  for (const api of ["http://host.example", "https://me:word@host.example", "https://host.example/?a=1", "javascript:alert(1)"]) {
    assert.notEqual((await asked({ act: "lines", given: { ...given, api } })).fault, "", api);
  }
  assert.equal(fetched.mock.callCount(), calls);
  mock.restoreAll();
});
