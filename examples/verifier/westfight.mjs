// Way Out West in public: a gunfight, from its declaration to the Wanted counter.

import { Impossible } from "./replay.mjs";
import { add, earn, give, held, otherTowns, pay, purse, sheriffReady, stock, sum } from "./westtable.mjs";

const townOf = ({ view }) => view.towns[view.fight.town];
const other = (side) => (side === "attack" ? "defence" : "attack");
const seatOf = ({ fight }, side) => (side === "attack" ? fight.attacker : fight.defender);
const isFarmer = ({ defender }) => defender === "farmer";
const cowboys = (play, seat) => held(townOf(play).cowboys, seat);

// --- declaration and sheriff

export function declare(play, seat, { town, target, plan }) {
  const { view, options } = play;
  const place = view.towns[town];
  const defender = target.farmer ? "farmer" : (target.seat ?? place.assets[target.asset]);
  if (!defender || (target.farmer && !("farmer" in place))) throw new Impossible(`there is no such target in ${town}`);
  const { jail } = place.assets;
  const ready = sheriffReady(place);
  const willing = defender !== "farmer" || options.attacker_sheriff_vs_farmer;
  let sheriff = "none";
  if (ready && jail === seat && willing) sheriff = "attack";
  else if (ready && jail === defender) sheriff = "defence";
  view.fight = { town, attacker: seat, defender, target, attack: 0, defence: 0, round: 0, sheriff, ...(plan ? { plan } : {}) };
  strengths(play);
  if (!ready || jail === seat || jail === defender) return begin(play);
  return defender === "farmer" ? ask(play, "lend-sheriff", jail) : ask(play, "ask-sheriff", defender);
}

function strengths(play) {
  const { fight } = play.view;
  const joins = (side) => Number(fight.sheriff === side);
  fight.attack = cowboys(play, fight.attacker) + joins("attack");
  const own = isFarmer(fight) ? 0 : cowboys(play, fight.defender);
  fight.defence = own + garrison(play) + joins("defence");
}

// Guard and crew always fight; a default cowboy only where there is no cowboy and no own sheriff; a farmer for himself.
function garrison(play) {
  const { fight } = play.view;
  if (garrisonName(fight) !== "default-cowboy") return 1;
  const ownSheriff = fight.sheriff === "defence" && townOf(play).assets.jail === fight.defender;
  return Number(cowboys(play, fight.defender) === 0 && !ownSheriff);
}

function garrisonName({ target }) {
  if (target.farmer) return "farmer";
  if (target.asset === "bank") return "guard";
  return target.asset === "train" ? "crew" : "default-cowboy";
}

function ask(play, asks, seat) {
  const { view } = play;
  view.phase = "gunfight";
  Object.assign(view.fight, { asks, seat });
}

function begin(play) {
  const { fight } = play.view;
  const equal = fight.attack === fight.defence;
  const side = fight.attack < fight.defence ? "attack" : "defence";
  const first = equal ? "both" : seatOf(play.view, side);
  Object.assign(fight, { first, round: 1 });
  const { town, attacker, defender, target, attack, defence } = fight;
  play.say("gunfight", { town, attacker, defender, target, attack, defence, first });
  return equal ? simultaneous(play) : moment(play, side);
}

// --- firing and retreating

// It is a side's moment: its player is asked, unless a plan answers or there is no player.
function moment(play, side) {
  const { fight } = play.view;
  if (side === "attack" && fight.plan) {
    return fight.attack < fight.plan.retreat_below ? retreat(play, side, plannedTowns(play)) : fire(play, side);
  }
  if (side === "defence" && (isFarmer(fight) || fight.left)) return fire(play, side);
  return ask(play, "fire", seatOf(play.view, side));
}

// The plan's towns as far as there are cowboys; filled up from the lowest.
function plannedTowns(play) {
  const { fight } = play.view;
  const others = otherTowns(play, fight.town);
  const wish = [...new Set([...fight.plan.to, ...others])];
  return wish.slice(0, Math.min(cowboys(play, fight.attacker), others.length));
}

function fire(play, side) {
  if (play.view.fight.first !== "both") return alternating(play, side);
  return side === "attack" ? moment(play, "defence") : simultaneous(play);
}

