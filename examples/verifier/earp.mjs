// Wyatt Earp in public: what an action does to everything that lies open. Where only a hidden card decides (an answer, a secret
// search), the record is believed.

import { Impossible } from "./replay.mjs";
import { EARP, SHERIFFS, carryOn, discardSize, freshTurn, gains, gainsUnseen, isOutlaw, loses, mayHold, putDown, putOn, raise, removed, takeable, topIs } from "./earptable.mjs";
import { deal, endHand, openDuel } from "./earpend.mjs";

const REWARDS = { "bank-robbery": 1000, "stagecoach-robbery": 3000, "fastest-gun": 1000 };
const NEW_GROUP = { outlaws: 0, photo: false, "bank-robbery": 0, "stagecoach-robbery": 0, "fastest-gun": 0, hideout: false };

// --- groups

const groupOf = (play, seat, outlaw) => play.view.territories[seat]?.[outlaw];
const anchored = (group) => Boolean(group) && (group.outlaws > 0 || group.photo);

function ownGroup(play, seat, outlaw) {
  const groups = play.view.territories[seat];
  groups[outlaw] ??= { ...NEW_GROUP };
  return groups[outlaw];
}

function* allGroups(play) {
  for (const [seat, groups] of Object.entries(play.view.territories)) {
    for (const [outlaw, group] of Object.entries(groups)) yield { seat, outlaw, group };
  }
}

// Where a card may go after a hit.
function targets(play, card) {
  const { active } = play.view;
  const all = [...allGroups(play)].filter(({ group }) => anchored(group));
  if (card === "hideout") {
    return all.filter(({ seat, group }) => !group.hideout && (seat !== active || play.options.hideout_target === "any"));
  }
  const own = all.filter(({ seat }) => seat === active);
  if (card !== "fastest-gun") return own;
  const barred = all.filter(({ group }) => group["fastest-gun"]).map(({ outlaw }) => outlaw);
  return own.filter(({ outlaw }) => !barred.includes(outlaw));
}

// --- what comes next

function ask(play, phase, pending) {
  Object.assign(play.view, { phase, pending });
}

const secondSupplyGone = ({ view, options }) => !view.supply && view.reshuffled && options.exhaustion_end === "immediate";

// The play in progress is resolved: the turn goes on, or the second supply is gone and that ends the hand.
function settle(play) {
  carryOn(play, "play");
  if (secondSupplyGone(play)) endHand(play, "exhausted");
}

// --- drawing

function takeFromSupply(play, seat, wanted) {
  const count = Math.min(wanted, play.view.supply);
  if (!count) return 0;
  for (let i = 0; i < count; i++) play.dealt(seat);
  play.view.supply -= count;
  gainsUnseen(play, seat, count);
  play.say("drew", { seat, from: "supply", count });
  return count;
}

function reshuffle(play, cards) {
  play.shuffled(cards);
  play.view.supply = cards;
  play.say("reshuffled", { cards });
}

function discardBecomesSupply(play, rest = 0) {
  const cards = discardSize(play) + rest;
  Object.assign(play.memory, { discard: [], gaps: 0 });
  play.view.reshuffled = true;
  reshuffle(play, cards);
  return cards;
}

function drawTwo(play) {
  const { view, options } = play;
  const { active: seat } = view;
  let missing = 2;
  if (view.supply < 2) {
    if (view.reshuffled) {
      if (options.exhaustion_end === "immediate") takeFromSupply(play, seat, view.supply);
      return endHand(play, "exhausted");
    }
    const nothing = discardSize(play) === 0;
    if (nothing || options.reshuffle_timing === "mid_draw") missing -= takeFromSupply(play, seat, view.supply);
    if (nothing || discardBecomesSupply(play, view.supply) < missing) {
      takeFromSupply(play, seat, missing);
      return endHand(play, "exhausted");
    }
  }
  takeFromSupply(play, seat, missing);
  return settle(play);
}

