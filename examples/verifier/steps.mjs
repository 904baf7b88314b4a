// Steps 1 to 8 and 10 of schemas/README.md §11: one numbered function each. 9 is in close.mjs.
//
// Each is given the match so far, the record, and fault(code, text), and lists what is wrong; it stops nothing. Where a later
// step needs what an earlier one found (links, a cut, the next k), the earlier one notes it in the epoch.

import { b64, equal, text, unb64 } from "./bytes.mjs";
import { sha, verifyRecord, verifySigned } from "./crypto.mjs";
import { awaited, between, expectedDue, instant, overdueFrom, toAct } from "./deadlines.mjs";
import { cutOrder, entropy, hashDown, leaf, rollValue, seatLabel, tapeLabel } from "./draws.mjs";
import { canon, MAX_FILE, parseCanonical, same } from "./json.mjs";
import { messagesOf } from "./files.mjs";
import { loneWriter, partCost } from "./match.mjs";
import { recordFault } from "./members.mjs";
import { openedParts } from "./close.mjs";
import { checkCompletion, checkDirectly, checkNewcomer, checkPropose, checkRetake, keyFault, linkLost, lostLinkOverdue, namedProposal, proposalOf, recoveryFault, takeoverFault } from "./takeover.mjs";

const list = (names) => [...names].join(", ") || "nobody";
// A sealed list may be empty, and most are: only what became of it shows, here or at the close.
const hadActions = ({ kind, body }) => kind === "turn" && (body.msg.body.actions.length > 0 || body.applied > 0 || "stopped" in body);

// (1) line = canon(line), seq, prev, host signature, known kind and members. Returns the record, or nothing if it is none.
// `hash` is its name, SHA(canon(body)); a line that cannot be read has none, and nothing is held against the next line's prev.
export async function step1(match, raw, index, fault) {
  const record = { index, raw };
  const before = match?.name;
  if (match) match.name = undefined;
  try {
    record.file = parseCanonical(raw);
  } catch (error) {
    return void fault("malformed", `the line is ${error.message}`);
  }
  const wrong = recordFault(record.file);
  if (wrong) return void fault("malformed", `not a record: ${wrong}`);
  record.body = record.file.body;
  record.hash = await sha(text(canon(record.body)));
  if (match) match.name = record.hash;
  if (match && record.body.kind === "genesis") return void fault("genesis", "a second genesis record");
  record.kind = record.body.kind;
  record.at = Date.parse(record.body.at);
  const key = match?.hostKey ?? unb64(record.body.host?.sign ?? "");
  const signed = await verifyRecord(match?.id ?? record.hash, record.body.seq, record.hash, key, unb64(record.file.sig.value));
  if (record.file.sig.key !== b64(key) || !signed) fault("signature", "the host's signature does not fit this record");
  if (record.body.seq !== index) fault("seq", `this is record ${index} of the file, but it says ${record.body.seq}`);
  if (!match) return record;
  if (before && record.body.prev !== b64(before)) fault("prev", `prev is ${record.body.prev}; the record before is ${b64(before)}`);
  const last = match.records[index - 1];
  if (last && record.at < last.at) fault("time", `written at ${record.body.at}, earlier than the record before it`);
  return record;
}

// (2) each msg and consent: the seat's key at that point, game, n rising, seen on this branch and new enough.
export async function step2(match, record, fault) {
  const numbers = new Map();
  for (const { kind, file } of messagesOf(record)) await checkMessage(match, record, kind, file, numbers, fault);
  checkMeasures(match, record, fault);
  const { what, consents } = record.body;
  if (!consents) return checkProposed(match, record, fault);
  for (const { body } of consents) {
    if (!same(body.what, what)) fault("consent", `${body.seat} agreed to something else`);
  }
  const given = new Set(consents.map(({ body }) => body.seat));
  const lacking = match.mustAgree(what, record.at).filter((seat) => !given.has(seat));
  if (lacking.length) fault("consent", `the consent of ${list(lacking)} is missing`);
  if (!given.size && match.whoHasSay(what).length) fault("consent", "nobody has agreed");
  const senseless = whatFault(match, what, record);
  if (senseless) return fault(record.kind, senseless);
  if (record.kind === "propose") checkPropose(match, record, fault, IGNORED);
  if (["resign", "substitute"].includes(record.kind)) checkDirectly(match, record, fault);
  return undefined;
}

