// The page from its start on: which screen stands there, how it is drawn, and who is asked for another one.
import { ask, boot } from "./ask.mjs";
import { depth, keepHistory, onBack } from "./back.mjs";
import { takeFiles, takeText } from "./bringing.mjs";
import { followLink } from "./following.mjs";
import { home, HomeScreen, watchPullDown } from "./home.mjs";
import { InvitationScreen, JoiningScreen, LostScreen } from "./join.mjs";
import { keepLast, LastScreen, lastTable } from "./last.mjs";
import { listen, refreshWhenCalled } from "./listening.mjs";
import { NoticeView, SheetView } from "./overlay.mjs";
import { FACES } from "./png.mjs";
import { watchPresses } from "./press.mjs";
import { storeNotificationTexts } from "./push.mjs";
import { closeSheet } from "./sheet.mjs";
import { read, send, subscribe } from "./store.mjs";
import { checkBrowser, persistStorage, watchInstallPrompt } from "./surroundings.mjs";
import { drawWide, openMatch, showTable, TableScreen } from "./table.mjs";
import { Newer, watchVersions } from "./version.mjs";
import { html, render } from "./view.mjs";

/** @import { Messages, Requests } from "../types.js" */

/** @type {Record<string, (given: any) => any>} */
const SCREENS = { home: HomeScreen, invitation: InvitationScreen, joining: JoiningScreen, last: LastScreen, lost: LostScreen, table: TableScreen };

/** @type {{ [K in keyof Requests]: (given: Requests[K]) => unknown }} */
const REQUESTS = { "open-home": home, "open-table": showTable, "open-match": openMatch, "open-link": ({ hash, page }) => followLink(hash, page) };

const root = () => /** @type {HTMLElement} */ (document.getElementById("page"));

function Page() {
  const { screen, sheet, notice } = read();
  const Screen = SCREENS[screen.name];
  if (screen.name === "last") return html`<${LastScreen} />`;
  return html`<${Newer} /><div id="screen">${Screen && html`<${Screen} key=${screen.name} ...${screen} />`}</div>
    ${sheet && notice?.trouble ? html`<div id="notice" class="notice"></div>` : html`<${NoticeView} />`}
    ${sheet && html`<${SheetView} key=${sheet.id} sheet=${sheet} />`}`;
}

/** @param {keyof Messages} kind @param {any} given */
function update(kind, given) {
  const request = /** @type {Record<string, ((given: any) => unknown) | undefined>} */ (REQUESTS)[kind];
  if (request) return void request(given);
  document.documentElement.dataset.screen = read().screen.name;
  render(html`<${Page} />`, root());
  keepHistory();
  keepLast();
  if (kind === "invitation-opened") scrollTo(0, 0);
}

/** @param {{ registration: ServiceWorkerRegistration, python: ReturnType<typeof import("./workers.mjs").startPython> }} given */
export async function start({ registration, python }) {
  const last = location.hash ? null : lastTable();
  if (last) {
    root().replaceChildren();
    subscribe(update);
    send("last-table-opened");
  }
  const answer = await boot(python);
  if (!answer.ok) throw Object.assign(new Error(answer.trace || answer.fault), { key: answer.broken ? "not-started" : answer.missing ? "not-fetched" : "" });
  await readHost();
  document.documentElement.dataset.state = "started";
  if (!last) root().replaceChildren();
  subscribe(update);
  onBack((level) => {
    if (read().sheet) closeSheet();
    if (level === 0 && read().screen.name !== "home") void home();
    else if (level < depth()) send("redraw");
  });
  watchPresses();
  watchPullDown();
  watchInstallPrompt();
  watchVersions(registration);
  navigator.serviceWorker.addEventListener("message", ({ data }) => data?.called && void refreshWhenCalled());
  addEventListener("hashchange", () => location.hash && followLink());
  matchMedia("(min-width: 48em)").addEventListener("change", () => {
    send("redraw");
    void drawWide();
  });
  setInterval(listen, 1000);
  setInterval(() => ["table", "home"].includes(read().screen.name) && send("redraw"), 30000); // the time that is left
  watchLetterSize();
  if (last) await openMatch(last.match);
  else await followLink();
  if (["", "last"].includes(read().screen.name)) await home();
  await takeShared();
  void checkBrowser();
  void persistStorage();
  void storeNotificationTexts();
  registration.active?.postMessage("later");
  void loadFonts();
}

// A host who serves the page beside the own API says so in host.json; a mirror or one's own page has no such file.
async function readHost() {
  const host = await fetch("host.json", { cache: "no-store" }).then((answer) => (answer.ok ? answer.json() : null)).catch(() => null);
  const served = await ask({ do: "served", host: host?.sign ? host : null }); // without a network it stays that host's
  send("served-by", { says: served.says || "", api: served.api || "" });
}

// Letters that are large for the screen: the hand and the table take turns on it.
function watchLetterSize() {
  const probe = document.createElement("div");
  probe.className = "probe";
  document.body.append(probe);
  const look = () => {
    document.documentElement.dataset.large = probe.offsetWidth > innerWidth * 1.15 ? "yes" : "no";
  };
  new ResizeObserver(look).observe(probe);
  addEventListener("resize", look);
  look();
}

// What another program shared to the page lies in a store of the service worker until it is taken.
async function takeShared() {
  if (!new URLSearchParams(location.search).has("shared")) return;
  history.replaceState(history.state, "", location.pathname);
  const store = await caches.open("pbem-shared");
  for (const request of await store.keys()) {
    const answer = /** @type {Response} */ (await store.match(request));
    await store.delete(request);
    if (answer.headers.get("X-Kind") === "text") await takeText(await answer.text());
    else await takeFiles([new File([await answer.blob()], "shared")]);
  }
}

// The drawing speaks with our own letters, so that what was measured to fit does fit. They come behind the table.
async function loadFonts() {
  for (const [family, name] of Object.entries(FACES)) {
    const answer = await fetch(name).catch(() => null);
    if (answer?.ok) document.fonts.add(await new FontFace(family, await answer.arrayBuffer()).load());
  }
}
