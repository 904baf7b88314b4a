// One pinned release of Unicode for all readers (schemas/README.md §1.1): which code points are assigned, and normal form C. The
// release that this JavaScript was built with decides nothing.

import { UNICODE } from "./schemas.mjs";

const PLAIN = /^[\u0000-\u02ff]*$/; // all assigned, each starting anew, and its own normal form
const S = 0xac00, L = 0x1100, V = 0x1161, T = 0x11a7; // Hangul: first syllable, leading, vowel, before the first trailing
const VOWELS = 21, TRAILING = 28, SYLLABLES = 19 * VOWELS * TRAILING;
const COMBINING = new Map(UNICODE.combining.flatMap(([first, last, value]) => Array.from({ length: last - first + 1 }, (_, i) => [first + i, value])));
const PARTS = new Map(UNICODE.decomposition.map(([code, ...parts]) => [code, parts]));
const EXCLUDED = new Set(UNICODE.excluded);
const WHOLE = new Map([...PARTS].filter(([code, parts]) => parts.length === 2 && !EXCLUDED.has(code)).map(([code, [a, b]]) => [a * 0x110000 + b, code]));

const codesOf = (text) => Array.from(text, (character) => character.codePointAt(0));

function assigned(code) {
  let low = 0, high = UNICODE.assigned.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const [first, last] = UNICODE.assigned[middle];
    if (code < first) high = middle - 1;
    else if (code > last) low = middle + 1;
    else return true;
  }
  return false;
}

// The first code point that is not assigned, or private; undefined if there is none.
export const unassigned = (text) => (PLAIN.test(text) ? undefined : codesOf(text).find((code) => !assigned(code)));

export function nfc(text) {
  if (PLAIN.test(text)) return text;
  return String.fromCodePoint(...composed(ordered(codesOf(text).flatMap(parts))));
}

function parts(code) {
  const index = code - S;
  if (index >= 0 && index < SYLLABLES) {
    const both = [L + Math.floor(index / (VOWELS * TRAILING)), V + Math.floor((index % (VOWELS * TRAILING)) / TRAILING)];
    return index % TRAILING ? [...both, T + (index % TRAILING)] : both;
  }
  return PARTS.has(code) ? PARTS.get(code).flatMap(parts) : [code];
}

const level = (code) => COMBINING.get(code) ?? 0;

// Marks behind each base in the order of their classes; sort keeps what is equal as it was.
function ordered(codes) {
  const found = [];
  let marks = [];
  const flush = () => {
    found.push(...marks.sort((a, b) => level(a) - level(b)));
    marks = [];
  };
  for (const code of codes) {
    if (level(code)) marks.push(code);
    else {
      flush();
      found.push(code);
    }
  }
  flush();
  return found;
}

function composed(codes) {
  const found = [];
  let base = -1, before = 0;
  for (const code of codes) {
    const now = level(code);
    if (base >= 0 && (before < now || (before === 0 && base === found.length - 1))) {
      const whole = pair(found[base], code);
      if (whole !== undefined) {
        found[base] = whole;
        continue;
      }
    }
    if (now === 0) base = found.length;
    before = now;
    found.push(code);
  }
  return found;
}

function pair(first, second) {
  const [lead, vowel, syllable, trail] = [first - L, second - V, first - S, second - T];
  if (lead >= 0 && lead < 19 && vowel >= 0 && vowel < VOWELS) return S + (lead * VOWELS + vowel) * TRAILING;
  if (syllable >= 0 && syllable < SYLLABLES && syllable % TRAILING === 0 && trail > 0 && trail < TRAILING) return first + trail;
  return WHOLE.get(first * 0x110000 + second);
}