const IGNORED = () => undefined; // told by the other step

function checkProposed(match, record, fault) {
  const { proposal: number } = record.body;
  if (number === undefined) return;
  const found = record.kind === "withdraw" ? proposalOf(match, number) : namedProposal(match, record);
  if (!found) fault("proposal", `record ${number} is no open proposal of a ${record.kind}`);
  else if (record.kind !== "withdraw") checkCompletion(match, record, found, fault, IGNORED);
}

// What of a proposal is a matter of time: step (4).
function checkHold(match, record, fault) {
  if (record.kind === "propose" && !whatFault(match, record.body.what, record)) checkPropose(match, record, IGNORED, fault);
  const found = ["rekey", "substitute"].includes(record.kind) && record.body.proposal !== undefined && namedProposal(match, record);
  if (found) checkCompletion(match, record, found, IGNORED, fault);
}

const TALK = 16; // records of one seat alone between two results
const BUDGET = 786432; // sealed bytes of all seats that are not opened yet
const LEAST = 560 + 256; // what the shortest part counts
const STEP = 256; // how far above the newest number of its seat a number may be

// What a seat may have sealed with this turn. The last quarter is for a choice under seal that comes alone.
export function roomFor(seats, { actions, sealed, orders }, result) {
  const whole = Math.floor(BUDGET / seats);
  const choice = result && !orders && !actions.length && partCost(sealed) === LEAST;
  return choice ? whole : whole - Math.floor(whole / 4);
}

function checkMeasures(match, record, fault) {
  const writer = loneWriter(match, record);
  const often = record.kind === "turn" ? TALK : 2 * TALK;
  if (writer && (match.alone.get(writer) ?? 0) >= often) fault("too-many", `${writer} wrote ${often} times since the last move`);
  if (record.kind !== "turn") return;
  const { body } = record.body.msg;
  const parts = ["sealed", "orders"].filter((part) => body[part]).map((part) => partCost(body[part], part));
  if (!parts.length) return;
  const most = roomFor(match.seats.length, body, Boolean(record.body.steps));
  const held = [...match.parts.values()].filter(({ seat }) => seat === body.seat).map(({ cost }) => cost);
  const found = [...held, ...parts].reduce((sum, cost) => sum + cost, 0);
  if (found > most) fault("over-budget", `${body.seat} would have ${found} bytes sealed and not opened; at most ${most} may be`);
}

async function checkMessage(match, record, kind, file, numbers, fault) {
  const { body, sig } = file;
  const player = match.players.get(body.seat);
  const newcomer = record.kind === "substitute" && kind === "join";
  const key = await signer(kind, body, sig, player);
  const recovers = kind !== "join" && Boolean(player) && !equal(key, player.sign);
  if (recovers) match.recovering.add(file);
  if (text(canon(file)).length > MAX_FILE) fault("size", `the file of ${body.seat} is longer than ${MAX_FILE} bytes`);
  if (body.game !== b64(match.id)) fault("other-game", `the message of ${body.seat} belongs to another match`);
  if (!match.seats.includes(body.seat)) fault("no-seat", `there is no seat ${body.seat}`);
  if (!(await hasSeen(match, record, body.seen))) {
    fault("other-history", `${body.seat} had seen another record ${body.seen.seq} than the one in this file`);
  }
  if (record.kind === "retake") checkRetake(match, record, body, player, fault);
  else if (record.kind === "join") {
    if (player) fault("seat-taken", `the seat ${body.seat} is taken`);
    if (body.n !== 0) fault("number", `a join has n 0, found ${body.n}`);
  } else if (!newcomer) {
    const last = recovers ? Math.max(player.recovered ?? -1, numbers.get(body.seat) ?? -1) : (numbers.get(body.seat) ?? player?.n ?? -1);
    if (!player) fault("no-seat", `nobody has joined as ${body.seat}`);
    if (body.n <= last) fault("number", `${body.seat} signed n ${body.n}, but n ${last} stands before it`);
    numbers.set(body.seat, body.n);
  }
  if (player && !["join", "retake"].includes(record.kind) && body.n > player.n + STEP) {
    fault("number", `${body.seat} signed n ${body.n}, more than ${STEP} above n ${player.n}`);
  }
  if (newcomer) {
    const agreed = record.body.what ?? namedProposal(match, record)?.what;
    if (agreed && body.seat !== agreed.seat) fault("substitute", `the new player joins as ${body.seat}, not as ${agreed.seat}`);
    await checkNewcomer(match, body, agreed, fault);
  }
  if (hadActions(record) && match.resultAt !== undefined && body.seen.seq < match.resultAt) {
    fault("stale", `${body.seat} had not seen the result in record ${match.resultAt}`);
  }
  for (const { to } of body.tell ?? []) {
    if (!match.seats.includes(to)) fault("no-seat", `a private message goes to ${to}, and the match has no such seat`);
  }
  const under = (body.react ?? []).map(({ to }) => to);
  if (under.some((to) => to > body.seen.seq) || new Set(under).size < under.length) {
    fault("gesture", `${body.seat} reacts to a record that it had not seen, or twice to one`);
  }
  if (body.nudge !== undefined && (body.nudge === body.seat || !match.seats.includes(body.nudge))) {
    fault("gesture", `${body.seat} nudges ${body.nudge}, which is no other seat of the match`);
  }
  const badKey = body.sign && keyFault(match, body.seat, body);
  if (badKey) fault("key", `${body.seat} brought ${badKey}`);
  const claimed = kind === "rekey" && recoveryFault(match, body, player);
  if (claimed) fault("recovery", claimed);
  if (!key) return;
  const sound = await verifySigned(kind, canon(body), key, unb64(sig.value));
  if (!sound || sig.key !== b64(key)) fault("signature", `the signature of ${body.seat} under this ${kind} does not fit`);
}

