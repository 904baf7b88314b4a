// What a game file says so far: seats, chains, epochs, parts still sealed, deadlines. Filled record by record; no checks here.

import { b64, unb64 } from "./bytes.mjs";
import { askedUntil, Deadlines, endPause, goneBeforeDeal, toAct } from "./deadlines.mjs";
import { messagesOf, NEWCOMERS } from "./files.mjs";
import { canon } from "./json.mjs";
import { absenceHours, askAgainOnce, beyondAlone, namedProposal, settle, takePropose, takeRecovery, takeWithdraw } from "./takeover.mjs";

// Who must agree if genesis does not say (schemas/README.md).
export const DEFAULT_CONSENT = {
  pause: "all", absence: "seat", resign: "seat", substitute: "others", rekey: "others", rewind: "all", end: "all",
};

export class Match {
  constructor(genesis, game) {
    this.id = genesis.hash;
    this.name = genesis.hash; // of the record read last
    this.genesis = genesis.body;
    this.facts = game;
    this.options = genesis.body.options;
    this.seats = genesis.body.seats;
    this.host = genesis.body.host;
    this.page = Boolean(genesis.body.host.page); // the host serves one to play in, as far as is known: then for good
    this.records = [genesis];
    this.players = new Map(); // seat → {name, sign, seal, recovery, n, chains}
    this.epochs = new Map(); // number → epoch
    this.newest = undefined; // the epoch announced last
    this.running = undefined; // the epoch opened last
    this.public = undefined;
    this.shown = undefined; // the result that it is of
    this.memory = undefined; // what everybody remembers beside the view (replay.mjs)
    this.resultAt = undefined; // the newest record with a result (or a rewind)
    this.asks = false; // whether it asks somebody: it says until when
    this.deadlines = new Deadlines(genesis.body.deadlines);
    this.due = undefined; // {time, asked}: by when whoever is awaited must answer
    this.paused = undefined; // {since, until}
    this.resumed = undefined; // when the newest pause ended
    this.silent = new Set(); // defaulted, and has not written since
    this.resigned = new Set();
    this.burnedOut = new Set();
    this.returned = new Set(); // for whose word alone an announcement was burned, and that have given no link since
    this.absences = []; // {seat, record, from, until}
    this.missed = new Map(); // seat → excused misses counted
    this.orders = new Map(); // seat → the part in force
    this.parts = new Map(); // "seat n part" → what a player sealed to the host
    this.undone = new Set(); // records that a rewind took back
    this.alone = new Map(); // seat → its records alone since the last result, open or close
    this.proposals = new Map(); // seat → {record, what, until}, while open
    this.settled = new Map(); // seat → the newest record by which a proposal about it ended
    this.replacing = new Map(); // seat → {record, until, recovery}: another recovery key, while it is held
    this.frozen = new Set(); // seats whose recovery key two have claimed
    this.recovering = new WeakSet(); // files that a seat's recovery key signed
    this.renewed = new Map(); // seat → the newest epoch in which a rekey by its recovery key asked it anew
    this.lost = new Map(); // seat → the newest record that took it over with a new chain alone
    this.absent = new Map(); // seat → hours of absence by its own consent alone
    this.joins = new Set(); // the bodies of all joins
    this.ended = undefined;
  }

  get hostKey() {
    return unb64(this.host.sign, 32);
  }

  get linking() {
    return this.seats.filter((seat) => seat !== this.host.seat); // a host who plays gives no link
  }

  get hasSecrets() {
    return this.facts.hasSecrets(this.options);
  }

  get waiting() {
    return this.public?.waiting;
  }

  get complete() {
    return this.seats.every((seat) => this.players.has(seat));
  }

  // The chain an epoch's link comes from: a new anchor counts for epochs announced later.
  chainFor(seat, epoch) {
    return this.players.get(seat)?.chains.findLast((chain) => chain.since <= epoch);
  }

  // Who must agree, at this time: in a match in which nothing was dealt yet its end does not wait for who has gone.
  mustAgree(what, at) {
    const seats = this.whoHasSay(what);
    return what.kind === "end" ? seats.filter((seat) => !goneBeforeDeal(this, seat, at)) : seats;
  }

  whoHasSay(what) {
    const rule = what.kind === "rewind" || (what.kind === "pause" && this.paused) ? "all" : (this.genesis.consent[what.kind] ?? DEFAULT_CONSENT[what.kind]);
    if (rule === "host") return [];
    if (what.kind === "absence" && rule === "seat" && beyondAlone(this, what)) return this.seats;
    if (rule === "seat") return what.seat ? [what.seat] : this.seats;
    return rule === "others" ? this.seats.filter((seat) => seat !== what.seat) : this.seats;
  }