function drawTop(play) {
  const { view, memory, told } = play;
  if (!discardSize(play)) throw new Impossible("a draw from an empty discard");
  const card = topIs(play, told.card) ? told.card : memory.discard[0];
  memory.discard.shift();
  gains(play, view.active, card);
  view.drawn = card;
  play.say("drew", { seat: view.active, from: "discard", count: 1, card });
  carryOn(play, "play");
}

// --- plays

function open(play, outlaw) {
  const { view } = play;
  view.opened = [...new Set([...view.opened, outlaw])].sort();
}

function lay(play, { outlaw, count }) {
  const { view, options } = play;
  const { active: seat } = view;
  const again = view.laid?.includes(outlaw);
  for (let i = 0; i < count; i++) loses(play, seat, outlaw);
  ownGroup(play, seat, outlaw).outlaws += count;
  open(play, outlaw);
  if (options.reward_batch === "per_turn") view.laid = [...new Set([...(view.laid ?? []), outlaw])].sort();
  play.say("laid", { seat, outlaw, count, reward: raise(play, outlaw, 1000 * (again ? count : count - 1)) });
}

function photo(play, { outlaw }) {
  const { active: seat } = play.view;
  play.view.sheriff_played = true;
  loses(play, seat, `photo:${outlaw}`);
  ownGroup(play, seat, outlaw).photo = true;
  play.say("photo-played", { seat, outlaw, reward: raise(play, outlaw, 1000) });
}

function askAround(play, { ask: outlaw, direction, order }) {
  const { active: seat } = play.view;
  play.view.sheriff_played = true;
  const round = play.others(seat);
  for (const of of order ?? (direction === "clockwise" ? round : round.reverse())) {
    const { known, lacks } = play.memory;
    const has = known[of].includes(outlaw) || (play.told.has === true && mayHold(play, of, outlaw));
    play.say("asked", { seat, outlaw, of, has });
    if (!has) {
      lacks[of].push(outlaw);
      continue;
    }
    loses(play, of, outlaw);
    gains(play, seat, outlaw);
    play.say("given", { from: of, to: seat, outlaw });
    break;
  }
  putDown(play, seat, "most-wanted", "used");
}

// --- shots

const mode = (shot) => (shot.mode ? { mode: shot.mode } : {});

function fire(play, shot) {
  const { view } = play;
  if (!view.supply) {
    if (view.reshuffled || !discardSize(play)) return endHand(play, "exhausted");
    discardBecomesSupply(play);
  }
  const card = play.turnedUp();
  const hit = isOutlaw(card);
  const seat = shot.reactor ?? view.active;
  view.supply -= 1;
  putOn(play, card);
  play.say("shot", { seat, card, hit });
  if (shot.reactor) return reacted(play, shot, hit);
  if (hit) return strikeOrAsk(play, shot);
  if (shot.card !== EARP) putDown(play, seat, shot.card, "missed");
  return settle(play);
}

// After a hit: the target named in advance, the only one there is, or a question. Who may decline is always asked.
function strikeOrAsk(play, shot) {
  if (shot.outlaw) return strike(play, shot);
  const may = shot.card === "most-wanted" || shot.card === EARP;
  const found = may ? [] : targets(play, shot.card);
  if (found.length === 1) return strike(play, { ...shot, ...found[0] });
  return ask(play, "choose", { card: shot.card, ...mode(shot) });
}

function strike(play, shot) {
  delete play.view.pending;
  if (shot.card === "hideout") return hide(play, shot);
  if (shot.card === "most-wanted") steal(play, shot);
  else if (shot.card === EARP) uncover(play, play.view.active, shot.outlaw);
  else attach(play, shot);
  return settle(play);
}

function attach(play, { card, outlaw }) {
  const { active: seat } = play.view;
  const group = groupOf(play, seat, outlaw);
  if (!anchored(group)) throw new Impossible(`${seat} has no group of ${outlaw}`);
  loses(play, seat, card);
  const old = card === "fastest-gun" ? [...allGroups(play)].filter((one) => one.group[card]) : [];
  group[card] += 1;
  play.say("attached", { seat, card, outlaw, reward: raise(play, outlaw, REWARDS[card]) });
  for (const one of old) {
    one.group[card] -= 1;
    removed(play, one.seat, card, "replaced");
  }
}

