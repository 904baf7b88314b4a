// What the page does with a dropped file. Everything that comes from the file goes into the page as text, never as markup.

import { aimed, audit, LABELS, STEPS } from "./audit.mjs";
import { identityFromPaper, keysOf, secretFromFile } from "./identity.mjs";

const $ = (id) => document.getElementById(id);
let chosen;

function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children.filter((child) => child !== undefined && child !== ""));
  return element;
}

const many = (count, one, more = `${one}s`) => `${count} ${count === 1 ? one : more}`;
const names = (report, seats) => seats.map((seat) => report.names[seat] ?? seat).join(" and ");

// --- the verdict, in words ------------------------------------------------------------------------------------------------

function verdict(report) {
  const { faults, draws } = report;
  if (!report.ok) {
    const first = faults[0];
    const head = make("h2", {}, "This file does not hold");
    const where = `${many(faults.length, "finding")}; the first is in record ${first.record}: ${first.text}.`;
    const what = "Ask the other players for their copies and compare them. If theirs hold, yours was damaged or changed on its way; if not, the host has something to explain.";
    return make("section", { class: "verdict bad" }, head, make("p", {}, where), make("p", {}, what));
  }
  const proven = draws.fair + draws["fair after reveal"];
  const open = draws["bound only"];
  const drawn = `${many(proven, "card or die", "cards and dice")} ${proven === 1 ? "is" : "are"} proven`;
  const rest = open ? `, and ${open} ${open === 1 ? "is" : "are"} committed, not yet proven` : "";
  const kind = open || !report.ended ? "wait" : "good";
  const title = report.ended ? "This match holds" : "Everything holds so far";
  const after = report.ended
    ? `Nothing wrong was found in ${many(report.records, "record")}, from the invitation to the end.`
    : "The match is not over. What is still sealed can only be checked when it is opened.";
  return make("section", { class: `verdict ${open ? "wait" : kind}` }, make("h2", {}, title), make("p", {}, `${drawn}${rest}.`), make("p", {}, after));
}

function figures(report) {
  const cells = [
    [report.title || "?", "game"],
    [Object.values(report.names).join(", ") || "?", "players"],
    [report.records, "records"],
    [report.draws.fair + report.draws["fair after reveal"], "draws proven"],
    [report.draws["bound only"], "committed, not yet proven"],
    [report.draws.refuted, "refuted"],
  ];
  return make("ul", { class: "figures" }, ...cells.map(([value, what]) => make("li", {}, make("b", {}, String(value)), what)));
}

function steps(report) {
  const bad = new Set(report.faults.map(({ step }) => step));
  const rows = Object.entries(STEPS).filter(([step]) => step !== "11" || report.seat);
  return make(
    "ol",
    { class: "steps" },
    ...rows.map(([step, what]) => {
      const wrong = bad.has(Number(step));
      const mark = make("span", { class: `mark ${wrong ? "no" : "ok"}`, "aria-hidden": "true" }, wrong ? "✗" : "✓");
      return make("li", {}, mark, make("span", {}, `${what[0].toUpperCase()}${what.slice(1)}: ${wrong ? "something is wrong" : "holds"}`));
    }),
  );
}

function faults(report) {
  const shown = report.faults.slice(0, 200).map(({ record, step, text }) =>
    make("li", {}, make("b", {}, `Record ${record}. `), `${text}.`, make("br"), make("span", { class: "soft" }, STEPS[step] ?? "")));
  const more = report.faults.length - shown.length;
  return [make("h2", {}, "What is wrong"), make("ul", { class: "faults" }, ...shown), more > 0 ? make("p", {}, `… and ${more} more.`) : ""];
}

// --- the draws, the hand, what else to know ----------------------------------------------------------------------------------

function table(caption, heads, rows) {
  const head = make("tr", {}, ...heads.map((text) => make("th", { scope: "col" }, text)));
  const body = rows.map((cells) => make("tr", {}, ...cells.map((cell) => make("td", {}, String(cell ?? "")))));
  return make("div", { class: "wide", tabindex: "0", role: "region", "aria-label": caption }, make("table", {}, make("thead", {}, head), make("tbody", {}, ...body)));
}