// `seen` is a record of this file, with the host's signature on it: the one that stands here, or another of the same record.
async function hasSeen(match, record, { seq, line, sig }) {
  const seen = seq < record.index ? match.records[seq] : undefined;
  if (!seen || b64(seen.hash) !== line) return false;
  return seen.file.sig.value === sig || verifyRecord(match.id, seq, seen.hash, match.hostKey, unb64(sig));
}

async function signer(kind, body, sig, player) {
  if (kind === "join") return unb64(body.sign);
  const leaves = kind === "consent" && ["resign", "substitute"].includes(body.what.kind) && body.what.seat === body.seat;
  if ((kind === "rekey" || leaves) && player?.recovery && equal(await sha(unb64(sig.key)), player.recovery)) return unb64(sig.key);
  return player?.sign;
}

// Events by which somebody learnt what no view held before (schemas/README.md §8): nothing goes back across them.
const SHOWS = new Set(["drew", "asked", "given", "found", "searching", "shot", "volley", "robbed"]);

function whatFault(match, what, { at }) {
  if (what.seat !== undefined && !match.seats.includes(what.seat)) return `there is no seat ${what.seat}`;
  if (what.kind === "resign" && match.resigned.has(what.seat)) return `${what.seat} has resigned already`;
  if (what.kind === "pause") return pauseFault(match, what, at);
  if (what.kind === "absence") return absenceFault(what);
  if (["substitute", "rekey"].includes(what.kind)) return takeoverFault(match, what);
  if (what.kind !== "rewind") return "";
  const target = match.records[what.to.seq];
  if (!target?.body.steps || b64(target.hash) !== what.to.line) return `record ${what.to.seq} has no result to go back to`;
  for (const later of match.records.slice(target.index + 1)) {
    if (!later) continue;
    if (["open", "close", "burn", "substitute", "retake"].includes(later.kind)) return `record ${later.index} (${later.kind}) lies between`;
    const shown = (later.body.steps ?? []).some((s) => s.chance.length || s.events.some((e) => SHOWS.has(e.event)));
    if (shown) return `record ${later.index} showed something that cannot be un-seen`;
  }
  return "";
}

const LONGEST_PAUSE = 1440 * 3_600_000;

// In a pause a newer one sets another end, or ends it; outside of one it must last.
function pauseFault({ paused }, what, at) {
  const until = Date.parse(what.until);
  if (until - at > LONGEST_PAUSE) return "a pause lasts at most 1440 hours";
  return !paused && until <= at ? "a pause that is over already, and the match is not paused" : "";
}

const LONGEST_ABSENCE = 8784 * 3_600_000;