function steal(play, { outlaw, seat: from }) {
  const { active: seat, territories } = play.view;
  const group = groupOf(play, from, outlaw);
  if (from === seat || !group?.outlaws) throw new Impossible(`${from} has no card of ${outlaw} to be taken`);
  group.outlaws -= 1;
  gains(play, seat, outlaw);
  play.say("stolen", { seat, from, outlaw });
  putDown(play, seat, "most-wanted", "used");
  if (anchored(group)) return;
  for (const card of SHERIFFS) for (let i = 0; i < group[card]; i++) removed(play, from, card, "orphan");
  if (group.hideout) {
    play.say("uncovered", { seat: from, outlaw });
    removed(play, from, "hideout", "orphan");
  }
  delete territories[from][outlaw];
}

function hide(play, { outlaw, seat: of }) {
  const { view, options } = play;
  const { active: seat } = view;
  const group = groupOf(play, of, outlaw);
  if (!anchored(group) || group.hideout) throw new Impossible(`${of} has no group of ${outlaw} that a Hideout may cover`);
  loses(play, seat, "hideout");
  group.hideout = true;
  const reward = options.hideout_reward ? { reward: raise(play, outlaw, options.hideout_reward) } : {};
  play.say("hidden", { seat, of, outlaw, ...reward });
  const noShot = !view.supply && (view.reshuffled || !discardSize(play));
  if (of === seat || noShot) settle(play);
  else ask(play, "react", { card: "hideout", outlaw, of, by: seat });
}

function uncover(play, seat, outlaw) {
  const group = groupOf(play, seat, outlaw);
  if (!group?.hideout) throw new Impossible(`no Hideout lies on ${outlaw} of ${seat}`);
  group.hideout = false;
  play.say("uncovered", { seat, outlaw });
  removed(play, seat, "hideout", "removed");
}

function react(play, { with: card }) {
  const { of, outlaw } = play.view.pending;
  if (card === "pass") return settle(play);
  putDown(play, of, EARP, "used");
  return fire(play, { card: EARP, reactor: of, outlaw });
}

function reacted(play, { reactor, outlaw }, hit) {
  if (hit) uncover(play, reactor, outlaw);
  if (play.options.reaction_last_card === "at_once" && !play.view.hands[reactor]) endHand(play, "last-card-reaction");
  else settle(play);
}

// --- Wyatt Earp

function earp(play, action) {
  play.view.sheriff_played = true;
  putDown(play, play.view.active, EARP, "used");
  if (action.mode === "draw") drawTwo(play);
  else if (action.mode === "search") search(play, action);
  else fire(play, { card: EARP, mode: "remove-hideout", outlaw: action.on });
}

// In the discard everybody knows how many cards a search may take, though not which; in the supply not even that.
function search(play, action) {
  const { view, options, memory, step } = play;
  const { active: seat } = view;
  const inSupply = options.earp_search === "supply";
  const cards = inSupply ? view.supply : discardSize(play);
  const answers = inSupply ? undefined : takeable(play);
  const open = step.by === "file" || options.search_public;
  let finds = play.told.event === "found";
  if (!inSupply && open) {
    const sure = memory.gaps === 0;
    if (!action.take || answers === 1) finds = answers === 1;
    else if (sure) finds = action.take.some((card) => card !== EARP && memory.discard.includes(card));
  }
  if (answers === 0) throw new Impossible("a search with nothing to be found");
  const there = memory.discard.filter((card) => card !== EARP);
  if (finds) return find(play, inSupply ? play.told.card : (action.take?.find((card) => there.includes(card)) ?? there[0]));
  if (inSupply && play.told.event !== "searching") return searched(play);
  play.say("searching", { seat, cards });
  return ask(play, "choose", { card: EARP, mode: "search" });
}

