// Restricted JSON and its canonical form (schemas/README.md §1.1, §1.2): RFC 8785 of ASCII member names, safe integers, NFC
// strings without the characters of the table, no null.
//
// Reading is JSON.parse and one comparison: a duplicate member, 1.0, -0, 1e3, a number too big, white space, another
// order of members or another escape is not what canon(parse(line)) writes, and so is refused.

import { fromUtf8 } from "./bytes.mjs";
import { nfc, unassigned } from "./unicode.mjs";

export const MAX_LINE = 1 << 20;
export const MAX_FILE = 1 << 16;
const MAX_DEPTH = 32;
const NAME = /^[A-Za-z0-9_-]+$/;
const FORBIDDEN = new RegExp(
  "[\\u0000-\\u001f\\u007f-\\u009f\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u200b-\\u200f\\u2028-\\u202e" +
    "\\u2060-\\u206f\\u3164\\ufeff\\uffa0\\ufff0-\\ufffb\\u{1bca0}-\\u{1bca3}\\u{1d173}-\\u{1d17a}\\u{e0000}-\\u{e0fff}" +
    Array.from({ length: 17 }, (_, plane) => `\\u{${plane.toString(16)}fffe}\\u{${plane.toString(16)}ffff}`).join("") +
    "]",
  "u",
);
const LONE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;

export class Malformed extends Error {}

export function canon(value, depth = 0) {
  if (depth > MAX_DEPTH) throw new Malformed(`nested deeper than ${MAX_DEPTH}`);
  if (value === null) throw new Malformed("null stands nowhere");
  if (typeof value === "boolean") return String(value);
  if (typeof value === "number") {
    if (!Number.isSafeInteger(value)) throw new Malformed(`the number ${value} is not an integer within 2^53-1`);
    return String(value); // -0 becomes 0, and so differs from the line it stood in
  }
  if (typeof value === "string") return canonText(value);
  if (Array.isArray(value)) return `[${value.map((item) => canon(item, depth + 1)).join(",")}]`;
  const members = Object.keys(value).sort().map((name) => {
    if (!NAME.test(name)) throw new Malformed(`the member name ${JSON.stringify(name)} has foreign characters`);
    return `"${name}":${canon(value[name], depth + 1)}`;
  });
  return `{${members.join(",")}}`;
}

function canonText(value) {
  const found = FORBIDDEN.exec(value);
  if (found) throw new Malformed(`a text has the character U+${found[0].codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}`);
  if (LONE.test(value)) throw new Malformed("a text has half a character (a lone surrogate)");
  const stranger = unassigned(value);
  if (stranger !== undefined) throw new Malformed(`a text has the character U+${stranger.toString(16).toUpperCase()}, which is not part of the release`);
  if (nfc(value) !== value) throw new Malformed("a text is not in Unicode's normal form C");
  return JSON.stringify(value);
}

// The value of canonical bytes.
export function parseCanonical(bytes, limit = MAX_LINE) {
  if (bytes.length > limit) throw new Malformed(`longer than ${limit} bytes`);
  let source;
  try {
    source = fromUtf8(bytes);
  } catch {
    throw new Malformed("not UTF-8");
  }
  let value;
  try {
    value = JSON.parse(source);
  } catch (error) {
    throw new Malformed(`not JSON: ${error.message}`);
  }
  if (canon(value) !== source) throw new Malformed("not in canonical form (members, numbers, blanks or escapes)");
  return value;
}

// --- what people send: strict JSON in any layout ------------------------------------------------------------------------

const TOKEN = /[ \t\n\r]*(?:([{}[\]:,])|(true|false|null)|(-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)|"((?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*)")/y;

// The value of a text in restricted JSON (schemas/README.md §1.1): what JSON.parse forgives or forgets is refused here.
export function parseStrict(source) {
  let at = 0;
  const fail = (why) => {
    throw new Malformed(`${why} (character ${at})`);
  };
  const next = () => {
    TOKEN.lastIndex = at;
    const [all, mark, word, number, inner] = TOKEN.exec(source) ?? fail("not JSON");
    at += all.length;
    return { mark, word, number, string: inner === undefined ? undefined : JSON.parse(`"${inner}"`) };
  };
  const peek = () => source.slice(at).match(/^[ \t\n\r]*(.)?/s)[1];
  const value = (depth) => {
    const token = next();
    if (token.word) return JSON.parse(token.word);
    if (token.number) return /^(0|-?[1-9][0-9]*)$/.test(token.number) ? Number(token.number) : fail("a number that is no integer");
    if (token.string !== undefined) return token.string;
    if (depth > MAX_DEPTH) fail(`nested deeper than ${MAX_DEPTH}`);
    if (token.mark === "[") return list(depth);
    return token.mark === "{" ? members(depth) : fail("not JSON");
  };
  const list = (depth) => {
    const items = [];
    if (peek() === "]") return next() && items;
    for (;;) {
      items.push(value(depth + 1));
      const { mark } = next();
      if (mark === "]") return items;
      if (mark !== ",") fail("not JSON");
    }
  };
  const members = (depth) => {
    const found = new Map();
    if (peek() === "}") return next() && {};
    for (;;) {
      const { string: name } = next();
      if (name === undefined || next().mark !== ":") fail("not JSON");
      if (found.has(name)) fail(`the member ${name} stands twice`);
      found.set(name, value(depth + 1));
      const { mark } = next();
      if (mark === "}") return Object.fromEntries(found);
      if (mark !== ",") fail("not JSON");
    }
  };
  const whole = value(0);
  if (peek() !== undefined) fail("something follows");
  canon(whole);
  return whole;
}

export const same = (a, b) => canon(a) === canon(b);
