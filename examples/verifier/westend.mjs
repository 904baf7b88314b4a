// Way Out West in public: income, the end of a turn, the end of the match.

import { earn, held, herd, holdings, namesOf, purse, size, sum } from "./westtable.mjs";

const SOURCES = ["cattle", "bank", "store", "hotel"];

// What a seat gets from one source in one town.
function income({ options }, town, seat, source) {
  const train = "train" in town.assets ? 2 : 1;
  const farmer = "farmer" in town;
  if (source === "cattle") return held(town.cattle, seat) * (farmer ? 1 : 2) * train;
  if (town.assets[source] !== seat) return 0;
  if (source === "bank") return 2 * (size(town) - holdings(town, seat));
  if (source === "hotel") return sum(Object.values(town.cowboys)) - held(town.cowboys, seat);
  let amount = herd(town) - held(town.cattle, seat);
  if (options.store_follows_cattle) {
    amount *= train;
    if (farmer) amount = Math.ceil(amount / 2);
  }
  return amount + (farmer && (town.farmer !== seat || options.store_own_farmer === "pays") ? 2 : 0);
}

function payIncome(play) {
  for (const seat of play.seats) {
    for (const source of SOURCES) {
      for (const town of namesOf(play)) {
        const amount = income(play, play.view.towns[town], seat, source);
        if (!amount) continue;
        earn(play, seat, amount);
        play.say("income", { seat, source, town, amount });
      }
    }
  }
}

// The turn is over: income on the income spaces, then the marker advances, or the match ends.
export function endTurn(play, openAuction) {
  const { view, setup } = play;
  const { income_spaces: spaces, last_space: last } = setup.board;
  if (spaces.includes(view.space)) payIncome(play);
  play.say("turn-ended", { space: view.space });
  if (view.space >= last) return endMatch(play);
  view.space += 1;
  for (const seat of play.seats) view.tokens[seat] = 2;
  view.used_boxes = [];
  for (const town of Object.values(view.towns)) town.sheriff_down = false;
  return openAuction(play);
}

// --- points

// The bonus for the only one who has most; 2 for each who shares it.
function mostOf(counts, bonus) {
  const most = Math.max(...Object.values(counts));
  const seats = Object.keys(counts).filter((seat) => counts[seat] === most);
  return (seat) => (seats.includes(seat) ? (seats.length === 1 ? bonus : 2) : 0);
}

// Who has most assets and cattle together; nobody on a tie.
function ruler(town, seats) {
  const counters = seats.map((seat) => holdings(town, seat) + held(town.cattle, seat));
  const most = Math.max(...counters);
  return counters.filter((count) => count === most).length === 1 ? seats[counters.indexOf(most)] : undefined;
}

function endMatch(play) {
  const { view, seats } = play;
  view.phase = "over";
  delete view.active;
  const towns = Object.values(view.towns);
  const cash = mostOf(purse(play), 5);
  const wanted = mostOf(view.wanted, 4);
  const points = {};
  for (const seat of seats) {
    const score = {
      assets: sum(towns.map((town) => holdings(town, seat) * size(town))),
      cattle: sum(towns.map((town) => held(town.cattle, seat) * (1 + Number("train" in town.assets) - Number("farmer" in town)))),
      control: sum(towns.map((town) => (ruler(town, seats) === seat ? size(town) : 0))),
      cash: cash(seat),
      wanted: wanted(seat),
    };
    points[seat] = sum(Object.values(score));
    play.say("scored", { seat, ...score, total: points[seat] });
  }
  const best = Math.max(...Object.values(points));
  play.say("match-ended", { winners: seats.filter((seat) => points[seat] === best), points });
}