  // What happened in a record nobody knows: the running epoch is not played on (replay.mjs).
  lose() {
    this.memory = undefined;
    if (this.running) this.running.unplayable = true;
  }

  // --- time (deadlines.mjs) -----------------------------------------------------------------------------------------------

  askedAt(time, record) {
    this.due = time === undefined ? undefined : { time, asked: record.index };
  }

  askAgain(record) {
    this.askedAt(askedUntil(this, record.at), record);
  }

  // --- taking a checked record in -----------------------------------------------------------------------------------------

  take(record) {
    const { kind, body } = record;
    this.records[record.index] = record;
    const carriesOut = ["rekey", "substitute"].includes(kind) && body.proposal !== undefined;
    if (carriesOut && !(record.proposal = namedProposal(this, record))) return; // a fault: nobody is put into any seat
    for (const { kind: what, file } of messagesOf(record)) this.takeMessage(what, file, record);
    if (body.steps || kind === "close") this.alone.clear();
    if (NEWCOMERS.has(kind)) this.alone.delete(body.msg.body.seat);
    const writer = loneWriter(this, record);
    if (writer) this.alone.set(writer, (this.alone.get(writer) ?? 0) + 1);
    TAKE[kind]?.(this, body, record);
    if (body.steps) {
      this.public = body.public;
      this.shown = body;
      this.memory = record.memory;
      this.resultAt = record.index;
      this.asks = body.due !== undefined;
      this.askedAt(body.due && Date.parse(body.due), record);
      if (!this.asks && this.genesis.draw.reveal === "match") this.askAgain(record); // no close will ask for the links
      this.running?.results.push(record);
    }
    if (body.packets && !body.steps && this.running && !this.running.closed) this.running.resealed.push(record);
  }

  takeMessage(kind, file, record) {
    const { body } = file;
    if (kind === "join") {
      this.joins.add(canon(body));
      settle(this, body.seat, record);
      return this.seat(body, record.kind === "join" ? 1 : this.nextEpoch);
    }
    const player = this.players.get(body.seat);
    if (!player) return undefined;
    player.n = Math.max(player.n, body.n);
    if (this.recovering.has(file)) {
      player.recovered = Math.max(player.recovered ?? -1, body.n);
      if (this.replacing.delete(body.seat)) this.frozen.add(body.seat); // the old recovery key undoes another one
    }
    this.notePage(body);
    if (body.served) for (const chain of player.chains) chain.served = true; // the host's page has all of them
    settle(this, body.seat, record);
    this.silent.delete(body.seat);
    this.burnedOut.delete(body.seat);
    for (const part of ["sealed", "orders"]) {
      if (!body[part]) continue;
      const kept = { seat: body.seat, n: body.n, part, commit: body[part].commit, cost: partCost(body[part], part), record, epoch: this.running?.number ?? 0 };
      this.parts.set(partName(kept), kept);
      if (part === "orders") this.orders.set(body.seat, kept);
    }
    return undefined;
  }

  get nextEpoch() {
    return (this.newest?.number ?? 0) + 1;
  }

  // Genesis names no page where a match from a folder went into a service: who plays in one says so.
  notePage(body) {
    if (body.served) this.page = true;
  }

  seat(body, since) {
    this.notePage(body);
    const chain = { since, anchor: unb64(body.anchor), length: body.length, index: 0, value: unb64(body.anchor), served: body.served };
    const player = { name: body.name, sign: unb64(body.sign), seal: unb64(body.seal), chains: [chain] };
    player.n = Math.max(body.n, this.players.get(body.seat)?.n ?? 0);
    player.recovery = body.recovery && unb64(body.recovery);
    this.players.set(body.seat, player);
    this.replacing.delete(body.seat);
    this.frozen.delete(body.seat);
  }
}

export const partName = ({ seat, n, part }) => `${seat} ${n} ${part}`;

// The one seat whose word a record is, if it moves nobody on. What its recovery key signs has a count of its own.
export function loneWriter(match, record) {
  if (record.body.steps || ["join", "ready", "end", "substitute", "retake"].includes(record.kind)) return undefined;
  const files = messagesOf(record);
  const writers = new Set(files.map(({ file }) => file.body.seat));
  const [writer] = writers;
  if (writers.size !== 1) return undefined;
  const player = match.players.get(writer);
  const recovery = files.length === 1 && ["rekey", "consent"].includes(files[0].kind) && player && files[0].file.sig.key !== b64(player.sign);
  return recovery ? `${writer} by recovery` : writer;
}