function draws(report) {
  if (!report.shots.length) return "";
  const rows = report.shots.map((shot) => [
    shot.record,
    shot.seat ? (report.names[shot.seat] ?? shot.seat) : "the game",
    shot.roll ? `${shot.value} of ${shot.sides}` : shot.card,
    shot.roll ? `roll ${shot.j}: ${shot.for}` : `draw ${shot.k}, place ${shot.place}${shot.gen ? `, reshuffle ${shot.gen}` : ""}`,
    LABELS[shot.label] + aimed(shot, (seats) => names(report, seats)),
  ]);
  const what = `Every open card and die (${rows.length})`;
  return make("details", {}, make("summary", {}, what), table(what, ["Record", "For", "Result", "Where from", "Proof"], rows));
}

function hand(report) {
  const { seat } = report;
  if (!seat) return "";
  const rows = seat.draws.map(({ record, card, place, k }) => [record, card, `draw ${k}, place ${place}`]);
  const what = `The cards that were dealt to ${names(report, [seat.seat])} (${rows.length})`;
  return [make("h2", {}, "Your own packets"), make("p", {}, `${many(seat.packets, "packet")} opened; each card was compared with what was committed before anybody could cut.`),
    make("details", {}, make("summary", {}, what), table(what, ["Record", "Card", "Where from"], rows))];
}

function remarks(report) {
  const lines = [];
  for (const { record, epoch, missing, back } of report.burns) {
    const why = back ? `${names(report, back)} wrote before the deal and had no part in it` : `${names(report, missing)} sent no part of the shuffle in time`;
    lines.push(`Record ${record}: the deck of deal ${epoch} is void because ${why}. That is one visible re-deal.`);
  }
  for (const [seat, count] of Object.entries(report.defaults)) lines.push(`${names(report, [seat])} was late and was played for, ${count === 1 ? "once" : `${count} times`}.`);
  if (report.outcome?.winners.length) lines.push(`Won by ${names(report, report.outcome.winners)}.`);
  lines.push(report.replayed ? "What everyone can see was checked by the rules. “pbem audit” replays the rest too: hidden cards, sealed moves, standing orders." : "The rules of the game were not replayed here. “pbem audit” does that too, and can find more.");
  return [make("h2", {}, "Good to know"), make("ul", {}, ...lines.map((line) => make("li", {}, line)))];
}

function compare(report) {
  if (!report.head) return "";
  return [make("h2", {}, "Compare with your friends"),
    make("p", {}, "Whoever has this same file sees the same twenty letters and digits. Read them to each other on the phone: if they differ, one of you has an older file, or you were shown different histories."),
    make("p", {}, make("b", { class: "mono" }, report.fingerprint)),
    make("p", { class: "soft" }, "Hash of the last record: ", make("code", {}, report.head))];
}

export function show(report) {
  const parts = [verdict(report), figures(report), report.ok ? "" : faults(report), make("h2", {}, "What was checked"), steps(report), hand(report), draws(report), remarks(report), compare(report)];
  $("report").replaceChildren(...parts.flat().filter(Boolean));
}

// --- doing it ------------------------------------------------------------------------------------------------------------------

async function keys() {
  const paper = $("paper").value.trim();
  if (paper) return keysOf(await identityFromPaper(paper));
  const file = $("identity").files[0];
  return file ? keysOf(await secretFromFile(await file.text(), $("passphrase").value)) : undefined;
}

async function check(file) {
  chosen = file;
  $("report").replaceChildren();
  const bar = make("progress", { "aria-label": "checking" });
  $("state").replaceChildren(make("p", {}, `Checking ${file.name} …`), bar);
  try {
    const progress = (done, all) => {
      bar.max = all;
      bar.value = done;
      return new Promise((resolve) => setTimeout(resolve));
    };
    show(await audit(new Uint8Array(await file.arrayBuffer()), { keys: await keys(), progress }));
    $("state").replaceChildren();
  } catch (error) {
    const old = error.name === "NotSupportedError";
    const text = old ? "This browser cannot check Ed25519 signatures. Take a newer one: Firefox 130, Safari 17, Chrome 137 or later." : error.message;
    $("state").replaceChildren(make("section", { class: "verdict bad" }, make("h2", {}, "That did not work"), make("p", {}, text)));
  }
}

$("file").addEventListener("change", ({ target }) => target.files[0] && check(target.files[0]));
$("again").addEventListener("click", () => (chosen ? check(chosen) : $("file").click()));
const drop = $("drop");
for (const name of ["dragover", "dragleave", "drop"]) {
  document.addEventListener(name, (event) => {
    event.preventDefault();
    drop.classList.toggle("over", name === "dragover");
    if (name === "drop" && event.dataTransfer.files[0]) check(event.dataTransfer.files[0]);
  });
}