function volley(play, side) {
  const { fight } = play.view;
  const dice = Array.from({ length: fight[side] }, () => play.rolled(6));
  const hits = dice.filter((value) => value >= 5).length;
  play.say("volley", { side, dice, hits });
  return hits;
}

function alternating(play, side) {
  const { fight } = play.view;
  takeLosses(play, other(side), volley(play, side));
  if (!fight[other(side)]) return won(play, side);
  endHalfRound(play, side);
  return moment(play, other(side));
}

// The round is over when the side that did not begin has had its moment.
function endHalfRound({ view }, side) {
  if (view.fight.first !== seatOf(view, side)) view.fight.round += 1;
}

function simultaneous(play) {
  const { fight } = play.view;
  const byAttack = volley(play, "attack");
  const byDefence = volley(play, "defence");
  takeLosses(play, "attack", byDefence);
  takeLosses(play, "defence", byAttack);
  if (fight.attack && fight.defence) {
    fight.round += 1;
    return moment(play, "attack");
  }
  if (fight.attack) return won(play, "attack");
  if (fight.defence || play.options.mutual_kill === "defender_wins") return won(play, "defence");
  play.say("gunfight-won", { winner: "nobody", loser: "both", target: fight.target });
  return finish(play, undefined);
}

// What is left of a side, the first to die first.
function losses(play, side) {
  const { fight } = play.view;
  const strength = fight[side];
  const seat = seatOf(play.view, side);
  if (seat === "farmer") return [["sheriff", strength - 1], ["farmer", 1]];
  const own = cowboys(play, seat);
  const sheriff = Math.min(Number(fight.sheriff === side), strength - own);
  return [["cowboy", own], [garrisonName(fight), strength - own - sheriff], ["sheriff", sheriff]];
}

function takeLosses(play, side, hits) {
  const { fight } = play.view;
  let left = hits;
  for (const [what, there] of losses(play, side)) {
    const count = Math.min(left, there);
    if (count <= 0) continue;
    left -= count;
    fight[side] -= count;
    play.say("killed", { side, what, count });
    if (what === "cowboy") add(townOf(play).cowboys, seatOf(play.view, side), -count);
    if (what === "sheriff" && play.options.sheriff_respawn === "next_turn") townOf(play).sheriff_down = true;
  }
}

function retreat(play, side, to) {
  const { view, options } = play;
  const { fight } = view;
  const seat = seatOf(view, side);
  const there = cowboys(play, seat);
  const lost = options.retreat_overflow === "spread_evenly" && to.length ? 0 : Math.max(0, there - to.length);
  const names = otherTowns(play, fight.town).filter((town) => to.includes(town)); // from the lowest
  if (names.length !== to.length) throw new Impossible("cowboys retreat to other towns, each once");
  for (const [at, town] of names.entries()) add(view.towns[town].cowboys, seat, Math.floor((there - lost - at + names.length - 1) / names.length));
  add(townOf(play).cowboys, seat, -there);
  play.say("retreated", { seat, to: [...names].sort(), lost });
  if (!fightsOn(play, side, there)) won(play, other(side));
}

// Guard, crew or sheriff may go on without the cowboys: the retreat took the place of this shot.
function fightsOn(play, side, left) {
  const { fight } = play.view;
  if (side === "attack" || play.options.retreat_garrison === "loses_at_once") return false;
  let rest = fight.defence - left;
  if (garrisonName(fight) === "default-cowboy") rest = Math.min(rest, Number(fight.sheriff === "defence"));
  if (rest < 1) return false;
  Object.assign(fight, { defence: rest, left: true });
  if (fight.first === "both") simultaneous(play);
  else {
    endHalfRound(play, "defence");
    moment(play, "attack");
  }
  return true;
}

// --- results

function won(play, side) {
  const { fight } = play.view;
  const [winner, loser] = [seatOf(play.view, side), seatOf(play.view, other(side))];
  play.say("gunfight-won", { winner, loser, target: fight.target });
  if (side === "defence") return finish(play, winner === "farmer" ? undefined : winner);
  if (fight.target.asset === "bank") return rob(play);
  takeTarget(play);
  return finish(play, winner);
}

