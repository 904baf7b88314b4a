// Failures as sentences, links, words, the rules' search, where the page runs, how fast news move.
import assert from "node:assert/strict";
import { before, test } from "node:test";

import { differs, linkIn, linkOf, meantBy } from "../../../pbem/web/page/links.mjs";
import { matching } from "../../../pbem/web/page/searching.mjs";
import { apple, messenger, skewOf, warnings } from "../../../pbem/web/page/surroundings.mjs";
import { apiTrouble, areLines, objectOf, troubleOf } from "../../../pbem/web/page/trouble.mjs";
import { fill, timeLeft } from "../../../pbem/web/page/words.mjs";
import { pace } from "../../../pbem/web/page/since.mjs";

const PAGE = "https://mirror.example.org/pbem/";
const bytes = (text) => new TextEncoder().encode(text);

before(() => {
  globalThis.matchMedia ??= () => ({ matches: false });
});

test("whatever an API says ends in a sentence and a button that helps", () => {
  const said = [
    [{ status: 0, fault: "slow" }, "api-slow"], [{ status: 0, fault: "away" }, "api-away"], [{ status: 0, fault: "odd" }, "api-odd"],
    [{ status: 0, fault: "login" }, "api-login"], [{ status: 0, fault: "long" }, "api-long"], [{ status: 401 }, "api-word"], [{ status: 403 }, "api-word"],
    [{ status: 404 }, "api-no-match"], [{ status: 429 }, "api-busy"], [{ status: 500 }, "api-ill"], [{ status: 503 }, "api-ill"], [{ status: 422 }, "api-no"], [{ status: 302 }, "api-login"],
  ];
  for (const [answer, text] of said) {
    const trouble = apiTrouble(answer);
    assert.equal(trouble.text, text); // without a file of words a sentence is its own name
    assert.ok(trouble.help.length > 0, text);
  }
  assert.equal(apiTrouble({ status: 200 }), null);
  assert.equal(apiTrouble({ status: 202 }), null);
});

test("no exception of a worker or of the storage reaches the screen", () => {
  assert.deepEqual(troubleOf({ ok: false, broken: true, trace: "TypeError: x is undefined" }), { text: "broken", help: ["reload", "details"] });
  assert.deepEqual(troubleOf({ ok: false, missing: true, trace: "TypeError: Failed to fetch" }), { text: "not-fetched", help: ["retry"] });
  assert.deepEqual(troubleOf({ ok: false, storage: true, trace: "QuotaExceededError" }), { text: "storage", help: ["retry", "backup"] });
  assert.deepEqual(troubleOf({ ok: false, fault: "This page is older.", hint: "", help: "update" }), { text: "This page is older.", help: ["update"] });
  assert.deepEqual(troubleOf({ ok: false, fault: "", hint: "", help: "constructor" }), { text: "broken", help: [] });
});

test("a login page is neither a receipt nor lines of a match", () => {
  assert.equal(objectOf(bytes("<html>Welcome to the hotel</html>")), null);
  assert.equal(objectOf(bytes("[1]")), null);
  assert.equal(objectOf(Uint8Array.of(0xff, 0xfe)), null);
  assert.deepEqual(objectOf(bytes('{"receipt":"ab"}')), { receipt: "ab" });
  assert.equal(areLines(bytes("<html>")), false);
  assert.equal(areLines(bytes("")), true);
  assert.equal(areLines(bytes('{"kind"')), true);
});

test("links of invitations, letters and practice", () => {
  assert.deepEqual(linkOf("#practice=way-out-west", PAGE), { kind: "practice", game: "way-out-west" });
  assert.deepEqual(linkOf("#join=7q3kdw1x&seat=burt&code=abc", "https://anna.example.org/play/"),
    { kind: "join", match: "7q3kdw1x", seat: "burt", code: "abc", api: { url: "https://anna.example.org", code: "abc" }, beside: "https://anna.example.org" });
  assert.equal(linkOf("#match=7q3kdw1x", PAGE).api, null);
  assert.deepEqual(linkOf("#match=7q3kdw1x&api=https://h.example/x&word=w", PAGE).api, { url: "https://h.example/x", code: "w" });
  assert.equal(linkOf("", PAGE), null);
  assert.equal(linkOf("#other=1", PAGE), null);
});

