// The page from its start on: which screen stands there, and how it is drawn.
import { app, drawnBy, redraw } from "./app.mjs";
import { ask, boot } from "./ask.mjs";
import { depth, follow, heed } from "./back.mjs";
import { takeFiles, takeText } from "./bringing.mjs";
import { called, listen } from "./api.mjs";
import { followLink } from "./following.mjs";
import { heedPull, home, HomeScreen } from "./home.mjs";
import { InvitationScreen, JoiningScreen, LostScreen } from "./join.mjs";
import { keepLast, LastScreen, lastTable } from "./last.mjs";
import { FACES } from "./png.mjs";
import { heedPresses } from "./press.mjs";
import { keepCallWords } from "./push.mjs";
import { SheetView, closeSheet } from "./sheet.mjs";
import { heedInstall, keepStorage, lookAround } from "./surroundings.mjs";
import { openMatch, roomy, TableScreen } from "./table.mjs";
import { Notice } from "./notice.mjs";
import { Newer, watchVersions } from "./version.mjs";
import { html, render } from "./view.mjs";

/** @type {Record<string, () => any>} */
const SCREENS = { home: HomeScreen, invitation: InvitationScreen, joining: JoiningScreen, last: LastScreen, lost: LostScreen, table: TableScreen };

const root = () => /** @type {HTMLElement} */ (document.getElementById("page"));

function Page() {
  const Screen = SCREENS[app.screen];
  if (app.screen === "last") return html`<${LastScreen} />`;
  return html`<${Newer} /><div id="screen">${Screen && html`<${Screen} key=${app.screen} />`}</div>
    ${app.sheet && app.notice?.trouble ? html`<div id="notice" class="notice"></div>` : html`<${Notice} />`}
    ${app.sheet && html`<${SheetView} key=${app.sheet.id} sheet=${app.sheet} />`}`;
}

function draw() {
  document.documentElement.dataset.screen = app.screen;
  render(html`<${Page} />`, root());
  follow();
  keepLast();
}

/** @param {{ registration: ServiceWorkerRegistration, python: ReturnType<typeof import("./workers.mjs").begin> }} given */
export async function start({ registration, python }) {
  const last = location.hash ? null : lastTable();
  if (last) {
    root().replaceChildren();
    drawnBy(draw);
    redraw({ screen: "last" });
  }
  const answer = await boot(python);
  if (!answer.ok) throw Object.assign(new Error(answer.trace || answer.fault), { key: answer.broken ? "not-started" : answer.missing ? "not-fetched" : "" });
  await servedBy();
  document.documentElement.dataset.state = "started";
  if (!last) root().replaceChildren();
  app.screen = "";
  drawnBy(draw);
  heed((level) => {
    if (app.sheet) closeSheet();
    if (level === 0 && app.screen !== "home") void home();
    else if (level < depth()) redraw();
  });
  heedPresses();
  heedPull();
  heedInstall();
  watchVersions(registration);
  navigator.serviceWorker.addEventListener("message", ({ data }) => data?.called && void called());
  addEventListener("hashchange", () => location.hash && followLink());
  matchMedia("(min-width: 48em)").addEventListener("change", () => {
    redraw();
    void roomy();
  });
  setInterval(listen, 1000);
  setInterval(() => (app.screen === "table" || app.screen === "home") && redraw(), 30000); // the time that is left
  measured();
  if (last) await openMatch(last.match);
  else await followLink();
  if (app.screen === "") await home();
  await taken();
  void lookAround();
  void keepStorage();
  void keepCallWords();
  registration.active?.postMessage("later");
  void letters();
}

// A host who serves the page beside the own API says so in host.json; a mirror or one's own page has no such file.
async function servedBy() {
  const host = await fetch("host.json", { cache: "no-store" }).then((answer) => (answer.ok ? answer.json() : null)).catch(() => null);
  const served = await ask({ do: "served", host: host?.sign ? host : null }); // without a network it stays that host's
  Object.assign(app, { served: served.says || "", servedAt: served.api || "" });
}

// Letters that are large for the screen: the hand and the table take turns on it.
function measured() {
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
async function taken() {
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
async function letters() {
  for (const [family, name] of Object.entries(FACES)) {
    const answer = await fetch(name).catch(() => null);
    if (answer?.ok) document.fonts.add(await new FontFace(family, await answer.arrayBuffer()).load());
  }
}