function absenceFault({ from, until }) {
  if (from >= until) return "an absence ends after it began";
  return Date.parse(until) - Date.parse(from) > LONGEST_ABSENCE ? "an absence lasts at most 8784 hours" : "";
}

// (3) links by hashing down, same epoch same link, after the announcement; whoever takes part gives one.
export async function step3(match, record, fault) {
  for (const { file } of messagesOf(record)) {
    const { link, seat, seen } = file.body;
    if (!link) continue;
    const epoch = match.newest;
    if (record.kind === "ready" && epoch?.number === link.epoch && epoch.links.has(seat)) {
      fault("again", `the link of ${seat} for epoch ${link.epoch} stands there already`);
    }
    if (epoch?.number !== link.epoch) {
      fault("link", `${seat} sent a link of epoch ${link.epoch}; the newest announced is ${epoch?.number ?? "none"}`);
    } else if (!epoch.seats.includes(seat)) {
      fault("link", `${seat} was left out of epoch ${link.epoch}`);
    } else if (seen.seq < epoch.announced.index) {
      fault("link", `${seat} signed the link of epoch ${link.epoch} before having seen its announcement`);
    } else {
      await takeLink(match, epoch, seat, unb64(link.value, 32), fault);
    }
  }
  const epoch = match.newest;
  const body = record.kind === "turn" && record.body.steps ? record.body.msg.body : undefined;
  if (!body || !epoch || epoch.opened || epoch.burned || !epoch.seats.includes(body.seat)) return;
  if (linkLost(match, epoch, body.seat)) return;
  if (body.seen.seq >= epoch.announced.index && !body.link && !epoch.links.has(body.seat)) {
    fault("link-missing", `${body.seat} had seen the announcement of epoch ${epoch.number}, but gave no link`);
  }
}

async function takeLink(match, epoch, seat, value, fault) {
  const known = epoch.links.get(seat);
  if (known) return equal(known, value) ? undefined : fault("link", `${seat} sent another link of epoch ${epoch.number} before`);
  const chain = match.chainFor(seat, epoch.number);
  if (!chain || epoch.number > chain.length) return fault("link", `${seat} has no chain with an element ${epoch.number}`);
  const below = await hashDown(seatLabel(seat), match.id, epoch.number, value, chain.index);
  if (!equal(below, chain.value)) {
    return fault("link", `the link of ${seat} for epoch ${epoch.number} does not hash down to element ${chain.index}`);
  }
  Object.assign(chain, { index: epoch.number, value });
  epoch.links.set(seat, value);
  match.returned.delete(seat);
  return undefined;
}

// (4) announcements: number + 1, seats = all minus burned; burns, defaults and deadlines were due.
export function step4(match, record, fault) {
  const before = match.records[record.index - 1];
  const promised = (before?.kind === "open" && before.body.public.waiting) || before?.kind === "burn" || before?.body.void !== undefined;
  if (promised && record.kind !== "announce") fault("late", `the next announcement must follow record ${before.index} at once`);
  const back = backBeforeDeal(match, before);
  if (back.length && !record.body.back) fault("late", `record ${before.index} brings back ${list(back)}: its burn must follow at once`);
  ({ announce, burn, default: defaulted, extend, retake: checkVoid })[record.kind]?.(match, record, fault);
  checkDue(match, record, fault);
  checkHold(match, record, fault);
}

// A seat taken again throws away what was announced, as long as nothing was dealt.
function checkVoid(match, { body }, fault) {
  const voided = match.running ? undefined : match.newest?.number;
  if (body.void !== voided) fault("void", `it throws away epoch ${body.void ?? "none"}, which should be ${voided ?? "none"}`);
}