test("a pasted invitation is its link, wherever that stands in its words", () => {
  assert.deepEqual(linkIn("Anna invites you. Open https://h.example/play/#join=7q3kdw1x&seat=burt&code=abc and type your name."), { page: "https://h.example/play/", hash: "#join=7q3kdw1x&seat=burt&code=abc" });
  assert.deepEqual(linkIn("#match=7q3kdw1x"), { page: "", hash: "#match=7q3kdw1x" });
  assert.equal(linkIn("Dear Burt, take the attachment."), null);
});

test("a link means a match by its number and seat, and changes no address or code silently", () => {
  const list = [{ id: "abcdefgh-anna", game: "x", seat: "anna" }, { id: "abcdefgh-burt", game: "x", seat: "burt" }];
  assert.equal(meantBy(list, { match: "abcdefgh", seat: "burt" }).id, "abcdefgh-burt");
  assert.equal(meantBy(list, { match: "abcdefgh", seat: "curt" }), undefined);
  assert.equal(differs(null, { url: "a", code: "b" }), "url");
  assert.equal(differs({ url: "a", code: "b" }, { url: "c", code: "b" }), "url");
  assert.equal(differs({ url: "a", code: "b" }, { url: "a", code: "c" }), "code");
  assert.equal(differs({ url: "a", code: "b" }, { url: "a", code: "b" }), "");
  assert.equal(differs({ url: "a", code: "b" }, { url: "a", code: "" }), "", "a later email's link holds no word, and takes none away");
});

test("the rules are searched by words and numbers, whatever the accents", () => {
  const sections = [{ title: "Abläufe", rows: [{ id: "D6", text: "Décartez une carte." }, { id: "D7", text: "Piochez deux cartes." }] }, { title: "Ende", rows: [{ id: "E1", text: "Fin." }] }];
  assert.deepEqual(matching(sections, "decartez CARTE").map((one) => one.rows.map((row) => row.id)), [["D6"]]);
  assert.deepEqual(matching(sections, "d7")[0].rows.map((row) => row.id), ["D7"]);
  assert.deepEqual(matching(sections, "ablaufe")[0].rows.length, 2);
  assert.deepEqual(matching(sections, "nichts"), []);
  assert.equal(matching(sections, "  "), sections);
});

test("where keys can be lost is said before they are made", () => {
  const good = { agent: "Mozilla/5.0 (X11; Linux x86_64) Chrome/150.0", fingers: 0, standalone: false, quota: 5e9, usage: 1e8, skew: 2, persisted: false };
  const iphone = "Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) Version/19.0 Mobile/15E148 Safari/604.1";
  assert.deepEqual(warnings(good), []);
  assert.deepEqual(warnings({ ...good, agent: iphone }), ["on-apple"]);
  assert.deepEqual(warnings({ ...good, agent: iphone, standalone: true }), []);
  assert.deepEqual(warnings({ ...good, agent: `${iphone} [FBAN/FBIOS;FBAV/500]` }), ["in-messenger"]);
  assert.deepEqual(warnings({ ...good, quota: 120e6, usage: 1e6 }), ["in-private"]);
  assert.deepEqual(warnings({ ...good, quota: 1e9, usage: 0.99e9 }), ["nearly-full"]);
  assert.deepEqual(warnings({ ...good, skew: -3 * 86400 }), ["clock-wrong"]);
  assert.equal(messenger("Mozilla/5.0 (Linux; Android 16; wv) Chrome/150"), "messenger");
  assert.equal(apple("Mozilla/5.0 (Macintosh)", 5), true);
  assert.equal(apple("Mozilla/5.0 (Macintosh)", 0), false);
  assert.equal(skewOf("Wed, 25 Nov 2026 18:00:00 GMT", Date.parse("2026-11-25T18:20:00Z")), 1200);
  assert.equal(skewOf(null, 0), 0);
  assert.equal(skewOf("nonsense", 0), 0);
});

test("time that is left is shown in two units at most", () => {
  const plain = (text) => text.replaceAll(/\s/g, " ");
  assert.equal(plain(timeLeft(2 * 86400e3 + 3 * 3600e3)), "2d 3h");
  assert.equal(plain(timeLeft(3600e3 * 5 + 60e3 * 7)), "5h 7m");
  assert.equal(plain(timeLeft(59e3)), "1m");
  assert.equal(timeLeft(-1), "");
  assert.equal(timeLeft(NaN), "");
  assert.equal(fill("{n} of {m}", { n: 0 }), "0 of ");
});

test("news take at most a second a step and twelve in all", () => {
  assert.equal(pace(1), 1000);
  assert.equal(pace(12), 1000);
  for (const count of [0, 13, 40, 500]) assert.ok(pace(count) * count <= 12000 && pace(count) <= 1000);
});
