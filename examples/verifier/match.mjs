// What a game file says so far: seats, chains, epochs, parts still sealed, deadlines. Filled record by record; no checks here.

import { unb64 } from "./bytes.mjs";

export const HOUR = 3600_000;

// Who must agree if genesis does not say (schemas/README.md).
export const DEFAULT_CONSENT = {
  pause: "all", resume: "all", absence: "seat", resign: "seat", substitute: "others", rekey: "others", rewind: "all", end: "all",
};

export class Match {
  constructor(genesis, game) {
    this.id = genesis.hash;
    this.genesis = genesis.body;
    this.facts = game;
    this.options = genesis.body.options;
    this.hostKey = unb64(genesis.body.host.sign, 32);
    this.seats = genesis.body.seats;
    this.records = [genesis];
    this.players = new Map(); // seat → {name, sign, seal, recovery, n, chains}
    this.epochs = new Map(); // number → epoch
    this.newest = undefined; // the epoch announced last
    this.running = undefined; // the epoch opened last
    this.public = undefined;
    this.resultAt = undefined; // the newest record with a result (or a rewind)
    this.due = undefined; // by when whoever is awaited must answer
    this.paused = undefined;
    this.silent = new Set(); // defaulted, and has not written since
    this.resigned = new Set();
    this.burnedOut = new Set();
    this.absences = []; // {seat, from, until}
    this.orders = new Map(); // seat → the part in force
    this.parts = new Map(); // "seat n part" → what a player sealed to the host
    this.undone = new Set(); // records that a rewind took back
    this.ended = undefined;
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

  mustAgree(what) {
    const rule = what.kind === "rewind" ? "all" : (this.genesis.consent[what.kind] ?? DEFAULT_CONSENT[what.kind]);
    if (rule === "host") return [];
    if (rule === "seat") return what.seat ? [what.seat] : this.seats;
    return rule === "others" ? this.seats.filter((seat) => seat !== what.seat) : this.seats;
  }

  // --- time: agreed records only, never a clock -------------------------------------------------------------------------

  // The earliest `due` that the deadlines of genesis allow for a seat asked at this time; its absences do not count.
  earliestDue(seat, at, silent = this.silent) {
    if (this.resigned.has(seat)) return at;
    const { hours, again } = this.genesis.deadlines;
    let left = (silent.has(seat) ? again : hours) * HOUR;
    const away = this.absences.filter((span) => span.seat === seat).sort((a, b) => a.from - b.from);
    for (const { from, until } of away) {
      if (until <= at) continue;
      if (from > at + left) break;
      left -= Math.max(0, from - at);
      at = until;
    }
    return at + left;
  }

  // From when on a default or burn of this seat is due.
  overdueFrom(seat) {
    if (this.due === undefined) return Infinity;
    const spared = this.silent.has(seat) || this.resigned.has(seat);
    return this.due + (spared ? 0 : this.genesis.deadlines.grace * HOUR);
  }

  setDue(text) {
    this.due = text === undefined ? undefined : Date.parse(text);
  }

  // --- taking a checked record in -----------------------------------------------------------------------------------------

  take(record) {
    const { kind, body } = record;
    this.records[record.index] = record;
    for (const { kind: what, file } of messagesOf(record)) this.takeMessage(what, file.body, record);
    TAKE[kind]?.(this, body, record);
    if (body.steps) {
      this.public = body.public;
      this.resultAt = record.index;
      this.setDue(body.due);
      this.running?.results.push(record);
    }
    if (body.packets && !body.steps && this.running && !this.running.closed) this.running.resealed.push(record);
  }

  takeMessage(kind, body, record) {
    if (kind === "join") return this.seat(body, record.kind === "join" ? 1 : this.nextEpoch);
    const player = this.players.get(body.seat);
    if (!player) return undefined;
    player.n = Math.max(player.n, body.n);
    this.silent.delete(body.seat);
    this.burnedOut.delete(body.seat);
    for (const part of ["sealed", "orders"]) {
      if (!body[part]) continue;
      const kept = { seat: body.seat, n: body.n, part, commit: body[part].commit, record, epoch: this.running?.number ?? 0 };
      this.parts.set(partName(kept), kept);
      if (part === "orders") this.orders.set(body.seat, kept);
    }
    return undefined;
  }

  get nextEpoch() {
    return (this.newest?.number ?? 0) + 1;
  }

  seat(body, since) {
    const chain = { since, anchor: unb64(body.anchor), length: body.length, index: 0, value: unb64(body.anchor) };
    const player = { name: body.name, sign: unb64(body.sign), seal: unb64(body.seal), n: body.n, chains: [chain] };
    player.recovery = body.recovery && unb64(body.recovery);
    this.players.set(body.seat, player);
  }
}

export const partName = ({ seat, n, part }) => `${seat} ${n} ${part}`;

// The players' files inside a record, with the kind each is signed as.
export function messagesOf({ kind, body }) {
  const files = (body.consents ?? []).map((file) => ({ kind: "consent", file }));
  if (body.msg) files.push({ kind: kind === "substitute" ? "join" : kind, file: body.msg });
  return files;
}

const aboutSeat = (body) => body.msg?.body.seat ?? body.what.seat;

const TAKE = {
  announce(match, body) {
    if (!match.waiting || !match.running || match.running.closed) match.setDue(body.due);
  },
  default(match, body) {
    match.silent.add(body.seat);
    match.running?.defaulted.add(body.seat);
  },
  burn(match, body) {
    const epoch = match.epochs.get(body.epoch);
    if (epoch) epoch.burned = true;
    for (const seat of body.missing) match.burnedOut.add(seat);
  },
  extend(match, body) {
    match.setDue(body.due);
  },
  close(match, body, record) {
    const epoch = match.epochs.get(body.epoch);
    if (epoch) epoch.closed = record;
    if (match.genesis.draw.reveal === "epoch") match.setDue(body.due);
    for (const opening of body.opened) match.parts.delete(partName(opening));
  },
  end(match, body, record) {
    match.ended = record;
    match.due = undefined;
  },
  pause(match, body, record) {
    match.paused = record;
  },
  resume(match, body, record) {
    if (match.paused && match.due !== undefined) match.due += record.at - match.paused.at;
    match.paused = undefined;
  },
  resign(match, body) {
    match.resigned.add(body.what.seat);
  },
  absence(match, { what }) {
    match.absences.push({ seat: what.seat, from: Date.parse(what.from), until: Date.parse(what.until) });
  },
  rekey(match, body) {
    const keys = body.msg?.body ?? body.what;
    const player = match.players.get(aboutSeat(body));
    if (!player) return;
    player.sign = unb64(keys.sign);
    player.seal = unb64(keys.seal);
    const anchor = unb64(keys.anchor);
    player.chains.push({ since: match.nextEpoch, anchor, length: keys.length, index: 0, value: anchor });
  },
  substitute(match, { what }, record) {
    for (const set of [match.resigned, match.silent, match.burnedOut]) set.delete(what.seat);
    match.orders.delete(what.seat);
    if (match.waiting?.seat === what.seat) match.due = match.earliestDue(what.seat, record.at);
  },
  rewind(match, { what }, record) {
    const target = match.records[what.to.seq];
    if (!target?.body.public) return;
    for (let i = target.index + 1; i < record.index; i++) match.undone.add(i);
    match.public = target.body.public;
    match.resultAt = record.index;
    const seat = match.waiting?.seat;
    match.due = seat && match.earliestDue(seat, record.at);
  },
};