// `card` counts where searches are public; in the supply it is the record's word, unless it was chosen by name.
function find(play, card) {
  const { view, options, memory } = play;
  const { active: seat } = view;
  const inSupply = options.earp_search === "supply";
  if (inSupply) view.supply -= 1;
  if (options.search_public) {
    const at = memory.discard.indexOf(card);
    if (!inSupply && (at < 0 || card === EARP)) throw new Impossible(`${card} does not lie in the discard`);
    if (!inSupply) memory.discard.splice(at, 1);
    gains(play, seat, card);
    play.say("found", { seat, card });
  } else {
    if (!inSupply) memory.gaps += 1;
    gainsUnseen(play, seat, 1);
    play.say("found", { seat });
  }
  searched(play);
}

function searched(play) {
  carryOn(play, "play");
  if (play.options.earp_search === "discard") return;
  if (play.view.supply) reshuffle(play, play.view.supply);
  settle(play);
}

// --- one action

function choose(play, action) {
  const { pending, active } = play.view;
  if (pending.mode === "search") return find(play, action.take ?? play.told.card);
  if (action.decline) {
    if (pending.card === "most-wanted") putDown(play, active, "most-wanted", "used");
    return settle(play);
  }
  return strike(play, { ...pending, outlaw: action.on, seat: action.seat });
}

function shoot(play, shot) {
  play.view.sheriff_played = true;
  fire(play, shot);
}

function discard(play, { card }) {
  const { active: seat } = play.view;
  putDown(play, seat, card, "turn");
  play.say("turn-ended", { seat });
  const { view } = play;
  if (!view.hands[seat]) endHand(play, "went-out");
  else if (Object.values(view.hands).includes(0)) endHand(play, "empty-hand");
  else {
    view.active = play.after(seat);
    freshTurn(play);
    carryOn(play, "draw");
  }
}

const rob = (play, { do: card, on }) => shoot(play, { card, outlaw: on });

const PLAYS = {
  draw: { draw: (play, { from }) => (from === "supply" ? drawTwo(play) : drawTop(play)) },
  react: { react },
  choose: { choose },
  play: {
    lay, photo, discard, "bank-robbery": rob, "stagecoach-robbery": rob, "fastest-gun": rob, "wyatt-earp": earp,
    "most-wanted": (play, action) =>
      action.steal ? shoot(play, { card: "most-wanted", outlaw: action.outlaw, seat: action.seat }) : askAround(play, action),
    hideout: (play, { on, seat }) => shoot(play, { card: "hideout", outlaw: on, seat }),
  },
};

// What everybody is told of the discard, and who is asked.
function shown(play) {
  const { view } = play;
  const running = view.phase !== "chance" && view.phase !== "over";
  delete view.waiting;
  if (!running) return;
  const [top] = play.memory.discard;
  view.discard = { count: discardSize(play), takeable: takeable(play), ...(discardSize(play) ? { top } : {}) };
  view.waiting = { seat: view.phase === "react" ? view.pending.of : view.active, phase: view.phase };
}

export const WYATT_EARP = {
  // Whether an epoch needs more of those before it than their last view tells: who duels, or a hand that is not dealt.
  remembers: ({ duel_deck: deck }, { steps }) => deck === "fresh_78" || steps[0]?.by !== "game",
  open(play) {
    if (play.memory.duel) openDuel(play);
    else deal(play);
    shown(play);
  },
  act(play, action) {
    const { phase } = play.view;
    const does = Object.hasOwn(PLAYS, phase) && Object.hasOwn(PLAYS[phase], action.do) ? PLAYS[phase][action.do] : undefined;
    if (!does) throw new Impossible(`/action/do: ${action.do} is no answer in the phase ${phase}`);
    does(play, action);
    shown(play);
  },
  // Which card a secret search took may show by what lies on top now.
  settle(play, told) {
    if (told.discard.top && play.view.waiting) topIs(play, told.discard.top);
    shown(play);
  },
};
