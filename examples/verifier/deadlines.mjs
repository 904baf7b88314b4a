// When a time is up (schemas/README.md, section 10): arithmetic on the times in records, never a clock.
//
// Moments are milliseconds since 1970, always whole seconds. A span of absence is [from, until).

import { unb64 } from "./bytes.mjs";
import { messagesOf } from "./files.mjs";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const HOLD = 72 * HOUR;
const BACK = 24; // hours that a seat which came back by a word alone has for its link at least
const LAST = Date.UTC(9999, 11, 31, 23, 59, 59);
const DAYS = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"]; // as Date counts them

const plus = (moment, span) => Math.min(moment + span, LAST);
const clock = (text) => (Number(text.slice(0, 2)) * 60 + Number(text.slice(3))) * 60_000;

export const instant = (moment) => new Date(moment).toISOString().replace(".000Z", "Z");

export class Deadlines {
  constructor(policy) {
    this.policy = policy;
    if (!policy.days) return;
    this.days = new Set(policy.days.map((day) => DAYS.indexOf(day)));
    this.from = clock(policy.from);
    this.to = clock(policy.to);
    this.offsets = policy.offsets.map(({ since, minutes }) => ({ since: Date.parse(since), by: minutes * 60_000 }));
  }

  // The earliest moment, not before t, that the calendar allows.
  allowed(t) {
    if (!this.days) return t;
    for (let i = this.segment(t); ; i++) {
      const found = this.within(t, this.offsets[i].by);
      const next = this.offsets[i + 1]?.since ?? Infinity;
      if (found < next) return found;
      t = Math.max(t, next);
    }
  }

  segment(t) {
    const later = this.offsets.findIndex(({ since }) => since > t);
    return Math.max((later < 0 ? this.offsets.length : later) - 1, 0);
  }

  // The same with one offset of local time for ever. Eight days hold every weekday with all of its hours.
  within(t, by) {
    if (LAST - t < 9 * DAY) return t;
    const local = t + by;
    const midnight = Math.floor(local / DAY) * DAY;
    for (let day = midnight; day < midnight + 8 * DAY; day += DAY) {
      const open = this.days.has(new Date(day).getUTCDay()) && local < day + this.to;
      if (open) return Math.max(local, day + this.from) - by;
    }
    return t;
  }

  // settle(t, A): allowed, and outside of every absence.
  settle(t, away) {
    for (;;) {
      t = this.allowed(t);
      const inside = away.filter(({ from, until }) => from <= t && t < until);
      if (!inside.length) return t;
      t = Math.max(...inside.map(({ until }) => until));
    }
  }

  // answer(t) for a seat asked at t, limit(d) for a due d; `who` is {silent, resigned}.
  answer(t, who, away) {
    if (who.resigned) return t;
    if (who.silent) return skip(t, this.policy.again, away);
    return this.settle(skip(t, this.policy.hours, away), away);
  }

  limit(due, who, away) {
    if (who.resigned) return -Infinity;
    return who.silent ? due : this.settle(skip(due, this.policy.grace, away), away);
  }

  // back(t): by when a seat that came back by a word alone must give its link.
  back(t, away) {
    return skip(t, Math.max(this.policy.again, BACK), away);
  }

  // limit(answer(t)) as if neither silent nor resigned; hold(t) of a proposal.
  fullTime(t, away) {
    const plain = { silent: false, resigned: false };
    return this.limit(this.answer(t, plain, away), plain, away);
  }

  hold(t, away) {
    return Math.max(this.fullTime(t, away), plus(t, HOLD));
  }
}

// skip(t, h, A): when h hours outside of A have passed since t, and never inside of A.
export function skip(t, hours, away) {
  let left = hours * HOUR;
  for (const { from, until } of [...away].sort((a, b) => a.from - b.from || a.until - b.until)) {
    if (until <= t) continue;
    if (from > plus(t, left)) break;
    left -= Math.max(from - t, 0);
    t = until;
  }
  return plus(t, left);
}

// --- applied to a match ------------------------------------------------------------------------------------------------------

// The seat that is to act; nobody between two epochs.
export function toAct(match) {
  return match.ended || between(match) ? undefined : match.waiting?.seat;
}

// No epoch runs: none is open, or nobody is asked any more in one that is closed only at the end of the match.
export function between({ running, asks, genesis }) {
  return !running || Boolean(running.closed) || (genesis.draw.reveal === "match" && !asks);
}

const lackingLinks = ({ newest }) =>
  newest && !newest.opened && !newest.burned ? newest.seats.filter((seat) => !newest.links.has(seat)) : [];

// The time of whoever is asked at a moment without being told: who is to act, or between epochs the missing links.
export function askedUntil(match, at) {
  const seat = toAct(match);
  if (seat) return answerBy(match, seat, at);
  const lacking = lackingLinks(match);
  return lacking.length ? linksBy(match, lacking, at) : undefined;
}

export const awaited = (match) => (toAct(match) ? [toAct(match)] : match.ended ? [] : lackingLinks(match));

