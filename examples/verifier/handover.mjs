// A match that goes from one host to another: told, held, done (schemas/README.md, 10.11).

import { b64, equal, lp, u32, unb64 } from "./bytes.mjs";
import { goodSealKey, goodSignKey, hpkeOpen, hpkeOpenShared, unpad, verifyRecord, verifySigned, x25519Public } from "./crypto.mjs";
import { instant } from "./deadlines.mjs";
import { canon, parseCanonical, same } from "./json.mjs";
import { holdUntil } from "./takeover.mjs";

// The host who signs record `index`.
export const hostAt = (match, index) => match.hosts.findLast(({ since }) => since < index).host;

// A host's keys are proper, and have no other use in the match.
function hostFault(match, { sign, seal, seat }) {
  if (!(goodSignKey(unb64(sign)) && goodSealKey(unb64(seal)))) return "a key that is none";
  const taken = match.hosts.flatMap(({ host }) => [host.sign, host.seal]);
  for (const player of match.players.values()) taken.push(b64(player.sign), b64(player.seal));
  if (sign === seal || [sign, seal].some((key) => taken.includes(key))) return "a key of the new host has another use in this match already";
  return seat !== undefined && !match.seats.includes(seat) ? `there is no seat ${seat}` : "";
}

export async function checkRetire(match, { body: { host, accept } }, fault) {
  if (!match.complete) fault("retire", "not everybody has joined yet");
  else if (match.ended) fault("retire", "the match has ended");
  else if (match.retiring) fault("retire", `record ${match.retiring.record.index} gives it to another host already`);
  else {
    const reason = hostFault(match, host);
    if (reason) fault("retire", reason);
  }
  const signed = await verifySigned("handover", canon({ game: b64(match.id), ...host }), unb64(host.sign), unb64(accept));
  if (!signed) fault("retire", "the new host has not signed that he takes this match");
}

export function checkRetireHold(match, { body: { until }, at }, fault) {
  if (!match.complete) return;
  const expected = Math.max(...match.seats.map((seat) => holdUntil(match, seat, at)));
  if (Date.parse(until) !== expected) fault("hold", `held until ${until}; the deadlines of this match give ${instant(expected)}`);
}

// Why a word is about no hand-over that is held now; nothing if it is.
export function namedFault({ retiring }, { to }) {
  if (!retiring) return "nobody gives this match to another host now";
  return to.seq === retiring.record.index && to.line === b64(retiring.record.hash) ? "" : `it is about another record than ${retiring.record.index}`;
}

const given = ({ retiring }, { body }) => (retiring?.record.index === body.proposal ? retiring : undefined);

export function checkHost(match, record, fault) {
  const retiring = given(match, record);
  if (!retiring) return void fault("proposal", `record ${record.body.proposal} gives the match to nobody now`);
  const { seq, line } = { seq: retiring.record.index, line: b64(retiring.record.hash) };
  const what = retiring.host.seat === undefined ? undefined : { kind: "handover", to: { seq, line } };
  if ((what === undefined) !== (record.body.what === undefined) || (what && !same(what, record.body.what))) {
    fault("consent", "all seats agree to a host who plays, and to no other");
  }
  const [expected, found] = [handedLength(match), unb64(record.body.ct).length];
  if (found !== expected) fault("handed", `its ct has ${found} bytes; what must be in it gives ${expected}`);
  for (const seat of Object.keys(record.body.contacts)) if (!match.seats.includes(seat)) fault("no-seat", `there is no seat ${seat}`);
  return undefined;
}

// What goes sealed to the new host only he can read; how long it is follows from what must be in it.
function handedLength({ epochs, parts }) {
  const key = b64(new Uint8Array(32));
  const seeds = [...epochs.values()].filter(({ closed, burned }) => !closed && !burned).map(({ number }) => [number, key]);
  const named = [...parts.values()].map(({ seat, n, part }) => ({ seat, n, part, key, to: key }));
  const { length } = canon({ seeds: Object.fromEntries(seeds), parts: named });
  return 48 + 512 * (Math.floor(length / 512) + 1); // enc 32, tag 16; 0x80 and zeros to a multiple
}

export function checkHandingHold(match, record, fault) {
  const retiring = given(match, record);
  if (!retiring) return;
  const { newest } = match;
  const { seat } = retiring.host;
  const reason = hostFault(match, retiring.host);
  if (match.paused) fault("hold", "the match is paused");
  else if (record.at < retiring.until) fault("hold", `what record ${retiring.record.index} says is held until ${instant(retiring.until)}`);
  else if (newest && !newest.opened && !newest.burned && newest.seats.includes(seat) && !newest.links.has(seat)) {
    fault("hold", `${seat} must give the link of epoch ${newest.number} before he learns what is laid there`);
  } else if (reason) fault("hold", reason);
}

// What a turn seals is for the host of now.
export function sealedToAnother({ hosts }, { seat, seen, sealed, orders }) {
  const { since } = hosts.at(-1);
  return (sealed || orders) && seen.seq < since ? `${seat} had not seen record ${since}, since which another host has the match, and sealed to the one before` : "";
}

// A record by a host who gave the match away: two histories, whoever has only this file.
export async function byHostBefore(match, record, sig) {
  for (const { host } of match.hosts.slice(0, -1)) {
    const key = unb64(host.sign, 32);
    if (equal(unb64(sig.key), key) && (await verifyRecord(match.id, record.body.seq, record.hash, key, unb64(sig.value)))) return true;
  }
  return false;
}

export function takeRetire(match, { host, until }, record) {
  match.retiring = { record, host, until: Date.parse(until) };
}

export function takeHost(match, body, record) {
  const retiring = given(match, record);
  if (!retiring) return; // a fault: nobody else hosts
  match.hosts.push({ since: record.index, host: retiring.host });
  match.retiring = undefined;
}

// From whom hands, orders and draws to come are hidden, from which record on.
export function hiddenFrom({ hosts }) {
  const words = ({ seat }) => (seat === undefined ? "all players" : `all but ${seat}`);
  return hosts.map(({ since, host }, i) => (i ? `from record ${since} on ${words(host)}` : words(host))).join("; ");
}

// --- what the new host reads: nobody else can, and a verifier needs none of it ----------------------------------------

// `ct` of the record `seq` by which a match came to the host with this seal key: {"seeds", "parts"}.
export async function openHanded(game, seq, secret, ct) {
  const info = lp("pbem/1 hand-over", game, u32(seq), await x25519Public(secret));
  const padded = await hpkeOpen(secret, info, unb64(ct));
  return parseCanonical(unpad(padded), padded.length);
}

// What one of its `parts` opens, `sealed` or `orders` of a turn: {"actions" or "order", "salt"}.
export async function openHandedPart(game, { seat, n, part, key, to }, sealed) {
  const info = lp(part === "orders" ? "pbem/1 order" : "pbem/1 sealed", game, seat, u32(n), unb64(to));
  return parseCanonical(unpad(await hpkeOpenShared(unb64(key), info, unb64(sealed.ct))));
}
