// The open match on one screen: whose turn it is, the table, what one holds, what would be sent.
import { ask, notifyFault } from "./ask.mjs";
import { ActionBar } from "./bar.mjs";
import { Board, Hand, Players, Purse, wide } from "./board.mjs";
import { look } from "./exchange.mjs";
import { Draft, List } from "./list.mjs";
import { menu } from "./menu.mjs";
import { paper } from "./paper.mjs";
import { button } from "./parts.mjs";
import { NewsLine, showNews } from "./since.mjs";
import { read, send } from "./store.mjs";
import { faultText } from "./trouble.mjs";
import { html } from "./view.mjs";
import { moment, say, timeLeft } from "./words.mjs";

/** @import { Scene } from "../types.js" */

/** @param {string} name */
export async function openMatch(name) {
  const answer = await ask({ do: "open", match: name });
  if (!answer.ok) {
    const helped = answer.storage || answer.broken || answer.missing || (answer.help && answer.help !== "paper");
    return helped ? notifyFault(answer) : send("keys-missing", { match: name, text: faultText(answer) });
  }
  showTable();
  if (read().match.scene?.api) void look(true);
  return undefined;
}

/** The table of the open match, or what stands before it. */
export function showTable() {
  const { screen, match: { scene, news } } = read();
  if (!scene) return send("open-home");
  send("table-opened");
  if (screen.name !== "table") scrollTo(0, 0);
  if (scene.joining) return;
  if (scene.news && !news) void showNews();
  void drawWide();
}

// A wide screen has space for the large drawing, with the same parts.
export async function drawWide() {
  const { scene } = read().match;
  if (!scene?.board?.tree || !wide()) return;
  const answer = await ask({ do: "picture", form: "wide" });
  if (answer.ok && read().match.scene?.at === scene.at) send("wide-drawing", answer.picture);
}

/** @param {{ scene: Scene }} given */
function Top({ scene }) {
  return html`<nav class="bar"><button type="button" class="small" aria-label=${say("back-to-matches")} onClick=${() => send("open-home")}><span aria-hidden="true">‹</span></button>
    <span class="where">${[scene.title, scene.chapter].filter(Boolean).join(", ")}</span>
    <button type="button" class="small" aria-haspopup="dialog" aria-label=${say("menu")} onClick=${menu}><span aria-hidden="true">⋯</span></button></nav>`;
}

/** @param {{ scene: Scene }} given */
function Turn({ scene }) {
  const time = scene.due_at ? timeLeft(Date.parse(scene.due_at) - Date.now()) : "";
  const due = time ? say("time-left", { time }) : scene.due;
  const news = Boolean(read().match.news);
  return html`<div class=${`turn ${scene.mine ? "mine" : ""} ${news ? "news" : ""}`}><h1 id="asked" class=${news ? "hidden" : ""} tabIndex="-1">${scene.asked}</h1><${NewsLine} />${due && !news && html`<time class="due" datetime=${scene.due_at} title=${scene.due_at ? say("by", { time: moment(Date.parse(scene.due_at)) }) : scene.due}>${due}</time>`}</div>`;
}

/** @param {{ what: "table" | "hand", text: string }} given */
const Tab = ({ what, text }) => html`<button type="button" role="tab" aria-selected=${String(read().match.tab === what)} onClick=${() => send("tab", what)}>${text}</button>`;

/** Words for paper or a backup, once a turn has made the match worth it. @param {{ scene: Scene }} given */
function KeepKeys({ scene }) {
  if (scene.practice || scene.over || !scene.played || localStorage.getItem(`safe ${scene.match}`)) return null;
  return html`<div class="warning"><p>${say("keep-keys")}</p><div class="ways">${button(say("paper"), () => paper(scene.match), { class: "first" })}${button(say("not-now-button"), () => {
    localStorage.setItem(`safe ${scene.match}`, "later");
    send("redraw");
  })}</div></div>`;
}

export function TableScreen() {
  const { scene: open, news, tab, chosen, status, wide: wideDrawing } = read().match;
  const scene = /** @type {Scene} */ (open);
  const own = wide() && wideDrawing ? wideDrawing : scene.board;
  const picture = news?.tree && news.begin ? { ...news.begin, tree: news.tree } : own;
  const players = (scene.players ?? []).map((player) => (news?.figures[player.part] ? { ...player, figure: news.figures[player.part] } : player));
  const hand = (scene.held ?? []).length > 0;
  return html`<div class="game" data-tab=${tab} data-news=${news ? "yes" : "no"} data-head=${scene.head} data-touches=${chosen.length}>
    <${Top} scene=${scene} />
    <${Turn} scene=${scene} />
    ${players.length > 0 && html`<${Players} scene=${{ ...scene, players }} />`}
    <div class="tabs" role="tablist" aria-label=${say("table")}><${Tab} what="table" text=${say("table")} /><${Tab} what="hand" text=${say(hand ? "hand" : "own")} /></div>
    <section class="seen" aria-label=${say("table")}>${picture?.tree ? html`<${Board} scene=${scene} picture=${picture} />` : html`<pre tabIndex="0">${scene.table}</pre>${scene.hosted && html`<p class="hosted">${scene.hosted}</p>`}`}</section>
    <section class="held" aria-label=${say(hand ? "hand" : "own")}>${hand && html`<${Hand} scene=${scene} />`}${!hand && scene.purse?.length > 0 && html`<${Purse} scene=${scene} />`}</section>
    <${ActionBar} scene=${scene} />
    <p class="hidden" id="status" role="status">${status}</p>
    <div id="stage" aria-hidden="true"></div>
  </div>
  <section class="choosing" aria-label=${say("choices")}><h2>${say("choices")}</h2><${KeepKeys} scene=${scene} />
    <${List} scene=${scene} /><${Draft} scene=${scene} />
    ${(scene.unanswered || []).map((text) => html`<p class="note">${text}</p>`)}
    <details class="latest"><summary>${say("story")}</summary><pre class="story">${scene.latest}</pre></details></section>`;
}
