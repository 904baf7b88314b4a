// The first screen: the matches of this device, practice, what is brought by hand, settings.
import { askOrNotify } from "./ask.mjs";
import { Bringing } from "./bringing.mjs";
import { readList, refreshList } from "./listening.mjs";
import { group } from "./looking.mjs";
import { Others } from "./others.mjs";
import { button, Choice, Fold, value } from "./parts.mjs";
import { pushAll } from "./push.mjs";
import { Settings } from "./settings.mjs";
import { notify } from "./sheet.mjs";
import { read, send } from "./store.mjs";
import { Notes } from "./surroundings.mjs";
import { html } from "./view.mjs";
import { say, timeLeft } from "./words.mjs";

/** @import { Match } from "../types.js" */

/** The games that can be practised, as ids and titles. @returns {[string, string][]} */
export const games = () => read().list.games.filter((game) => game.practice).map((game) => [game.id, game.title]);

/** How many others the chosen game can have. @returns {[string, string][]} */
const rivals = () => (read().list.games.find((game) => game.id === read().list.game)?.seats ?? [3]).filter((seats) => seats > 1).map((seats) => [String(seats - 1), String(seats - 1)]);

export async function home() {
  send("home-opened");
  await readList();
  void refreshList();
  return undefined;
}

/** @param {string} game @param {number} against @param {string} level */
export const beginPractice = (game, against, level) => askOrNotify({ do: "practice", game, against, level });

/** @param {{ match: Match }} given */
function MatchRow({ match }) {
  const time = match.due_at ? timeLeft(Date.parse(match.due_at) - Date.now()) : "";
  return html`<li><button type="button" class=${match.mine ? "row mine" : "row"} onClick=${() => send("open-match", match.id)}>
    <span class="label">${match.practice ? `${match.title} (${say("practice-match")})` : match.title}</span>
    ${match.mine && html`<span class="mark">${say("your-move")}</span>`}${time && html`<span class="time">${say("time-left", { time })}</span>`}
    <span class="effect">${match.says}</span><span class="id">${match.host ? `${match.id} · ${match.host}` : match.id}</span></button></li>`;
}

export function HomeScreen() {
  const { list: { matches, game }, host } = read();
  const people = matches.some((match) => !match.practice);
  return html`<h1>${say("title")}</h1>${host.says && html`<p class="hosted">${host.says}</p>`}<${Notes} />
    <section aria-labelledby="own"><h2 id="own">${say("matches")}</h2>
      ${matches.length ? html`<ul class="matches">${[...matches].sort((match, other) => Number(other.mine) - Number(match.mine)).map((match) => html`<${MatchRow} key=${match.id} match=${match} />`)}</ul>` : html`<p>${say("no-matches")}</p>`}<${Others} />
      ${people && html`<div class="ways">${button(say("look-for-news"), () => refreshList(true))}${button(say("group"), group)}${button(say("push"), pushAll)}</div>`}</section>
    ${game !== "" && html`<${Fold} key="practise" id="practise" title=${say("practise")} open=${matches.length === 0}><p>${say("practise-about")}</p>
      <${Choice} id="game" label=${say("game")} options=${games()} value=${game} onPick=${(/** @type {string} */ picked) => send("list", { game: picked })} />
      <${Choice} id="against" label=${say("opponents")} options=${rivals()} value="2" />
      <${Choice} id="level" label=${say("level")} options=${["easy", "strong"].map((key) => [key, say(key)])} value="easy" />
      ${button(say("begin"), async () => (await beginPractice(value("game"), Number(value("against")), value("level"))) && send("open-table"), { class: "first" })}
    </${Fold}>`}
    <${Fold} key="bring" id="bring" title=${say("bring")} open=${true}><${Bringing} /></${Fold}>
    <${Fold} key="settings" id="settings" title=${say("settings")}><${Settings} /></${Fold}>`;
}

/** The list is pulled down: asked again. */
export function watchPullDown() {
  let from = 0;
  const atHome = () => read().screen.name === "home";
  addEventListener("touchstart", (event) => (from = atHome() && scrollY <= 0 && !read().sheet ? event.touches[0].clientY : 0), { passive: true });
  addEventListener("touchend", (event) => {
    if (from && event.changedTouches[0].clientY - from > 90) void refreshList(true);
    from = 0;
  }, { passive: true });
  document.addEventListener("visibilitychange", () => document.visibilityState === "visible" && atHome() && refreshList());
  addEventListener("online", () => {
    if (!atHome()) return;
    notify("");
    void refreshList();
  });
}