function announce(match, record, fault) {
  const { body } = record;
  const { newest } = match;
  if (body.epoch !== match.nextEpoch) fault("epoch-number", `expected epoch ${match.nextEpoch}, found ${body.epoch}`);
  if (!match.complete) fault("early", "an announcement before every seat has joined");
  if (newest && !newest.opened && !newest.burned) fault("early", `epoch ${newest.number} is neither opened nor burned`);
  const seats = match.linking.filter((seat) => !match.burnedOut.has(seat));
  if (!same([...seats].sort(), [...body.seats].sort())) {
    fault("epoch-seats", `expected the seats ${list(seats)}, found ${list(body.seats)}`);
  }
  const { decks = {}, tapes = {} } = body;
  if (!same(Object.keys(decks).sort(), Object.keys(match.facts.decks).sort())) fault("decks", "not the decks of this game");
  if (!same(Object.keys(tapes).sort(), [...match.facts.tapes].sort())) fault("tapes", "not the tapes of this game");
  for (const [name, { leaves }] of Object.entries(decks)) {
    const size = Object.hasOwn(match.facts.decks, name) ? match.facts.decks[name].length : 0;
    if (leaves.length !== size) fault("decks", `the deck ${name} has ${leaves.length} leaves, expected ${size}`);
  }
  const epoch = {
    number: body.epoch, commit: unb64(body.commit), seats: body.seats, announced: record, sound: true,
    served: [], links: new Map(), decks: new Map(), tapes: new Map(), results: [], resealed: [], draws: [], defaulted: new Set(),
    again: newest?.burned ? [...new Set([...newest.again, ...newest.burnedFor])] : [],
    retaken: Boolean(newest?.burned && !match.running),
    thrownAway: newest?.burned ? newest.thrownAway + 1 : 0,
    leftOut: match.linking.filter((seat) => !body.seats.includes(seat)),
  };
  for (const [name, { leaves }] of Object.entries(decks)) epoch.decks.set(name, [{ gen: 0, k: 0, leaves }]);
  for (const [name, tape] of Object.entries(tapes)) {
    epoch.tapes.set(name, { anchor: unb64(tape.anchor), length: tape.length, j: 0, link: unb64(tape.anchor) });
  }
  match.epochs.set(epoch.number, epoch);
  match.newest = epoch;
}

// Seats that the waiting announcement leaves out and that wrote in the newest record: each once, until it gives a link again.
function backBeforeDeal({ newest, ended, agreed, returned }, before) {
  if (!before || !newest || newest.opened || newest.burned || ended || agreed) return [];
  const wrote = new Set(messagesOf(before).map(({ file }) => file.body.seat));
  return newest.leftOut.filter((seat) => wrote.has(seat) && !returned.has(seat));
}

function burn(match, record, fault) {
  const { epoch: number, missing, back } = record.body;
  const epoch = match.newest;
  const bad = (why) => fault("burn", why);
  if (back) {
    const found = backBeforeDeal(match, match.records[record.index - 1]);
    if (epoch?.number === number && same([...back].sort(), [...found].sort())) return undefined;
    return bad(`record ${record.index - 1} brings back ${list(found)}, the burn of epoch ${number} names ${list(back)}`);
  }
  if (!epoch || epoch.number !== number || epoch.opened || epoch.burned) return bad(`epoch ${number} is not waiting to be opened`);
  if (!match.running) return bad("the first epoch is never burned");
  const lacking = epoch.seats.filter((seat) => !epoch.links.has(seat));
  if (missing.some((seat) => !lacking.includes(seat))) return bad(`the links of ${list(lacking)} are missing, not of ${list(missing)}`);
  if (match.linking.every((seat) => match.burnedOut.has(seat) || missing.includes(seat))) return bad("a burn must leave at least one seat to announce the next epoch to");
  const running = between(match) ? undefined : match.running;
  for (const seat of missing) {
    const from = linkLost(match, epoch, seat) ? lostLinkOverdue(match, seat) : running ? undefined : overdueFrom(match, seat);
    const overdue = !match.paused && (from === undefined ? running.defaulted.has(seat) && match.silent.has(seat) : record.at >= from);
    if (!overdue) return bad(`the link of ${seat} is not overdue`);
  }
  return undefined;
}

function defaulted(match, record, fault) {
  const { seat } = record.body;
  const bad = (why) => fault("default", why);
  if (match.paused) return bad("the match is paused");
  if (toAct(match) !== seat) return bad(`the match does not wait for ${seat}`);
  if (match.genesis.deadlines.then === "wait" && !match.resigned.has(seat)) return bad("this match agreed to wait");
  if (record.at < overdueFrom(match, seat)) return bad(`a default of ${seat} was not due yet at ${record.body.at}`);
  return undefined;
}

