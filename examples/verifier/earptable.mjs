// Wyatt Earp in public: what lies on the table, and what comes next. Which cards the hands hold is not known here; only how
// many, and the discard in its order.

import { Impossible } from "./replay.mjs";

export const OUTLAWS = [
  "belle-starr", "billy-the-kid", "bob-dalton", "butch-cassidy", "jesse-james", "sundance-kid", "wes-hardin",
];
const COPIES = 7; // of each
export const EARP = "wyatt-earp";
export const SHERIFFS = ["bank-robbery", "stagecoach-robbery", "fastest-gun"];
export const isOutlaw = (card) => OUTLAWS.includes(card);

// --- piles and hands. The discard is kept top first; `gaps` cards of it, nobody knows which, were taken by secret searches.

export function putOn(play, card) {
  play.memory.discard.unshift(card);
}

// The top card is this one: what lies above it in memory has been taken secretly.
export function topIs(play, card) {
  const { memory } = play;
  const at = memory.discard.indexOf(card);
  const taken = memory.discard.slice(0, Math.max(0, at));
  if (at < 0 || at > memory.gaps || taken.includes(EARP)) return false;
  memory.discard.splice(0, at);
  memory.gaps -= at;
  return true;
}

export const discardSize = ({ memory }) => memory.discard.length - memory.gaps;
export const takeable = ({ memory }) => memory.discard.filter((card) => card !== EARP).length - memory.gaps;

function handed(play, seat, count) {
  const left = play.view.hands[seat] + count;
  if (left < 0) throw new Impossible(`${seat} plays more cards than the hand has`);
  play.view.hands[seat] = left;
}

// A card comes openly into a hand, or leaves it so. What came openly and did not leave is known to be there; and whoever had none
// of an Outlaw when asked (`lacks`) has only those until a card comes unseen.
export function gains(play, seat, card) {
  handed(play, seat, 1);
  play.memory.known[seat].push(card);
}

export function gainsUnseen(play, seat, count) {
  handed(play, seat, count);
  play.memory.lacks[seat] = [];
}

export function loses(play, seat, card) {
  handed(play, seat, -1);
  const known = play.memory.known[seat];
  const at = known.indexOf(card);
  if (at >= 0) known.splice(at, 1);
  else if (play.memory.lacks[seat].includes(card)) throw new Impossible(`${seat} has no ${card}, as everybody saw`);
}

const count = (cards, card) => cards.filter((one) => one === card).length;

// Whether a hand can hold an Outlaw's card, by what everybody saw: of whoever lacks it, or where all copies lie elsewhere, it cannot.
export function mayHold(play, seat, outlaw) {
  const { discard, gaps, known, lacks } = play.memory;
  const { hands, territories } = play.view;
  if (known[seat].includes(outlaw)) return true;
  const laid = Object.values(territories).reduce((sum, groups) => sum + (groups[outlaw]?.outlaws ?? 0), 0);
  const held = Object.values(known).reduce((sum, cards) => sum + count(cards, outlaw), 0);
  const elsewhere = laid + held + Math.max(0, count(discard, outlaw) - gaps);
  return hands[seat] > 0 && !lacks[seat].includes(outlaw) && elsewhere < COPIES;
}

export function putDown(play, seat, card, why) {
  loses(play, seat, card);
  putOn(play, card);
  play.say("discarded", { seat, card, why });
}

export function removed(play, seat, card, why) {
  putOn(play, card);
  play.say("discarded", { seat, card, why });
}

// A poster rises, as far as the bank has the money.
export function raise(play, outlaw, amount) {
  const { posters, money } = play.view;
  const out = [...Object.values(posters), ...Object.values(money)].reduce((sum, one) => sum + one, 0);
  const { bank_limit: limit } = play.options;
  const added = limit === "none" ? amount : Math.min(amount, limit - out);
  posters[outlaw] += added;
  return added;
}

// --- what comes next

export function carryOn(play, phase) {
  play.view.phase = phase;
  delete play.view.pending;
}

export function freshTurn({ view }) {
  view.sheriff_played = false;
  delete view.drawn;
  delete view.laid;
}