function takeTarget(play) {
  const { fight } = play.view;
  const { town, target, attacker: seat, defender: from } = fight;
  if (target.farmer) {
    delete townOf(play).farmer;
    return play.say("removed", { what: "farmer", town });
  }
  if (target.cattle) return takeCattle(play);
  if (target.asset === "jail" || stock(play, seat, target.asset) < 1) return removeAsset(play, target.asset);
  give(play, town, target.asset, seat);
  return play.say("captured", { seat, from, what: target.asset, town });
}

function takeCattle(play) {
  const { town, target, attacker: seat, defender: from } = play.view.fight;
  for (let i = 0; i < target.cattle; i++) {
    const replaced = stock(play, seat, "cattle") > 0;
    add(townOf(play).cattle, from, -1);
    if (replaced) {
      add(townOf(play).cattle, seat, 1);
      play.say("captured", { seat, from, what: "cattle", town });
    } else play.say("returned", { seat: from, what: "cattle", town, count: 1 });
  }
}

function removeAsset(play, what) {
  const { view, options } = play;
  const { town, defender } = view.fight;
  give(play, town, what, undefined);
  play.say("removed", { what, town });
  if (what !== "jail" || options.jail_fate !== "out_of_game") return;
  view.jails_lost ??= Object.fromEntries(play.seats.map((seat) => [seat, 0]));
  view.jails_lost[defender] += 1;
}

function rob(play) {
  const { attacker: seat, defender: from, town } = play.view.fight;
  const dice = [play.rolled(6), play.rolled(6), play.rolled(6)];
  const amount = Math.min(sum(dice), purse(play)[from]);
  const closed = amount < sum(dice);
  pay(play, from, amount);
  earn(play, seat, amount);
  play.say("robbed", { seat, from, dice, amount, bank_closed: closed });
  if (closed) removeAsset(play, "bank");
  const { jail } = townOf(play).assets;
  if (!jail || jail === seat || !cowboys(play, seat)) return finish(play, seat);
  const others = otherTowns(play, town);
  return others.length === 1 ? leave(play, [{ to: others[0], count: cowboys(play, seat) }]) : ask(play, "leave-town", seat);
}

function leave(play, moves) {
  const { attacker: seat, town: from } = play.view.fight;
  for (const { to, count } of moves) {
    add(townOf(play).cowboys, seat, -count);
    add(play.view.towns[to].cowboys, seat, count);
    play.say("moved", { seat, what: "cowboy", from, to, count });
  }
  return finish(play, seat);
}

// One Wanted counter for a player who won; from another player where the supply has none.
function finish(play, winner) {
  const { view, setup } = play;
  if (!winner) return close(play);
  if (setup.board.wanted_counters > sum(Object.values(view.wanted))) return takeWanted(play, winner, "supply");
  const rich = play.seats.filter((seat) => view.wanted[seat] && seat !== winner);
  if (rich.length > 1) return ask(play, "take-wanted", winner);
  return rich.length ? takeWanted(play, winner, rich[0]) : close(play);
}

function takeWanted(play, seat, from) {
  const { wanted } = play.view;
  if (from !== "supply") wanted[from] -= 1;
  wanted[seat] += 1;
  play.say("wanted", { seat, from });
  close(play);
}

function close({ view }) {
  delete view.fight;
  view.phase = "actions";
}

// --- answers. What `asks` and `seat` said is over once it is answered.

export function answer(play, action) {
  const { fight } = play.view;
  const { asks, seat } = fight;
  const side = seat === fight.attacker ? "attack" : "defence";
  delete fight.asks;
  delete fight.seat;
  if (asks !== (action.do === "retreat" ? "fire" : action.do)) throw new Impossible(`${action.do} is no answer to ${asks}`);
  if (action.do === "fire") fire(play, side);
  else if (action.do === "retreat") retreat(play, side, action.to);
  else if (action.do === "leave-town") leave(play, action.moves);
  else if (action.do === "take-wanted") takeWanted(play, seat, action.from);
  else if (action.do === "ask-sheriff" && action.ask) ask(play, "lend-sheriff", townOf(play).assets.jail);
  else {
    if (action.lend) {
      fight.sheriff = "defence";
      strengths(play);
    }
    begin(play);
  }
}
