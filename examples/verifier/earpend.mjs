// Wyatt Earp in public: the end of a hand and its scoring, the duel, the next deal.

import { OUTLAWS, SHERIFFS, carryOn, discardSize, freshTurn, isOutlaw, putOn, raise } from "./earptable.mjs";

const POINTS = { outlaws: 2, photo: 4, "bank-robbery": 2, "stagecoach-robbery": 1, "fastest-gun": 3 };
const WIN = 25000;
const HAND = 10;
const DECK = 78;
const OUTLAW_CARDS = 49;
const sum = (numbers) => numbers.reduce((all, one) => all + one, 0);

// The posters in circle order.
function circle({ first_poster: first }) {
  const at = OUTLAWS.indexOf(first);
  return [...OUTLAWS.slice(at), ...OUTLAWS.slice(0, at)];
}

// --- the end of a hand

// The hands go face down under the discard, the posters are scored, and the match may end.
export function endHand(play, reason) {
  const { view, memory, seats } = play;
  play.say("hand-ended", { reason });
  const inHands = sum(Object.values(view.hands));
  view.discard = { count: discardSize(play) + inHands };
  for (const seat of seats) view.hands[seat] = 0;
  Object.assign(memory, { discard: [], gaps: 0 });
  freshTurn(play);
  const won = score(play);
  carryOn(play, "chance");
  if (!won) return;
  const best = Math.max(...Object.values(view.money));
  const richest = seats.filter((seat) => view.money[seat] === best);
  if (richest.length === 1) win(play, richest[0]);
  else startDuel(play, richest);
}

function score(play) {
  const { view, options } = play;
  const reached = () => Object.values(view.money).some((money) => money >= WIN);
  for (const outlaw of circle(options)) {
    scorePoster(play, outlaw);
    if (options.end_condition === "first_to_25000" && reached()) return true;
  }
  return reached();
}

const points = (group) => (!group || group.hideout ? 0 : sum(Object.entries(POINTS).map(([name, each]) => each * Number(group[name]))));

function scorePoster(play, outlaw) {
  const { view, options, seats } = play;
  const cp = Object.fromEntries(seats.map((seat) => [seat, points(view.territories[seat][outlaw])]));
  const captured = sum(Object.values(cp)) >= options.capture_min;
  const paid = captured ? payments(options, cp, view.posters[outlaw]) : Object.fromEntries(seats.map((seat) => [seat, 0]));
  for (const seat of seats) {
    view.money[seat] += paid[seat];
    view.posters[outlaw] -= paid[seat];
  }
  play.say("poster-scored", { outlaw, cp, captured, paid, left: view.posters[outlaw] });
}

// What a captured Outlaw's poster pays: all to a leader by five points or more; else shared from the highest down, tier by tier,
// 2000 first for the leaders and 1000 for everybody from then on, until it is empty or a tier cannot be paid.
function payments({ sharers, zero_cp_shares: zero, tie_payment: tie, single_shortfall: short }, cp, poster) {
  const seats = Object.keys(cp);
  const paid = Object.fromEntries(seats.map((seat) => [seat, 0]));
  const [best, second = 0] = seats.map((seat) => cp[seat]).sort((a, b) => b - a);
  const leader = seats.find((seat) => cp[seat] === best);
  if (best - second >= 5) return { ...paid, [leader]: poster };
  const least = sharers === "within_four" ? best - 4 : 0;
  const sharing = seats.filter((seat) => cp[seat] >= least && (cp[seat] > 0 || zero));
  const tiers = [...new Set(sharing.map((seat) => cp[seat]))].sort((a, b) => b - a);
  let left = poster;
  for (let pass = 0; ; pass++) {
    for (const tier of tiers) {
      const tied = seats.filter((seat) => cp[seat] === tier);
      const due = pass === 0 && tier === best ? 2000 : 1000;
      let each = due;
      if (left < due * tied.length) {
        if (tied.length === 1) each = short === "take_rest" ? left : 0;
        else each = tie === "split" ? Math.floor(left / tied.length / 1000) * 1000 : 0;
      }
      for (const seat of tied) paid[seat] += each;
      left -= each * tied.length;
      if (each < due || left === 0) return paid;
    }
  }
}

