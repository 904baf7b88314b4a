// What happened since you looked: each step on the table itself, moved by transforms only, then what has ended.
import { ask, askOrNotify } from "./ask.mjs";
import { button } from "./parts.mjs";
import { pngOf } from "./png.mjs";
import { mayReact, Reactions } from "./react.mjs";
import { save, share } from "./share.mjs";
import { closeSheet, sheet } from "./sheet.mjs";
import { read, send } from "./store.mjs";
import { boxesOf, drawing } from "./svg.mjs";
import { html } from "./view.mjs";
import { during } from "./waiting.mjs";
import { plain, say } from "./words.mjs";

/** @import { End, News, Playback, Step } from "../types.js" */

/** @type {any} */
const FACE = ["svg", { viewBox: "0 0 24 24", width: 24, height: 24 }, ["path", { d: "M12 3 A9 9 0 1 0 12 21 A9 9 0 1 0 12 3 M8 14 Q12 18 16 14 M9 9 V10 M15 9 V10", fill: "none", stroke: "currentColor", "stroke-width": 2, "stroke-linecap": "round" }]];
const STEP = 1000;
const ALL = 12000;
const MOST_SHOTS = 4;

/** How long each of so many steps takes, in milliseconds: at most one second, and twelve in all. @param {number} count */
export const pace = (count) => Math.min(STEP, Math.floor(ALL / Math.max(1, count)));

/** Whether nothing is to move. */
const reducedMotion = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer;

/** Ask once for everything, then show it step by step. */
export async function showNews() {
  if (read().match.news) return;
  const answer = await ask({ do: "news" });
  // who has begun to choose is not interrupted, nor who answers what is shown: somebody else asked at the same time. It stays news
  const { match } = read();
  if (match.news || !answer.ok || !answer.news?.steps.length || match.chosen.length) return;
  const news = /** @type {News} */ (answer.news);
  const ended = news.steps.some((step) => step.end);
  if (!news.begin && !ended) return void markSeen(news.upto); // there was no table yet: nothing to be shown on it
  const moving = !reducedMotion() && Boolean(news.begin);
  send("news", { ...news, moving });
  if (moving) next();
}

function next() {
  const before = read().match.news;
  if (!before) return;
  send("news-step");
  const { steps, at } = /** @type {Playback} */ (read().match.news);
  const time = pace(steps.length);
  if (at === before.at) { // the table as all of it has left it
    timer = setTimeout(() => finishNews(), Math.min(STEP, ALL - time * steps.length));
    return;
  }
  animateStep(steps[at], time);
  timer = setTimeout(next, time);
}

/** The motion stands while one answers event `seq` by one of six words; with that event again it goes on. @param {number} seq */
function toggleHold(seq) {
  const { news } = read().match;
  if (!news) return;
  clearTimeout(timer);
  send("news-held", news.held === seq ? null : seq);
  if (news.held === seq && news.tree) timer = setTimeout(next, pace(news.steps.length));
}

/** Cards on their way, and a shot that turns over. @param {Step} step @param {number} time */
function animateStep(step, time) {
  const stage = document.getElementById("stage");
  if (!stage) return;
  const boxes = boxesOf(document.getElementById("screen") || document.body);
  const home = stage.getBoundingClientRect();
  const middle = (/** @type {string} */ part) => {
    const box = boxes.find((candidate) => candidate.part === part && candidate.width);
    return box ? { x: box.x + box.width / 2 - home.x, y: box.y + box.height / 2 - home.y } : { x: home.width / 2, y: home.height * 0.62 };
  };
  stage.replaceChildren();
  for (const [at, moved] of (step.moves || []).slice(0, 6).entries()) {
    const card = document.createElement("span");
    card.className = moved.name ? "flying" : "flying back";
    card.textContent = moved.count > 1 ? `${plain(moved.name)} ×${moved.count}`.trim() : plain(moved.name);
    stage.append(card);
    const half = card.offsetWidth / 2; // what lies at the edge of a small screen is shown whole
    const [from, to] = [moved.from, moved.to].map(middle).map(({ x, y }) => ({ x: Math.max(half, Math.min(x, home.width - half)), y }));
    const place = (/** @type {{ x: number, y: number }} */ spot, more = "") => `translate(${spot.x}px, ${spot.y}px) translate(-50%, -50%) ${more}`;
    card.animate([{ transform: place(from, "scale(.8)") }, { transform: place(to, "scale(1)") }], { duration: time * 0.8, delay: at * 40, easing: "ease-in-out", fill: "both" });
  }
  // what somebody puts under an event rises from the own place
  for (const [at, words] of step.reacts.entries()) {
    const saying = document.createElement("span");
    saying.className = "saying";
    saying.textContent = words;
    stage.append(saying);
    const { x, y } = middle(`seat:${step.seat}`);
    const place = (/** @type {number} */ up) => `translate(${x}px, ${y + up}px) translate(-50%, 0)`;
    saying.animate([{ transform: place(24) }, { transform: place(8) }], { duration: time * 0.8, delay: at * 80, easing: "ease-out", fill: "both" });
  }
  // its chance before, then it turns over and says what it was
  const shots = step.shots.slice(0, MOST_SHOTS);
  for (const [at, fired] of shots.entries()) {
    const shot = document.createElement("span");
    shot.className = [fired.hit ? "shot hit" : "shot", shots.length > 1 ? "small" : ""].join(" ").trim();
    shot.style.left = `${50 + (at - (shots.length - 1) / 2) * 22}%`;
    shot.textContent = fired.words;
    stage.append(shot);
    shot.animate([{ transform: "translate(-50%, -50%) rotateY(0deg)" }, { transform: "translate(-50%, -50%) rotateY(90deg)" }], { duration: time * 0.35, delay: time * 0.2, fill: "both" }).finished.then(() => {
      shot.textContent = outcome(fired);
      shot.animate([{ transform: "translate(-50%, -50%) rotateY(90deg)" }, { transform: "translate(-50%, -50%) rotateY(0deg)" }], { duration: time * 0.3, fill: "both" });
    }, () => {});
  }
}