const away = (match, seat, before = Infinity) => match.absences.filter((span) => span.seat === seat && span.record < before);

function who(match, seat) {
  return { silent: match.silent.has(seat), resigned: match.resigned.has(seat) };
}

export function answerBy(match, seat, at, change = {}) {
  return match.deadlines.answer(at, { ...who(match, seat), ...change }, away(match, seat));
}

// By when the links of these seats must be there. Who came back by a word alone has no second full period.
function linksBy(match, seats, at) {
  const own = (seat) => (match.returned.has(seat) ? match.deadlines.back(at, away(match, seat)) : Infinity);
  return Math.max(at, ...seats.map((seat) => Math.min(answerBy(match, seat, at), own(seat))));
}

// From when on a default or burn of this seat is due.
export function overdueFrom(match, seat) {
  if (!match.due) return Infinity;
  const { time, asked } = match.due;
  const spans = away(match, seat, asked);
  if (!match.returned.has(seat) || toAct(match)) return match.deadlines.limit(time, who(match, seat), spans);
  const { at, body } = match.records[asked];
  const moved = time !== Date.parse(body.due ?? ""); // extended, or moved by a pause
  const due = moved ? time : Math.min(time, match.deadlines.back(at, spans));
  return match.deadlines.limit(due, { ...who(match, seat), silent: true }, spans);
}

// The others can end a match in which nothing was dealt yet without this seat: it has neither joined nor written, nor given its
// link, for as long as an answer may take.
export function goneBeforeDeal(match, seat, at) {
  if (match.running || match.paused) return false;
  if (match.resigned.has(seat)) return true;
  const wrote = match.records.findLast((record) => record && messagesOf(record).some(({ file }) => file.body.seat === seat));
  const { newest } = match;
  const asked = newest?.seats.includes(seat) ? newest.announced.at : 0;
  const heard = Math.max(match.records[0].at, wrote?.at ?? 0, asked, match.resumed ?? 0);
  const limit = match.deadlines.fullTime(heard, away(match, seat));
  const due = lackingLinks(match).includes(seat) && match.due ? overdueFrom(match, seat) : limit;
  return at >= Math.max(limit, due);
}

// What passes of itself before a record is taken: a pause that ends, misses that are excused.
export function passTime(match, record) {
  if (match.paused?.until > record.at) return;
  if (match.paused) endPause(match, match.paused.until);
  for (const [seat, held] of [...match.replacing]) {
    if (held.until > record.at) continue;
    match.players.get(seat).recovery = unb64(held.recovery);
    match.replacing.delete(seat);
  }
  const ripe = [...match.proposals].filter(([, held]) => held.counts && held.until <= record.at);
  for (const [seat, held] of ripe.sort(([a, x], [b, y]) => x.until - y.until || (a < b ? -1 : 1))) {
    countMisses(match, record, held.until);
    match.proposals.delete(seat);
    match.resigned.add(seat);
  }
  countMisses(match, record, record.at);
}

function countMisses(match, record, at) {
  if (record.kind === "extend") return;
  const seat = toAct(match);
  const stock = match.genesis.deadlines.excused ?? 0;
  while (seat && match.due && !match.silent.has(seat) && !match.resigned.has(seat) && (match.missed.get(seat) ?? 0) < stock) {
    const limit = overdueFrom(match, seat);
    if (at < limit) break;
    match.missed.set(seat, (match.missed.get(seat) ?? 0) + 1);
    match.due = { time: answerBy(match, seat, limit), asked: record.index };
  }
}

// Holds stood still in a pause, from the proposal on.
function moveHolds(match, since, end) {
  for (const held of [...match.proposals.values(), ...match.replacing.values()]) {
    const span = end - Math.max(since, held.record.at);
    if (span > 0) held.until = plus(held.until, span);
  }
}

export function endPause(match, end) {
  const { since } = match.paused;
  moveHolds(match, since, end);
  match.paused = undefined;
  match.resumed = end;
  if (!match.due) return;
  const span = Math.max(end - Math.max(since, match.records[match.due.asked]?.at ?? since), 0); // it may be asked in the pause
  const later = plus(match.due.time, span);
  const seat = toAct(match);
  const plain = seat && (match.silent.has(seat) || match.resigned.has(seat));
  const time = plain ? later : match.deadlines.settle(later, seat ? away(match, seat, match.due.asked) : []);
  match.due = { ...match.due, time };
}

// The `due` that a record must have if it has one; nothing if nobody is awaited. The match stands before the record.
export function expectedDue(match, { kind, body, at }) {
  if (kind === "announce") return linksBy(match, body.seats, at);
  if (kind === "close") return linksBy(match, (match.newest?.seats ?? []).filter((seat) => !match.newest.links.has(seat)), at);
  const seat = body.public?.waiting?.seat;
  if (!seat) return undefined;
  if (kind === "default" && seat === body.seat) return answerBy(match, seat, at, { silent: true });
  return answerBy(match, seat, at, seat === body.msg?.body.seat ? { silent: false } : {});
}
