// The whole check: every record through steps (1) to (10), every fault listed, none hiding the next.

import { b64 } from "./bytes.mjs";
import { fingerprint } from "./crypto.mjs";
import { step9 } from "./close.mjs";
import { passTime } from "./deadlines.mjs";
import { GAMES } from "./games.mjs";
import { Match } from "./match.mjs";
import { checkSeat } from "./seat.mjs";
import { step12 } from "./replay.mjs";
import { genesisFault } from "./setup.mjs";
import { step1, step10, step2, step3, step4, step5, step6, step7, step8 } from "./steps.mjs";

// How sure a draw is, as people read it; JSON keeps the verdicts (schemas/README.md §4.4).
export const LABELS = { fair: "proven now", "fair after reveal": "proven when the hand ends", "bound only": "committed, not yet proven", refuted: "refuted" };

export const STEPS = {
  1: "lines, their order, the host's signature, members",
  2: "the players' signatures and what they had seen",
  3: "the players' parts of the shuffle",
  4: "announcements, void deals, timeout moves, deadlines",
  5: "the opening of each deck",
  6: "every card drawn and die rolled",
  7: "the sealed packets",
  8: "moves as their players signed them",
  9: "what was revealed when a hand ended",
  10: "the end",
  11: "your own packets",
  12: "the rules, as far as everybody can see",
};

const LATER = [step2, step3, step4, step5, step6, step7, step8, step9, step10].map((step, index) => [index + 2, step]);
LATER.push([12, step12]);

export class Report {
  constructor() {
    Object.assign(this, { records: 0, head: "", game: "", game_id: "", title: "", replayed: false, names: {}, ended: false, outcome: null });
    Object.assign(this, { faults: [], notes: [], draws: { fair: 0, "fair after reveal": 0, "bound only": 0, refuted: 0 } });
    Object.assign(this, { epochs: [], burns: [], defaults: {}, shots: [], seat: null });
  }

  fault(record, step, code, text) {
    this.faults.push({ record, step, code, text });
  }

  get ok() {
    return this.faults.length === 0;
  }

  toJSON() {
    return { ok: this.ok, ...this };
  }
}

// Lines without their line feeds. Bytes after the last line feed are a torn line, and said so.
export function splitLines(bytes) {
  const lines = [];
  let start = 0;
  for (let i = 0; i < bytes.length; i++) {
    if (bytes[i] !== 10) continue;
    lines.push(bytes.subarray(start, i));
    start = i + 1;
  }
  if (start < bytes.length) lines.push(bytes.subarray(start));
  return { lines, torn: start < bytes.length };
}

// `options`: keys of a seat (identity.mjs); games beside those known; progress(done, all).
export async function audit(bytes, options = {}) {
  const report = new Report();
  const { lines, torn } = splitLines(bytes);
  report.records = lines.length;
  if (!lines.length) report.fault(0, 1, "empty", "the game file has no records");
  else await auditLines(lines, report, options);
  if (torn) report.fault(Math.max(0, lines.length - 1), 1, "torn", "the last line has no line feed: it was cut off");
  return report;
}

async function auditLines(lines, report, { keys, games = GAMES, progress }) {
  const first = await step1(undefined, lines[0], 0, (code, why) => report.fault(0, 1, code, why));
  if (first?.kind !== "genesis") return void (first && report.fault(0, 1, "genesis", "the file does not begin with a genesis record"));
  const { id } = first.body.rules;
  const game = Object.hasOwn(games, id) ? games[id] : undefined;
  if (!game) return void report.fault(0, 1, "genesis", `this verifier does not know the game ${id}`);
  const unplayable = genesisFault(game, first.body);
  if (unplayable) return void report.fault(0, 1, "genesis", unplayable);
  const match = new Match(first, game);
  for (let index = 1; index < lines.length; index++) {
    await auditRecord(match, lines[index], index, report);
    if (progress && index % 16 === 0) await progress(index, lines.length);
  }
  await summarise(match, report);
  if (keys) report.seat = await checkSeat(match, keys, report);
}

async function auditRecord(match, raw, index, report) {
  const before = report.faults.length;
  const attempt = async (number, run) => {
    const fault = (code, why) => report.fault(index, number, code, why);
    try {
      return await run(fault);
    } catch (error) {
      if (error.name === "NotSupportedError") throw error;
      return void fault("broken", `something here cannot be checked at all: ${error.message}`);
    }
  };
  const record = await attempt(1, (fault) => step1(match, raw, index, fault));
  if (!record) return match.lose();
  await attempt(1, () => passTime(match, record));
  for (const [number, step] of LATER) await attempt(number, (fault) => step(match, record, fault));
  await attempt(1, () => match.take(record));
  markUnsound(match, record, report.faults.slice(before));
  record.faulty = report.faults.length > before;
}