function win(play, seat) {
  carryOn(play, "over");
  play.view.winners = [seat];
  play.say("match-ended", { winners: [seat], money: { ...play.view.money } });
}

// --- the duel of those tied for the most money

function startDuel(play, tied) {
  const { view, memory, options, seats } = play;
  const round = seats.map((_, index) => play.after(view.dealer, index + 1));
  memory.duel = { seats: round.filter((seat) => tied.includes(seat)), shown: [], score: Object.fromEntries(tied.map((seat) => [seat, 0])) };
  if (options.duel_deck === "fresh_78") return; // an epoch of its own
  const groups = Object.values(view.territories).flatMap((one) => Object.values(one));
  const laid = sum(groups.map((group) => sum([...SHERIFFS, "photo", "hideout", "outlaws"].map((name) => Number(group[name])))));
  const hits = OUTLAW_CARDS - sum(groups.map((group) => group.outlaws));
  const cards = DECK - laid;
  if (cards < memory.duel.seats.length || hits === 0 || hits === cards) freshDeck(play);
  duel(play);
}

// All 78 cards are shuffled for the duel, those on the table too.
function freshDeck(play) {
  play.shuffled(DECK);
  allCards(play);
}

function allCards({ view, seats }) {
  view.territories = Object.fromEntries(seats.map((seat) => [seat, {}]));
  Object.assign(view, { supply: DECK, discard: { count: 0 } });
}

export function openDuel(play) {
  allCards(play);
  duel(play);
}

function duel(play) {
  const { view, memory } = play;
  const state = memory.duel;
  while (state.seats.length > 1) {
    if (!view.supply) {
      play.shuffled(view.discard.count);
      Object.assign(view, { supply: view.discard.count, discard: { count: 0 } });
    }
    const seat = state.seats[state.shown.length];
    const card = play.turnedUp();
    const hit = isOutlaw(card);
    view.supply -= 1;
    view.discard.count += 1;
    play.say("duel-draw", { seat, card, hit });
    state.shown.push(hit);
    if (state.shown.length === state.seats.length) nextRound(play, state);
  }
  win(play, state.seats[0]);
}

// Who shows a blank is out, unless all do; a race goes on until one has more hits than every other.
function nextRound({ options }, state) {
  const hitters = state.seats.filter((_, index) => state.shown[index]);
  state.shown = [];
  if (options.duel === "elimination") {
    if (hitters.length) state.seats = hitters;
    return;
  }
  for (const seat of hitters) state.score[seat] += 1;
  const hits = state.seats.map((seat) => state.score[seat]);
  const leaders = state.seats.filter((_, index) => hits[index] === Math.max(...hits));
  if (leaders.length === 1) state.seats = leaders;
}

// --- the next deal

export function deal(play) {
  const { seats, setup } = play;
  if (play.view) nextHand(play);
  else {
    const each = (value) => Object.fromEntries(seats.map((seat) => [seat, value]));
    const posters = Object.fromEntries(OUTLAWS.map((outlaw) => [outlaw, 1000]));
    play.view = { hand: 1, dealer: setup.dealer, posters, money: each(0), hands: {}, territories: {} };
  }
  const { view } = play;
  const starter = play.after(view.dealer);
  for (let i = 0; i < HAND * seats.length; i++) play.dealt(play.after(starter, i));
  const first = play.turnedUp();
  for (const seat of seats) {
    view.hands[seat] = HAND;
    view.territories[seat] = {};
  }
  const nothing = () => Object.fromEntries(seats.map((seat) => [seat, []]));
  play.memory = { discard: [], gaps: 0, known: nothing(), lacks: nothing() };
  putOn(play, first);
  Object.assign(view, { supply: DECK - HAND * seats.length - 1, opened: [], reshuffled: false, active: starter });
  freshTurn(play);
  carryOn(play, "draw");
  play.say("hand-started", { hand: view.hand, dealer: view.dealer, starter });
}

function nextHand(play) {
  const { view, options } = play;
  view.hand += 1;
  for (const outlaw of circle(options)) raise(play, outlaw, 1000);
  view.dealer = options.next_dealer === "last_turn_player" ? view.active : play.after(view.dealer);
}
