// Way Out West in public: what lies on the map, money, boxes and stocks, as a public view has them. Nothing is secret but dice to
// come; hidden money is reckoned from what everybody saw paid, and kept beside the view.

import { Impossible } from "./replay.mjs";
import { townId } from "./setup.mjs";

export const sum = (numbers) => numbers.reduce((all, one) => all + one, 0);

// The towns from the lowest, each with its corrals and buildings.
export function townsOf(play) {
  const named = () => [...play.setup.board.towns].sort((a, b) => a.id - b.id).map((town) => ({ ...town, name: townId(town.name) }));
  return (play.towns ??= named());
}

export const namesOf = (play) => townsOf(play).map(({ name }) => name);

export function otherTowns(play, town) {
  return namesOf(play).filter((name) => name !== town);
}

// The boxes that exist with so many players.
export const boxesOf = ({ setup, seats }) => setup.board.action_boxes.filter((box) => box.min_players <= seats.length);

// --- money

export const purse = (play) => (play.options.money_public ? play.view.cash : play.memory.cash);

export function pay(play, seat, amount) {
  const cash = purse(play);
  if (amount > cash[seat]) throw new Impossible(`${seat} pays ${amount} and has ${cash[seat]}`);
  cash[seat] -= amount;
}

export function earn(play, seat, amount) {
  purse(play)[seat] += amount;
}

// --- counters

// A map leaves out who has none; a seat may be called like a member that every object has.
export const has = (counts, seat) => Object.hasOwn(counts, seat);
export const held = (counts, seat) => (has(counts, seat) ? counts[seat] : 0);

// So many more of a seat's counters.
export function add(counts, seat, count) {
  const left = held(counts, seat) + count;
  if (left < 0) throw new Impossible(`${seat} has no such counter there`);
  if (left) counts[seat] = left;
  else delete counts[seat];
}

export const size = (town) => Object.keys(town.assets).length;
export const holdings = (town, seat) => Object.values(town.assets).filter((owner) => owner === seat).length;
export const herd = (town) => sum(Object.values(town.cattle));
const corralsTaken = (town) => herd(town) + Number("farmer" in town);

// Counters of one kind that a seat has in stock.
export function stock(play, seat, what) {
  const { setup, options, view } = play;
  if (options.counter_limit === "off") return Infinity;
  const there = (town) => {
    if (what === "cowboy") return held(town.cowboys, seat);
    if (what === "cattle") return held(town.cattle, seat);
    return Number(town.assets[what] === seat);
  };
  const lost = what === "jail" ? held(view.jails_lost ?? {}, seat) : 0;
  return setup.board.counters_per_colour[what] - sum(Object.values(view.towns).map(there)) - lost;
}

export function vacant(play, { name, corrals }) {
  return corrals - corralsTaken(play.view.towns[name]);
}

// Whether cattle may be bought into this town: the next lower one, or all lower ones, are more than half filled.
export function isOpen(play, name) {
  const towns = townsOf(play);
  const at = towns.findIndex((town) => town.name === name);
  const lower = play.options.cattle_gate === "all_lower" ? towns.slice(0, at) : towns.slice(Math.max(0, at - 1), at);
  const filled = (town) => (play.options.farmer_fills ? corralsTaken(town) : herd(town));
  return lower.every((town) => 2 * filled(play.view.towns[town.name]) > town.corrals);
}

// A jail that changes hands, or goes, has a fresh sheriff.
export function give(play, town, asset, owner) {
  const place = play.view.towns[town];
  if (owner) place.assets[asset] = owner;
  else delete place.assets[asset];
  if (asset === "jail") place.sheriff_down = false;
}

export const sheriffReady = (town) => "jail" in town.assets && !town.sheriff_down;

// --- who can do anything at all: what is asked is asked only where there is a choice

// What a box costs for so many counters; for none it costs nothing.
export const cost = (box, counters) => (counters ? (box.price ?? 0) + (box.price_per_counter ?? 0) * counters : 0);

export function canAct(play, seat) {
  const { view, options } = play;
  const free = boxesOf(play).filter(({ id }) => !view.used_boxes.includes(id));
  if (!options.box_must_act && free.length) return true;
  const cash = options.money_public ? view.cash[seat] : Infinity;
  const kinds = new Map(free.filter((box) => cost(box, 1) <= cash).map((box) => [`${box.kind} ${box.asset}`, box]));
  return [...kinds.values()].some((box) => USES[box.kind](play, seat, box));
}

const somewhere = (play, fits) => townsOf(play).some((town) => fits(play.view.towns[town.name], town));

const USES = {
  cowboys: (play, seat) => stock(play, seat, "cowboy") > 0,
  cattle: (play, seat) =>
    stock(play, seat, "cattle") > 0 && somewhere(play, (there, town) => has(there.cowboys, seat) && vacant(play, town) > 0 && isOpen(play, town.name)),
  build: (play, seat, { asset }) =>
    stock(play, seat, asset) > 0 &&
    somewhere(play, (there, town) => !(asset in there.assets) && holdings(there, seat) < 2 && size(there) < town.buildings),
  move_cowboys: (play, seat) => somewhere(play, (there) => has(there.cowboys, seat)),
  move_cattle: (play, seat) =>
    somewhere(play, (there) => (play.options.move_cattle_owner === "any" ? herd(there) > 0 : has(there.cattle, seat))) &&
    somewhere(play, (_, town) => vacant(play, town) > 0),
  farmer: (play, seat) =>
    play.view.farmers[seat] > 0 && somewhere(play, (there, town) => !("farmer" in there) && (vacant(play, town) > 0 || herd(there) > 0)),
  gunfight: (play, seat) => somewhere(play, (there) => canAttack(play, seat, there)),
};

function canAttack(play, seat, town) {
  const { options } = play;
  const remove = options.takeover_without_counter === "remove";
  const sheriff = !options.attack_needs_cowboy && town.assets.jail === seat && !town.sheriff_down;
  const here = has(town.cowboys, seat);
  if (!here && !sheriff) return false;
  const assets = Object.entries(town.assets).filter(([, owner]) => owner !== seat).map(([asset]) => asset);
  if (assets.some((asset) => ["bank", "jail"].includes(asset) || remove || stock(play, seat, asset) > 0)) return true;
  if (Object.keys(town.cattle).some((owner) => owner !== seat) && (remove || stock(play, seat, "cattle") > 0)) return true;
  const farmer = "farmer" in town && (town.farmer !== seat || options.own_farmer_attackable);
  return farmer && (here || options.attacker_sheriff_vs_farmer);
}
