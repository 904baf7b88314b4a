// What is done about a seat: said, held, undone, done; at once only by its recovery key (schemas/README.md, 10.8).

import { b64, unb64 } from "./bytes.mjs";
import { fingerprint, goodSealKey, goodSignKey } from "./crypto.mjs";
import { askedUntil, instant } from "./deadlines.mjs";
import { canon } from "./json.mjs";

const HOUR = 3_600_000;
const ALONE = 1440; // hours of absence that a seat takes by its own consent alone

const away = (match, seat, before = Infinity) => match.absences.filter((span) => span.seat === seat && span.record < before);
export const holdUntil = (match, seat, t) => match.deadlines.hold(t, away(match, seat));

// The recovery key of the very seat has agreed: then nothing is held.
export const atOnce = (match, what, consents) => consents.some((file) => file.body.seat === what.seat && match.recovering.has(file));

export const needsProposal = (match, what) => ["rekey", "resign"].includes(what.kind) || (what.kind === "substitute" && !match.resigned.has(what.seat));

export function proposalOf(match, number) {
  return [...match.proposals.values()].find(({ record }) => record.index === number);
}

// The open proposal that a rekey or substitute carries out; nothing if there is none of that kind.
export function namedProposal(match, { kind, body }) {
  const proposal = proposalOf(match, body.proposal);
  return proposal?.what.kind === kind ? proposal : undefined;
}

// A link that nobody can give any more: the seat's chain counts only from a later epoch on.
export const linkLost = (match, epoch, seat) => !epoch.links.has(seat) && match.players.has(seat) && !match.chainFor(seat, epoch.number);

// From when on a lost link may be burned for: a full turn's time after it was lost.
export function lostLinkOverdue(match, seat) {
  const record = match.lost.get(seat);
  return record ? match.deadlines.fullTime(record.at, away(match, seat, record.index)) : Infinity;
}

// Only a seat that somebody holds can be taken over. The first epoch is never burned, and a chain chosen after it was laid
// must not serve it.
function unjoined({ newest, players, running }, seat) {
  if (!players.has(seat)) return `nobody has joined as ${seat} yet`;
  const waits = newest && !running && !newest.burned && newest.seats.includes(seat) && !newest.links.has(seat);
  return waits ? `the first epoch waits for the link of ${seat}, which only the old key can give` : "";
}

// Why nobody can agree to this takeover now; nothing if they can.
export function takeoverFault(match, what) {
  const reason = unjoined(match, what.seat);
  if (reason) return reason;
  return what.kind === "rekey" ? keyFault(match, what.seat, what) : "";
}

// Keys are proper ones, and nobody else's.
export function keyFault(match, seat, { sign, seal }) {
  if (!(goodSignKey(unb64(sign)) && goodSealKey(unb64(seal)))) return "a key that is none";
  const taken = [match.host.sign, match.host.seal];
  for (const [other, player] of match.players) if (other !== seat) taken.push(b64(player.sign), b64(player.seal));
  return sign === seal || [sign, seal].some((key) => taken.includes(key)) ? "a key that is somebody else's already" : "";
}

// --- step (2) and (4) of the records concerned --------------------------------------------------------------------------------

export function checkHeld(match, { body: { what, until }, at }, fault) {
  const expected = holdUntil(match, what.seat, at);
  if (Date.parse(until) !== expected) fault("hold", `held until ${until}; the deadlines of this match give ${instant(expected)}`);
}

export function checkPropose(match, record, fault2, fault4) {
  const { what, consents } = record.body;
  if (!needsProposal(match, what) || atOnce(match, what, consents)) fault2("propose", `nothing about ${what.seat} needs to be held`);
  const own = consents.some(({ body }) => body.seat === what.seat); // its own file undoes what was open
  if (!own && match.proposals.has(what.seat)) fault2("propose", `something is proposed about ${what.seat} already`);
  checkHeld(match, record, fault4);
  checkWords(match, record, fault2);
}

const REMEMBERED = 336 * HOUR; // the recovery key's word waits so long for the others'

// No consent is older than the end of the last proposal about the seat; what its recovery key says is forgotten in time.
export function checkWords(match, { body: { what, consents }, at }, fault) {
  const settled = match.settled.get(what.seat) ?? 0;
  for (const file of consents) {
    const { seat, seen } = file.body;
    const record = match.records[seen.seq];
    if (seat === what.seat && match.recovering.has(file)) {
      if (record && at > record.at + REMEMBERED) fault("consent", `${seat} agreed by its recovery key more than 336 hours ago`);
    } else if (seen.seq < settled) fault("consent", `${seat} agreed before record ${settled}, which ended an earlier proposal`);
  }
}

// Who has resigned, or has agreed by the recovery key, goes without a proposal.
export function checkDirectly(match, record, fault) {
  const { what, consents } = record.body;
  checkWords(match, record, fault);
  if (atOnce(match, what, consents)) return;
  if (record.kind === "resign") return void fault("resign", `the recovery key of ${what.seat} has not signed this`);
  if (needsProposal(match, what)) fault("proposal", `${what.seat} has not resigned`);
  if (match.proposals.has(what.seat)) fault("substitute", `something is proposed about ${what.seat}`);
}

