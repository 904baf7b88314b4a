// Way Out West in public: setup, auction and the action phase. All of it is open but dice to come, so that every event follows.

import { Impossible } from "./replay.mjs";
import { answer, declare } from "./westfight.mjs";
import { endTurn } from "./westend.mjs";
import { add, boxesOf, canAct, cost, earn, give, has, held, namesOf, pay, purse, sum } from "./westtable.mjs";

const COWBOYS = 3; // of each seat in the setup

const each = (play, value) => Object.fromEntries(play.seats.map((seat) => [seat, value]));
const behind = (circle, seat) => [...circle.slice(circle.indexOf(seat) + 1), ...circle.slice(0, circle.indexOf(seat) + 1)];

// --- before the first action

function open(play) {
  const { seats, setup, options } = play;
  if (play.view) throw new Impossible("the match has begun already");
  const { board } = setup;
  const [cash, space] = [board.start_cash[seats.length], board.start_space[seats.length]];
  const first = play.rolled(seats.length) - 1;
  const order = seats.map((_, index) => seats[(first + index) % seats.length]);
  const town = () => ({ cowboys: {}, cattle: {}, assets: {}, sheriff_down: false });
  play.view = {
    space, phase: "setup", order, active: order[0], cash: options.money_public ? each(play, cash) : {}, wanted: each(play, 0),
    farmers: each(play, board.farmers_per_player), tokens: each(play, 2), used_boxes: [],
    towns: Object.fromEntries(namesOf(play).map((name) => [name, town()])), auction: { bids: each(play, 0), dropped: [] },
  };
  play.memory = options.money_public ? {} : { cash: each(play, cash) };
  play.say("turn-order", { order });
}

function placeFirst(play, seat, { town }) {
  const { view } = play;
  placeCowboy(play, seat, town, 0);
  const onMap = (one) => sum(Object.values(view.towns).map(({ cowboys }) => held(cowboys, one)));
  const next = behind(view.order, seat).find((one) => onMap(one) < COWBOYS);
  if (next) view.active = next;
  else openAuction(play);
}

// --- the auction

function openAuction(play) {
  const { view } = play;
  Object.assign(view, { phase: "auction", active: view.order[0], auction: { bids: each(play, 0), dropped: [] } });
}

function nextBidder({ view, options, seats }, seat) {
  const circle = options.auction_order === "clockwise" ? seats : view.order;
  return behind(circle, seat).find((one) => !view.auction.dropped.includes(one));
}

function bid(play, seat, { amount }) {
  const { auction } = play.view;
  if (amount <= Math.max(...Object.values(auction.bids)) || amount > purse(play)[seat]) throw new Impossible(`${seat} cannot bid ${amount}`);
  auction.bids[seat] = amount;
  play.say("bid", { seat, amount });
  play.view.active = nextBidder(play, seat);
}

function dropOut(play, seat) {
  const { view, seats } = play;
  const { bids, dropped } = view.auction;
  play.say("dropped-out", { seat, place: seats.length - dropped.length, paid: bids[seat] });
  pay(play, seat, bids[seat]);
  dropped.push(seat);
  view.active = nextBidder(play, seat);
  if (dropped.length < seats.length - 1) return;
  const winner = view.active;
  pay(play, winner, bids[winner]);
  view.order = [winner, ...[...dropped].reverse()];
  play.say("turn-order", { order: [...view.order], paid: { ...bids } });
  Object.assign(view, { phase: "actions", auction: { bids: each(play, 0), dropped: [] } });
}

// With hidden money a seat is asked all the same: being skipped would tell what it has.
function mustDropOut({ view, options }) {
  return options.money_public && view.cash[view.active] <= Math.max(...Object.values(view.auction.bids));
}

// --- the action phase

const count = (moves) => sum(moves.map((move) => move.count));

// How many counters an action is paid for, and what it needs of a box.
function needs(action) {
  if (action.do === "cattle" || action.do === "cowboys") return action.towns.length;
  return action.do === "move-cowboys" ? count(action.moves) : 1;
}

// The box that is named, or the first that can carry the action out.
function boxFor(play, seat, action) {
  const counters = needs(action);
  const kind = action.do.replaceAll("-", "_");
  const found = boxesOf(play).find(
    (box) =>
      (action.box === undefined || action.box === box.id) &&
      box.kind === kind &&
      box.asset === action.asset &&
      !play.view.used_boxes.includes(box.id) &&
      (kind !== "move_cowboys" || box.value >= counters) &&
      cost(box, counters) <= purse(play)[seat],
  );
  if (!found) throw new Impossible(`no free box for ${action.do} that ${seat} can pay`);
  return found;
}

function token(play, seat, box) {
  const { view, setup } = play;
  view.tokens[seat] -= 1;
  if (!box) return;
  const used = new Set([...view.used_boxes, box]);
  view.used_boxes = setup.board.action_boxes.map(({ id }) => id).filter((id) => used.has(id));
}

function payBox(play, seat, box, action) {
  const paid = cost(box, needs(action));
  if (!paid) return;
  pay(play, seat, paid);
  play.say("box-paid", { seat, box: box.id, paid });
}