// What a sealed part counts: its ciphertext (orders as they are unpacked), and its place in a close.
export const partCost = ({ ct }, part) => (part === "orders" ? 3120 : Math.floor((ct.length * 3) / 4)) + 256;

const TAKE = {
  announce(match, body, record) {
    if (!toAct(match)) match.askedAt(body.due && Date.parse(body.due), record);
  },
  default(match, body) {
    match.silent.add(body.seat);
    match.running?.defaulted.add(body.seat);
  },
  burn(match, { epoch: number, missing, back }, record) {
    const epoch = match.epochs.get(number);
    if (!epoch) return;
    Object.assign(epoch, { burned: true, burnedFor: back ?? missing });
    const before = match.records[record.index - 1];
    const newcomer = ["substitute", "retake"].includes(before?.kind) ? before.body.msg.body.seat : undefined;
    for (const seat of missing ?? []) match.burnedOut.add(seat);
    for (const seat of back ?? []) if (seat !== newcomer) match.returned.add(seat);
  },
  extend(match, body) {
    if (match.due) match.due = { ...match.due, time: Date.parse(body.due) };
  },
  close(match, body, record) {
    const epoch = match.epochs.get(body.epoch);
    if (epoch) epoch.closed = record;
    if (body.what) match.agreed = body.what;
    if (match.genesis.draw.reveal === "epoch") match.askedAt(body.due && Date.parse(body.due), record);
    for (const opening of body.opened) match.parts.delete(partName(opening));
  },
  end(match, body, record) {
    match.ended = record;
    match.due = undefined;
  },
  pause(match, { what }, record) {
    const [until, since] = [Date.parse(what.until), match.paused?.since ?? record.at];
    if (until > record.at) match.paused = { since, until };
    else if (match.paused) endPause(match, record.at);
  },
  resign(match, { what }) {
    match.resigned.add(what.seat);
  },
  absence(match, { what, consents }, record) {
    const span = { from: Date.parse(what.from), until: Date.parse(what.until) };
    match.absences.push({ seat: what.seat, record: record.index, ...span });
    const agreed = new Set(consents.map(({ body }) => body.seat));
    if (match.seats.every((seat) => agreed.has(seat))) return;
    match.absent.set(what.seat, (match.absent.get(what.seat) ?? 0) + absenceHours(what));
  },
  propose: takePropose,
  withdraw: takeWithdraw,
  rekey(match, body, record) {
    const keys = body.msg?.body ?? record.proposal.what;
    const player = match.players.get(keys.seat);
    if (!player) return;
    if (body.msg) takeRecovery(match, keys, record);
    player.sign = unb64(keys.sign);
    player.seal = unb64(keys.seal);
    const anchor = unb64(keys.anchor);
    const chain = { since: match.nextEpoch, anchor, length: keys.length, index: 0, value: anchor, served: keys.served };
    if (body.msg) player.chains = [...player.chains, chain]; // the old key and the recovery key have the old chain too
    else {
      player.chains = [chain];
      match.lost.set(keys.seat, record);
      settle(match, keys.seat, record);
    }
    if (toAct(match) !== keys.seat) return;
    if (!body.msg) match.askAgain(record);
    else if (match.recovering.has(body.msg)) askAgainOnce(match, keys.seat, record);
  },
  substitute(match, { msg: { body: { seat } } }, record) {
    for (const held of [match.resigned, match.silent, match.burnedOut, match.returned, match.orders, match.missed, match.absent, match.renewed]) held.delete(seat);
    match.lost.set(seat, record);
    match.absences = match.absences.filter((span) => span.seat !== seat);
    if (toAct(match) === seat) match.askAgain(record);
  },
  retake(match, { msg: { body: { seat } }, void: number }, record) {
    for (const held of [match.silent, match.burnedOut, match.returned]) held.delete(seat);
    match.lost.set(seat, record);
    if (number !== undefined && match.newest?.number === number) Object.assign(match.newest, { burned: true, burnedFor: [seat] });
    if (toAct(match) === seat) match.askAgain(record);
  },
  rewind(match, { what }, record) {
    const target = match.records[what.to.seq];
    if (!target?.body.public) return;
    for (let i = target.index + 1; i < record.index; i++) match.undone.add(i);
    match.public = target.body.public;
    match.shown = target.body;
    match.memory = target.memory;
    match.asks = target.body.due !== undefined;
    match.resultAt = record.index;
    match.askAgain(record);
  },
};