/** @param {{ hit: boolean }} shot */
const outcome = (shot) => say(shot.hit ? "shot-hit" : "shot-missed");

/** Seen or skipped: the table of now, and what has ended meanwhile. @param {boolean} [endings] */
export function finishNews(endings = true) {
  const { news } = read().match;
  clearTimeout(timer);
  document.getElementById("stage")?.replaceChildren();
  if (!news) return;
  send("news-over");
  void markSeen(news.upto);
  const ended = news.steps.flatMap((step) => (step.end ? [step.end] : []));
  if (endings && ended.length) showEndings(ended);
}

/** What was shown has been seen, on the same scene; what came meanwhile comes next. @param {number} upto */
async function markSeen(upto) {
  const match = read().match.scene?.match;
  const answer = await ask({ do: "looked", upto });
  if (!answer.ok || !match || read().match.scene?.match !== match) return;
  send("news-left", answer.news);
  if (answer.news && !read().sheet) void showNews();
}

/** Who won what, why, and the standing; one after the other if several have ended. @param {End[]} ended */
export function showEndings(ended) {
  const [first, ...rest] = ended;
  const again = async () => {
    closeSheet();
    const answer = await askOrNotify({ do: "again-plan" });
    if (answer?.text) await share(say("play-again"), answer.text);
  };
  sheet(first.title, () => html`<ol class="standing">${first.standing.map((row) => html`<li key=${row.seat} class=${row.me ? "me" : ""}><span class="place">${row.place}</span><span class="name">${row.name}</span><span class="figure">${row.figure}</span></li>`)}</ol>
    ${first.lines.map((line) => html`<p>${line}</p>`)}
    <div class="ways">${first.again && button(say("play-again"), again, { class: "first" })}
      ${first.kind === "match" && button(say("share-end"), () => shareEnd(first))}
      ${button(say(first.kind === "match" ? "close" : "go-on"), closeSheet, { class: first.again ? "" : "first" })}</div>`,
  { kind: "ending", closed: () => (rest.length ? showEndings(rest) : read().match.scene?.news && showNews()) });
}

/** The end as one picture for friends, drawn of what is public; in words where no picture can be made or shared. @param {End} end */
async function shareEnd(end) {
  const answer = await askOrNotify({ do: "ending" });
  const words = [end.title, ...end.lines, ...end.standing.map((row) => `${row.place}. ${row.name} ${row.figure}`)].join("\n");
  const blob = answer && (await during(() => pngOf(answer.picture)).catch(() => null));
  if (!blob) return share(end.title, words);
  const file = new File([blob], "pbem.png", { type: "image/png" });
  if (!navigator.canShare?.({ files: [file] })) return save(file.name, blob);
  try {
    return await navigator.share({ files: [file], title: answer.picture.alt });
  } catch (fault) {
    return /** @type {Error} */ (fault).name === "AbortError" ? undefined : save(file.name, blob);
  }
}

/** What a step says, and what was said with it. @param {Step} step */
const wordsOf = (step) => [...step.text, step.say, ...step.private, ...step.under].filter(Boolean).join(" ");

/** Opens the six words for an event. @param {{ step: Step }} given */
function ReactTo({ step }) {
  return html`<button type="button" class="react" aria-expanded=${read().match.news?.held === step.seq} aria-label=${say("react")} onClick=${() => toggleHold(step.seq)}><span aria-hidden="true">${drawing(FACE)}</span></button>`;
}

/** The six words for an event, as long as they are asked for. @param {{ step: Step }} given */
function React({ step }) {
  const { news } = read().match;
  const done = () => {
    const now = read().match.news;
    if (now?.held === step.seq && now.tree) toggleHold(step.seq);
  };
  return news?.held === step.seq ? html`<${Reactions} seq=${step.seq} words=${news.react} done=${done} />` : null;
}

/** The event in motion, where it may be answered. */
function answerable() {
  const { scene, news } = read().match;
  return news?.tree && mayReact(scene) ? news.steps[news.at] : null;
}

/** Under the moving table: what one says to the event that is shown. */
export function Answering() {
  const step = answerable();
  return step ? html`<${React} step=${step} />` : null;
}

/** Beside the button that skips what happened. */
export function Answer() {
  const step = answerable();
  return step ? html`<${ReactTo} step=${step} />` : null;
}

/** What the steps say, for the turn's line and for those who want no motion. */
export function NewsLine() {
  const { scene, news } = read().match;
  if (!news) return null;
  if (!news.tree) return html`<ol class="happened">${news.earlier && html`<li><pre class="story">${news.earlier}</pre></li>`}
    ${news.steps.map((step) => html`<li key=${step.seq}><strong>${step.title}</strong>${step.shots.map((shot) => html` <span class="note">${shot.words}: ${outcome(shot)}</span>`)}${wordsOf(step) && html` <span>${wordsOf(step)}</span>`}${mayReact(scene) && html` <${ReactTo} step=${step} /><${React} step=${step} />`}</li>`)}</ol>`;
  const step = news.steps[Math.max(0, news.at)];
  return html`<p class="now" role="status">${wordsOf(step) || step.title}</p>`;
}