function placeCowboy(play, seat, town, paid) {
  add(play.view.towns[town].cowboys, seat, 1);
  play.say("placed", { seat, what: "cowboy", town, paid });
}

// 1 for each cowboy to another player's stagecoach.
function toll(play, seat, town, amount) {
  const to = play.view.towns[town].assets.stagecoach;
  if (!to || to === seat) return false;
  earn(play, to, amount);
  play.say("toll", { to, amount, town });
  return true;
}

function buy(play, seat, action, box) {
  for (const [at, town] of action.towns.entries()) {
    const paid = (box.price_per_counter ?? 0) + (at === 0 ? (box.price ?? 0) : 0);
    pay(play, seat, paid);
    if (action.do === "cowboys") {
      placeCowboy(play, seat, town, paid);
      toll(play, seat, town, 1);
    } else {
      add(play.view.towns[town].cattle, seat, 1);
      play.say("placed", { seat, what: "cattle", town, paid });
    }
  }
}

function moveCowboys(play, seat, action, box) {
  payBox(play, seat, box, action);
  for (const { from, to, count: many } of action.moves) {
    add(play.view.towns[from].cowboys, seat, -many);
    add(play.view.towns[to].cowboys, seat, many);
    play.say("moved", { seat, what: "cowboy", from, to, count: many });
    if (!toll(play, seat, from, many)) toll(play, seat, to, many);
  }
}

// Whose counter moves: the named seat's, one's own, or, if any may be moved, that of the next in turn order.
function mover({ view, options }, seat, { from, seat: named }) {
  if (named) return named;
  const circle = options.move_cattle_owner === "any" ? [seat, ...behind(view.order, seat)] : [seat];
  return circle.find((one) => has(view.towns[from].cattle, one)) ?? seat;
}

function moveCattle(play, seat, action, box) {
  payBox(play, seat, box, action);
  const { from, to } = action;
  const owner = mover(play, seat, action);
  add(play.view.towns[from].cattle, owner, -1);
  add(play.view.towns[to].cattle, owner, 1);
  play.say("moved", { seat: owner, what: "cattle", from, to, count: 1 });
}

function build(play, seat, { asset, town }, box) {
  pay(play, seat, box.price);
  give(play, town, asset, seat);
  play.say("placed", { seat, what: asset, town, paid: box.price });
}

function farmer(play, seat, { town, replace }, box) {
  const place = play.view.towns[town];
  pay(play, seat, box.price);
  if (replace) {
    add(place.cattle, replace, -1);
    play.say("returned", { seat: replace, what: "cattle", town, count: 1 });
  }
  play.view.farmers[seat] -= 1;
  place.farmer = seat;
  play.say("placed", { seat, what: "farmer", town, paid: box.price });
}

function attack(play, seat, action, box) {
  payBox(play, seat, box, action);
  declare(play, seat, action);
}

const ACTIONS = {
  cattle: buy, cowboys: buy, build, "move-cowboys": moveCowboys, "move-cattle": moveCattle, farmer, gunfight: attack,
};

function useBox(play, seat, action) {
  if (action.do === "pass") token(play, seat, action.box);
  else {
    const box = boxFor(play, seat, action);
    token(play, seat, box.id);
    ACTIONS[action.do](play, seat, action, box);
  }
}

// --- what comes next

// The next seat in turn order that has a token; nobody if the turn is over.
function nextAction({ view }) {
  view.active = behind(view.order, view.active).find((seat) => view.tokens[seat] > 0);
}

// On until somebody has a choice: who must drop out does, who can do nothing passes, a turn without tokens ends.
function settle(play) {
  const { view } = play;
  for (;;) {
    if (view.phase === "auction" && mustDropOut(play)) dropOut(play, view.active);
    else if (view.phase === "actions" && !view.active) endTurn(play, openAuction);
    else if (view.phase === "actions" && !canAct(play, view.active)) {
      token(play, view.active, undefined);
      nextAction(play);
    } else break;
  }
  delete view.waiting;
  if (view.phase === "over") return;
  view.waiting = { seat: view.phase === "gunfight" ? view.fight.seat : view.active, phase: view.phase };
}

const PHASES = {
  setup: { "place-cowboy": placeFirst },
  auction: { bid, "drop-out": dropOut },
  actions: Object.fromEntries([...Object.keys(ACTIONS), "pass"].map((name) => [name, useBox])),
};

export const WAY_OUT_WEST = {
  // Whether an epoch needs more of those before it than their last view tells.
  remembers: ({ money_public: open }) => !open,
  // Each turn of the game is an epoch: who is asked in the next is not asked in this.
  epochOver: ({ steps }) => steps.some(({ events }) => events.some(({ event }) => event === "turn-ended")),
  open(play) {
    open(play);
    settle(play);
  },
  act(play, action) {
    const { view } = play;
    const before = view.phase;
    if (before === "gunfight") answer(play, action);
    else {
      const does = Object.hasOwn(PHASES, before) && Object.hasOwn(PHASES[before], action.do) && PHASES[before][action.do];
      if (!does) throw new Impossible(`/action/do: ${action.do} is no answer in the phase ${before}`);
      does(play, view.active, action);
    }
    if (view.phase === "actions" && before !== "auction") nextAction(play);
    settle(play);
  },
};
