// With a seat's key (schemas/README.md §11, last part): its packets, their commitments, the leaves of its cards.

import { inflate } from "./armour.mjs";
import { b64, lp, u32, unb64 } from "./bytes.mjs";
import { hpkeOpen, unpad } from "./crypto.mjs";
import { packetCommit } from "./close.mjs";
import { leaf } from "./draws.mjs";
import { parseCanonical, same } from "./json.mjs";

const packetInfo = (game, seq, seat, sealPublic) => lp("pbem/1 packet", game, u32(seq), seat, sealPublic);

// The packet's {salt, body}; throws if it was not sealed to this seat for this record of this match.
export async function openPacket(keys, game, seq, seat, ct) {
  const padded = await hpkeOpen(keys.seal, packetInfo(game, seq, seat, keys.sealPublic), unb64(ct));
  return parseCanonical(unpad(padded), padded.length);
}

// What a turn file holds sealed, `part` sealed or order: {salt, actions or order}. The host's part opens with his keys, the
// player's own copy with those of his seat.
export async function openPart(keys, part, game, seat, n, sealed, own) {
  const info = lp(`pbem/1 ${own ? "own " : ""}${part}`, game, seat, u32(n), keys.sealPublic);
  const text = unpad(await hpkeOpen(keys.seal, info, unb64(own ? sealed.own : sealed.ct)));
  return parseCanonical(part === "order" ? await unpacked(text) : text);
}

// Orders are packed, so that few of them need as much room as many, and none.
async function unpacked(packed) {
  const text = await inflate(packed, 3071);
  if (await inflate(packed.slice(0, -1), 3071).then(() => true, () => false)) throw new Error("something follows the zlib stream");
  return text;
}

// Which seat this key has sat in, from which record on (a key can come with a join, a rekey, a substitute).
export function seatOf(match, sealPublic) {
  const key = b64(sealPublic);
  for (const record of match.records) {
    if (!record) continue;
    const body = record.body.msg?.body ?? record.body.what;
    if (["join", "rekey", "substitute"].includes(record.kind) && body?.seal === key) return { seat: body.seat, since: record.index };
  }
  return undefined;
}

export async function checkSeat(match, keys, report) {
  const place = seatOf(match, keys.sealPublic);
  if (!place) throw new Error("this key has no seat in this match");
  const { seat, since } = place;
  const told = { seat, packets: 0, draws: [], facts: [] };
  const until = match.records.findIndex((r) => r && r.index > since && changesKey(r, seat));
  for (const record of match.records.slice(since, until < 0 ? undefined : until)) {
    const packet = record?.body.packets?.[seat];
    if (!packet) continue;
    const fault = (code, why) => report.fault(record.index, 11, code, why);
    try {
      const { salt, body } = await openPacket(keys, match.id, record.index, seat, packet.ct);
      told.packets++;
      const commit = await packetCommit(match.id, record.index, seat, unb64(salt, 16), body);
      if (b64(commit) !== packet.commit) fault("packet", "your packet does not fit its public commitment");
      await checkDraws(match, record, seat, body, fault);
      const again = !record.body.steps;
      if (!again) told.draws.push(...body.draws.map((draw) => ({ record: record.index, ...draw })));
      told.facts.push(...body.facts.map((fact) => ({ record: record.index, fact })));
    } catch (error) {
      fault("sealed", `your packet does not open: ${error.message || "it was sealed to another key, record or match"}`);
    }
  }
  return told;
}

function changesKey(record, seat) {
  if (!["rekey", "substitute"].includes(record.kind)) return false;
  return (record.body.msg?.body.seat ?? record.body.what.seat) === seat;
}

// The cards in the packet are those that the public list says were dealt, each at the cut's place and as it was laid.
async function checkDraws(match, record, seat, body, fault) {
  const epoch = match.epochs.get(record.body.epoch);
  if (!epoch) return;
  const mine = epoch.draws.filter(({ record: at, entry }) => entry.to === seat && (record.body.steps ? at === record : at.index < record.index));
  const shown = mine.map(({ entry }) => ({ deck: entry.draw, gen: entry.gen, k: entry.k }));
  if (!same(shown, body.draws.map(({ deck, gen, k }) => ({ deck, gen, k })))) fault("draws", "your packet tells of other draws than the record");
  for (const { deck: name, gen, k, place, card, salt } of body.draws) {
    const deck = epoch.decks.get(name)?.find((laid) => laid.gen === gen);
    if (deck?.cut[k] !== place) fault("place", `draw ${k} of ${name} takes place ${deck?.cut[k]}, your packet says ${place}`);
    else if (b64(await leaf(match.id, epoch.number, name, gen, place, unb64(salt, 16), card)) !== deck.leaves[place]) {
      fault("leaf", `${card} is not what was laid at place ${place} of ${name}`);
    }
  }
}