function extend(match, record, fault) {
  const { seat, due } = record.body;
  if (!awaited(match).includes(seat)) fault("extend", `the match does not wait for ${seat}`);
  if (!match.due) fault("extend", "nobody is awaited");
  else if (Date.parse(due) < match.due.time) fault("extend", `the time of ${seat} is shortened, not extended`);
}

// Every `due` is, to the second, what the deadlines of genesis give: else the host could default whom he likes.
function checkDue(match, record, fault) {
  const { due } = record.body;
  if (due === undefined || record.kind === "extend") return;
  const expected = expectedDue(match, record);
  if (expected === undefined) fault("due", `due at ${due}, but nobody is awaited`);
  else if (Date.parse(due) !== expected) fault("due", `due at ${due}; the deadlines of this match give ${instant(expected)}`);
}

// (5) open only with all links, the epoch before closed; entropy and cut.
export async function step5(match, record, fault) {
  if (record.kind !== "open") return;
  const { newest, running } = match;
  const epoch = match.epochs.get(record.body.epoch);
  if (!epoch || epoch !== newest || epoch.burned || epoch.opened) {
    fault("open", `epoch ${record.body.epoch} is not waiting to be opened`);
    if (!epoch || epoch.opened) return;
  }
  const lacking = epoch.seats.filter((seat) => !epoch.links.has(seat));
  if (lacking.length) fault("link-missing", `opened without the link of ${list(lacking)}`);
  if (running && !running.closed && match.genesis.draw.reveal === "epoch") {
    fault("open", `epoch ${running.number} was not closed before epoch ${epoch.number} was opened`);
  }
  epoch.opened = record;
  epoch.page = match.page;
  epoch.served = epoch.seats.filter((seat) => match.chainFor(seat, epoch.number)?.served);
  match.running = epoch; // go on as if it had been right: none hides the next
  epoch.entropy = await entropy(match.id, epoch.number, [...epoch.links]);
  for (const [name, [first]] of epoch.decks) first.cut = await cutOrder(epoch.entropy, name, 0, first.leaves.length);
}

// (6) k of each deck and generation 0, 1, 2 …; opened draws: place, leaf; rolls: next j, link, value.
export async function step6(match, record, fault) {
  if (!record.body.steps) return;
  const epoch = match.running;
  if (!epoch || epoch.number !== record.body.epoch || epoch.closed) {
    return void fault("epoch", `a result of epoch ${record.body.epoch}, which is not running`);
  }
  const walk = { match, epoch, record };
  for (const { chance, seat } of record.body.steps) {
    for (const entry of chance) {
      const refuted = [];
      const bad = (code, why) => refuted.push(code) && fault(code, why);
      if ("draw" in entry) await checkDraw(walk, entry, bad);
      else if ("shuffle" in entry) await checkShuffle(walk, entry, bad);
      else await checkRoll(walk, entry, bad);
      if (!("shuffle" in entry)) epoch.draws.push({ record, seat, entry, refuted: refuted.length > 0 });
    }
  }
}

async function checkDraw({ match, epoch }, entry, bad) {
  const { draw: name, gen, k, to } = entry;
  const deck = epoch.decks.get(name)?.at(-1);
  if (!deck) return bad("deck", `there is no deck ${name}`);
  if (to !== "table" && !match.seats.includes(to)) bad("draw", `${to} is no seat`);
  if (gen !== deck.gen) return bad("generation", `expected generation ${deck.gen} of ${name}, found ${gen}`);
  if (k !== deck.k) bad("draw-order", `expected draw ${deck.k} of ${name}, found ${k}`);
  if (k >= deck.leaves.length) return bad("draw-order", `the deck ${name} has no draw ${k}`);
  deck.k = k + 1;
  if (to !== "table") return undefined;
  const place = deck.cut[k];
  if (entry.place !== place) return bad("place", `draw ${k} takes place ${place}, the record says ${entry.place}`);
  const found = await leaf(match.id, epoch.number, name, gen, place, unb64(entry.salt, 16), entry.card);
  if (b64(found) !== deck.leaves[place]) bad("leaf", `${entry.card} is not what was laid at place ${place} of ${name}`);
  return undefined;
}