// Draws of an epoch whose laying, links or opening did not hold are bound only, whatever else holds.
function markUnsound(match, { body }, faults) {
  if (!faults.some(({ step }) => step >= 3 && step <= 5)) return;
  const epoch = match.epochs.get(body.epoch) ?? match.newest;
  if (epoch) epoch.sound = false;
}

// --- what it all comes to ------------------------------------------------------------------------------------------------

async function summarise(match, report) {
  const head = match.records.findLast((record) => record);
  Object.assign(report, { game: b64(match.id), game_id: match.genesis.rules.id, title: match.facts.title, replayed: Boolean(match.facts.replay), head: b64(head.hash) });
  report.fingerprint = await fingerprint(head.hash);
  report.ended = Boolean(match.ended);
  report.outcome = match.ended?.body.outcome ?? null;
  for (const [seat, { name }] of match.players) report.names[seat] = name;
  for (const { kind, body, index } of match.records.filter(Boolean)) {
    if (kind === "burn") report.burns.push({ record: index, epoch: body.epoch, ...(body.back ? { back: body.back } : { missing: body.missing }) });
    if (kind === "default") report.defaults[body.seat] = (report.defaults[body.seat] ?? 0) + 1;
  }
  for (const epoch of match.epochs.values()) if (epoch.opened || epoch.burned) summariseEpoch(epoch, report);
  const { seat: own } = match.host;
  if (own) {
    report.hidden_from = `all but ${own}`;
    const name = report.names[own] ?? own;
    const alone = match.page
      ? `${name} also serves a web app to play in. As long as another program made one part of the shuffle, ${name} alone cannot choose a card or die. No record can show whether one did.`
      : `Alone, ${name} cannot choose one as long as another player's part of the shuffle is in it.`;
    report.notes.push(`${name} hosts and plays, and could look at every hand, every order and every card or die to come. ${alone}`);
  }
  if (!match.ended) report.notes.push("The match is not over: what is still sealed was checked only from outside.");
}

// Who could have chosen a draw beside the host with every seat; and of whose parts the host's page made some, or may have.
const aims = ({ again, retaken, thrownAway, leftOut, seats, page, served }) => ({
  again, retaken, thrownAway, leftOut, cutBy: leftOut.length ? seats : [],
  served, unknown: page ? seats.filter((seat) => !served.includes(seat)) : [],
});

// The same in words, behind a label; "" if nobody else could.
export function aimed({ again, retaken, thrownAway, leftOut, cutBy, served, unknown }, named = (seats) => seats.join(", ")) {
  const [why, who] = retaken
    ? [`the seat of ${named(again)} was taken again by its invitation`, "whoever held it"]
    : [`a part of ${named(again)} was missing`, `${named(again)} together`];
  const compared = again.length ? `, re-dealt because ${why}: the host and ${who} could have compared ${thrownAway + 1} shuffles` : "";
  const chosen = leftOut.length ? `; ${named(leftOut)} had no part in this shuffle: the host and ${named(cutBy)} together could have chosen it` : "";
  const paged = served.length ? `; the part of ${named(served)} was made in the host's own web app and counts for nothing` : "";
  const open = unknown.length ? `; whether the host's web app made the part of ${named(unknown)} too, no record can show` : "";
  return compared + chosen + paged + open;
}

function summariseEpoch(epoch, report) {
  const proven = epoch.closed && !epoch.closed.faulty;
  const counts = {};
  const sound = epoch.sound && epoch.served.length < epoch.seats.length; // a part that the host's page did not make, for all that is said
  for (const { record, seat, entry, refuted } of epoch.draws) {
    let label = "bound only";
    if (refuted) label = "refuted";
    else if (sound && !entry.gen) label = "fair";
    else if (sound && proven) label = "fair after reveal";
    counts[label] = (counts[label] ?? 0) + 1;
    report.draws[label]++;
    if (entry.to === "table" || entry.roll) report.shots.push({ record: record.index, seat: seat ?? "", label, ...aims(epoch), ...entry });
  }
  const { number, closed, burned = false } = epoch;
  report.epochs.push({ number, closed: Boolean(closed), burned, ...aims(epoch), records: epoch.results.length, draws: counts });
}
