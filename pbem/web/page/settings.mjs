// Settings of this browser: language, colours, what lands in the list; and which page this is.
import { askOrNotify } from "./ask.mjs";
import { Choice, Switch } from "./parts.mjs";
import { storeNotificationTexts } from "./push.mjs";
import { read, send } from "./store.mjs";
import { readVersion } from "./version.mjs";
import { html, useEffect, useState } from "./view.mjs";
import { code, LANGUAGES, say, setWords } from "./words.mjs";

/** @param {string} language */
async function setLanguage(language) {
  localStorage.setItem("lang", language);
  setWords(language, await (await fetch(`words-${language}.json`)).json());
  await askOrNotify({ do: "hello", lang: language });
  await storeNotificationTexts();
  send("open-home");
}

/** @param {string} theme */
function setTheme(theme) {
  if (theme) localStorage.setItem("theme", theme);
  else localStorage.removeItem("theme");
  document.documentElement.dataset.theme = theme;
}

export function Settings() {
  const [about, setAbout] = useState(/** @type {{ version: string, print: string, address: string } | null} */ (null));
  useEffect(() => void readVersion().then(setAbout), []);
  return html`<${Choice} id="lang" label=${say("language")} options=${Object.entries(LANGUAGES)} value=${code} onPick=${setLanguage} />
    <${Choice} id="theme" label=${say("colours")} options=${[["", say("colours-auto")], ["light", say("light")], ["dark", say("dark")]]} value=${localStorage.getItem("theme") || ""} onPick=${setTheme} />
    <${Switch} id="quiet" label=${say("quiet")} on=${read().list.quiet} act=${async (/** @type {boolean} */ set) => (await askOrNotify({ do: "quiet", set })) && send("list", { quiet: set })} />
    <h3>${say("about")}</h3><p id="print">${about && say("about-version", { ...about })}</p>
    <p id="address">${about && say(about.address ? "about-address" : "about-no-address", { address: about.address })}</p>
    <p>${say("about-who")}</p><p>${say("about-keys")}</p>`;
}