export function checkCompletion(match, record, proposal, fault2, fault4) {
  if (match.paused) fault4("hold", "the match is paused");
  else if (record.at < proposal.until) fault4("hold", `what is proposed is held until ${instant(proposal.until)}`);
  else {
    const reason = unjoined(match, proposal.what.seat);
    if (reason) fault4("hold", reason);
  }
  const two = match.seats.length === 2;
  if (two !== Object.hasOwn(record.body, "act")) fault2("act", "in a match of two seats, and only there, it is the host's own act");
  if (record.kind === "rekey") {
    const reason = keyFault(match, proposal.what.seat, proposal.what);
    if (reason) fault2("key", reason);
  }
}

export async function checkNewcomer(match, body, what, fault) {
  if (what) {
    const found = await fingerprint(unb64(body.sign, 32));
    if (what.newcomer !== found) fault("newcomer", `the consents name ${what.newcomer}, and ${found} joins`);
  }
  if (body.n === 0) fault("number", "the join of a substitute has a number above 0");
  if (match.joins.has(canon(body))) fault("number", "this join stands in the record already");
}

const RETAKES = 4; // so often a seat is taken again in one match

// A seat taken a second time by its invitation: until its first turn, never the host's own, by a new join with other keys.
export function checkRetake(match, record, body, player, fault) {
  const { seat } = body;
  const files = match.records.filter((one) => one?.body.msg?.body.seat === seat);
  const since = files.slice(files.findLastIndex(({ kind }) => ["join", "substitute"].includes(kind)));
  const taken = since.filter(({ kind }) => kind === "retake").length;
  if (!player) fault("retake", `nobody has joined as ${seat}`);
  else if (seat === match.host.seat) fault("retake", `${seat} is the host's own seat`);
  else if (match.paused) fault("retake", "the match is paused");
  else if (match.resigned.has(seat)) fault("retake", `${seat} has resigned`);
  else if (since.some(({ kind }) => kind === "turn")) fault("retake", `${seat} has made a turn`);
  else if (taken >= RETAKES) fault("retake", `${seat} was taken again ${taken} times already`);
  if (body.n !== 0) fault("retake", `a join has n 0, found ${body.n}`);
  if (match.joins.has(canon(body))) fault("retake", "this join stands in the record already");
  const old = player ? [b64(player.sign), b64(player.seal)] : [];
  if (old.includes(body.sign) || old.includes(body.seal)) fault("retake", `it brings a key that ${seat} has already`);
}

// --- taking ---------------------------------------------------------------------------------------------------------------------

export function takePropose(match, { what, until }, record) {
  match.proposals.set(what.seat, { record, what, until: Date.parse(until), counts: what.kind === "resign" }); // of itself, when the hold is over
}

export function takeWithdraw(match, { proposal }, record) {
  const found = proposalOf(match, proposal);
  if (!found) return;
  settle(match, found.what.seat, record);
}

// This record ends what is proposed about a seat, if anything is: by a word of the seat itself it is undone.
export function settle(match, seat, record) {
  if (match.proposals.delete(seat)) match.settled.set(seat, record.index);
}

// Another recovery key is held. A file of the old one, or a second claim, undoes it, and then none replaces it any more; what the
// keys of the act sign is with the act.
export function takeRecovery(match, { seat, recovery }, record) {
  const held = match.replacing.get(seat);
  if (held && recovery !== undefined && recovery !== held.recovery) {
    match.replacing.delete(seat);
    match.frozen.add(seat);
  } else if (!held && recovery !== undefined && !match.frozen.has(seat)) {
    match.replacing.set(seat, { record, recovery, until: holdUntil(match, seat, record.at) });
  }
}

export function recoveryFault(match, { seat, recovery }, player) {
  if (recovery === undefined || !player) return "";
  if (match.frozen.has(seat)) return `the recovery key of ${seat} was claimed twice and is not replaced any more`;
  return player.recovery && b64(player.recovery) === recovery ? `${seat} has this recovery key already` : "";
}

// A rekey by the recovery key gives the seat its time anew, once an epoch, out of what it may be away by its own consent.
export function askAgainOnce(match, seat, record) {
  const due = askedUntil(match, record.at);
  if (!match.running || !match.due || due === undefined || due <= match.due.time) return;
  const hours = Math.ceil((due - match.due.time) / HOUR);
  const left = Math.max(ALONE - (match.absent.get(seat) ?? 0), 0);
  if ((match.renewed.get(seat) ?? 0) >= match.running.number || hours > left) return;
  match.renewed.set(seat, match.running.number);
  match.absent.set(seat, (match.absent.get(seat) ?? 0) + hours);
  match.askAgain(record);
}

// --- absences by a seat's own consent alone ---------------------------------------------------------------------------------

export const absenceHours = ({ from, until }) => Math.ceil((Date.parse(until) - Date.parse(from)) / HOUR);
export const beyondAlone = (match, what) => Math.max(ALONE - (match.absent.get(what.seat) ?? 0), 0) < absenceHours(what);