async function checkShuffle({ epoch }, { shuffle: name, gen, leaves }, bad) {
  const decks = epoch.decks.get(name);
  if (!decks) return bad("deck", `there is no deck ${name}`);
  const expected = decks.at(-1).gen + 1;
  if (gen !== expected) bad("generation", `expected generation ${expected} of ${name}, found ${gen}`);
  const cut = await cutOrder(epoch.entropy, name, expected, leaves.length);
  decks.push({ gen: expected, k: 0, leaves, cut });
  return undefined;
}

async function checkRoll({ match, epoch }, entry, bad) {
  const { roll: name, j, sides, value } = entry;
  const tape = epoch.tapes.get(name);
  if (!tape) return bad("tape", `there is no tape ${name}`);
  if (j !== tape.j + 1) bad("roll-order", `expected roll ${tape.j + 1} of ${name}, found ${j}`);
  if (j > tape.length) bad("roll-order", `the tape ${name} has no roll ${j}`);
  if (j <= tape.j || j > tape.length) return undefined;
  const link = unb64(entry.link, 32);
  const below = await hashDown(tapeLabel(name, epoch.number), match.id, j, link, tape.j);
  if (!equal(below, tape.link)) bad("roll-link", `the link of roll ${j} is not on the tape ${name}`);
  const rolled = await rollValue(link, epoch.entropy, name, j, sides);
  if (rolled !== value) bad("roll-value", `roll ${j} of ${name} is ${rolled}, the record says ${value}`);
  Object.assign(tape, { j, link });
  return undefined;
}

// (7) every packet map complete, all of one length, and that length right.
export function step7(match, record, fault) {
  const { body } = record;
  const whole = ["rekey", "reseal", "substitute"].includes(record.kind);
  if (!body.steps && !whole) return;
  if (!match.hasSecrets) {
    if (body.packets) fault("packets", "packets in a match without secrets");
    return;
  }
  const found = Object.keys(body.packets ?? {});
  if (whole) {
    const live = match.running?.closed ? undefined : match.running;
    if (body.epoch !== (match.running?.number ?? 0)) fault("epoch", `epoch ${body.epoch} is not the running one`);
    const named = record.kind === "reseal" || body.proposal === undefined ? undefined : namedProposal(match, record);
    if (body.proposal !== undefined && !named) return;
    const seat = named?.what.seat ?? body.msg?.body.seat ?? body.what?.seat;
    if (!found.length || (seat && !same(found, [seat]))) fault("packets", `packets for ${list(found)} in a ${record.kind}`);
    for (const to of found) checkLength(match, body.packets[to], to, wholeSize(match, live, to), fault);
  }
  if (!body.steps) return;
  if (!same([...found].sort(), [...match.seats].sort())) {
    fault("packets", `expected packets for ${list(match.seats)}, found them for ${list(found)}`);
  }
  const dealt = new Map();
  for (const { to, draw } of body.steps.flatMap((step) => step.chance)) {
    if (draw && to !== "table") dealt.set(to, (dealt.get(to) ?? 0) + 1);
  }
  const shown = match.facts.shown(body.steps.flatMap((step) => step.events));
  const size = match.facts.packetSize(match.options, Math.max(0, ...dealt.values()), shown);
  for (const seat of found) checkLength(match, body.packets[seat], seat, size, fault);
}

function checkLength(match, packet, seat, size, fault) {
  const length = unb64(packet.ct).length - 48; // enc 32, tag 16
  if (length !== size) fault("packet-length", `the packet of ${seat} holds ${length} bytes, public facts give ${size}`);
}

// All draws of a seat in the running epoch, and what its searches showed: a stack counts its cards and one more for its frame.
function wholeSize(match, epoch, seat) {
  const draws = (epoch?.draws ?? []).filter(({ entry }) => entry.to === seat).length;
  const events = (epoch?.results ?? []).flatMap((record) => record.body.steps.flatMap((step) => step.events));
  const room = (event) => (event.event === "searching" ? 1 + event.cards : Number(event.event === "found"));
  const shown = events.filter((event) => event.seat === seat).reduce((sum, event) => sum + room(event), 0);
  return match.facts.packetSize(match.options, draws, shown);
}

// (8) open actions of a file = its steps' actions, in order; whose turn it was; who may have taken which step.
const MAY_HOLD = { open: ["game", "order"], default: ["default", "order"], turn: ["file", "sealed", "order"] };

export function step8(match, record, fault) {
  const { body } = record;
  const message = record.kind === "turn" ? record.body.msg.body : undefined;
  if (message?.actions.length && !body.steps) fault("steps", "a turn with actions must have a result");
  if (!body.steps) return;
  for (const [index, step] of body.steps.entries()) {
    if (!MAY_HOLD[record.kind].includes(step.by)) fault("steps", `step ${index}, by ${step.by}, cannot stand in this record`);
    if (step.by === "default" && step.seat !== body.seat) fault("steps", `step ${index} is a default of ${step.seat}`);
    if (step.by === "order") checkOrder(match, message, step, index, fault);
  }
  if (!message) return;
  if (match.waiting?.seat !== message.seat) fault("not-your-turn", `the match waited for ${match.waiting?.seat ?? "nobody"}`);
  if (match.paused) fault("paused", "a turn while the match is paused");
  checkActions(match, body, message, fault);
}

function checkOrder(match, message, step, index, fault) {
  const own = message?.seat === step.seat && "orders" in message;
  const inForce = own ? message.n : match.orders.get(step.seat)?.n;
  if (inForce !== step.n) fault("order", `step ${index} names message ${step.n}; in force are the orders of ${inForce ?? "none"}`);
}

function checkActions(match, body, message, fault) {
  const own = body.steps.filter(({ by }) => by === "file" || by === "sealed");
  const taken = own.filter(({ by }) => by === "file");
  if (own.some(({ seat }) => seat !== message.seat)) fault("steps", "a step of the file is not its sender's");
  if (own.some(({ by }, i) => (by === "file") !== i < taken.length)) fault("steps", "a sealed action stands before an open one");
  for (const [i, { action }] of taken.entries()) {
    const sent = message.actions[i];
    if (!sent || !same(sent, action)) fault("steps", `step ${i} is not the open action ${i} of the file`);
    else if (match.facts.secretMembers(match.options, sent).length) fault("must-be-sealed", `open action ${i + 1} has a secret part`);
  }
  if (body.applied !== own.length) fault("applied", `${own.length} actions were applied, the record says ${body.applied}`);
  if (taken.length < message.actions.length) {
    if (!body.stopped) fault("steps", "open actions were dropped without a reason");
    if (own.length > taken.length) fault("steps", "a sealed action was applied although an open one was dropped");
  }
  if (own.length > taken.length && !message.sealed) fault("steps", "a sealed action of a file that has none");
  if (body.stopped && body.stopped.at !== own.length) fault("stopped", `stopped at ${body.stopped.at} after ${own.length} actions`);
}

// What the last result says of the end of the match: its event match-ended.
function outcomeShown({ shown }) {
  const { event, ...outcome } = shown?.steps.flatMap(({ events }) => events).findLast((one) => one.event === "match-ended") ?? {};
  return event ? outcome : null;
}

// (10) the end after all closes, nothing left unopened; nothing after the end.
export async function step10(match, record, fault) {
  if (match.ended) fault("after-end", "a record after the end of the match");
  if (match.agreed && !["close", "end"].includes(record.kind)) {
    fault("after-end", "a record after the close that all agreed to; only the end may follow");
  }
  if (record.kind !== "end") return;
  if (match.agreed && (record.body.consents || !same(record.body.what, match.agreed))) {
    fault("consent", "the match ends by what the close before says, and by its consents");
  } else if (!match.agreed && record.body.what && !record.body.consents) fault("consent", "nobody agreed to this end");
  for (const epoch of match.epochs.values()) {
    if (epoch.opened && !epoch.closed) fault("end", `epoch ${epoch.number} was never closed`);
  }
  if (record.body.what && !same(record.body.outcome, { winners: [] })) fault("outcome", "a match that ends by consent has no winner");
  if (match.waiting && !record.body.what) fault("early", `the match was not over, and nobody agreed to end it: ${match.waiting.seat} was to act`);
  const shown = outcomeShown(match);
  if (!match.shown && !record.body.what) fault("early", "nothing was dealt yet: only an agreement ends the match");
  else if (!match.waiting && !record.body.what && !same(record.body.outcome, shown)) {
    fault("outcome", `the last result says ${JSON.stringify(shown)}, and this record ${JSON.stringify(record.body.outcome)}`);
  }
  await openedParts(match, record, [...match.parts.values()], fault);
}

